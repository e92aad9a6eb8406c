"""Questions of a server in a real JupyterLab: asked below the cell that waits."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Lab

_SHOTS = Path(__file__).parents[2] / "screenshots"


def _open(page: Page, lab: Lab, name: str, *cells: str) -> None:
    """Open a notebook with these cells and run them all."""
    notebook = new_notebook(
        cells=[new_code_cell(source) for source in ("%load_ext mcp_magic", *cells)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, lab.folder / f"{name}.ipynb")
    page.goto(f"{lab.address}lab/tree/{name}.ipynb?reset")
    page.locator(".jp-Notebook").wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").first.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def _question(page: Page) -> Locator:
    return page.get_by_role("group", name="Question from demo")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_question_is_answered_while_cells_are_queued(
    page: Page, lab: Lab, theme: str
) -> None:
    lab.set("apputils-extension:themes", theme=f"JupyterLab {theme}")
    booking = "r = %mcp demo.book_table restaurant=Roma\nr.data"
    _open(page, lab, "ask", booking, "order = ['second']", "order += [3]; order")
    asked = _question(page)
    expect(asked).to_contain_text("Which table shall it be?")
    expect(asked.get_by_role("textbox", name="guests")).to_be_focused()
    page.screenshot(path=_SHOTS / f"question-{theme.lower()}.png")
    asked.get_by_role("button", name="Answer").click()
    expect(asked).to_contain_text("2 things to put right")
    asked.get_by_role("textbox", name="guests").fill("4")
    asked.locator("input[type=date]").fill("2027-05-01")
    asked.get_by_role("combobox", name="seats").select_option("terrace")
    asked.get_by_role("button", name="Answer").click()
    outputs = page.locator(".jp-OutputArea-output")
    expect(outputs.filter(has_text="'status': 'booked'")).to_contain_text("'guests': 4")
    said = "Answered: guests: 4, day: 2027-05-01, seats: terrace, birthday: false."
    expect(outputs.filter(has_text=said)).to_be_visible()
    expect(outputs.last).to_contain_text("['second', 3]")
    expect(asked).to_have_count(0)


def test_a_page_is_offered_as_a_link_that_says_where_it_leads(
    page: Page, lab: Lab, servers: Path
) -> None:
    add = f"%mcp add asking {sys.executable} {servers / 'asking.py'}"
    calls = "%mcp asking.page url=https://a.example/terms", "%mcp asking.think"
    _open(page, lab, "page", add, *calls)
    asked = page.get_by_role("group", name="Question from asking")
    link = asked.get_by_role("link")
    expect(link).to_have_text("Open a.example")
    expect(link).to_have_attribute("href", "https://a.example/terms")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(asked.locator("code")).to_have_text("https://a.example/terms")
    asked.get_by_role("button", name="I agree").click()
    box = asked.get_by_role("textbox", name="The model's answer")
    expect(box).to_be_focused()
    expect(asked).to_contain_text("A word for sea?")
    page.keyboard.press("Control+Enter")
    expect(asked).to_contain_text("An empty answer cannot be sent.")
    page.keyboard.type("mer")
    page.keyboard.press("Control+Enter")
    outputs = page.locator(".jp-OutputArea-output")
    expect(outputs.filter(has_text="person said mer")).to_be_visible()
    expect(outputs.filter(has_text="Agreed to a.example.")).to_be_visible()


def test_a_question_by_keyboard_alone_and_no_shortcut_fires(
    page: Page, lab: Lab
) -> None:
    _open(page, lab, "keys", "%mcp demo.book_table restaurant=Roma", "'after'")
    expect(_question(page).get_by_role("textbox", name="guests")).to_be_focused()
    cells = page.locator(".jp-CodeCell")
    for key in ("2", "Tab", "05012027", "Tab", "Tab"):
        page.keyboard.type(key) if key.isdigit() else page.keyboard.press(key)
    expect(_question(page).get_by_role("combobox", name="seats")).to_be_focused()
    for key in ("a", "b", "m", "j", "d", "d", "Shift+M", "Shift+Enter", "Escape"):
        page.keyboard.press(key)
    expect(cells).to_have_count(3)
    page.keyboard.press("Control+Enter")
    outputs = page.locator(".jp-OutputArea-output")
    expect(outputs.filter(has_text='"status": "booked"')).to_contain_text('"guests": 2')
    expect(outputs.last).to_have_text("'after'")


def test_stop_takes_the_question_away_and_the_next_cell_works(
    page: Page, lab: Lab
) -> None:
    _open(page, lab, "halt", "%mcp demo.ask_name", "%mcp demo.add a=2 b=3")
    expect(_question(page)).to_be_visible()
    page.get_by_role("button", name="Interrupt the kernel").click()
    outputs = page.locator(".jp-OutputArea-output")
    expect(outputs.filter(has_text="The question was withdrawn.")).to_be_visible()
    expect(outputs.filter(has_text="KeyboardInterrupt: stopped")).to_be_visible()
    expect(_question(page)).to_have_count(0)
    page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(outputs.last).to_have_text("5")
