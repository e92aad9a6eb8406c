"""The tour in a real JupyterLab: what a person sees after Run All."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab

_ROOT = Path(__file__).parents[2]
_TOUR = _ROOT / "notebooks" / "01-first-steps.ipynb"
_SHOTS = _ROOT / "screenshots"


def _run_all(page: Page, address: str) -> None:
    """Open a notebook and run it to its last cell."""
    page.goto(address)
    page.locator(".jp-Notebook").wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").first.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_tour_runs_and_reads_well(page: Page, lab: Lab, theme: str) -> None:
    name = f"tour-{theme.lower()}"
    shutil.copy(_TOUR, lab.folder / f"{name}.ipynb")
    lab.set("apputils-extension:themes", theme=f"JupyterLab {theme}")
    _run_all(page, f"{lab.address}lab/tree/{name}.ipynb?reset")
    outputs = page.locator(".jp-OutputArea-output")
    for text in (
        "Closed demo, mine.",
        "Auto-corrected tool call to demo.add (input: demo.ad).",
        "ToolFailed: demo.fail: Out of paper.",
    ):
        expect(outputs.filter(has_text=text)).to_be_visible()
    assert outputs.locator("img[src^='data:image/png']").count() == 1
    assert page.get_by_text("Traceback").count() == 0
    _picture(page, name)


def test_stop_cancels_a_call_and_the_next_cell_works(page: Page, lab: Lab) -> None:
    notebook = new_notebook(
        cells=[
            new_code_cell("%load_ext mcp_magic"),
            new_code_cell("%mcp demo.slow seconds=60 steps=600"),
            new_code_cell("%mcp demo.list_notes"),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, lab.folder / "stop.ipynb")
    _run_all(page, f"{lab.address}lab/tree/stop.ipynb?reset")
    outputs = page.locator(".jp-OutputArea-output")
    expect(outputs.filter(has_text="demo.slow · ")).to_be_visible()
    page.get_by_role("button", name="Interrupt the kernel").click()
    stopped = "KeyboardInterrupt: stopped; the server was told to cancel"
    expect(outputs.filter(has_text=stopped)).to_be_visible()
    page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(outputs.filter(has_text="slow was stopped")).to_be_visible()


def _picture(page: Page, name: str) -> None:
    """Keep a picture of the whole notebook, to be looked at."""
    _SHOTS.mkdir(exist_ok=True)
    page.set_viewport_size({"width": 1200, "height": 4200})
    page.locator(".jp-Cell").first.scroll_into_view_if_needed()
    page.locator(".jp-Notebook").screenshot(path=_SHOTS / f"{name}.png")
