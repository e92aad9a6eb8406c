"""What may happen at the same time, or at the worst moment, and what is left then."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mcp_magic.client.auth.store import Store
from mcp_magic.config import Http
from mcp_magic.errors import AuthorizationRequired
from mcp_magic.model import Secret
from mcp_magic.session import Session
from mcp_magic.teaching.running import Running, visit
from tests.auth.conftest import Noticed, Person
from tests.kernels import Kernel

_SIGNS_IN = """
import sys
import mcp_magic
from mcp_magic.teaching.running import visit
print("ready", flush=True)
sys.stdin.readline()
job = mcp_magic.auth(sys.argv[1])
visit(job.url)
job.wait()
"""
_CALLS = """
import sys
import mcp_magic
acme = mcp_magic.connect(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
acme.hello()
"""


@contextlib.contextmanager
def _killed_when_a_token_is_given(code: str, acme: Running) -> Iterator[None]:
    """Run *code*; its process ends when the service has given a token, unanswered."""
    command = [sys.executable, "-c", code, acme.url]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as kernel:
        assert kernel.stdin is not None
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "ready\n"

        def kill() -> None:
            kernel.kill()
            kernel.wait()

        acme.service.access = Noticed(kill)
        kernel.stdin.write("\n")
        kernel.stdin.flush()
        assert kernel.wait(60) == -9
    acme.service.access = {}
    yield


def test_a_kernel_killed_before_it_wrote_the_token_leaves_nothing_in_the_way(
    person: Person, acme: Running, kept: Path
) -> None:
    with _killed_when_a_token_is_given(_SIGNS_IN, acme):
        assert acme.service.counts["signed in"] == 1
    assert person.sign_in().stage == "signed in"
    assert acme.service.counts["registered"] == 1
    assert person.call().text == "Hello world"
    assert {path.suffix for path in kept.iterdir()} == {".json", ".lock"}


def test_a_kernel_killed_while_it_renewed_costs_one_prompt(
    person: Person, acme: Running
) -> None:
    person.sign_in()
    with _killed_when_a_token_is_given(_CALLS, acme):
        assert acme.service.counts["refreshed"] == 1
    with pytest.raises(AuthorizationRequired):
        person.call()
    (job,) = person.shown
    visit(job.url)
    assert person.end(job).stage == "signed in"
    assert person.call().text == "Hello world"


def test_who_signs_out_while_a_token_is_renewed_is_signed_out(
    person: Person, another: Person, acme: Running, kept: Path
) -> None:
    person.sign_in()
    person.is_there = False
    asked, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        asked.set()
        go_on.wait(60)

    held = Noticed(hold)
    dict.update(held, acme.service.refresh)
    acme.service.access.clear()
    acme.service.refresh = held

    def call() -> None:
        with contextlib.suppress(AuthorizationRequired):
            person.call()

    def sign_out() -> None:
        session = another.session
        session.run(session.sign_ins.forget(session.connections.of("acme")))

    threads = [threading.Thread(target=one) for one in (call, sign_out)]
    threads[0].start()
    assert asked.wait(60)
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert not list(kept.glob("*.json"))
    assert acme.service.access == {}
    assert acme.service.refresh == {}


@pytest.mark.parametrize("ahead", [-86_400, 86_400])
def test_clocks_that_differ_cost_at_most_one_renewal(
    person: Person, another: Person, acme: Running, ahead: int
) -> None:
    """Another machine with the same home folder wrote the file; its clock is wrong."""
    person.sign_in()
    store = person.session.sign_ins.store
    record = store.read(acme.url)
    assert record is not None
    tokens = record.tokens
    assert tokens is not None
    assert tokens.expires_at is not None
    assert tokens.renew_at is not None
    moved = replace(tokens, expires_at=tokens.expires_at + ahead)
    moved = replace(moved, renew_at=tokens.renew_at + ahead)
    store.write(acme.url, replace(record, tokens=moved))
    another.is_there = False
    if ahead > 0:
        acme.service.access.clear()  # it ended, though the file says otherwise
    for _ in range(3):
        assert another.call().text == "Hello world"
    assert acme.service.counts["refreshed"] == 1
    assert acme.service.counts["refresh refused"] == 0


def test_where_locks_do_not_work_the_faster_kernels_token_is_used(
    person: Person, acme: Running, kept: Path
) -> None:
    person.sign_in()
    good = next(iter(acme.service.access))
    record = person.session.sign_ins.store.read(acme.url)
    assert record is not None
    assert record.tokens is not None
    stale = replace(record.tokens, access=Secret("stale"))
    person.session.sign_ins.store.write(acme.url, replace(record, tokens=stale))
    faster = Store(kept, pytest.fail)

    def write() -> None:
        faster.write(acme.url, record)

    acme.service.refresh = Noticed(write)  # it knows none: "invalid_grant"
    assert person.call().text == "Hello world"
    assert acme.service.counts["refresh refused"] == 1
    assert list(acme.service.access) == [good]


def test_where_no_token_can_be_kept_it_is_said_in_a_line_and_used_in_memory(
    acme: Running,
    tmp_path: Path,
    session: Session,
    said: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("MCP_MAGIC_TOKENS", str(tmp_path / "file" / "tokens"))
    session.adopt(Http(acme.url), "acme")
    person = Person(session)
    assert person.sign_in().stage == "signed in"
    (told,) = said
    assert told.startswith("Tokens cannot be kept (")
    assert "Not a directory): this kernel alone holds them" in told
    assert "\n" not in told
    assert person.call().text == "Hello world"
    acme.service.access.clear()
    assert person.call().text == "Hello world"
    assert acme.service.counts["refreshed"] == 1
    assert session.run(session.sign_ins.forget(session.connections.of("acme")))
    with pytest.raises(AuthorizationRequired):
        person.call()


def test_tokens_of_another_service_than_the_one_that_is_meant_now_are_not_used(
    person: Person, acme: Running
) -> None:
    person.sign_in()
    entry = person.session.find("acme")
    oauth = {"issuer": "https://login.test"}
    person.session.add(replace(entry, oauth=oauth))
    with pytest.raises(AuthorizationRequired, match=r"oauth\.issuer is"):
        person.call()


def test_the_prompt_of_a_kernel_ends_when_another_process_signs_in(
    acme: Running, tmp_path: Path, kept: Path
) -> None:
    with Kernel(tmp_path, dict(os.environ)) as kernel:
        kernel.run("%load_ext mcp_magic")
        (bundle,) = kernel.run(f"%mcp auth {acme.url}").displays
        assert "wants you to sign in" in bundle["text/plain"]
        command = [sys.executable, "-c", _SIGNS_IN, acme.url]
        subprocess.run(command, input="\n", text=True, check=True, capture_output=True)
        while (message := kernel.message())["msg_type"] != "update_display_data":
            pass
        told = message["content"]["data"]["text/plain"]
        assert told.startswith("Signed in to ")
        assert kernel.run(f"%mcp {acme.url} hello").text == "Hello world"
        assert acme.service.counts["signed in"] == 1
