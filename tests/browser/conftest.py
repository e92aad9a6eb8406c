"""A JupyterLab for each file of tests and a page for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.lab import SHOTS, Lab, chromium, opened_page, running_lab

__all__ = ["Lab"]


# Not for the whole session: Playwright keeps an event loop running in this thread.
@pytest.fixture(name="browser", scope="module")
def _browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(name="lab", scope="module")
def _lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home, folder = tmp_path_factory.mktemp("lab-home"), tmp_path_factory.mktemp("lab")
    with running_lab(home, folder) as lab:
        yield lab


@pytest.fixture(name="page")
def _page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page; what it showed is kept as a picture if the test fails."""
    failed = request.session.testsfailed
    with opened_page(browser) as page:
        yield page
        if request.session.testsfailed > failed:
            SHOTS.mkdir(exist_ok=True)
            page.screenshot(path=SHOTS / f"failed-{request.node.name}.png")
