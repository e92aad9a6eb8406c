"""No shortcut of the notebook fires inside the widgets, and saving still works."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.driving import LOAD, Tools, open_notebook
from tests.browser.lab import Lab, last_cell_ran, opened_page, save

# Each would add, cut, merge, leave or run a cell in command mode.
_KEYS = (
    *("a", "b", "m", "y", "x", "j", "k", "d", "d", "z"),
    *("Shift+M", "Shift+Enter", "Shift+J", "ArrowDown", "ArrowUp", "Escape"),
    "Control+Shift+c",
)
_CONTROLS = {
    "search": ".mcp-search",
    "list": ".mcp-list",
    "text": ".mcp-kind-text textarea",
    "number": ".mcp-kind-integer input",
    "check box": ".mcp-kind-boolean input[type=checkbox]",
    "radio button": ".mcp-kind-boolean input[type=radio]",
    "lines": ".mcp-form button[aria-expanded]",
    "date": ".mcp-kind-date input",
    "choice": ".mcp-kind-choice select",
    "what is sent": ".mcp-state",
    "button": ".mcp-run",
    "description": ".mcp-description",
    "servers": ".mcp-servers button",
}


@pytest.fixture(name="pages", scope="module", params=["lab", "notebook"])
def _pages(
    browser: Browser, lab: Lab, request: pytest.FixtureRequest
) -> Iterator[tuple[Page, Tools]]:
    with opened_page(browser) as page:
        cells = [LOAD, _SERVER, "mcp_magic.connect(scripted.server, name='s')", "%mcp"]
        open_notebook(page, lab, cells, request.param)
        tools = Tools(page)
        tools.open("many")
        tools.state("l").select_option("value")  # only then are there lines to paste to
        last_cell_ran(page)  # a prompt that changes later is no shortcut's doing
        yield page, tools


_SERVER = """import mcp_magic, sys
from mcp.server.mcpserver import MCPServer
import datetime, typing
class scripted: server = MCPServer("s")
@scripted.server.tool()
def many(t: str, yes: bool, n: int = 1, b: bool = False, l: list[str] = [],
         d: datetime.date | None = None, c: typing.Literal["x", "y"] = "x"):
    "Take one of each."
    return [t, yes, n, b, l, d, c]"""


@pytest.mark.parametrize("control", _CONTROLS)
def test_no_shortcut_of_the_notebook_fires(
    pages: tuple[Page, Tools], control: str
) -> None:
    page, _ = pages
    before = _notebook(page)
    target = page.locator(_CONTROLS[control]).first
    for key in _KEYS:
        target.focus()
        page.keyboard.press(key)
    target.focus()
    expect(target).to_be_focused()
    assert _notebook(page) == before


@pytest.mark.parametrize("control", ["search", "list", "number", "button"])
def test_saving_still_works(pages: tuple[Page, Tools], control: str) -> None:
    page, _ = pages
    page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    page.keyboard.type("#")  # what has not changed is not saved
    page.locator(_CONTROLS[control]).first.focus()
    save(page)


def _notebook(page: Page) -> tuple[list[str], list[str]]:
    cells: Locator = page.locator(".jp-Cell")
    prompts = page.locator(".jp-InputPrompt").all_inner_texts()
    return cells.locator(".jp-Editor").all_inner_texts(), prompts


def test_arrows_walk_through_the_list_and_letters_search(page: Page, lab: Lab) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo"])
    tools = Tools(page)
    active = tools.el.locator(".mcp-active code")
    box = tools.el.get_by_role("listbox", name="Tools")
    box.focus()
    names = tools.options.locator("code").all_inner_texts()
    for key, at in (("ArrowDown", 1), ("End", -1), ("ArrowUp", -2), ("Home", 0)):
        page.keyboard.press(key)
        expect(active).to_have_text(names[at])
    page.keyboard.press("c")
    expect(tools.search).to_be_focused()
    page.keyboard.type("onvert")
    expect(tools.options).to_have_count(1)
    found = tools.el.get_by_role("status").filter(has_text=f"1 of {len(names)} tools")
    expect(found).to_be_visible()
    tools.search.fill("no such thing")
    expect(tools.el.get_by_text("No tool matches.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(tools.search).to_have_value("")
    expect(tools.options).to_have_count(len(names))
