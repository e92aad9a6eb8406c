"""The list of tools when it is shown again: what was entered, asked and answered."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.driving import (
    LOAD,
    Tools,
    axe,
    open_notebook,
    run_new_cell,
    show_output_again,
)
from tests.browser.lab import Lab, channel, save
from tests.noting import Noting

_CANARY = "canary-4711"


def _asked(tools: Tools) -> Locator:
    return tools.calls.first.get_by_role("group", name="Question from demo")


def _book(tools: Tools) -> None:
    tools.open("book_table")
    tools.box("restaurant").fill("Roma")
    tools.el.get_by_role("button", name="Run demo.book_table").click()
    expect(_asked(tools)).to_be_visible()


def test_a_question_of_a_call_is_answered_in_a_view_that_was_opened_later(
    page: Page, lab: Lab
) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo"])
    first = Tools(page)
    _book(first)
    show_output_again(page)
    second = Tools(page, 1)
    second.open("book_table")
    _asked(second).get_by_role("textbox", name="guests").fill("3")
    _asked(second).get_by_role("button", name="Answer").click()
    expect(_asked(second)).to_contain_text("1 thing to put right")
    expect(_asked(first)).not_to_contain_text("to put right")
    _asked(second).locator("input[type=date]").fill("2027-05-01")
    _asked(second).get_by_role("button", name="Answer").click()
    for tools in (first, second):
        expect(_asked(tools)).to_have_count(0)
        expect(tools.calls.first.locator(".mcp-result")).to_contain_text("booked")


def test_the_list_of_a_page_that_was_loaded_again_goes_on(page: Page, lab: Lab) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo"])
    _book(Tools(page))
    save(page)
    page.reload()
    tools = Tools(page)
    tools.open("book_table")
    expect(tools.box("restaurant")).to_have_value("Roma")
    _asked(tools).get_by_role("button", name="Decline").click()
    expect(tools.calls.first).to_contain_text("declined")
    # Running the cell again keeps what was entered, too.
    run_new_cell(page, "%mcp demo")
    again = Tools(page, 1)
    again.open("book_table")
    expect(again.box("restaurant")).to_have_value("Roma")


def test_what_belongs_to_a_kernel_that_has_ended_says_so(page: Page, lab: Lab) -> None:
    open_notebook(page, lab, [LOAD, "%mcp", "%mcp demo"])
    tools = Tools(page)
    tools.open("slow")
    tools.box("seconds").fill("600")
    tools.el.get_by_role("button", name="Run demo.slow").click()
    expect(tools.calls.first).to_contain_text("running")
    tools.box("seconds").focus()
    page.get_by_role("button", name="Restart the kernel").first.click()
    with page.expect_websocket(channel):  # of the kernel that is started anew
        page.locator(".jp-Dialog .jp-mod-accept").click()
    page.get_by_text("Python 3 (ipykernel) | Idle").first.wait_for()
    for widget in page.locator(".mcp-w").all():
        expect(widget).to_contain_text("Its kernel has ended")
        expect(widget.get_by_role("button", disabled=False)).to_have_count(0)
    expect(tools.calls.first).to_contain_text("ended with its kernel")
    expect(tools.box("seconds")).to_have_value("600")


def test_a_secret_of_a_form_is_in_no_notebook_and_no_log(
    page: Page, lab: Lab, tmp_path: Path
) -> None:
    texts = {"type": "string"}
    schema = {"type": "object", "properties": {"api_key": texts, "q": texts}}
    noting, log = Noting(tmp_path), tmp_path / "log.txt"
    # Finer than that, Jupyter's own library writes every message of a widget down.
    level = f"level=logging.INFO, filename={str(log)!r}"
    logging = f"import logging; logging.basicConfig({level})"
    cells = [LOAD, logging, noting.cell([{"name": "log_in", "inputSchema": schema}])]
    path = open_notebook(page, lab, cells)
    tools = Tools(page)
    tools.open("log_in")
    tools.box("api_key").fill(_CANARY)
    tools.box("q").fill("plain")
    expect(tools.run()).to_contain_text("noted")
    expect(run_new_cell(page, "%history")).not_to_contain_text(_CANARY)
    save(page)
    assert json.loads(noting.received()[0]) == {"api_key": _CANARY, "q": "plain"}
    assert _CANARY not in path.read_text(encoding="utf-8")
    assert _CANARY not in log.read_text(encoding="utf-8")
    run_new_cell(page, "%mcp n")
    again = Tools(page, 1)
    again.open("log_in")
    expect(again.box("q")).to_have_value("plain")
    expect(again.box("api_key")).to_have_value("")


def test_what_is_entered_under_the_name_of_a_secret_is_masked(
    page: Page, lab: Lab, tmp_path: Path
) -> None:
    headers = {"type": "object", "additionalProperties": {"type": "string"}}
    schema = {"type": "object", "properties": {"headers": headers}}
    noting = Noting(tmp_path)
    path = open_notebook(
        page, lab, [LOAD, noting.cell([{"name": "get", "inputSchema": schema}])]
    )
    tools = Tools(page)
    tools.open("get")
    tools.state("headers").select_option("value")
    tools.form.get_by_role("button", name="Add a key to headers").click()
    page.keyboard.type("Author")
    page.keyboard.press("Tab")
    expect(tools.box("value")).to_be_focused()
    page.keyboard.type(_CANARY)
    tools.form.get_by_role("textbox", name="Key").press("End")
    page.keyboard.type("ization")
    expect(tools.box("value")).to_have_attribute("type", "password")
    expect(tools.box("value")).to_have_value(_CANARY)
    assert axe(page) == []
    call = tools.run()
    expect(call).to_contain_text("noted")
    expect(call).to_contain_text("%mcp n.get headers=$headers")
    assert json.loads(noting.received()[0]) == {"headers": {"Authorization": _CANARY}}
    save(page)
    assert _CANARY not in path.read_text(encoding="utf-8")
    run_new_cell(page, "%mcp n")
    again = Tools(page, 1)
    again.open("get")
    expect(again.form.get_by_role("textbox", name="Key")).to_have_value("Authorization")
    expect(again.box("value")).to_have_value("")


def _sending(properties: dict[str, object], **more: object) -> list[object]:
    schema = {"type": "object", "properties": properties, **more}
    nothing = {"type": "object", "properties": {}}
    return [
        {"name": "look", "inputSchema": nothing},
        {"name": "send", "inputSchema": schema},
    ]


def test_run_of_a_tool_that_has_changed_keeps_what_fits_and_says_what_is_new(
    page: Page, lab: Lab, tmp_path: Path
) -> None:
    noting = Noting(tmp_path)
    texts, colours = {"type": "string"}, ["red", "green"]
    before = {"to": texts, "api_key": texts, "colour": {"enum": colours}}
    open_notebook(page, lab, [LOAD, noting.cell(_sending(before))])
    tools = Tools(page)
    tools.open("send")
    tools.box("to").fill("Ada")
    tools.box("api_key").fill(_CANARY)
    tools.box("colour").select_option(label="green")
    now = {
        "size": {"type": "integer"},
        "to": {**texts, "maxLength": 3},
        "api_key": {**texts, "minLength": 8},
        "colour": {"enum": ["blue", *colours]},
    }
    noting.write(_sending(now, required=["size"]))
    run_new_cell(page, "%mcp n.look")  # the server announces then that it has changed
    run = tools.el.get_by_role("button", name="Run n.send")
    run.click()
    said = tools.el.get_by_text("The server has changed this tool: size is new and")
    expect(said).to_contain_text("Nothing was sent: look, and press Run again.")
    expect(said).to_be_focused()
    expect(tools.box("to")).to_have_value("Ada")
    expect(tools.box("colour").locator(":checked")).to_have_text("green")
    page.keyboard.press("Tab")
    expect(tools.box("size")).to_be_focused()
    page.keyboard.type("5")
    page.keyboard.press("Control+Enter")
    expect(tools.calls.first).to_contain_text("noted")
    expect(said).to_be_hidden()
    sent = {"size": 5, "to": "Ada", "api_key": _CANARY, "colour": "green"}
    assert [json.loads(one) for one in noting.received()] == [{}, sent]


def test_code_is_copied_where_the_page_has_no_clipboard(page: Page, lab: Lab) -> None:
    """As over plain http, where browsers offer none."""
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
    )
    open_notebook(page, lab, [LOAD, "import mcp_magic", "%mcp demo"])
    tools = Tools(page)
    tools.open("add")
    tools.el.get_by_role("button", name="Copy name").click()
    expect(tools.el.get_by_text("Name copied.")).to_be_visible()
    tools.box("a").fill("2")
    tools.box("b").fill("12345678901234567890")
    tools.el.get_by_role("button", name="Copy as Python").click()
    expect(tools.el.get_by_text("Copied.", exact=True)).to_be_visible()
    expect(run_new_cell(page)).to_contain_text("12345678901234567892")
