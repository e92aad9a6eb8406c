"""A whole form edited as JSON in a real JupyterLab."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.driving import LOAD, Tools, axe, open_notebook, run_new_cell
from tests.browser.lab import SHOTS, Lab, opened_page
from tests.noting import Noting

_BIG = 2**64 - 1
_TEXT: Any = {"type": "string"}
_TOOLS: Any = {
    "plain": {
        "t": _TEXT,
        "n": {"type": "integer"},
        "day": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": _TEXT},
        "who": {"type": "object", "properties": {"name": _TEXT}},
    },
    "log_in": {
        "api_key": _TEXT,
        "q": _TEXT,
        "all": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": _TEXT, "password": _TEXT},
            },
        },
    },
}


@pytest.fixture(name="noting", scope="module")
def _noting(tmp_path_factory: pytest.TempPathFactory) -> Noting:
    return Noting(tmp_path_factory.mktemp("noting"))


def _open(page: Page, lab: Lab, noting: Noting) -> Tools:
    listed = [
        {"name": name, "inputSchema": {"type": "object", "properties": of}}
        for name, of in _TOOLS.items()
    ]
    open_notebook(page, lab, [LOAD, noting.cell(listed)])
    return Tools(page)


@pytest.fixture(name="tools")
def _tools(browser: Browser, lab: Lab, noting: Noting) -> Iterator[Tools]:
    with opened_page(browser) as page:
        yield _open(page, lab, noting)


def _editor(tools: Tools) -> Locator:
    return tools.el.get_by_role("textbox", name="Arguments as JSON")


def _turn(tools: Tools, to: str) -> None:
    tools.el.get_by_role("button", name=to, exact=True).click()


def _back(tools: Tools) -> None:
    """Turn the text into the form; the old one is behind it until the new one comes."""
    _turn(tools, "Back to the form")
    expect(_editor(tools)).to_be_hidden()


def _received(noting: Noting) -> Any:
    return json.loads(noting.received()[-1])


def test_the_form_becomes_json_and_the_json_the_form(
    tools: Tools, noting: Noting
) -> None:
    tools.open("plain")
    expect(tools.form.get_by_role("button", name="Add a key")).to_be_hidden()
    tools.box("t").fill("007")
    tools.box("n").fill(str(_BIG))
    tools.state("tags").select_option("value")
    tools.form.get_by_role("button", name="Add to tags").click()
    tools.box("tags 1").fill("a")
    _turn(tools, "Edit as JSON")
    editor = _editor(tools)
    expect(editor).to_be_focused()
    expect(tools.form).to_be_hidden()
    seeded = json.loads(editor.input_value())
    assert seeded == {"t": "007", "n": _BIG, "tags": ["a"]}
    more = {**seeded, "n": _BIG + 1, "tags": ["b", "c"], "day": "2026-11-30"}
    more["who"] = {"name": "Ada", "odd": [1]}  # it has no place in the form
    editor.fill(json.dumps(more))
    _back(tools)
    expect(tools.box("n")).to_have_value(str(_BIG + 1))
    expect(tools.box("tags 2")).to_have_value("c")
    expect(tools.box("day")).to_have_value("2026-11-30")
    expect(tools.box("name")).to_have_value("Ada")
    expect(tools.box("value")).to_have_value("[1]")
    tools.run()
    assert _received(noting) == more


def test_json_is_run_copied_and_kept_by_keyboard_alone(
    tools: Tools, noting: Noting
) -> None:
    tools.open("plain")
    page = tools.page
    tools.el.get_by_role("button", name="Edit as JSON").focus()
    page.keyboard.press("Enter")
    expect(_editor(tools)).to_be_focused()
    cells = page.locator(".jp-CodeCell").count()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(f'{{"n": {_BIG}}}')
    for key in ("Shift+Enter", "Escape", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator(".jp-CodeCell")).to_have_count(cells)
    page.keyboard.press("Control+Enter")
    expect(tools.calls.first).to_contain_text("noted")
    assert _received(noting) == {"n": _BIG}
    tools.el.get_by_role("button", name="Copy as %mcp").click()
    code = tools.el.locator(".mcp-code-text")
    expect(code).to_have_text(f"%mcp n.plain n={_BIG}")
    # In another view the text goes on as it stands here.
    _editor(tools).fill('{"n": 1')
    with_problem = tools.el.locator(".mcp-whole .mcp-problem")
    _editor(tools).press("Tab")
    expect(with_problem).to_contain_text("Line 1, column 8")
    run_new_cell(page, "%mcp n")
    again = Tools(page, 1)
    again.options.filter(has_text="plain").click()
    expect(_editor(again)).to_have_value('{"n": 1')


def test_what_is_no_json_stays_with_line_and_column(
    tools: Tools, noting: Noting
) -> None:
    tools.open("plain")
    tools.box("t").fill("kept")
    _turn(tools, "Edit as JSON")
    broken = '{\n  "t": "😀",\n  "n": 1,,\n}'
    editor = _editor(tools)
    editor.fill(broken)
    before = len(noting.received())
    for button in ("Back to the form", "Copy as Python", "Run n.plain"):
        _turn(tools, button)
        problems = tools.el.locator(".mcp-problems")
        expect(problems).to_contain_text("Line 3, column 10")
        expect(editor).to_be_focused()
        expect(editor).to_have_value(broken)
        expect(editor).to_have_attribute("aria-invalid", "true")
        at = editor.evaluate("e => e.selectionStart")
        assert broken.encode("utf-16-le")[2 * at :].decode("utf-16-le") == ",\n}"
    assert len(noting.received()) == before
    editor.fill('{"day": "soon"}')
    _turn(tools, "Back to the form")
    expect(tools.el.locator(".mcp-problems")).to_contain_text("day has a value that")
    editor.fill('{"t": 5}')
    _turn(tools, "Run n.plain")
    expect(tools.el.locator(".mcp-problems")).to_contain_text("t takes a text")
    editor.fill('{"t": "5"}')
    _back(tools)
    expect(tools.box("t")).to_have_value("5")


def test_secrets_stay_in_the_form(tools: Tools, noting: Noting) -> None:
    tools.open("log_in")
    tools.box("api_key").fill("hunter2")
    tools.state("all").select_option("value")
    for at, name in enumerate("ab"):
        tools.form.get_by_role("button", name="Add to all").click()
        tools.box("name").nth(at).fill(name)
        tools.box("password").nth(at).fill(f"secret-{name}")
    _turn(tools, "Edit as JSON")
    editor = _editor(tools)
    said = "Not shown here, and sent as the form holds it: api_key, "
    expect(tools.el.locator(".mcp-whole")).to_contain_text(said)
    assert json.loads(editor.input_value()) == {"all": [{"name": "a"}, {"name": "b"}]}
    editor.fill('{"q": "x", "all": [{"name": "b"}]}')
    sent = {"q": "x", "all": [{"name": "b", "password": "secret-b"}]}
    _turn(tools, "Run n.log_in")
    expect(tools.calls.first).to_contain_text("noted")
    assert _received(noting) == {**sent, "api_key": "hunter2"}
    _back(tools)
    expect(tools.box("api_key")).to_have_value("hunter2")
    expect(tools.box("password")).to_have_value("secret-b")
    assert "secret" not in tools.el.inner_text()


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_editor_is_labelled_and_has_contrast(
    page: Page, lab: Lab, tmp_path: Path, theme: str
) -> None:
    lab.set("apputils-extension:themes", theme=f"JupyterLab {theme}")
    tools = _open(page, lab, Noting(tmp_path))
    tools.open("log_in")
    tools.box("api_key").fill("hunter2")
    _turn(tools, "Edit as JSON")
    expect(_editor(tools)).to_have_css("padding-left", "6px")
    _editor(tools).fill('{"q": "x",\n "all": [')
    _turn(tools, "Back to the form")
    expect(tools.el.locator(".mcp-problems")).to_contain_text("Line 2, column 10")
    assert axe(page) == []
    SHOTS.mkdir(exist_ok=True)
    tools.el.screenshot(path=SHOTS / f"widget-json-{theme.lower()}.png")
