"""The prompt where people see it: real kernels, nbclient, a terminal."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pexpect
import pytest

from mcp_magic.notebook.signin import may_open_browser
from mcp_magic.teaching.running import Running, running, visit
from tests import headless
from tests.kernels import Kernel, Recorded, Shown, plain

_LINK = re.compile(r"http://127\.0\.0\.1:\d+/authorize\?\S+")


@pytest.fixture(name="kernel")
def _kernel(tmp_path: Path, kept: Path) -> Iterator[Kernel]:
    with Kernel(tmp_path, dict(os.environ)) as kernel:
        kernel.run("%load_ext mcp_magic")
        yield kernel


def _link(shown: Shown) -> str:
    """Return the page to visit that a cell showed."""
    (bundle,) = shown.displays
    match = _LINK.search(bundle["text/plain"])
    assert match is not None, bundle
    return match.group()


def _replaced(kernel: Kernel) -> dict[str, str]:
    """Wait until a prompt is replaced, and return what stands there."""
    data: dict[str, str] = kernel.until("update_display_data")[-1]["content"]["data"]
    return data


def test_the_cell_returns_and_its_prompt_is_replaced_when_it_ends(
    kernel: Kernel, acme: Running
) -> None:
    kernel.run(f"%mcp add acme {acme.url}")
    shown = kernel.run("%mcp auth acme")
    assert shown.error == ""
    (bundle,) = shown.displays
    assert 'rel="noopener noreferrer"' in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    visit(_link(shown))
    after = _replaced(kernel)
    assert after["text/plain"] == "Signed in to acme."
    assert "authorize" not in after["text/html"]
    assert kernel.run("%mcp acme.hello").text == "Hello world"


def test_every_prompt_of_a_cell_is_shown_once_also_one_that_is_not_its_value(
    kernel: Kernel, acme: Running
) -> None:
    with running() as other:
        kernel.run(f"%mcp add acme {acme.url}\n%mcp add other {other.url}")
        shown = kernel.run("job = %mcp auth acme\n%mcp auth other")
        first, second = (one["text/plain"] for one in shown.displays)
        assert first.startswith("acme (")
        assert second.startswith("other (")
        again = kernel.run("job")
        assert [one["text/plain"] for one in again.displays] == [first]
        visit(_link(again))
        assert _replaced(kernel)["text/plain"] == "Signed in to acme."


def test_a_call_shows_the_prompt_and_the_cell_runs_again(
    kernel: Kernel, acme: Running
) -> None:
    kernel.run(f"%mcp add acme {acme.url}")
    shown = kernel.run("%mcp acme.hello name=you")
    assert shown.error.startswith("AuthorizationRequired: acme wants you to sign in")
    visit(_link(shown))
    _replaced(kernel)
    assert kernel.run("%mcp acme.hello name=you").text == "Hello you"


def test_calls_of_a_map_show_one_prompt(kernel: Kernel, acme: Running) -> None:
    kernel.run(f"import asyncio, mcp_magic\n%mcp add acme {acme.url}")
    visit(_link(kernel.run("%mcp auth acme")))
    _replaced(kernel)
    kernel.run("hello = mcp_magic.connect('acme').hello")
    acme.service.access.clear()
    acme.service.refresh.clear()
    calls = "(hello.aio(name=str(n)) for n in range(5))"
    shown = kernel.run(f"await asyncio.gather(*{calls}, return_exceptions=True)")
    assert shown.text.count("AuthorizationRequired") == 5
    assert _link(shown)


def test_a_name_is_corrected_and_an_address_needs_no_configuration(
    kernel: Kernel, acme: Running, tmp_path: Path
) -> None:
    kernel.run(f"%mcp add acme {acme.url}")
    shown = kernel.run("%mcp auth acmee")
    assert "Auto-corrected server name to acme (input: acmee)." in shown.stdout
    config = tmp_path / ".mcp.json"
    config.write_text('{"mcpServers":   {}}\n', encoding="utf-8")
    visit(_link(kernel.run(f"%mcp auth {acme.url}")))
    _replaced(kernel)
    assert kernel.run(f"%mcp {acme.url} hello").text == "Hello world"
    assert config.read_text(encoding="utf-8") == '{"mcpServers":   {}}\n'


def test_the_options_of_the_verb(kernel: Kernel, acme: Running) -> None:
    kernel.run(f"%mcp add acme {acme.url}")
    visit(_link(kernel.run("%mcp auth --scope 'use admin' acme")))
    _replaced(kernel)
    (grant,) = acme.service.access.values()
    assert grant.scope == "use admin"
    visit(_link(kernel.run("%mcp auth --reset acme")))
    _replaced(kernel)
    assert acme.service.counts["revoked"] == 2
    assert kernel.run("%mcp auth --forget acme").text == (
        "Signed out of acme; its service revoked the tokens."
    )


def test_signing_out_says_whether_a_token_was_kept(
    kernel: Kernel, acme: Running, kept: Path
) -> None:
    kernel.run(f"%mcp add acme {acme.url}")
    nothing = "Nobody was signed in to acme: no token was kept."
    assert kernel.run("%mcp auth --forget acme").text == nothing
    visit(_link(kernel.run("%mcp auth acme")))
    _replaced(kernel)
    (file,) = kept.glob("*.json")
    record = file.read_text(encoding="utf-8")
    file.write_text(record.replace("revocation_", "x_"), encoding="utf-8")
    assert kernel.run("%mcp auth --forget acme").text == (
        "Signed out of acme; its service did not take note of it."
    )
    assert kernel.run("%mcp auth --forget acme").text == nothing


def test_a_cell_that_is_run_again_shows_the_prompt_that_is_still_open(
    kernel: Kernel, acme: Running
) -> None:
    """Its output, and the prompt in it, were cleared when it was run."""
    kernel.run(f"import mcp_magic\n%mcp add acme {acme.url}")
    first = _link(kernel.run("%mcp acme.hello"))
    assert _link(kernel.run("%mcp acme.hello")) == first
    tried = "try:\n    mcp_magic.connect('acme').hello()\nexcept Exception: pass\n"
    assert _link(kernel.run(tried * 3)) == first
    visit(first)
    assert _replaced(kernel)["text/plain"] == "Signed in to acme."


def test_what_is_shown_while_the_cell_asks_is_replaced_too(
    kernel: Kernel, acme: Running
) -> None:
    kernel.run(f"%mcp add acme {acme.url}")
    wanted = kernel.start("%mcp auth --paste acme")
    kernel.prompt()
    (shown,) = (
        one["content"]["data"]["text/plain"]
        for one in kernel.until("display_data")
        if one["msg_type"] == "display_data"
    )
    link = _LINK.search(shown)
    assert link is not None
    address = visit(link.group(), follow=False)
    kernel.type(address)
    after = kernel.finish(wanted)
    assert [one["text/plain"] for one in after.displays] == ["Signed in to acme."]
    assert after.text + after.stdout == ""


def test_a_second_kernel_and_a_restarted_one_use_the_token(
    kernel: Kernel, acme: Running, tmp_path: Path
) -> None:
    visit(_link(kernel.run(f"%mcp auth {acme.url}")))
    _replaced(kernel)
    kernel.restart()
    kernel.run("%load_ext mcp_magic")
    assert kernel.run(f"%mcp {acme.url} hello").text == "Hello world"
    with Kernel(tmp_path, dict(os.environ)) as second:
        second.run("%load_ext mcp_magic")
        assert second.run(f"%mcp {acme.url} hello").text == "Hello world"


def test_where_nobody_is_a_token_serves_and_none_is_asked_for(
    kernel: Kernel, acme: Running
) -> None:
    kernel.run(f"%mcp add acme {acme.url}")
    visit(_link(kernel.run("%mcp auth acme")))
    _replaced(kernel)
    for option in ("--reset", "--scope admin"):
        shown = kernel.run(f"%mcp auth {option} acme", person=False)
        assert shown.error.startswith("AuthorizationRequired: nobody is here to sign")
    used = "acme can be used without a person."
    assert kernel.run("%mcp auth acme", person=False).text == used
    assert kernel.run("%mcp acme.hello", person=False).text == "Hello world"


def test_an_open_prompt_ends_with_its_kernel(kernel: Kernel, acme: Running) -> None:
    """Its output may be gone, and a cell may ask for its address."""
    kernel.run(f"%mcp add acme {acme.url}")
    link = _link(kernel.run("%mcp acme.hello"))
    kernel.run("from IPython.display import clear_output; clear_output()")
    kernel.start("%mcp auth --paste acme")
    kernel.prompt()
    listener = unquote(link.partition("redirect_uri=")[2].partition("&")[0])
    assert _is_open(listener)
    kernel.restart()
    assert not _is_open(listener)
    kernel.run("%load_ext mcp_magic")
    again = _link(kernel.run(f"%mcp {acme.url} hello"))
    assert again != link
    visit(again)
    assert _replaced(kernel)["text/plain"].startswith("Signed in to ")
    assert acme.service.counts["registered"] == 1


def _is_open(address: str) -> bool:
    """Whether anybody listens at an address of this machine."""
    with socket.socket() as tried:
        port = urlsplit(address).port
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(name="recorded")
def _recorded(tmp_path: Path, kept: Path) -> Iterator[Recorded]:
    with Recorded(tmp_path, dict(os.environ)) as kernel:
        kernel.run("%load_ext mcp_magic")
        yield kernel


def test_nothing_secret_is_shown_or_logged(
    recorded: Recorded, acme: Running, tmp_path: Path, kept: Path
) -> None:
    kernel = recorded
    log = tmp_path / "log.txt"
    logging = f"logging.basicConfig(level=1, filename={str(log)!r})"
    objects = "[one for one in gc.get_objects() if 'client.auth' in str(type(one))]"
    seen = [
        kernel.run(source)
        for source in (
            f"import logging, mcp_magic\n{logging}",
            "%xmode Verbose",
            f"%mcp add acme {acme.url}",
        )
    ]
    seen.append(kernel.run("%mcp acme.hello"))
    visit(_link(seen[-1]))
    _replaced(kernel)
    seen += [
        kernel.run(source)
        for source in (
            "job = mcp_magic.auth('acme')\njob",
            "vars(job)",
            "acme = %mcp acme\nacme.hello()",
            "acme.hello(name=5)",
            "%mcp acme.rename name=x",
            "%mcp status",
            "mcp_magic.servers()",
            f"import gc\nlist(map(repr, {objects}))",
        )
    ]
    acme.service.access.clear()
    acme.service.habits.trouble = 503
    seen.append(kernel.run("acme.hello()"))
    assert "SignInFailed" in seen[-1].error
    assert "Tokens(access=" in seen[-2].text  # they were looked at
    assert "comm_open" in kernel.said
    shown = kernel.said + log.read_text(encoding="utf-8")
    assert len(acme.service.secrets) == 4
    for secret in acme.service.secrets:
        assert secret not in shown
    for path in tmp_path.rglob("*"):
        if path.is_file() and kept not in path.parents:
            text = path.read_text(encoding="utf-8", errors="replace")
            assert not any(secret in text for secret in acme.service.secrets), path


# Where nobody is.


def _run_notebook(folder: Path, *sources: str) -> nbformat.NotebookNode:
    return headless.execute(headless.of_cells(sources), folder, may_fail=True)


def test_nbclient_fails_at_once_and_says_what_to_do(
    acme: Running, tmp_path: Path, kept: Path
) -> None:
    notebook = _run_notebook(
        tmp_path,
        f"%load_ext mcp_magic\n%mcp add acme {acme.url}",
        "%mcp acme.hello",
        "%mcp auth acme",
    )
    for cell in notebook.cells[1:]:
        (output,) = cell.outputs
        assert output.ename == "AuthorizationRequired"
        assert "nobody is here to do so; run %mcp auth acme" in output.evalue
    assert acme.service.counts["registered"] == 0


def test_nbclient_uses_a_token_that_is_kept(
    acme: Running, kernel: Kernel, tmp_path: Path
) -> None:
    visit(_link(kernel.run(f"%mcp auth {acme.url}")))
    _replaced(kernel)
    notebook = _run_notebook(
        tmp_path, "%load_ext mcp_magic", f"%mcp {acme.url} hello name=nb"
    )
    (output,) = notebook.cells[1].outputs
    assert output.data["text/plain"] == "Hello nb"


# In a terminal.


@pytest.fixture(name="terminal")
def _terminal(kept: Path) -> Iterator[pexpect.spawn[str]]:
    arguments = ["-m", "IPython", "--simple-prompt", "--no-banner", "--colors=nocolor"]
    env = {**os.environ, "TERM": "dumb", "IPYTHONDIR": str(kept.parent / "ipython")}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        env.pop(name, None)
    child = pexpect.spawn(
        sys.executable, arguments, env=env, encoding="utf-8", timeout=120,
        dimensions=(50, 1000),
    )  # fmt: skip
    child.expect(r"In \[1\]: ")
    child.sendline("%load_ext mcp_magic")
    child.expect(r"In \[2\]: ")
    yield child
    child.close(force=True)


def test_in_a_terminal_the_link_is_printed_and_the_address_pasted_unseen(
    terminal: pexpect.spawn[str], acme: Running
) -> None:
    terminal.sendline(f"%mcp add acme {acme.url}")
    terminal.expect(r"In \[3\]: ")
    terminal.sendline("%mcp acme.hello")
    terminal.expect("AuthorizationRequired")
    terminal.expect(r"In \[4\]: ")
    terminal.sendline("%mcp auth --paste acme")
    terminal.expect(r"(http://127\.0\.0\.1:\d+/authorize\?\S+)")
    assert isinstance(terminal.match, re.Match)
    address = visit(str(terminal.match.group(1)), follow=False)
    terminal.expect("Paste the address here")
    terminal.sendline("not an address")
    terminal.expect("paste the address of the page")
    terminal.expect("Paste the address here")
    terminal.sendline(address)
    terminal.expect("Signed in to acme.")
    shown = plain(str(terminal.before))
    assert not any(secret in shown for secret in acme.service.secrets)
    terminal.sendline("%mcp acme.hello name=tty")
    terminal.expect("Hello tty")


@pytest.mark.parametrize(
    ("environ", "platform", "may"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "w"}, "linux", True),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "1"}, "linux", False),
        ({}, "darwin", True),
        ({}, "win32", True),
        ({"SSH_CONNECTION": "1"}, "darwin", False),
    ],
)
def test_a_browser_is_opened_only_where_the_person_is(
    environ: dict[str, str], platform: str, *, may: bool
) -> None:
    assert may_open_browser(environ, platform) is may
