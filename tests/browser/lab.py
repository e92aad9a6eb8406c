"""A real JupyterLab, a real Chromium, and what a person does in them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

__all__ = [
    "SHOTS",
    "Lab",
    "chromium",
    "last_cell_ran",
    "notebook",
    "opened_page",
    "outputs",
    "picture",
    "run_all",
    "running_lab",
    "save",
]

SHOTS = Path(__file__).parents[2] / "screenshots"

_LIMIT = 60  # seconds
_KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)"}


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab.

    Attributes:
        address: Where it answers.
        folder: The folder that it serves.
        settings: Where its user settings are.
        env: The environment that it runs in.
    """

    address: str
    folder: Path
    settings: Path
    env: Mapping[str, str]

    def set(self, plugin: str, **values: object) -> None:
        """Set user settings of one of Lab's own plugins."""
        name, _, part = plugin.partition(":")
        path = self.settings / "@jupyterlab" / name / f"{part}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")

    def url(self, name: str) -> str:
        """Return where the notebook *name* of its folder is opened."""
        return f"{self.address}lab/tree/{name}?reset"

    def saved(self, name: str) -> dict[str, Any]:
        """Return a notebook of its folder as it stands in the file."""
        found: dict[str, Any] = nbformat.read(self.folder / name, as_version=4)
        return found


@contextlib.contextmanager
def running_lab(home: Path, folder: Path) -> Iterator[Lab]:
    """Start a JupyterLab that serves *folder* and keeps its own things in *home*."""
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
    log = home / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=env, stdout=out, stderr=out)
    try:
        lab = Lab(_address(log, process), folder, settings, env)
        # Lab draws only the cells in view and fifty outputs, unless told otherwise.
        shown = {"windowingMode": "none", "maxNumberOutputs": 10_000}
        lab.set("notebook-extension:tracker", **shown)
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
    said = log.read_text(encoding="utf-8")[-2000:]
    raise RuntimeError(f"JupyterLab did not start:\n{said}")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start the Chromium of this system, without a window."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise RuntimeError("Chromium is missing: install your system's chromium")
    with sync_playwright() as playwright:
        quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=found, args=quiet)
        yield browser
        browser.close()


@contextlib.contextmanager
def opened_page(browser: Browser, **options: Any) -> Iterator[Page]:
    """Open a page of its own, with nothing remembered of others."""
    size = {"width": 1200, "height": 1600}
    context = browser.new_context(**{"viewport": size, **options})
    page = context.new_page()
    page.set_default_timeout(_LIMIT * 1000)
    expect.set_options(timeout=_LIMIT * 1000)
    yield page
    context.close()


def notebook(path: Path, *sources: str) -> None:
    """Write a notebook with these code cells."""
    made = new_notebook(
        cells=[new_code_cell(source) for source in sources],
        metadata={"kernelspec": _KERNEL},
    )
    nbformat.write(made, path)


def run_all(page: Page, address: str) -> None:
    """Open a notebook and run its cells."""
    page.goto(address)
    page.locator(".jp-Notebook").wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").first.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def last_cell_ran(page: Page) -> None:
    """Wait until the last cell has run."""
    prompt = page.locator(".jp-CodeCell").last.locator(".jp-InputPrompt")
    expect(prompt).to_have_text(re.compile(r"\[\d+\]:"))


def outputs(page: Page) -> Locator:
    """Return the outputs of all cells."""
    return page.locator(".jp-OutputArea-output")


def save(page: Page) -> None:
    """Press the keys that save the notebook, and wait until the file is written."""
    page.locator(".jp-Cell").first.click()
    with page.expect_response(
        lambda one: one.request.method == "PUT" and "/api/contents/" in one.url
    ):
        page.keyboard.press("Control+s")


def picture(page: Page, name: str) -> None:
    """Keep a picture of the whole notebook, to be looked at."""
    SHOTS.mkdir(exist_ok=True)
    cells = page.locator(".jp-WindowedPanel-inner")
    box = cells.bounding_box()
    assert box is not None
    page.set_viewport_size({"width": 1200, "height": int(box["height"]) + 200})
    page.locator(".jp-Cell").first.scroll_into_view_if_needed()
    cells.screenshot(path=SHOTS / f"{name}.png")
