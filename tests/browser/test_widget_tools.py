"""The list of tools in a real JupyterLab and Notebook 7, by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.browser.driving import LOAD, Tools, open_notebook, run_new_cell
from tests.browser.lab import Lab, channel

_ORDER = {
    "address/name": "Ada",
    "address/street": "Way 1",
    "address/postcode": "00123",
    "address/city": "Ulm",
}


@pytest.fixture(name="copies")
def _copies(page: Page, lab: Lab) -> None:
    rights = ["clipboard-read", "clipboard-write"]
    page.context.grant_permissions(rights, origin=lab.address.rstrip("/"))


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_by_mouse_from_the_list_to_the_same_value_in_python(
    page: Page, lab: Lab, copies: None, app: str
) -> None:
    open_notebook(page, lab, [LOAD, "demo = %mcp demo\ndemo"], app)
    tools = Tools(page)
    tools.search.fill("pretend SHOP")
    expect(tools.options).to_have_count(1)
    tools.open("order")
    for name in ("name", "street", "postcode", "city"):
        tools.box(name).fill(_ORDER[f"address/{name}"])
    tools.form.get_by_role("button", name="Add to items").click()
    tools.box("product").select_option("lamp")
    tools.box("quantity").fill("2")
    tools.box("deliver_on").fill("2030-12-24")
    call = tools.run()
    expect(call).to_contain_text("done")
    expect(call.locator(".mcp-result")).to_contain_text('"postcode": "00123"')
    output = run_new_cell(page, "import mcp_magic; mcp_magic.last(demo).data")
    expect(output).to_contain_text("'deliver_on': '2030-12-24'")
    tools.el.get_by_role("button", name="Copy as %mcp").click()
    expect(tools.el.get_by_text("Copied.")).to_be_visible()
    again = run_new_cell(page)
    expect(again).to_contain_text('"pieces": 2')
    expect(again).to_contain_text('"number": 2')


def test_by_keyboard_alone_from_the_list_to_the_same_value(
    page: Page, lab: Lab, copies: None
) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo"])
    tools = Tools(page)
    keys = page.keyboard
    tools.search.focus()
    keys.type("pretend")
    keys.press("ArrowDown")
    keys.press("Enter")
    expect(tools.box("name")).to_be_focused()
    for name in ("name", "street", "postcode", "city"):
        expect(tools.box(name)).to_be_focused()
        keys.type(_ORDER[f"address/{name}"])
        keys.press("Tab")
        if name != "city":
            keys.press("Tab")  # past what is sent for the next one
    _tab_to(page, "Add to items")
    keys.press("Enter")
    expect(tools.box("product")).to_be_focused()
    keys.type("l")  # a select jumps to the choice that begins so
    keys.press("Control+Enter")
    result = tools.calls.first.locator(".mcp-result")
    expect(result).to_contain_text('"product": "lamp"')
    _tab_to(page, "Copy as %mcp")
    keys.press("Enter")
    expect(tools.el.get_by_text("Copied.")).to_be_visible()
    expect(run_new_cell(page)).to_contain_text('"product": "lamp"')


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until the button of that name has the focus."""
    for _ in range(50):
        if _is_on(page, name):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not come to {name}")


def _is_on(page: Page, name: str) -> bool:
    return bool(
        page.evaluate(
            "name => (document.activeElement.getAttribute('aria-label') ||"
            " document.activeElement.textContent) === name",
            name,
        )
    )


def test_a_call_shows_its_progress_and_is_cancelled_at_the_server(
    page: Page, lab: Lab
) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo"])
    tools = Tools(page)
    tools.open("slow")
    tools.box("seconds").fill("600")
    tools.box("steps").fill("1000")
    tools.el.get_by_role("button", name="Run demo.slow").click()
    call = tools.calls.first
    expect(call.locator("progress")).to_have_attribute("value", re.compile(r"0\.\d+"))
    # The kernel is free meanwhile, and another tool's call has a row of its own.
    tools.open("echo")
    tools.box("text").fill("meanwhile")
    expect(tools.run()).to_contain_text("meanwhile")
    tools.el.get_by_role("button", name="slow is running: show").click()
    expect(tools.box("seconds")).to_have_value("600")
    call.get_by_role("button", name="Cancel").click()
    expect(call).to_contain_text("cancelled")
    output = run_new_cell(page, "%mcp demo.list_notes")
    expect(output).to_contain_text("slow was stopped")


def test_a_destructive_tool_asks_once(page: Page, lab: Lab) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo.add_note text=x", "%mcp demo"])
    tools = Tools(page)
    tools.open("delete_note")
    tools.box("id").fill("1")
    tools.el.get_by_role("button", name="Run demo.delete_note").click()
    expect(tools.el.get_by_text("may destroy something")).to_be_visible()
    tools.el.get_by_role("button", name="Do not run").click()
    expect(tools.calls).to_have_count(0)
    tools.el.get_by_role("button", name="Run demo.delete_note").click()
    tools.el.get_by_role("button", name="Run delete_note on demo").click()
    expect(tools.calls.first).to_contain_text("done")


def test_an_error_of_the_tool_is_told_beside_what_it_said(page: Page, lab: Lab) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo"])
    tools = Tools(page)
    tools.open("fail")
    call = tools.run()
    expect(call).to_contain_text("The tool reported an error.")
    expect(call).to_contain_text("This tool always fails.")


def test_a_question_is_asked_below_the_call_that_run_has_started(
    page: Page, lab: Lab
) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo"])
    tools = Tools(page)
    tools.open("book_table")
    tools.box("restaurant").fill("Roma")
    tools.el.get_by_role("button", name="Run demo.book_table").click()
    asked = tools.calls.first.get_by_role("group", name="Question from demo")
    expect(asked).to_contain_text("Which table shall it be?")
    expect(tools.calls.first).to_contain_text("waits for your answer")
    # The kernel is free meanwhile.
    expect(run_new_cell(page, "6 * 7")).to_contain_text("42")
    asked.get_by_role("button", name="Answer").click()
    expect(asked).to_contain_text("2 things to put right")
    asked.get_by_role("textbox", name="guests").fill("4")
    asked.locator("input[type=date]").fill("2027-05-01")
    asked.get_by_role("button", name="Answer").click()
    expect(tools.calls.first.locator(".mcp-result")).to_contain_text("booked")
    expect(tools.calls.first).to_contain_text("Answered: guests: 4")
    tools.el.get_by_role("button", name="Run demo.book_table").click()
    expect(asked).to_be_visible()
    tools.calls.first.get_by_role("button", name="Cancel").first.click()
    expect(tools.calls.first).to_contain_text("cancelled")


def test_a_button_is_pressed_although_what_is_wrong_appears_above_it(
    page: Page, lab: Lab
) -> None:
    kernels: list[WebSocket] = []

    def keep(socket: WebSocket) -> None:
        if channel(socket):
            kernels.append(socket)

    page.on("websocket", keep)
    open_notebook(page, lab, [LOAD, "%mcp demo"])
    (kernel,) = kernels
    tools = Tools(page)
    tools.open("list_rows")
    with kernel.expect_event("framereceived", lambda frame: "checked" in str(frame)):
        tools.box("limit").fill("x")
    # Its field is left when the mouse is pressed, and it is released a moment later.
    tools.el.get_by_role("button", name="Run demo.list_rows").click()
    expect(tools.el.locator(".mcp-problems")).to_contain_text("1 thing to fix:")
