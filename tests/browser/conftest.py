"""A JupyterLab for all tests, a browser for each file and a page for each test."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.lab import SHOTS, Lab, chromium, opened_context, running_lab

__all__ = ["Lab"]


# Not for the whole session: Playwright keeps an event loop running in this thread.
@pytest.fixture(name="browser", scope="module")
def _browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(name="lab", scope="session")
def _lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home, folder = tmp_path_factory.mktemp("lab-home"), tmp_path_factory.mktemp("lab")
    with running_lab(home, folder) as lab:
        yield lab


@pytest.fixture(name="_kernels", autouse=True, scope="module")
def _module_kernels(lab: Lab) -> Iterator[None]:
    """No kernel of a file of tests is left."""
    with _ended(lab):
        yield


@contextlib.contextmanager
def _ended(lab: Lab) -> Iterator[None]:
    """End the kernels that are started meanwhile."""
    before = lab.sessions()
    yield
    for session in lab.sessions() - before:
        lab.end(session)


@pytest.fixture(name="context", scope="module")
def _context(browser: Browser) -> Iterator[BrowserContext]:
    """What the pages of a file of tests share: what was loaded, and nothing else."""
    with opened_context(browser) as context:
        yield context


@pytest.fixture(name="page")
def _page(
    context: BrowserContext, lab: Lab, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A page; what it showed is kept as a picture if the test fails."""
    failed = request.session.testsfailed
    page = context.new_page()
    with _ended(lab):
        yield page
        if request.session.testsfailed > failed:
            SHOTS.mkdir(exist_ok=True)
            page.screenshot(path=SHOTS / f"failed-{request.node.name}.png")
        _forget(context, lab)


def _forget(context: BrowserContext, lab: Lab) -> None:
    """Leave nothing but what was loaded to the next page."""
    storage = context.new_cdp_session(context.pages[0])
    kept = {
        "origin": lab.address.rstrip("/"),
        "storageTypes": "local_storage,indexeddb",
    }
    storage.send("Storage.clearDataForOrigin", kept)
    for one in context.pages:
        one.close()
    context.clear_cookies()
    context.clear_permissions()
    context.unroute_all()
    lab.unset("apputils-extension:themes")
