"""Questions of a server in JupyterLab and Notebook 7: asked below the waiting cell."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.driving import (
    LOAD,
    Tools,
    axe,
    open_notebook,
    run_new_cell,
    show_output_again,
    stopped,
)
from tests.browser.lab import SHOTS, channel, save
from tests.hostile import RAN, VECTORS, WORD, faults_in_text

_SUM = re.compile(r"\b5$")
_BOTH = pytest.mark.parametrize("app", ["lab", "notebook"])


@pytest.fixture(name="asking")
def _asking(servers: Path) -> str:
    """The cell that adds the server that asks in every way."""
    return f"%mcp add asking {sys.executable} {servers / 'asking.py'}"


def _question(page: Page, server: str = "demo") -> Locator:
    return page.get_by_role("group", name=f"Question from {server}")


def _outputs(page: Page) -> Locator:
    return page.locator(".jp-OutputArea-output")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
@_BOTH
def test_a_question_is_answered_while_cells_are_queued(
    page: Page, lab: Lab, app: str, theme: str
) -> None:
    lab.set("apputils-extension:themes", theme=f"JupyterLab {theme}")
    booking = "r = %mcp demo.book_table restaurant=Roma\nr.data"
    cells = [LOAD, booking, "order = ['second']", "order += [3]; order"]
    logged: list[str] = []
    page.on("console", lambda message: logged.append(message.text))
    open_notebook(page, lab, cells, app)
    asked = _question(page)
    expect(asked).to_contain_text("Which table shall it be?")
    expect(asked.get_by_role("textbox", name="guests")).to_be_focused()
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / f"question-{app}-{theme.lower()}.png")
    asked.get_by_role("button", name="Answer").click()
    expect(asked).to_contain_text("2 things to put right")
    assert axe(page) == []
    asked.get_by_role("textbox", name="guests").fill("4")
    asked.locator("input[type=date]").fill("2027-05-01")
    asked.get_by_role("combobox", name="seats").select_option("terrace")
    asked.get_by_role("button", name="Answer").click()
    booked = _outputs(page).filter(has_text="'status': 'booked'")
    expect(booked).to_contain_text("'guests': 4")
    said = "Answered: guests: 4, day: 2027-05-01, seats: terrace, birthday: false."
    expect(_outputs(page).filter(has_text=said)).to_be_visible()
    expect(_outputs(page).last).to_contain_text("['second', 3]")
    expect(asked).to_have_count(0)
    # The form leaves the page before its line to the kernel is closed.
    assert [one for one in logged if "omm not found" in one] == []


def test_a_page_is_offered_as_a_link_that_says_where_it_leads(
    page: Page, lab: Lab, asking: str
) -> None:
    calls = "%mcp asking.page url=https://a.example/terms", "%mcp asking.think"
    open_notebook(page, lab, [LOAD, asking, *calls])
    asked = _question(page, "asking")
    link = asked.get_by_role("link")
    expect(link).to_have_text("Open a.example")
    expect(link).to_have_attribute("href", "https://a.example/terms")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(link).to_have_css("text-decoration-line", "underline")
    expect(asked.locator("code")).to_have_text("https://a.example/terms")
    asked.get_by_role("button", name="I agree").click()
    box = asked.get_by_role("textbox", name="The model's answer")
    expect(box).to_be_focused()
    said = "[system] Be brief.\n\n[user] A word for sea?"
    assert said in asked.locator(".mcp-said").inner_text()
    page.keyboard.press("Control+Enter")
    expect(asked).to_contain_text("An empty answer cannot be sent.")
    page.keyboard.type("mer")
    page.keyboard.press("Control+Enter")
    expect(_outputs(page).filter(has_text="person said mer")).to_be_visible()
    expect(_outputs(page).filter(has_text="Agreed to a.example.")).to_be_visible()
    assert len(page.context.pages) == 1


@_BOTH
def test_a_question_by_keyboard_alone_and_no_shortcut_fires(
    page: Page, lab: Lab, app: str
) -> None:
    cells = [LOAD, "%mcp demo.book_table restaurant=Roma", "'after'"]
    open_notebook(page, lab, cells, app)
    expect(_question(page).get_by_role("textbox", name="guests")).to_be_focused()
    for key in ("2", "Tab", "05012027", "Tab", "Tab"):
        page.keyboard.type(key) if key.isdigit() else page.keyboard.press(key)
    expect(_question(page).get_by_role("combobox", name="seats")).to_be_focused()
    for key in ("a", "b", "m", "j", "d", "d", "Shift+M", "Shift+Enter", "Escape"):
        page.keyboard.press(key)
    expect(page.locator(".jp-CodeCell")).to_have_count(3)
    page.keyboard.press("Control+Enter")
    booked = _outputs(page).filter(has_text='"status": "booked"')
    expect(booked).to_contain_text('"guests": 2')
    expect(_outputs(page).last).to_have_text("'after'")
    # The form is gone, and whoever was in it is in its cell.
    expect(page.locator(".jp-Cell:focus")).to_have_count(1)


def test_the_focus_stays_in_the_row_of_a_call_that_asks(
    page: Page, lab: Lab, asking: str
) -> None:
    open_notebook(page, lab, [LOAD, asking, "%mcp asking"])
    tools = Tools(page)
    tools.open("twice")
    tools.el.get_by_role("button", name="Run asking.twice").click()
    call = tools.calls.first
    call.get_by_role("textbox", name="number").focus()
    for number in ("11", "22"):
        expect(call.get_by_role("textbox", name="number")).to_have_value("")
        page.keyboard.type(number)
        page.keyboard.press("Control+Enter")
        expect(call).to_contain_text(f"Answered: number: {number}.")
        if number == "11":
            expect(call.get_by_role("textbox", name="number")).to_be_focused()
    expect(call.get_by_role("group", name="Result")).to_be_focused()


def test_a_double_click_runs_once_and_answers_one_question(
    page: Page, lab: Lab, asking: str
) -> None:
    open_notebook(page, lab, [LOAD, asking, "%mcp asking"])
    tools = Tools(page)
    tools.open("twice")
    tools.el.get_by_role("button", name="Run asking.twice").dblclick()
    call = tools.calls.first
    call.get_by_role("textbox", name="number").fill("11")
    call.get_by_role("button", name="Answer").click()
    expect(call).to_contain_text("Answered: number: 11.")
    # The second click comes when the next question stands there.
    call.get_by_role("button", name="Decline").hover()
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    call.get_by_role("textbox", name="number").fill("22")
    page.keyboard.down("Control")
    for _ in range(3):
        page.keyboard.down("Enter")  # held down: it repeats
    page.keyboard.up("Control")
    expect(call.locator(".mcp-result")).to_contain_text("11 and 22")
    expect(tools.calls).to_have_count(1)


@_BOTH
def test_stop_takes_the_question_away_and_the_next_cell_works(
    page: Page, lab: Lab, app: str
) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo.ask_name", "%mcp demo.add a=2 b=3"], app)
    expect(_question(page)).to_be_visible()
    _stop(page)
    withdrawn = _outputs(page).filter(has_text="The question was withdrawn.")
    expect(withdrawn).to_be_visible()
    said = _outputs(page).filter(has_text="KeyboardInterrupt: stopped")
    expect(said).to_be_visible()
    expect(_question(page)).to_have_count(0)
    stopped(page)
    expect(run_new_cell(page, "%mcp demo.add a=2 b=3")).to_contain_text(_SUM)


def _stop(page: Page) -> None:
    page.get_by_role("button", name="Interrupt the kernel").click()


def test_two_views_show_the_same_question_and_either_answers(
    page: Page, lab: Lab
) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo.book_table restaurant=Roma"])
    expect(_question(page)).to_be_visible()
    show_output_again(page)
    first, second = _question(page).nth(0), _question(page).nth(1)
    expect(second).to_contain_text("Which table shall it be?")
    first.get_by_role("textbox", name="guests").fill("40")
    first.get_by_role("button", name="Answer").click()
    expect(first).to_contain_text("2 things to put right")
    # What is wrong in one view is no matter of the other's.
    expect(second).not_to_contain_text("to put right")
    second.get_by_role("textbox", name="guests").fill("3")
    second.locator("input[type=date]").fill("2027-05-01")
    second.get_by_role("button", name="Answer").click()
    booked = _outputs(page).filter(has_text='"status": "booked"')
    expect(booked.first).to_contain_text('"guests": 3')
    expect(_question(page)).to_have_count(0)


@_BOTH
def test_a_page_that_is_loaded_again_leaves_stop_and_a_kernel_that_works(
    page: Page, lab: Lab, app: str
) -> None:
    open_notebook(page, lab, [LOAD, "%mcp demo.ask_name", "'after'"], app)
    expect(_question(page)).to_be_visible()
    with page.expect_websocket(channel):
        page.reload()
    _stop(page)
    page.locator("[data-status=idle]").first.wait_for(state="attached")
    expect(run_new_cell(page, "%mcp demo.add a=2 b=3")).to_contain_text(_SUM)


@_BOTH
def test_a_page_that_is_loaded_again_asks_again_where_the_notebook_was_saved(
    page: Page, lab: Lab, app: str
) -> None:
    calls = "r = %mcp demo.book_table restaurant=Roma"
    open_notebook(page, lab, [LOAD, calls, "'after'"], app)
    expect(_question(page)).to_be_visible()
    _saved(page)
    page.reload()
    asked = _question(page)
    asked.get_by_role("textbox", name="guests").fill("4")
    asked.locator("input[type=date]").fill("2027-05-01")
    asked.get_by_role("button", name="Answer").click()
    expect(asked).to_have_count(0)
    expect(run_new_cell(page, "r.data['guests']")).to_contain_text("4")


def _saved(page: Page) -> None:
    """Save a notebook whose cell waits; focus stays in the question."""
    with page.expect_response(
        lambda one: one.request.method == "PUT" and "/api/contents/" in one.url
    ):
        page.keyboard.press("Control+s")


@_BOTH
def test_a_question_that_no_page_shows_any_more_is_cancelled(
    page: Page, lab: Lab, app: str
) -> None:
    """Neither Lab nor Notebook draws what a cell shows that another page ran."""
    asks = "r = %mcp demo.ask_name"
    open_notebook(page, lab, [f"{LOAD}\nours._RETURN = 3", asks, "'after'"], app)
    expect(_question(page)).to_be_visible()
    with page.expect_websocket(channel):
        page.reload()
    expect(run_new_cell(page, "r.data")).to_contain_text("closed without an answer")


def test_several_questions_leave_a_summary_each_and_no_widget(
    page: Page, lab: Lab, asking: str
) -> None:
    sources = ["%mcp asking.twice", "%mcp asking.login"]
    path = open_notebook(page, lab, [LOAD, asking, *sources, "'after'"])
    asked = _question(page, "asking")
    for number in ("11", "22"):
        box = asked.get_by_role("textbox", name="number")
        expect(box).to_have_value("")
        box.fill(number)
        page.keyboard.press("Control+Enter")
        left = _outputs(page).filter(has_text=f"Answered: number: {number}.")
        expect(left).to_be_visible()
    asked.get_by_role("textbox", name="name").fill("Ada")
    secret = asked.get_by_label("password", exact=True)
    expect(secret).to_have_attribute("type", "password")
    secret.fill("canary-4711")
    page.keyboard.press("Control+Enter")
    expect(_outputs(page).filter(has_text="password: •••")).to_be_visible()
    expect(_outputs(page).last).to_have_text("'after'")
    save(page)
    saved = path.read_text(encoding="utf-8")
    assert "Answered: number: 22." in saved
    assert "widget" not in json.dumps(json.loads(saved)["cells"])
    assert "canary" not in saved


def test_hostile_text_in_a_question_is_text(page: Page, lab: Lab, asking: str) -> None:
    ask = (
        f"import json, sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
        "from tests.hostile import VECTORS\n"
        "texts = [t.encode('utf-8', 'replace').decode() for t in VECTORS.values()]\n"
        "def part(t):\n"
        "    kind = {'type': 'string', 'default': t}\n"
        "    return {**kind, 'title': t, 'description': t}\n"
        "schema = {'type': 'object', 'properties': {t[:60]: part(t) for t in texts}}\n"
        "schema['properties']['c'] = {'type': 'string', 'enum': texts}\n"
        "srv = %mcp asking\n"
        "srv.form(message='\\n'.join(texts), schema=schema).text"
    )
    open_notebook(page, lab, [LOAD, asking, ask])
    asked = _question(page, "asking")
    expect(asked.locator(".mcp-place")).not_to_have_count(0)
    _is_harmless(page, asked)
    asked.get_by_role("button", name="Decline").click()
    left = _outputs(page).filter(has_text="Declined.")
    expect(left).to_be_visible()
    _is_harmless(page, left)
    expect(_outputs(page).last).to_contain_text("decline")


def _is_harmless(page: Page, shown: Locator) -> None:
    text = shown.inner_text()
    assert text.count(WORD) > len(VECTORS) / 2
    assert faults_in_text(text) == []
    assert page.evaluate(f"window.{RAN}") is None
    made = "script,img,svg,iframe,object,embed,form,style,meta,base,video"
    assert shown.locator(made).count() == 0
    assert (
        shown.locator("a").evaluate_all(
            "all => all.filter(a => !/^(https?|data|file):/.test(a.protocol))"
        )
        == []
    )
