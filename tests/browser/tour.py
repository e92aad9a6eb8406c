"""The tour in JupyterLab: what its file keeps, and what a person reads on the page."""

from __future__ import annotations

import shutil

from playwright.sync_api import Locator, Page, expect

from tests.browser.lab import Lab, last_cell_ran, outputs, picture, run_all, save
from tests.tour.front_ends import TOUR, saved
from tests.tour.outputs import Shown, steady

__all__ = ["in_lab", "read_page"]


def in_lab(page: Page, lab: Lab, theme: str) -> list[Shown]:
    """Run the tour in Lab, keep a picture of it, and return what its file shows."""
    name = f"tour-{theme.lower()}"
    shutil.copy(TOUR, lab.folder / f"{name}.ipynb")
    lab.set("apputils-extension:themes", theme=f"JupyterLab {theme}")
    run_all(page, lab.url(f"{name}.ipynb"))
    last_cell_ran(page)
    # The table of servers follows what later cells did: the last one closed them all.
    for server in ("demo", "mine"):
        closed = page.get_by_role("row", name=f"{server} not connected")
        expect(closed).to_be_visible()
    expect(outputs(page).locator("img").first).to_be_visible()
    picture(page, name)
    save(page)
    return saved(lab.saved(f"{name}.ipynb"))


def read_page(page: Page) -> list[str]:
    """Return what each code cell shows on the page, as a person reads it."""
    return [_read(cell) for cell in page.locator(".jp-CodeCell").all()]


def _read(cell: Locator) -> str:
    found = cell.locator(".jp-OutputArea-output").all_inner_texts()
    lines = "\n".join(found).replace("\xa0", " ").split("\n")
    return steady("\n".join(line.rstrip() for line in lines)).strip("\n")
