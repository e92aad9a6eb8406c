"""Hands and eyes of a person in front of a notebook."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page, expect

from tests.browser.lab import Lab

__all__ = [
    "LOAD",
    "Tools",
    "axe",
    "open_notebook",
    "run_new_cell",
    "save",
    "show_output_again",
]

_COUNTED = re.compile(r"\[\d+\]")
_CORNER: Any = {"x": 2, "y": 2}
_CHANNELS = "/channels"  # where a page talks with its kernel

LOAD = "%load_ext mcp_magic"
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
    way = "lab/tree" if app == "lab" else "notebooks"
    # Asked to run before it has a kernel, Notebook starts a second one and forgets
    # the cells; its sign says "idle" before it has the first.
    with page.expect_websocket(
        lambda one: one.url.partition("?")[0].endswith(_CHANNELS)
    ):
        page.goto(f"{lab.address}{way}/{name}{'?reset' if app == 'lab' else ''}")
    page.locator(".jp-Notebook").wait_for()
    idle = page.locator("[data-status=idle]")
    if app == "lab":
        idle = page.get_by_text("Python 3 (ipykernel) | Idle")
    idle.first.wait_for(state="attached")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    first = page.locator(".jp-CodeCell .jp-InputPrompt").first
    expect(first).not_to_have_text("[ ]:")
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


def run_new_cell(page: Page, source: str | None = None) -> Locator:
    """Run a new cell at the end of the notebook and return its output.

    Args:
        page: Where the notebook is.
        source: What to type; ``None`` pastes what was copied.
    """
    page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    cell = page.locator(".jp-CodeCell").last
    cell.locator(".cm-content").click()
    if source is None:
        page.keyboard.press("Control+v")
    else:
        page.keyboard.insert_text(source)
    page.keyboard.press("Control+Enter")
    prompt = cell.locator(".jp-InputPrompt")
    expect(prompt).to_have_text(_COUNTED)
    return cell.locator(".jp-OutputArea")


@contextlib.contextmanager
def save(page: Page) -> Iterator[None]:
    """Expect that the notebook is saved by what is done meanwhile."""
    # Its checkpoint comes last; before that, saving again does nothing.
    with page.expect_response(lambda answer: answer.url.find("/checkpoints") > 0):
        yield


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
