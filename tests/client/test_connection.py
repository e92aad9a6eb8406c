"""One connection: listing, calling, losing and closing, with real servers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp.server import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types import Tool as WireTool

from mcp_magic.client.caller import Nobody
from mcp_magic.client.connection import Connection
from mcp_magic.client.requests import call_tool
from mcp_magic.client.settings import Settings
from mcp_magic.config import Http, InProcess, ServerEntry, Stdio, Target
from mcp_magic.errors import (
    CallTimedOut,
    RequestRefused,
    ServerError,
    ServerExited,
    ServerUnreachable,
)
from mcp_magic.model import Event, Progress
from tests.waiting import patiently

pytestmark = pytest.mark.filterwarnings("error")


def _talk(
    target: Target, talk: Callable[[Connection], Awaitable[Any]], limit: float = 20
) -> Any:
    """Connect, talk, close; everything within a minute."""

    async def go() -> Any:
        connection = Connection(ServerEntry("it", target), Settings(limit))
        try:
            return await talk(connection)
        finally:
            await connection.down()

    return asyncio.run(asyncio.wait_for(go(), 60))


def _server() -> MCPServer:
    server = MCPServer("it")

    @server.tool()
    def double(n: int) -> int:
        return 2 * n

    @server.tool()
    async def wait(ctx: Context[Any, Any]) -> str:
        await ctx.report_progress(1, 2, "half")
        await asyncio.Event().wait()
        return "never"

    return server


def test_the_tools_are_listed_when_it_connects() -> None:
    async def talk(it: Connection) -> list[str]:
        await it.up()
        return list(it.tools or {})

    assert _talk(InProcess(_server()), talk) == ["double", "wait"]


def test_a_value_is_unwrapped_by_its_output_schema() -> None:
    async def talk(it: Connection) -> object:
        await it.up()
        return (await call_tool(it, "double", {"n": 21}, Nobody())).data

    assert _talk(InProcess(_server()), talk) == 42


def test_progress_is_told_and_a_limit_ends_the_wait() -> None:
    def attempt(limit: float) -> list[Event]:
        heard: list[Event] = []

        async def talk(it: Connection) -> None:
            await it.up()
            await call_tool(it, "wait", {}, Nobody(heard.append), timeout=limit)

        with pytest.raises(CallTimedOut, match=f"within {limit:g} s"):
            _talk(InProcess(_server()), talk)
        assert heard
        return heard

    assert patiently(attempt) == [Progress(1, 2, "half")]


def test_the_connection_serves_on_after_a_cancelled_call() -> None:
    async def talk(it: Connection) -> object:
        await it.up()
        call = asyncio.ensure_future(call_tool(it, "wait", {}, Nobody()))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
        return (await call_tool(it, "double", {"n": 1}, Nobody())).data

    assert _talk(InProcess(_server()), talk) == 2


def test_all_pages_of_a_listing_are_read_and_an_endless_one_ends() -> None:
    asked: list[str | None] = []

    async def pages(
        _ctx: object, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        cursor = params.cursor if params else None
        asked.append(cursor)
        tool = WireTool(name=f"t{len(asked)}", input_schema={"type": "object"})
        return ListToolsResult(tools=[tool], next_cursor="again")

    async def talk(it: Connection) -> list[str]:
        await it.up()
        return list(it.tools or {})

    server = Server("it", on_list_tools=pages)
    assert _talk(InProcess(server), talk) == ["t1", "t2"]
    assert asked == [None, "again"]


def test_a_failing_listing_is_kept_and_calls_still_work() -> None:
    async def listing(_ctx: object, _params: object) -> ListToolsResult:
        raise ValueError("no list today")

    async def calling(_ctx: object, params: CallToolRequestParams) -> CallToolResult:
        return CallToolResult(content=[TextContent(text=params.name)])

    async def talk(it: Connection) -> tuple[object, bool, object]:
        await it.up()
        answer = await call_tool(it, "hidden", {}, Nobody())
        return it.tools, isinstance(it.listing_error, RequestRefused), answer.data

    server = Server("it", on_list_tools=listing, on_call_tool=calling)
    assert _talk(InProcess(server), talk) == (None, True, "hidden")


def test_a_server_without_tools_lists_none() -> None:
    async def talk(it: Connection) -> object:
        await it.up()
        return it.tools

    assert _talk(InProcess(Server("it")), talk) == {}


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        ({"structuredContent": {"result": "four"}}, "does not fit"),
        ({"content": [{"type": "text", "text": "4"}]}, "declares structured content"),
    ],
    ids=["another type", "no structured content"],
)
def test_an_answer_that_breaks_its_output_schema_is_kept(
    content: dict[str, Any], warning: str
) -> None:
    schema = {"type": "object", "properties": {"result": {"type": "integer"}}}

    async def listing(_ctx: object, _params: object) -> ListToolsResult:
        tool = WireTool(name="t", input_schema={"type": "object"}, output_schema=schema)
        return ListToolsResult(tools=[tool])

    async def calling(_ctx: object, _params: CallToolRequestParams) -> CallToolResult:
        return CallToolResult.model_validate({"content": [], **content})

    async def talk(it: Connection) -> Any:
        await it.up()
        return await call_tool(it, "t", {}, Nobody())

    server = Server("it", on_list_tools=listing, on_call_tool=calling)
    answer = _talk(InProcess(server), talk)
    assert answer.data in ({"result": "four"}, "4")
    assert warning in answer.warnings[0]


@pytest.mark.parametrize(
    ("target", "error", "says"),
    [
        (Stdio("no-such-command-here"), ServerUnreachable, "not on PATH"),
        (Stdio(sys.executable, cwd="no-such-folder"), ServerUnreachable, "folder"),
        (
            Stdio(sys.executable, ("-c", "raise SystemExit('BOOM')")),
            ServerExited,
            "BOOM",
        ),
        (Http("http://127.0.0.1:9/mcp"), ServerUnreachable, "cannot be reached"),
        (InProcess(object()), ServerUnreachable, "no MCP server"),
    ],
    ids=["no command", "no folder", "exits at once", "refused", "no server object"],
)
def test_a_server_that_cannot_be_reached_says_why_in_one_line(
    target: Target, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says) as caught:
        _talk(target, lambda it: it.up())
    assert "\n" not in str(caught.value)
    assert caught.value.__context__ is None


_HIDDEN = "t0psecret"
_ENDING = "import sys; sys.exit('bad: ' + ' '.join(sys.argv[1:]))"


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (Http("http://127.0.0.1:1/${MCP_TEST_TOKEN}/mcp"), "refused"),
        (Http("${MCP_TEST_URL}/mcp"), "refused"),
        (Stdio("no-such-${MCP_TEST_TOKEN}"), "no-such-… is not on PATH"),
        (Stdio("x", cwd="/no-such/${MCP_TEST_TOKEN}"), "/no-such/… does not exist"),
        (Stdio(sys.executable, ("-c", _ENDING, "${MCP_TEST_TOKEN}")), "bad: …"),
        (Stdio(sys.executable, ("-c", _ENDING, "${MCP_TEST_URL}")), "bad: …"),
    ],
    ids=["url", "whole url", "command", "folder", "last words", "long value"],
)
def test_what_was_filled_in_shows_in_no_error(
    target: Target, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_TEST_TOKEN", _HIDDEN)
    monkeypatch.setenv("MCP_TEST_URL", f"http://127.0.0.1:1/{_HIDDEN}")
    with pytest.raises(ServerError, match=says) as caught:
        _talk(target, lambda it: it.up())
    assert _HIDDEN not in f"{caught.value}{caught.value!r}{caught.value.__context__!r}"


def test_a_silent_server_is_given_up_after_the_limit() -> None:
    program = "import sys; print('loading', file=sys.stderr); sys.stdin.read()"
    silent = Stdio(sys.executable, ("-c", program))

    def attempt(limit: float) -> None:
        says = f"within {limit:g} s; .*; it wrote: loading"
        with pytest.raises(CallTimedOut, match=says):
            _talk(silent, lambda it: it.up(), limit)

    patiently(attempt)


def test_a_start_that_was_cancelled_leaves_it_not_connected() -> None:
    async def talk(it: Connection) -> tuple[str, str]:
        starting = asyncio.ensure_future(it.up())
        await asyncio.sleep(0)
        before = it.current_state
        starting.cancel()
        await asyncio.wait([starting])
        return before, it.current_state

    silent = Stdio(sys.executable, ("-c", "import sys; sys.stdin.read()"))
    assert _talk(silent, talk) == ("connecting", "not connected")
