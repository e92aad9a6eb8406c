"""The prompts that lead with something else than the browser's return: a kernel on
another machine, and a service that registers nobody; in kernels and terminals.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from mcp_magic.session.signin import is_remote
from mcp_magic.teaching.running import Running, visit
from tests.auth.conftest import Noticed
from tests.kernels import Recorded, Shown, plain

_LINK = re.compile(r"http://127\.0\.0\.1:\d+/authorize\?\S+")
_REDIRECT = re.compile(r"http://127\.0\.0\.1:\d+/callback")
_SECRET = "canary-typed-secret"  # noqa: S105 - a canary
_VIEW = "application/vnd.jupyter.widget-view+json"


class _Heard(Recorded):
    """A kernel that is recorded, and whose widgets are looked at."""

    def drawn(self, view: str) -> dict[str, Any]:
        """Return the next thing that a widget tells its views to draw."""
        while True:
            content = self.message()["content"]
            if content.get("comm_id") != view:
                continue
            told: dict[str, Any] = content["data"].get("content", {})
            if told.get("kind") in ("prompt", "problem"):
                return told

    def shown(self, wanted: re.Pattern[str]) -> str:
        """Wait until an output has a text, and return it."""
        while True:
            data = self.message()["content"].get("data", {})
            found = wanted.search(data.get("text/plain", ""))
            if found:
                return found.group()

    def replaced(self) -> str:
        """Wait until an output is replaced, and return what stands there."""
        while True:
            message = self.message()
            if message["msg_type"] == "update_display_data":
                return str(message["content"]["data"]["text/plain"])


def _kernel_with(tmp_path: Path, **environ: str) -> _Heard:
    kernel = _Heard(tmp_path, {**os.environ, **environ})
    kernel.run("%load_ext mcp_magic")
    return kernel


@pytest.fixture(name="kernel")
def _kernel(tmp_path: Path, kept: Path) -> Iterator[_Heard]:
    with _kernel_with(tmp_path) as kernel:
        yield kernel


def _view(shown: Shown) -> str:
    (bundle,) = shown.displays
    return str(bundle[_VIEW]["model_id"])


def _ended(shown: Shown) -> str:
    """Return what stands at last where a cell showed a prompt."""
    return str(shown.displays[-1]["text/plain"])


def _found(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    assert match is not None, text
    return match.group()


# Where the browser is on another machine.

_HUBS = {
    "JupyterHub": {"JUPYTERHUB_SERVICE_PREFIX": "/user/ada/"},
    "Binder": {"BINDER_LAUNCH_HOST": "https://mybinder.org/"},
    "Colab": {"COLAB_RELEASE_TAG": "release"},
    "SSH": {"SSH_CONNECTION": "192.0.2.1 5 192.0.2.2 22"},
    "Codespaces": {"CODESPACES": "true"},
}


@pytest.mark.parametrize("hub", [*_HUBS, ""])
def test_it_is_seen_where_the_browser_is(hub: str) -> None:
    assert is_remote(_HUBS.get(hub, {"HOME": "/", "PATH": "/bin"})) is bool(hub)


@pytest.mark.parametrize("hub", ["JupyterHub", "Binder", "SSH"])
def test_on_a_hub_the_prompt_leads_with_the_box_and_the_address_is_pasted(
    acme: Running, tmp_path: Path, kept: Path, hub: str
) -> None:
    with _kernel_with(tmp_path, **_HUBS[hub]) as kernel:
        kernel.run(f"%mcp add acme {acme.url}")
        shown = kernel.run("%mcp auth acme")
        told = shown.displays[0]["text/plain"]
        assert "The page after it will likely not open" in told
        assert "out of the browser's address bar" in told
        assert "by itself" not in told
        view = _view(shown)
        kernel.send_comm(view, {"kind": "ready"})
        assert kernel.drawn(view)["remote"] is True
        address = visit(_found(_LINK, told), follow=False)
        kernel.send_comm(view, {"kind": "paste", "text": address})
        assert kernel.replaced() == "Signed in to acme."
        assert kernel.run("%mcp acme.hello").text == "Hello world"


def test_on_the_persons_own_machine_the_box_is_for_the_other_case(
    kernel: _Heard, acme: Running
) -> None:
    kernel.run(f"%mcp add acme {acme.url}")
    shown = kernel.run("%mcp auth acme")
    assert "If the page after it cannot be opened" in shown.displays[0]["text/plain"]
    kernel.send_comm(_view(shown), {"kind": "ready"})
    assert kernel.drawn(_view(shown))["remote"] is False


def test_a_pasted_address_can_be_given_in_the_cell_on_a_hub(
    acme: Running, tmp_path: Path, kept: Path
) -> None:
    with _kernel_with(tmp_path, **_HUBS["JupyterHub"]) as kernel:
        wanted = kernel.start(f"%mcp auth --paste {acme.url}")
        assert "Paste the address here (nothing: later): " in kernel.prompt()
        kernel.type("")
        shown = kernel.finish(wanted)
        assert "The sign-in goes on; %mcp auth --paste" in shown.text
        told = shown.displays[0]["text/plain"]
        assert "by itself" not in shown.text + told
        wanted = kernel.start(f"%mcp auth --paste {acme.url}")
        kernel.prompt()
        kernel.type(visit(_found(_LINK, told), follow=False))
        assert _ended(kernel.finish(wanted)).startswith("Signed in to ")


# A service that registers nobody.


def test_a_client_typed_in_the_widget_signs_in_and_shows_in_nothing(
    kernel: _Heard, acme: Running, tmp_path: Path, kept: Path
) -> None:
    """Rows 1, 3, 4 and 10 of the checklist, for what is typed in the prompt."""
    acme.service.habits.registers = False
    log = tmp_path / "log.txt"
    kernel.run(f"import logging; logging.basicConfig(level=1, filename={str(log)!r})")
    config = tmp_path / ".mcp.json"
    config.write_text('{"mcpServers":   {}}\n', encoding="utf-8")
    kernel.run(f"%xmode Verbose\n%mcp add acme {acme.url}")
    shown = kernel.run("%mcp acme.hello")
    told, view = shown.displays[0]["text/plain"], _view(shown)
    kernel.send_comm(view, {"kind": "ready"})
    drawn = kernel.drawn(view)
    assert (drawn["way"], drawn["known"]) == ("register", "")
    redirect = _found(_REDIRECT, told)
    assert drawn["redirect"] == redirect
    acme.service.clients["mine"] = [redirect]
    acme.service.passwords["mine"] = _SECRET
    for bad, why in (("caf\u00e9", "no client id"), ("typo", "typo")):
        kernel.send_comm(view, {"kind": "client", "id": bad, "secret": _SECRET})
        assert why in str(kernel.drawn(view))
    kernel.send_comm(view, {"kind": "client", "id": "mine", "secret": _SECRET})
    link = kernel.drawn(view)["url"]
    kernel.send_comm(view, {"kind": "paste", "text": visit(link, follow=False)})
    while not kernel.replaced().startswith("Signed in"):
        pass
    assert kernel.run("%mcp acme.hello").text == "Hello world"
    acme.service.access.clear()
    assert kernel.run("%mcp acme.hello").text == "Hello world"
    assert acme.service.counts["refreshed"] == 1
    acme.service.passwords["mine"] = "changed"
    acme.service.access.clear()
    kernel.run("%mcp acme.hello")
    files = [one for one in tmp_path.rglob("*") if one.is_file() and one != config]
    assert log in files
    texts = [one.read_text(encoding="utf-8", errors="replace") for one in files]
    assert not [one for one in (kernel.said, *texts) if _SECRET in one]
    outside = [
        text for one, text in zip(files, texts, strict=True) if kept != one.parent
    ]
    for secret in acme.service.secrets:
        assert not [one for one in (kernel.said, *outside) if secret in one]
    assert config.read_text(encoding="utf-8") == '{"mcpServers":   {}}\n'


def test_a_client_is_asked_for_in_the_cell_where_no_widget_is(
    kernel: _Heard, acme: Running
) -> None:
    acme.service.habits.registers = False
    kernel.run(f"%mcp add acme {acme.url}")
    wanted = kernel.start("%mcp auth --paste acme")
    assert kernel.prompt() == "Client id (nothing: later): "
    kernel.type("")
    shown = kernel.finish(wanted)
    assert shown.text == "The sign-in goes on; %mcp auth --paste acme asks again."
    told = shown.displays[0]["text/plain"]
    acme.service.clients["mine"] = [_found(_REDIRECT, told)]
    wanted = kernel.start("%mcp auth --paste acme")
    kernel.prompt()
    kernel.type("mine")
    assert kernel.prompt().startswith("Client secret, if it has one (held until ")
    kernel.type("")
    assert "Paste the address here" in kernel.prompt()
    kernel.type("")
    told = _ended(kernel.finish(wanted))
    wanted = kernel.start("%mcp auth --paste acme")
    kernel.prompt()
    kernel.type(visit(_found(_LINK, told), follow=False))
    assert _ended(kernel.finish(wanted)) == "Signed in to acme."
    assert kernel.run("%mcp acme.hello").text == "Hello world"


def test_who_stops_the_cell_that_waits_is_shown_nothing_secret(
    kernel: _Heard, acme: Running
) -> None:
    """Row 1 of the checklist: verbose tracebacks show what those who wait hold."""
    acme.service.habits.registers = False
    kernel.run(f"%xmode Verbose\n%mcp add acme {acme.url}")
    wanted = kernel.start("%mcp auth --paste acme")
    kernel.prompt()
    redirect = kernel.shown(_REDIRECT)
    acme.service.clients["mine"] = [redirect]
    acme.service.passwords["mine"] = _SECRET
    kernel.type("mine")
    kernel.prompt()
    kernel.type(_SECRET)
    kernel.prompt()
    link = kernel.shown(_LINK)
    given, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        given.set()
        go_on.wait(60)

    acme.service.access = Noticed(hold)
    kernel.type(visit(link, follow=False))
    assert given.wait(60)
    kernel.interrupt()
    shown = kernel.finish(wanted)
    go_on.set()
    assert shown.error.startswith("CallStopped")
    assert len(acme.service.secrets) == 4
    for secret in (_SECRET, *acme.service.secrets):
        assert secret not in kernel.said


# In a terminal.


def _terminal(kept: Path, **environ: str) -> pexpect.spawn[str]:
    arguments = ["-m", "IPython", "--simple-prompt", "--no-banner", "--colors=nocolor"]
    env = {**os.environ, "TERM": "dumb", "IPYTHONDIR": str(kept.parent / "ipython")}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        env.pop(name, None)
    child = pexpect.spawn(
        sys.executable, arguments, env=env | environ, encoding="utf-8", timeout=120,
        dimensions=(50, 1000),
    )  # fmt: skip
    child.expect(r"In \[1\]: ")
    child.sendline("%load_ext mcp_magic")
    child.expect(r"In \[2\]: ")
    return child


def _match(child: pexpect.spawn[str]) -> str:
    assert isinstance(child.match, re.Match)
    return str(child.match.group())


def test_over_ssh_a_terminal_asks_for_the_address_by_itself(
    acme: Running, kept: Path
) -> None:
    child = _terminal(kept, SSH_CONNECTION="192.0.2.1 5 192.0.2.2 22")
    child.sendline(f"%mcp auth {acme.url}")
    child.expect(_LINK)
    link = _match(child)
    child.expect("will likely not open")
    child.expect("Paste the address here")
    child.sendline(visit(link, follow=False))
    child.expect("Signed in to ")
    child.close(force=True)


def test_a_terminal_asks_for_the_client_there_and_then(
    acme: Running, kept: Path
) -> None:
    acme.service.habits.registers = False
    child = _terminal(kept)
    child.sendline(f"%mcp add acme {acme.url}")
    child.expect(r"In \[3\]: ")
    child.sendline("%mcp auth acme")
    child.expect(_REDIRECT)
    acme.service.clients["mine"] = [_match(child)]
    acme.service.passwords["mine"] = _SECRET
    child.expect("Client id ")
    child.sendline("typo")
    child.expect("Client secret")
    child.sendline("")
    child.expect("does not seem to know this client id")
    child.expect("Client id ")
    child.sendline("mine")
    child.expect("Client secret")
    child.sendline(_SECRET)
    child.expect(_LINK)
    link = _match(child)
    assert _SECRET not in plain(str(child.before))
    child.expect("Paste the address here")
    child.sendline(visit(link, follow=False))
    child.expect("Signed in to acme.")
    assert _SECRET not in plain(str(child.before))
    child.close(force=True)
