"""A real JupyterLab and a real Chromium for the tests that look at what is shown."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

_LIMIT = 60  # seconds


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab.

    Attributes:
        address: Where it answers.
        folder: The folder that it serves.
        settings: Where its user settings are.
    """

    address: str
    folder: Path
    settings: Path

    def set(self, plugin: str, **values: object) -> None:
        """Set user settings of one of Lab's own plugins."""
        name, _, part = plugin.partition(":")
        path = self.settings / "@jupyterlab" / name / f"{part}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")


# Not for the whole session: Playwright keeps an event loop running in this thread.
@pytest.fixture(name="browser", scope="module")
def _browser() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.fail("Chromium is missing: install your system's package chromium")
    with sync_playwright() as playwright:
        quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=found, args=quiet)
        yield browser
        browser.close()


@pytest.fixture(name="lab", scope="module")
def _lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("lab-home")
    folder = tmp_path_factory.mktemp("lab")
    log = home / "log"
    settings = home / "settings"
    env = {
        **os.environ,
        "HOME": str(home),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", "--ServerApp.port=0"),
        *("--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"),
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=env, stdout=out, stderr=out)
    try:
        lab = Lab(_address(log, process), folder, settings)
        # Lab draws only the cells in view, unless told otherwise.
        lab.set("notebook-extension:tracker", windowingMode="none")
        lab.set("apputils-extension:notification", fetchNews="false")
        yield lab
    finally:
        process.terminate()
        process.wait(_LIMIT)


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + _LIMIT
    while time.monotonic() < end and process.poll() is None:
        text = log.read_text(encoding="utf-8")
        match = re.search(r"http://127\.0\.0\.1:\d+/", text)
        if match:
            return match.group()
        time.sleep(0.1)
    pytest.fail("JupyterLab did not start:\n" + log.read_text(encoding="utf-8")[-2000:])


@pytest.fixture(name="page")
def _page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1200, "height": 1600})
    page = context.new_page()
    page.set_default_timeout(_LIMIT * 1000)
    expect.set_options(timeout=_LIMIT * 1000)
    yield page
    context.close()
