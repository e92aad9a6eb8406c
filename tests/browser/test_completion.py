"""Tab in a real JupyterLab: the list is shown, and Enter inserts what was chosen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.driving import new_cell
from tests.browser.lab import Lab, last_cell_ran, notebook, opened_page, run_all


@pytest.fixture(name="running", scope="module")
def _running(browser: Browser, lab: Lab) -> Iterator[Page]:
    """A notebook that has called the bundled server."""
    with opened_page(browser) as page:
        notebook(
            lab.folder / "tab.ipynb",
            "%load_ext mcp_magic",
            "%mcp resources demo",
            "%mcp demo.echo text=ready",
        )
        run_all(page, lab.url("tab.ipynb"))
        last_cell_ran(page)
        yield page


@pytest.fixture(name="cell")
def _cell(running: Page) -> Locator:
    """A new cell at the end, ready to be typed in."""
    return new_cell(running)


@pytest.mark.parametrize(
    ("typed", "listed", "chosen"),
    [
        ("%mcp demo.li", ["demo.list_notes", "demo.list_rows"],
         (["Enter"], "%mcp demo.list_notes")),
        ("%mcp demo.list_rows kind=", ['kind="dwarf planet"', "kind=moon"],
         (["ArrowDown", "Enter"], "%mcp demo.list_rows kind=moon")),
        ("r = %mcp read demo demo://w", ["demo://worlds.csv", "demo://worlds/"],
         (["Enter"], "r = %mcp read demo demo://worlds.csv")),
        ("%mcp re", ["read", "remove", "resources"], (["Enter"], "%mcp read")),
        ("%mcp demo.ad", ["demo.add", "demo.add_note"], (["Enter"], "%mcp demo.add")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_tab_shows_a_list_and_enter_inserts(
    running: Page,
    cell: Locator,
    typed: str,
    listed: list[str],
    chosen: tuple[list[str], str],
) -> None:
    keys, inserted = chosen
    running.keyboard.type(typed)
    _tab(running, *listed)
    for key in keys:
        running.keyboard.press(key)
    expect(cell.locator(".cm-content")).to_have_text(inserted)


def test_tab_completes_the_keys_of_a_cell(running: Page, cell: Locator) -> None:
    running.keyboard.type("%%mcp demo.list_rows\nor")
    _tab(running, "order: ")
    running.keyboard.press("Enter")
    running.keyboard.type("des")
    _tab(running, "descending")
    running.keyboard.press("Enter")
    expect(cell.locator(".cm-content")).to_contain_text("order: descending")
    running.keyboard.press("Control+Enter")
    expect(cell.locator("td").first).to_have_text("Sun")


def _tab(page: Page, *listed: str) -> None:
    """Press Tab, and wait until it lists these."""
    page.keyboard.press("Tab")
    for one in listed:
        item = page.locator(f".jp-Completer-item[data-value='{one}']")
        expect(item).to_be_visible()
