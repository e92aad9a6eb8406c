"""Hands and eyes of a person in front of a notebook."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page, expect

from tests.browser.lab import Lab, run_all

__all__ = [
    "LOAD",
    "Tools",
    "axe",
    "new_cell",
    "open_notebook",
    "run_new_cell",
    "show_output_again",
    "stopped",
]

_COUNTED = re.compile(r"\[\d+\]")
_CORNER: Any = {"x": 2, "y": 2}

# A page under load may take more than the time after which a cell asks line by line.
LOAD = """\
%load_ext mcp_magic
import mcp_magic.notebook.asking as ours
ours._HANDSHAKE = 120"""
_AXE = Path(__file__).parents[1] / "npm" / "node_modules" / "axe-core" / "axe.min.js"
_KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}


def open_notebook(page: Page, lab: Lab, cells: list[str], app: str = "lab") -> Path:
    """Open a new notebook and run its cells; return its file.

    Args:
        page: Where to open it.
        lab: Who serves it.
        cells: Its cells.
        app: ``lab`` or ``notebook``, for Notebook 7.
    """
    name = f"n{sum(1 for _ in lab.folder.glob('*.ipynb'))}.ipynb"
    notebook = new_notebook(cells=[*map(new_code_cell, cells)], metadata=_KERNEL)
    nbformat.write(notebook, lab.folder / name)
    run_all(page, lab.url(name) if app == "lab" else f"{lab.address}notebooks/{name}")
    return lab.folder / name


def axe(page: Page) -> list[str]:
    """Return what axe-core finds serious in the widgets, contrast included."""
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    found: Any = page.evaluate("axe.run('.mcp-w')")
    return [
        f"{one['id']}: {[node['html'] for node in one['nodes']][:3]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def new_cell(page: Page) -> Locator:
    """Add a cell at the end of the notebook, ready to be typed in."""
    cells = page.locator(".jp-CodeCell")
    count = cells.count()
    cells.last.locator(".cm-content").click()
    page.keyboard.press("Escape")
    expect(page.locator(".jp-Notebook.jp-mod-commandMode")).to_be_attached()
    page.keyboard.press("b")
    expect(cells).to_have_count(count + 1)
    cell = cells.nth(count)
    cell.locator(".cm-content").click()
    expect(cell.locator(".cm-content")).to_be_focused()
    return cell


def run_new_cell(page: Page, source: str | None = None) -> Locator:
    """Run a new cell at the end of the notebook and return its output.

    Args:
        page: Where the notebook is.
        source: What to type; ``None`` pastes what was copied.
    """
    cell = new_cell(page)
    if source is None:
        page.keyboard.press("Control+v")
    else:
        page.keyboard.insert_text(source)
    expect(cell.locator(".cm-content")).not_to_have_text("")  # a paste takes a while
    page.keyboard.press("Control+Enter")
    expect(cell.locator(".jp-InputPrompt")).to_have_text(_COUNTED)
    return cell.locator(".jp-OutputArea")


def stopped(page: Page) -> None:
    """Wait until a stopped kernel has given up the last cell, which was queued."""
    prompt = page.locator(".jp-CodeCell").last.locator(".jp-InputPrompt")
    expect(prompt).to_have_text("[ ]:")


def show_output_again(page: Page) -> None:
    """Show the output of the last cell in a second view beside the notebook."""
    page.locator(".jp-OutputArea-output").last.click(button="right", position=_CORNER)
    page.get_by_role("menuitem", name="Create New View for Cell Output").click()
    expect(page.locator(".mcp-w")).to_have_count(2)


class Tools:
    """The list of tools in a page."""

    def __init__(self, page: Page, at: int = 0) -> None:
        self.page = page
        self.el = page.locator(".mcp-w", has=page.get_by_role("searchbox")).nth(at)
        self.el.wait_for()

    @property
    def search(self) -> Locator:
        return self.el.get_by_role("searchbox", name="Search the tools")

    @property
    def options(self) -> Locator:
        return self.el.get_by_role("option")

    @property
    def form(self) -> Locator:
        return self.el.locator(".mcp-form").first

    @property
    def calls(self) -> Locator:
        return self.el.locator(".mcp-call")

    def open(self, name: str) -> None:
        """Open a tool by mouse."""
        exact = self.page.locator(f'code:text-is("{name}")')
        self.options.filter(has=exact).click()
        self.form.wait_for()

    def box(self, name: str) -> Locator:
        """Return the control of a parameter by its exact label."""
        return self.form.get_by_label(name, exact=True)

    def state(self, name: str) -> Locator:
        """Return the select that says what is sent for a parameter."""
        return self.form.get_by_label(f"{name}: what is sent", exact=True)

    def run(self) -> Locator:
        """Press Run and return the call's row once it has ended."""
        before = self.calls.count()
        self.el.get_by_role("button", name="Run ").first.click()
        expect(self.calls).to_have_count(before + 1)
        call = self.calls.first
        expect(call.locator("strong").first).not_to_have_text("running")
        return call
