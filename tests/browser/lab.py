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
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    Response,
    WebSocket,
    expect,
    sync_playwright,
)

__all__ = [
    "SHOTS",
    "Lab",
    "channel",
    "chromium",
    "last_cell_ran",
    "notebook",
    "opened_context",
    "opened_page",
    "outputs",
    "picture",
    "run_all",
    "running_lab",
    "save",
]

SHOTS = Path(__file__).parents[2] / "screenshots"

_LIMIT = 120  # seconds; only what fails takes so long
_KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
_CHANNELS = "/channels"  # where a page talks with its kernel

# Settings of Lab's plugins. It draws only the cells in view and fifty outputs, unless
# told otherwise; and Tab leaves out a kernel that takes more than a second.
_SETTINGS: dict[str, dict[str, object]] = {
    "notebook-extension:tracker": {
        "windowingMode": "none",
        "maxNumberOutputs": 10_000,
    },
    "apputils-extension:notification": {"fetchNews": "false"},
    "docmanager-extension:plugin": {"autosave": False},
    "completer-extension:manager": {"providerTimeout": _LIMIT * 1000},
}

# What no test looks at costs a page a fifth of its time.
_UNUSED = (
    "celltags console csvviewer debugger documentsearch extensionmanager fileeditor "
    "help htmlviewer hub imageviewer inspector launcher logconsole lsp markdownviewer "
    "metadataform running settingeditor terminal toc tooltip"
).split()


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
        path = self._path(plugin)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")

    def unset(self, plugin: str) -> None:
        """Forget what was set of a plugin that is not set for all tests."""
        self._path(plugin).unlink(missing_ok=True)

    def _path(self, plugin: str) -> Path:
        name, _, part = plugin.partition(":")
        return self.settings / "@jupyterlab" / name / f"{part}.jupyterlab-settings"

    def sessions(self) -> frozenset[str]:
        """Return the ids of its sessions: a notebook and its kernel each."""
        answer = httpx2.get(f"{self.address}api/sessions", timeout=_LIMIT)
        return frozenset(one["id"] for one in answer.raise_for_status().json())

    def end(self, session: str) -> None:
        """End a session and its kernel."""
        address = f"{self.address}api/sessions/{session}"
        httpx2.delete(address, timeout=_LIMIT).raise_for_status()

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
    with TemporaryDirectory(prefix="k") as runtime:
        yield from _running(home, folder, runtime)


def _running(home: Path, folder: Path, runtime: str) -> Iterator[Lab]:
    settings, config = home / "settings", home / "config"
    _leave_out(config)
    env = {
        **os.environ,
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTER_PLATFORM_DIRS": "1",
        "JUPYTER_RUNTIME_DIR": runtime,
    }
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", "--ServerApp.port=0"),
        *("--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"),
        "--KernelManager.transport=ipc",  # as tests.kernels.in_files
        f"--ServerApp.root_dir={folder}",
    ]
    log = home / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=env, stdout=out, stderr=out)
    try:
        lab = Lab(_address(log, process), folder, settings, env)
        for plugin, values in _SETTINGS.items():
            lab.set(plugin, **values)
        yield lab
    finally:
        process.terminate()
        process.wait(_LIMIT)


def _leave_out(folder: Path) -> None:
    path = folder / "labconfig" / "page_config.json"
    path.parent.mkdir(parents=True)
    unused = {f"@jupyterlab/{name}-extension": True for name in _UNUSED}
    config = {"disabledExtensions": unused, "buildCheck": False}
    path.write_text(json.dumps(config), encoding="utf-8")


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
def opened_context(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """Open what shares cookies, storage and caches with no other page."""
    size = {"width": 1200, "height": 1600}
    context = browser.new_context(**{"viewport": size, **options})
    context.set_default_timeout(_LIMIT * 1000)
    expect.set_options(timeout=_LIMIT * 1000)
    yield context
    context.close()


@contextlib.contextmanager
def opened_page(browser: Browser, **options: Any) -> Iterator[Page]:
    """Open a page of its own, with nothing remembered of others."""
    with opened_context(browser, **options) as context:
        yield context.new_page()


def notebook(path: Path, *sources: str) -> None:
    """Write a notebook with these code cells."""
    made = new_notebook(
        cells=[new_code_cell(source) for source in sources],
        metadata={"kernelspec": _KERNEL},
    )
    nbformat.write(made, path)


def run_all(page: Page, address: str) -> None:
    """Open a notebook in Lab or in Notebook 7, and run its cells."""
    # Both say "idle" before there is a kernel. Asked to run then, Notebook starts a
    # second one and forgets the cells.
    with page.expect_websocket(channel):
        page.goto(address)
    page.locator(".jp-Notebook").wait_for()
    page.locator("[data-status=idle]").first.wait_for(state="attached")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    first = page.locator(".jp-CodeCell .jp-InputPrompt").first
    expect(first).not_to_have_text("[ ]:")


def channel(socket: WebSocket) -> bool:
    """Whether a page talks with a kernel there."""
    return socket.url.partition("?")[0].endswith(_CHANNELS)


def last_cell_ran(page: Page) -> None:
    """Wait until the last cell has run."""
    prompt = page.locator(".jp-CodeCell").last.locator(".jp-InputPrompt")
    expect(prompt).to_have_text(re.compile(r"\[\d+\]:"))


def outputs(page: Page) -> Locator:
    """Return the outputs of all cells."""
    return page.locator(".jp-OutputArea-output")


def save(page: Page) -> None:
    """Press the keys that save the notebook, and wait until it is saved."""
    written: list[str] = []

    def done(answer: Response) -> bool:
        """Its checkpoint is made last; before that, saving again does nothing."""
        place, method = answer.url.partition("?")[0], answer.request.method
        if method == "PUT" and "/api/contents/" in place:
            written.append(place)
        return method == "POST" and place in [f"{one}/checkpoints" for one in written]

    with page.expect_response(done):
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
