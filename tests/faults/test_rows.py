"""Faults of a server over stdio, one a row: what is said, and what goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from mcp_magic.client.caller import Nobody
from mcp_magic.client.connection import Connection
from mcp_magic.client.requests import call_tool
from mcp_magic.client.settings import Settings
from mcp_magic.config import ServerEntry, Stdio
from mcp_magic.errors import (
    CallTimedOut,
    McpMagicError,
    RequestRefused,
    ServerError,
    ServerExited,
    ServerUnreachable,
)
from mcp_magic.session import Server, Session
from tests.faults.servers import FAULTY, Held, faulty
from tests.waiting import patiently


@pytest.fixture(autouse=True)
def _nothing_is_left_and_nothing_logged(
    caplog: pytest.LogCaptureFixture,
) -> Iterator[None]:
    before = Held.now()
    yield
    assert before.left() == []
    loud = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert [one.getMessage() for one in loud] == []


def _is_one_clear_line(error: BaseException) -> bool:
    """IPython shows a native traceback where a group is among the causes."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BaseExceptionGroup):
            return False
        cause = cause.__context__
    return "\n" not in str(error)


def _talk(
    target: Stdio,
    talk: Callable[[Connection], Awaitable[Any]],
    settings: Settings | None = None,
) -> Any:
    async def go() -> Any:
        connection = Connection(ServerEntry("it", target), settings or Settings(20))
        try:
            await connection.up()
            return await talk(connection)
        finally:
            await connection.down()

    return asyncio.run(asyncio.wait_for(go(), 60))


async def _call(to: Connection, tool: str, limit: float | None = None) -> Any:
    """Call a tool, connecting again where the last call lost the connection."""
    await to.up()
    given = {"text": "usable"}
    return await call_tool(to, tool, given, Nobody(), timeout=limit)


@pytest.mark.parametrize(
    ("target", "error", "says"),
    [
        (Stdio("no-such-command"), ServerUnreachable, "not on PATH"),
        (Stdio("/no/such/file"), ServerUnreachable, "there is no file"),
        (Stdio(str(FAULTY)), ServerUnreachable, "may not be run"),
        (faulty(cwd="/no/such/folder"), ServerUnreachable, "folder /no/such/folder"),
        (faulty("exits=3"), ServerExited, "code 3.*the database is locked"),
        (faulty("exits=0"), ServerExited, "code 0.*the database is locked"),
        (faulty("hangs"), CallTimedOut, "waiting for the database"),
        (faulty("asks"), CallTimedOut, r"Ok to proceed\? \(y\)"),
        (faulty("mumbles"), CallTimedOut, "caf"),
        (faulty("version=1999-01-01"), ServerError, "1999-01-01"),
        (faulty("garbled"), ServerError, "it"),
        (faulty("refuses"), RequestRefused, "no licence"),
    ],
    ids=["no command", "no file", "no program", "no folder", "exits 3", "exits 0",
         "hangs", "asks", "mumbles", "old protocol", "garbled", "refuses"],
)  # fmt: skip
def test_a_server_that_does_not_come_up_says_why_and_harms_no_other(
    target: Stdio, error: type[ServerError], says: str, session: Session
) -> None:
    good = Server(session, session.add(ServerEntry("good", faulty())))
    assert good["echo"](text="usable").text == "usable"

    def come_up(limit: float) -> McpMagicError:
        session.add(ServerEntry("it", target, connect_timeout=limit))
        with pytest.raises(error, match=says) as caught:
            session.run(session.connections.connected("it"))
        return caught.value

    assert _is_one_clear_line(patiently(come_up))
    assert good["echo"](text="usable").text == "usable"


@pytest.mark.parametrize(
    "fault",
    ["banner", "garbage", "glued", "one-line", "batch", "crlf", "pieces", "php",
     "modern", "flood=1000000", "slow=0.5", "version=2024-11-05", "no-listing"],
)  # fmt: skip
def test_a_server_with_bad_manners_is_usable(fault: str) -> None:
    assert _talk(faulty(fault), lambda it: _call(it, "echo")).data == "usable"


def test_a_server_that_ignores_methods_it_does_not_have_is_usable() -> None:
    """The newer probe would wait ten seconds for it, each time."""
    settings = Settings(20, era="older")
    answer = _talk(faulty("silent"), lambda it: _call(it, "echo"), settings)
    assert answer.data == "usable"


def test_a_listing_without_end_ends() -> None:
    async def talk(it: Connection) -> int:
        return len(it.tools or {})

    assert _talk(faulty("endless"), talk) >= 100


@pytest.mark.parametrize(
    "tool",
    ["no-content", "no-object", "structured", "structured-wrong", "odd-block",
     "extra", "half-pair", "invalid-byte", "not-a-number", "deep", "string-id",
     "float-id", "other-id", "notices", "changed"],
)  # fmt: skip
def test_an_odd_answer_is_kept_and_the_session_goes_on(tool: str) -> None:
    async def talk(it: Connection) -> object:
        await _call(it, tool)
        return (await _call(it, "echo")).data

    assert _talk(faulty(), talk) == "usable"


@pytest.mark.parametrize(
    ("tool", "limit", "error", "says"),
    [
        ("error", None, RequestRefused, "-32602: Ein Werkzeug"),
        ("odd-error", None, RequestRefused, "it broke"),
        ("no-such-tool", None, RequestRefused, "Unknown tool"),
        ("never", 0.3, CallTimedOut, "within 0.3 s"),
        ("error-to-nobody", 0.3, CallTimedOut, "within 0.3 s"),
        ("dies", None, ServerExited, "code 7.*Error: out of cheese"),
        ("killed", None, ServerExited, "SIGKILL"),
        ("closes-output", None, ServerError, "it"),
        ("closes-input", None, ServerError, "it"),
    ],
)
def test_a_call_that_fails_says_why_and_the_next_one_works(
    tool: str, limit: float | None, error: type[ServerError], says: str
) -> None:
    async def talk(it: Connection) -> object:
        with pytest.raises(error, match=says) as caught:
            await _call(it, tool, limit)
        assert _is_one_clear_line(caught.value)
        return (await _call(it, "echo")).data

    assert _talk(faulty(), talk) == "usable"


def test_the_end_of_a_server_ends_every_call_and_is_told_to_each() -> None:
    async def talk(it: Connection) -> list[BaseException]:
        calls = [_call(it, tool) for tool in ("never", "never", "dies")]
        ends = await asyncio.gather(*calls, return_exceptions=True)
        return [end for end in ends if isinstance(end, BaseException)]

    for error in _talk(faulty(), talk):
        assert isinstance(error, ServerExited)
        assert "code 7" in str(error)


def test_the_end_of_an_idle_server_is_noticed_without_a_call() -> None:
    before = psutil.Process().children()

    async def talk(it: Connection) -> tuple[bool, str]:
        (process,) = set(psutil.Process().children()) - set(before)
        process.kill()
        await it._life.stopped.wait()
        return it.is_up, it.current_state

    assert _talk(faulty(), talk) == (False, "not connected")


@pytest.mark.parametrize("tool", ["dies", "last-breath", "killed"])
def test_a_call_that_may_have_run_is_never_sent_again(
    tool: str, session: Session, tmp_path: Path
) -> None:
    """The server counts the calls that reach it (TRN-15)."""
    counted = tmp_path / "calls"
    target = faulty(f"counts={counted}")
    server = Server(session, session.add(ServerEntry("it", target)))
    try:
        server[tool]()
    except McpMagicError as error:
        assert isinstance(error, ServerExited)  # noqa: PT017 - an answer is right too
    assert server["echo"](text="usable").text == "usable"
    assert counted.read_text().split() == [tool, "echo"]


def test_two_calls_at_once_do_not_wait_for_each_other() -> None:
    async def talk(it: Connection) -> object:
        waiting = asyncio.ensure_future(_call(it, "never"))
        data = (await _call(it, "echo")).data
        assert not waiting.done()
        waiting.cancel()
        await asyncio.wait([waiting])
        return data

    assert _talk(faulty(), talk) == "usable"
