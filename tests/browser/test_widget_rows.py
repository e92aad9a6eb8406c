"""Lists, maps and check boxes of a form in a real JupyterLab."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.driving import LOAD, Tools, axe, open_notebook
from tests.browser.lab import SHOTS, Lab, opened_page
from tests.language.reading import schema
from tests.noting import Noting

_TEXT: Any = {"type": "string"}
_LISTS: Any = {
    "tags": {"type": "array", "items": _TEXT},
    "nums": {"type": "array", "items": {"type": "integer"}},
    "pairs": {"type": "array", "items": {"type": "object", "properties": {"k": _TEXT}}},
}
_FLAGS: Any = {
    "must": {"type": "boolean"},
    "may": {"type": "boolean"},
    "on": {"type": "boolean", "default": True},
    "maybe": {"type": ["boolean", "null"]},
}


def _tool(name: str, properties: Any, *required: str) -> Any:
    of = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "inputSchema": of}


@pytest.fixture(name="noting", scope="module")
def _noting(tmp_path_factory: pytest.TempPathFactory) -> Noting:
    return Noting(tmp_path_factory.mktemp("noting"))


@pytest.fixture(name="tools", scope="module")
def _tools(browser: Browser, lab: Lab, noting: Noting) -> Iterator[Tools]:
    listed = [
        *(_tool(name, _LISTS) for name in ("pasted", "lined", "many")),
        *(_tool(name, _FLAGS, "must") for name in ("flags", "by_key")),
        {"name": "maps", "inputSchema": schema("21")},
    ]
    with opened_page(browser) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        open_notebook(page, lab, [LOAD, noting.cell(listed)])
        yield Tools(page)


def _sent(tools: Tools, noting: Noting) -> Any:
    expect(tools.run()).to_contain_text("noted")
    return json.loads(noting.received()[-1])


def _add(tools: Tools, name: str) -> None:
    tools.state(name).select_option("value")
    tools.form.get_by_role("button", name=f"Add to {name}").click()


def _paste(tools: Tools, text: str) -> None:
    tools.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    tools.page.keyboard.press("Control+v")


def test_lines_that_are_pasted_into_an_item_are_an_item_each(
    tools: Tools, noting: Noting
) -> None:
    tools.open("pasted")
    _add(tools, "tags")
    tools.box("tags 1").fill("<>")
    tools.box("tags 1").press("Home")
    tools.page.keyboard.press("ArrowRight")
    tools.form.get_by_role("button", name="Add to tags").click()
    tools.box("tags 2").fill("last")
    tools.box("tags 1").focus()
    _paste(tools, "007\r\n\r\n true ")
    expect(tools.box("tags 2")).to_be_focused()
    expect(tools.form.get_by_role("status").first).to_contain_text("2 lines")
    _add(tools, "nums")
    tools.box("nums 1").focus()
    _paste(tools, f"{2**64}\n2\n3")
    sent = _sent(tools, noting)
    assert sent == {"tags": ["<007", " true >", "last"], "nums": [2**64, 2, 3]}
    tools.form.get_by_role("button", name="As one item instead").click()
    assert _sent(tools, noting)["tags"] == ["<007\n\n true >", "last"]


def test_a_single_line_is_pasted_as_anywhere(tools: Tools, noting: Noting) -> None:
    tools.open("many")
    _add(tools, "tags")
    _paste(tools, "one line\n")
    expect(tools.box("tags 2")).to_have_count(0)
    assert "one line" in _sent(tools, noting)["tags"][0]


def test_lines_are_pasted_into_a_box_of_their_own_by_keyboard(
    tools: Tools, noting: Noting
) -> None:
    tools.open("lined")
    _add(tools, "nums")
    tools.box("nums 1").fill("1")
    open_lines = tools.form.get_by_role("button", name="Paste lines to nums")
    page = tools.page
    open_lines.press("Enter")
    expect(open_lines).to_have_attribute("aria-expanded", "true")
    page.keyboard.insert_text("2\n\n3\nx\n")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(tools.box("nums 4")).to_be_focused()
    expect(tools.box("nums 4")).to_have_value("x")
    tools.el.get_by_role("button", name="Run n.lined").click()
    expect(tools.el.locator(".mcp-problems")).to_contain_text("whole number")
    tools.form.get_by_role("button", name="Remove nums 2").click()
    expect(tools.box("nums 2")).to_be_focused()
    tools.box("nums 3").fill("4")
    assert _sent(tools, noting) == {"nums": [1, 3, 4]}
    expect(tools.form.get_by_role("button", name="Paste lines to pairs")).to_have_count(
        0
    )
    open_lines.click()
    lines = tools.form.get_by_label("A line for each item", exact=False)
    lines.fill("\n".join(map(str, range(501))))
    tools.form.get_by_role("button", name="Add the lines").click()
    expect(tools.form).to_contain_text("501 lines are too many for rows")
    expect(tools.box("nums 4")).to_have_count(0)


def test_a_map_is_rows_of_key_and_value(tools: Tools, noting: Noting) -> None:
    tools.open("maps")
    tools.state("headers").select_option("value")
    more = tools.form.get_by_role("button", name="Add a key to headers", exact=True)
    for at, (key, value) in enumerate((("A", "1"), ("B", "@x"))):
        more.click()
        tools.form.get_by_role("textbox", name="Key").nth(at).fill(key)
        tools.box("value").nth(at).fill(value)
    assert _sent(tools, noting) == {"headers": {"A": "1", "B": "@x"}}
    tools.form.get_by_role("textbox", name="Key").nth(1).fill("A")
    tools.el.get_by_role("button", name="Run n.maps").click()
    expect(tools.el.locator(".mcp-problems")).to_contain_text("stands twice")


def test_what_a_check_box_sends_is_said_beside_it_and_to_a_screen_reader(
    tools: Tools, noting: Noting
) -> None:
    tools.open("flags")
    for name in ("may", "on", "maybe"):
        box = tools.box(name)
        expect(box).to_match_aria_snapshot(f'- checkbox "{name}" [checked=mixed]')
        expect(box).to_have_accessible_description(re.compile("^not sent "))
    must = tools.form.get_by_role("radiogroup", name="must")
    expect(must.get_by_role("radio", checked=True)).to_have_count(0)
    tools.state("on").select_option("default")
    expect(tools.box("on")).to_have_accessible_description(re.compile("^default: true"))
    tools.state("maybe").select_option("null")
    expect(tools.box("maybe")).to_have_accessible_description(re.compile("^null "))
    assert axe(tools.page) == []
    SHOTS.mkdir(exist_ok=True)
    tools.el.screenshot(path=SHOTS / "widget-flags.png")
    tools.el.get_by_role("button", name="Run n.flags").click()
    expect(tools.el.locator(".mcp-problems")).to_contain_text("must is needed")
    must.get_by_role("radio", name="false").check()
    assert _sent(tools, noting) == {"must": False, "on": True, "maybe": None}


def test_a_check_box_is_used_by_keyboard(tools: Tools, noting: Noting) -> None:
    tools.open("by_key")
    page = tools.page
    true = tools.form.get_by_role("radio", name="true")
    true.focus()
    for key in ("Space", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    expect(true).to_be_checked()
    tools.box("may").focus()
    page.keyboard.press("Space")
    expect(tools.box("may")).to_be_checked()
    expect(tools.box("may")).to_have_accessible_description(re.compile("^true "))
    page.keyboard.press("Space")
    assert _sent(tools, noting) == {"must": True, "may": False}
    tools.box("may").focus()
    page.keyboard.press("Delete")
    expect(tools.box("may")).to_have_accessible_description(re.compile("^not sent "))
    assert _sent(tools, noting) == {"must": True}
