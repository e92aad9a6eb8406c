"""A sign-in that a widget wants: asked for below a call, or a row of the servers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from mcp_magic.teaching.running import Running, running
from tests.browser.driving import LOAD, Tools, axe, open_notebook
from tests.browser.lab import SHOTS, Lab, save


@pytest.fixture(name="acme")
def _acme() -> Iterator[Running]:
    with running() as both:
        yield both


def _signed_in(page: Page, lab: Lab, acme: Running) -> Tools:
    """Sign in to use the server, and show its tools; one of them wants more."""
    cells = [LOAD, f"%mcp add acme {acme.url}", "%mcp auth acme"]
    open_notebook(page, lab, cells)
    cell = page.locator(".jp-CodeCell").last
    _allow(page, cell.get_by_role("region", name="Sign in to acme"))
    expect(cell).to_contain_text("Signed in to acme.")
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("%mcp acme")
    page.keyboard.press("Control+Enter")
    return Tools(page)


def _allow(page: Page, prompt: Locator, button: str = "Allow") -> None:
    with page.context.expect_page() as opened:
        prompt.get_by_role("link").click()
    tab = opened.value
    tab.get_by_role("button", name=button).click()
    tab.close()


def _run(tools: Tools) -> Locator:
    """Run the tool that wants more, and return the prompt below the call."""
    tools.open("rename")
    tools.box("name").fill("Emca")
    tools.el.get_by_role("button", name="Run acme.rename").click()
    prompt = tools.calls.first.get_by_role("region", name="Sign in to acme")
    expect(prompt).to_contain_text("It asks for:")
    expect(prompt).to_contain_text("admin")
    return prompt


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_after_signing_in_below_the_call_it_is_run_again_with_what_was_entered(
    page: Page, lab: Lab, acme: Running, theme: str
) -> None:
    lab.set("apputils-extension:themes", theme=f"JupyterLab {theme}")
    tools = _signed_in(page, lab, acme)
    prompt = _run(tools)
    expect(prompt.get_by_role("link")).to_contain_text("Sign in at 127.0.0.1")
    expect(tools.calls.first).to_contain_text("do so where it is shown")
    assert axe(page) == []
    SHOTS.mkdir(exist_ok=True)
    tools.el.screenshot(path=SHOTS / f"widget-sign-in-{theme.lower()}.png")
    box = prompt.get_by_label("If the page after it cannot be opened")
    box.fill("http://127.0.0.1/elsewhere?code=1&state=2")
    prompt.get_by_role("button", name="Use this address").click()
    expect(prompt.get_by_role("alert")).to_contain_text("does not begin with")
    cells = page.locator(".jp-CodeCell").count()
    for key in ("a", "b", "m", "Shift+M", "Escape"):
        prompt.get_by_role("button", name="Cancel").focus()
        page.keyboard.press(key)
    expect(page.locator(".jp-CodeCell")).to_have_count(cells)
    _allow(page, prompt)
    expect(tools.calls.first).to_contain_text("Signed in to acme.")
    tools.calls.first.get_by_role("button", name="Run again").click()
    expect(tools.calls).to_have_count(2)
    expect(tools.calls.first).to_contain_text("The company is called Emca now")


def test_no_is_told_below_the_call(page: Page, lab: Lab, acme: Running) -> None:
    tools = _signed_in(page, lab, acme)
    _allow(page, _run(tools), "Deny")
    expect(tools.calls.first).to_contain_text("it was refused: access_denied")
    prompt = _run(tools)
    prompt.get_by_role("button", name="Cancel").click()
    expect(tools.calls.first).to_contain_text("the sign-in was cancelled")
    expect(tools.box("name")).to_have_value("Emca")


# Below a row of the table of servers.


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_connect_in_the_table_asks_below_the_row_and_connects_then(
    page: Page, lab: Lab, acme: Running, theme: str
) -> None:
    lab.set("apputils-extension:themes", theme=f"JupyterLab {theme}")
    path = open_notebook(page, lab, [LOAD, f"%mcp add acme {acme.url}", "%mcp"])
    table = page.locator(".mcp-w", has=page.get_by_role("table"))
    row = table.get_by_role("row", name="acme").first
    prompt = table.get_by_role("region", name="Sign in to acme")
    row.get_by_role("button", name="Connect acme").click()
    expect(row).to_contain_text("sign in below")
    expect(prompt.get_by_role("link")).to_contain_text("Sign in at 127.0.0.1")
    expect(table.get_by_role("status").last).to_contain_text("wants you to sign in")
    assert axe(page) == []
    SHOTS.mkdir(exist_ok=True)
    table.screenshot(path=SHOTS / f"widget-servers-sign-in-{theme.lower()}.png")
    box = prompt.get_by_label("If the page after it cannot be opened")
    box.fill("http://127.0.0.1/elsewhere?code=1&state=2")
    box.press("Enter")
    expect(prompt.get_by_role("alert")).to_contain_text("does not begin with")
    save(page)
    assert "authorize" not in path.read_text(encoding="utf-8")
    page.reload()
    expect(prompt.get_by_role("link")).to_contain_text("Sign in at 127.0.0.1")
    prompt.get_by_role("button", name="Cancel").click()
    expect(prompt).to_have_count(0)
    button = row.get_by_role("button", name="Connect acme")
    expect(button).to_be_focused()
    told = "Not signed in to acme: the sign-in was cancelled"
    expect(table.get_by_text(told)).to_be_visible()
    button.press("Enter")
    _allow(page, prompt)
    expect(row.get_by_role("button", name="Close acme")).to_be_visible()
    expect(row).to_contain_text("connected")
    expect(prompt).to_have_count(0)
