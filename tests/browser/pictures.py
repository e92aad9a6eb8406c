"""The picture of the README: a few cells in JupyterLab."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import FloatRect, Page

from tests.browser.lab import Lab, last_cell_ran, notebook, run_all

__all__ = ["PICTURE", "draw"]

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "notebook.png"

_CELLS = (
    "%load_ext mcp_magic",
    "%mcp demo.ad a=2 b=3",
    "%mcp demo.list_rows kind=planet limit=4",
    "%mcp demo",
)
_SIZE = {"width": 980, "height": 1400}  # pixels
_TALLEST = 668


def draw(page: Page, lab: Lab) -> None:
    """Make the picture anew; what is too long is cut at the bottom."""
    notebook(lab.folder / "picture.ipynb", *_CELLS, "%mcp close")
    page.set_viewport_size({"width": _SIZE["width"], "height": _SIZE["height"]})
    run_all(page, f"{lab.address}doc/tree/picture.ipynb?reset")
    last_cell_ran(page)
    page.get_by_role("option").filter(has_text="convert").click()
    page.locator(".mcp-form").wait_for()
    cells = page.locator(".jp-CodeCell")
    cells.last.click()  # the frame of the chosen cell is out of the picture
    page.mouse.move(0, 0)  # nor is a row lit up by the pointer
    cells.first.scroll_into_view_if_needed()
    first = cells.first.bounding_box()
    assert first is not None
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    x, y, width = first["x"], first["y"], first["width"]
    clip: FloatRect = {"x": x, "y": y, "width": width, "height": _TALLEST}
    page.screenshot(path=PICTURE, clip=clip)
