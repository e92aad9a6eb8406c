"""What a person does in a real JupyterLab: Tab, and Stop."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.driving import stopped
from tests.browser.lab import Lab, notebook, outputs, run_all


def test_stop_cancels_a_call_and_the_next_cell_works(page: Page, lab: Lab) -> None:
    notebook(
        lab.folder / "stop.ipynb",
        "%load_ext mcp_magic",
        "%mcp demo.slow seconds=600 steps=1000",
        "%mcp demo.list_notes",
    )
    run_all(page, lab.url("stop.ipynb"))
    shown = outputs(page)
    expect(shown.filter(has_text="demo.slow · ")).to_be_visible()
    page.get_by_role("button", name="Interrupt the kernel").click()
    said = "KeyboardInterrupt: stopped; the server was told to cancel"
    expect(shown.filter(has_text=said)).to_be_visible()
    stopped(page)
    page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(shown.filter(has_text="slow was stopped")).to_be_visible()
