"""Signing in in a real JupyterLab, with the browser that the person uses there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from mcp_magic.teaching.running import Running, running
from tests.browser.driving import LOAD, axe, open_notebook, run_new_cell
from tests.browser.lab import Lab, channel, outputs, picture, save


@pytest.fixture(name="acme")
def _acme() -> Iterator[Running]:
    with running() as both:
        yield both


def _open(
    page: Page, lab: Lab, acme: Running, app: str = "lab"
) -> tuple[Locator, Path]:
    """Run a notebook that calls the server; return the prompt, and the file."""
    cells = [LOAD, f"%mcp add acme {acme.url}", "%mcp acme.hello name=Lab"]
    path = open_notebook(page, lab, cells, app)
    return page.get_by_role("region", name="Sign in to acme"), path


def _visit(page: Page, prompt: Locator, button: str) -> Page:
    """Follow the prompt's link in a tab of its own, and press a button there."""
    link = prompt.get_by_role("link")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    with page.context.expect_page() as opened:
        link.click()
    tab = opened.value
    tab.get_by_role("button", name=button).click()
    return tab


def _run_last(page: Page) -> None:
    page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")


@pytest.mark.parametrize(
    ("app", "theme"), [("lab", "Light"), ("lab", "Dark"), ("notebook", "Light")]
)
def test_the_browser_comes_back_and_the_cell_runs_again(
    page: Page, lab: Lab, acme: Running, app: str, theme: str
) -> None:
    lab.set("apputils-extension:themes", theme=f"JupyterLab {theme}")
    prompt, _ = _open(page, lab, acme, app)
    expect(prompt).to_contain_text("wants you to sign in")
    expect(prompt).to_contain_text("It asks for: use, offline_access")
    expect(outputs(page).last).to_contain_text("AuthorizationRequired")
    assert axe(page) == []
    picture(page, f"sign-in-{app}-{theme.lower()}")
    tab = _visit(page, prompt, "Allow")
    expect(tab.get_by_role("heading")).to_have_text("Back to the notebook")
    expect(outputs(page).filter(has_text="Signed in to acme.")).to_be_visible()
    expect(prompt).to_have_count(0)
    _run_last(page)
    expect(outputs(page).last).to_have_text("Hello Lab")


def test_an_address_that_cannot_be_opened_is_pasted_and_kept_nowhere(
    page: Page, lab: Lab, acme: Running
) -> None:
    prompt, path = _open(page, lab, acme)
    sent_to: list[str] = []

    def leave(route: Route) -> None:
        """Let the service answer, but nothing listen where it sends the browser."""
        if route.request.method != "POST":
            route.continue_()
            return
        sent_to.append(route.fetch(max_redirects=0).headers["location"])
        route.abort("connectionrefused")

    page.context.route("**/authorize?*", leave)
    with page.context.expect_event("requestfailed"):
        _visit(page, prompt, "Allow")
    box = prompt.get_by_label("If the page after it cannot be opened")
    expect(box).to_have_attribute("type", "password")
    box.fill("http://127.0.0.1/elsewhere?code=1&state=2")
    prompt.get_by_role("button", name="Use this address").click()
    expect(prompt.get_by_role("alert")).to_contain_text("does not begin with")
    expect(box).to_have_value("")
    box.fill(sent_to[0])
    box.press("Enter")
    expect(outputs(page).filter(has_text="Signed in to acme.")).to_be_visible()
    save(page)
    saved = path.read_text(encoding="utf-8")
    assert "Signed in to acme." in saved
    assert "authorize?" not in saved
    assert len(acme.service.secrets) == 4
    assert not [secret for secret in acme.service.secrets if secret in saved]


def test_on_a_hub_the_prompt_leads_with_the_box(
    page: Page, lab: Lab, acme: Running
) -> None:
    hub = 'import os; os.environ["JUPYTERHUB_SERVICE_PREFIX"] = "/user/ada/"'
    cells = [LOAD, hub, f"%mcp add acme {acme.url}", "%mcp auth acme"]
    open_notebook(page, lab, cells)
    prompt = page.get_by_role("region", name="Sign in to acme")
    box = prompt.get_by_label("2. The page after it will likely not open")
    expect(box).to_have_attribute("type", "password")
    expect(prompt).to_contain_text("1. Sign in at 127.0.0.1")
    assert axe(page) == []
    picture(page, "sign-in-hub")
    _visit(page, prompt, "Allow")  # a hub on the same machine: it comes back after all
    expect(outputs(page).filter(has_text="Signed in to acme.")).to_be_visible()


def test_a_client_registered_by_hand_is_typed_and_kept_nowhere_in_the_notebook(
    page: Page, lab: Lab, acme: Running
) -> None:
    acme.service.habits.registers = False
    secret = "canary-typed-secret"  # noqa: S105 - a canary
    prompt, path = _open(page, lab, acme)
    expect(prompt).to_contain_text("which does not let programs register themselves")
    expect(prompt.get_by_role("link")).to_have_count(0)
    assert axe(page) == []
    picture(page, "sign-in-by-hand")
    prompt.get_by_role("button", name="Use this client").click()
    expect(prompt.get_by_role("alert")).to_have_text("A client id is wanted.")
    name = prompt.get_by_label("Its client id")
    expect(name).to_be_focused()
    box = prompt.get_by_label("Its secret")
    expect(box).to_have_attribute("type", "password")
    name.fill("typo")
    name.press("Enter")
    expect(prompt).to_contain_text("does not seem to know this client id (HTTP 400)")
    expect(name).to_have_value("typo")
    redirect = prompt.locator("code").inner_text()
    acme.service.clients["mine"] = [redirect]
    acme.service.passwords["mine"] = secret
    name.fill("mine")
    box.fill(secret)
    save(page)
    prompt.get_by_role("button", name="Use this client").click()
    _visit(page, prompt, "Allow")
    expect(outputs(page).filter(has_text="Signed in to acme.")).to_be_visible()
    expect(prompt).to_have_count(0)
    run_new_cell(page, "%mcp acme.hello name=Lab")
    save(page)
    assert secret not in path.read_text(encoding="utf-8")


def test_no_is_taken_for_an_answer(page: Page, lab: Lab, acme: Running) -> None:
    prompt, _ = _open(page, lab, acme)
    tab = _visit(page, prompt, "Deny")
    expect(tab.get_by_role("heading")).to_have_text("Not signed in")
    told = "Not signed in to acme: it was refused: access_denied (You said no.)"
    expect(outputs(page).filter(has_text=told)).to_be_visible()
    _run_last(page)
    prompt.get_by_role("button", name="Cancel").click()
    told = "Not signed in to acme: the sign-in was cancelled"
    expect(outputs(page).filter(has_text=told)).to_be_visible()
    expect(prompt).to_have_count(0)


def test_time_runs_out(page: Page, lab: Lab, acme: Running) -> None:
    cells = [LOAD, f"%mcp add acme {acme.url}", "%mcp auth --timeout 2 acme"]
    open_notebook(page, lab, cells)
    expect(outputs(page).last).to_contain_text(
        "Not signed in to acme: nobody signed in"
    )
    expect(page.get_by_role("region", name="Sign in to acme")).to_have_count(0)


def test_a_forged_answer_and_a_page_loaded_again_leave_the_prompt_open(
    page: Page, lab: Lab, acme: Running
) -> None:
    prompt, _ = _open(page, lab, acme)
    link = str(prompt.get_by_role("link").get_attribute("href"))
    (redirect,) = parse_qs(urlsplit(link).query)["redirect_uri"]
    tab = page.context.new_page()
    tab.goto(f"{redirect}?code=stolen&state=wrong")
    expect(prompt.get_by_role("alert")).to_contain_text("another sign-in")
    tab.close()
    save(page)
    page.reload()
    _visit(page, prompt, "Allow")
    expect(prompt).to_have_count(0)
    again = run_new_cell(page, "%mcp acme.hello name=Lab")
    expect(again).to_contain_text("Hello Lab")


def test_a_kernel_that_is_restarted_meanwhile_asks_anew(
    page: Page, lab: Lab, acme: Running
) -> None:
    prompt, _ = _open(page, lab, acme)
    old = str(prompt.get_by_role("link").get_attribute("href"))
    page.get_by_role("button", name="Restart the kernel").first.click()
    # It is idle before, too.
    with page.expect_websocket(channel):
        page.locator(".jp-Dialog .jp-mod-accept").click()
    page.get_by_text("Python 3 (ipykernel) | Idle").first.wait_for()
    shown = run_new_cell(page, f"%load_ext mcp_magic\n%mcp auth {acme.url}")
    link = shown.get_by_role("link").first
    assert link.get_attribute("href") != old
    with page.context.expect_page() as opened:
        link.click()
    opened.value.get_by_role("button", name="Allow").click()
    expect(shown).to_contain_text("Signed in to")
    assert acme.service.counts["registered"] == 1
