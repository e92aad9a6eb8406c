"""Widgets in a real JupyterLab: sizes, themes, views, many tools, hostile text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.browser.driving import (
    LOAD,
    Tools,
    axe,
    open_notebook,
    run_new_cell,
    show_output_again,
)
from tests.browser.lab import SHOTS, Lab, channel
from tests.language.reading import schema
from tests.noting import Noting

_HOSTILE = (
    '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>'
    " [x](javascript:window.__xss=1) \x1b[2J \u202egnp.exe \U000e0041"
    ' "><svg onload=window.__xss=1> {{__xss}} ${window.__xss=1}'
)


@pytest.fixture(name="noting")
def _noting(tmp_path: Path) -> Noting:
    return Noting(tmp_path)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_nothing_serious_is_found_by_axe(page: Page, lab: Lab, theme: str) -> None:
    lab.set("apputils-extension:themes", theme=f"JupyterLab {theme}")
    open_notebook(page, lab, [LOAD, "%mcp", "%mcp demo"])
    tools = Tools(page)
    tools.open("order")
    tools.el.get_by_role("button", name="Run demo.order").click()
    expect(tools.el.locator(".mcp-problems li")).to_have_count(5)
    assert axe(page) == []
    page.screenshot(path=_picture(f"problems-{theme.lower()}"))
    tools.open("list_rows")
    tools.run()
    tools.open("delete_note")
    tools.box("id").fill("1")
    tools.el.get_by_role("button", name="Run demo.delete_note").click()
    expect(tools.el.get_by_text("may destroy something")).to_be_visible()
    assert axe(page) == []
    tools.open("list_rows")
    page.screenshot(path=_picture(f"result-{theme.lower()}"))
    assert axe(page) == []


def _picture(name: str) -> Path:
    SHOTS.mkdir(exist_ok=True)
    return SHOTS / f"widget-{name}.png"


@pytest.mark.parametrize(("width", "columns"), [(300, 1), (370, 1), (970, 2)])
def test_it_fits_where_it_is_shown(
    page: Page, lab: Lab, width: int, columns: int
) -> None:
    open_notebook(page, lab, [LOAD, "%mcp", "%mcp demo"])
    tools = Tools(page)
    tools.open("order")
    page.evaluate(
        "w => document.querySelectorAll('.mcp-w').forEach("
        "e => { e.style.width = w + 'px'; })",
        width,
    )
    wide = page.evaluate(
        "[...document.querySelectorAll('.mcp-w *')].filter(e =>"
        " e.getBoundingClientRect().right >"
        " e.closest('.mcp-w').getBoundingClientRect().right + 1).map(e => e.outerHTML)"
    )
    assert wide == []
    grid = tools.el.locator(".mcp-grid")
    shown = grid.evaluate("e => getComputedStyle(e).gridTemplateColumns")
    assert len(shown.split()) == columns
    tools.el.screenshot(path=_picture(f"{width}"))


def test_a_second_view_shares_tools_calls_and_drafts(page: Page, lab: Lab) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo"])
    tools = Tools(page)
    tools.open("echo")
    tools.box("text").fill("shared")
    tools.run()
    show_output_again(page)
    second = Tools(page, 1)
    second.open("echo")
    expect(second.box("text")).to_have_value("shared")
    expect(second.calls).to_have_count(1)
    second.box("text").fill("other")
    second.run()
    expect(tools.calls).to_have_count(2)
    expect(tools.box("text")).to_have_value("shared")
    ids = page.evaluate("[...document.querySelectorAll('.mcp-w [id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_two_servers_stand_side_by_side(page: Page, lab: Lab, noting: Noting) -> None:
    listed = [{"name": "one", "inputSchema": {"type": "object"}}]
    open_notebook(
        page, lab, [LOAD, noting.cell(listed), "%mcp demo", "%mcp list n demo"]
    )
    first, second, both = (Tools(page, at) for at in range(3))
    first.open("one")
    second.open("list_notes")
    expect(first.run()).to_contain_text("noted")
    second.run()
    groups = both.el.get_by_role("group", name="n", exact=True)
    expect(groups.get_by_role("option")).to_have_count(1)
    expect(both.el.get_by_role("group", name="demo", exact=True)).to_be_visible()


def test_a_thousand_tools_take_few_messages_and_are_searched_at_once(
    page: Page, lab: Lab, noting: Noting
) -> None:
    listed = [
        {
            "name": f"space{at % 8}.tool_{at}",
            "description": f"Tool number {at}; does something useful with a text.",
            "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
        }
        for at in range(1000)
    ]
    counted: list[str] = []

    def count(socket: WebSocket) -> None:
        if channel(socket):
            socket.on("framereceived", lambda frame: counted.append(str(frame)))

    page.on("websocket", count)
    open_notebook(page, lab, [LOAD, noting.cell(listed)])
    tools = Tools(page)
    expect(tools.options).to_have_count(200)
    said = tools.el.get_by_role("status").filter(has_text="800 more")
    expect(said).to_be_visible()
    received = len(counted)
    run_new_cell(page, "mcp_magic_server = _")
    small = len(counted) - received
    before = len(counted)
    run_new_cell(page, "%mcp n")
    again = Tools(page, 1)
    expect(again.options).to_have_count(200)
    assert len(counted) - before - small < 10
    again.search.press_sequentially("TOOL_77 useful")
    expect(again.options).to_have_count(11)


def test_hostile_text_is_text_wherever_it_stands(
    page: Page, lab: Lab, noting: Noting
) -> None:
    text = {"type": "text", "text": _HOSTILE}
    hostile = {
        "name": _HOSTILE,
        "title": _HOSTILE,
        "description": _HOSTILE,
        "inputSchema": {
            "type": "object",
            "title": _HOSTILE,
            "properties": {
                _HOSTILE: {"type": "string", "description": _HOSTILE},
                "e": {"enum": [_HOSTILE, "b"], "default": _HOSTILE},
                "d": {"type": "string", "default": _HOSTILE, "title": _HOSTILE},
                "p": {"type": "string", "pattern": _HOSTILE},
            },
        },
    }
    odd = {"name": "", "inputSchema": {"type": "object"}, "description": _HOSTILE}
    rows = {"name": "rows", "inputSchema": schema("25")}
    results = {
        _HOSTILE: {"content": [text], "isError": True},
        "rows": {
            "content": [text],
            "structuredContent": {"result": [{_HOSTILE: _HOSTILE}]},
        },
    }
    open_notebook(page, lab, [LOAD, noting.cell([hostile, odd, rows], results), "%mcp"])
    tools = Tools(page)
    tools.options.first.click()
    tools.form.wait_for()
    tools.el.get_by_role("button", name="Run ").first.click()
    expect(tools.calls.first).to_contain_text("reported an error")
    tools.el.get_by_role("button", name="Copy as Python").click()
    expect(tools.el.locator(".mcp-code-text")).to_be_visible()
    tools.open("rows")
    tools.run()
    shown = page.locator(".mcp-w").all_inner_texts()
    assert page.evaluate("window.__xss") is None
    assert page.locator(".mcp-w").locator("script,img,svg,iframe,a").count() == 0
    for hidden in "\x1b\u202e\U000e0041":
        assert hidden not in "".join(shown)


def test_no_state_of_a_widget_holds_what_was_entered(
    page: Page, lab: Lab, noting: Noting
) -> None:
    key = {"type": "object", "properties": {"api_key": {"type": "string"},
                                            "q": {"type": "string"}}}  # fmt: skip
    listed = [{"name": "log_in", "inputSchema": key}]
    open_notebook(page, lab, [LOAD, noting.cell(listed)])
    tools = Tools(page)
    tools.open("log_in")
    tools.box("api_key").fill("hunter2")
    tools.box("q").fill("swordfish")
    tools.el.get_by_role("button", name="Copy as %mcp").click()
    code = tools.el.locator(".mcp-code-text")
    expect(code).to_contain_text("api_key=$api_key")
    call = tools.run()
    expect(call).to_contain_text("noted")
    assert json.loads(noting.received()[0])["api_key"] == "hunter2"
    assert "hunter2" not in tools.el.inner_text()
    output = run_new_cell(
        page,
        "import ipywidgets, json\n"
        "state = json.dumps(ipywidgets.Widget.get_manager_state())\n"
        "['hunter2' in state, 'swordfish' in state, 'log_in' in state]",
    )
    expect(output).to_contain_text("[False, False, True]")


def test_an_answer_unlike_its_schema_is_kept_with_a_warning(
    page: Page, lab: Lab, noting: Noting
) -> None:
    promised = {"type": "object", "required": ["n"]}
    listed = [
        {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": promised}
    ]
    done = {"content": [{"type": "text", "text": "kept"}], "structuredContent": {}}
    open_notebook(page, lab, [LOAD, noting.cell(listed, {"t": done})])
    tools = Tools(page)
    tools.open("t")
    call = tools.run()
    blame = "Warning: The answer of t does not fit its schema"
    expect(call.locator(".mcp-warning")).to_contain_text(blame)
    expect(call.locator("strong").first).to_have_text("done")


def test_the_table_of_servers_connects_and_closes(page: Page, lab: Lab) -> None:
    open_notebook(page, lab, [LOAD, '%mcp add gone "no-such-command-here x"', "%mcp"])
    table = page.get_by_role("table", name="Known MCP servers")
    row = table.get_by_role("row").filter(has_text="demo")
    expect(row).to_contain_text("not connected")
    row.get_by_role("button", name="Connect demo").click()
    expect(row.get_by_role("button", name="Close demo")).to_be_visible()
    expect(row.get_by_role("cell").nth(3)).to_have_text(re.compile(r"\d+"))
    table.get_by_role("button", name="Connect gone").click()
    gone = table.get_by_role("row").filter(has_text="gone")
    expect(gone.locator(".mcp-error")).to_contain_text("no-such-command-here")
    row.get_by_role("button", name="Close demo").click()
    expect(row.get_by_role("button", name="Connect demo")).to_be_focused()
    # What happens elsewhere is seen here, too.
    run_new_cell(page, "%mcp demo.add a=2 b=3")
    expect(row.get_by_role("button", name="Close demo")).to_be_visible()
