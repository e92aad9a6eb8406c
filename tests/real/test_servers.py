"""Servers that others make, over stdio and HTTP: list, call, typo, error."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_magic.config import Http, ServerEntry, Stdio, Target
from mcp_magic.errors import RequestRefused, ServerUnreachable, ToolFailed
from mcp_magic.model import Secret
from mcp_magic.session import Server, Session


@pytest.fixture(name="demo_url", scope="module")
def _demo_url() -> Iterator[str]:
    """The address of the bundled server, which the SDK serves over HTTP."""
    command = [sys.executable, "-m", "mcp_magic.demo", "--http", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        yield process.stderr.readline().strip()
        process.terminate()


@pytest.fixture(name="fast_url", scope="module")
def _fast_url(servers: Path) -> Iterator[str]:
    command = [sys.executable, str(servers / "fast.py"), "--http"]
    out, quiet = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdout=out, stderr=quiet, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def _known(session: Session, target: Target) -> Server:
    return Server(session, session.add(ServerEntry("srv", target)))


@pytest.fixture(name="fast", params=["stdio", "http"])
def _fast(request: pytest.FixtureRequest, session: Session, servers: Path) -> Server:
    if request.param == "http":
        return _known(session, Http(request.getfixturevalue("fast_url")))
    return _known(session, Stdio(sys.executable, (str(servers / "fast.py"),)))


def test_a_fastmcp_server_gives_values(fast: Server) -> None:
    assert list(fast) == ["add", "rows", "boom"]
    assert fast.add(2, b=3).data == 5
    assert fast.rows().data == [{"n": 1}, {"n": 2}]


def test_a_typo_at_a_fastmcp_server_is_put_right(fast: Server, said: list[str]) -> None:
    result = fast["ad"](a=2, b=3)
    assert (result.data, result.called) == (5, "add")
    assert said == ["Auto-corrected tool call to srv.add (input: srv.ad)."]


def test_an_error_of_a_fastmcp_tool_is_told(fast: Server) -> None:
    with pytest.raises(ToolFailed, match="kaboom"):
        fast.boom()


def test_the_sdks_server_over_http(
    session: Session, said: list[str], demo_url: str
) -> None:
    server = _known(session, Http(demo_url))
    assert server.add(a=2, b=3).data == 5
    assert server["lsit_rows"](limit=1).called == "list_rows"
    assert said == ["Auto-corrected tool call to srv.list_rows (input: srv.lsit_rows)."]
    with pytest.raises(ToolFailed, match="paper"):
        server.fail(message="paper")


def test_a_server_that_answers_in_german_is_understood(
    session: Session, said: list[str], servers: Path
) -> None:
    server = _known(session, Stdio(sys.executable, (str(servers / "german.py"),)))
    assert server["adieren"](a=2, b=3).data == "5"
    assert said == ["Auto-corrected tool call to srv.addieren (input: srv.adieren)."]
    with pytest.raises(RequestRefused, match="-32602"):
        server["etwas_ganz_anderes"](a=1)


def test_a_page_that_is_no_server_says_its_status(
    session: Session, demo_url: str
) -> None:
    server = _known(session, Http(demo_url.replace("/mcp", "/nothing?key=hidden")))
    with pytest.raises(ServerUnreachable, match="HTTP 404") as caught:
        server.add(a=1, b=2)
    assert "hidden" not in str(caught.value)


def test_a_header_with_a_variable_is_filled_in_when_it_connects(
    session: Session, demo_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Http(demo_url, {"Authorization": Secret("Bearer ${SOME_TOKEN}")})
    server = _known(session, target)
    monkeypatch.delenv("SOME_TOKEN", raising=False)
    with pytest.raises(ServerUnreachable, match="SOME_TOKEN"):
        server.add(a=1, b=2)
    monkeypatch.setenv("SOME_TOKEN", "t0psecret")
    assert server.add(a=1, b=2).data == 3
    assert "t0psecret" not in repr(session.entries)
