"""A forgotten session is opened anew; only what surely did not run is sent again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from mcp import Client

from mcp_magic.client.connection import Connection
from mcp_magic.config import Http, ServerEntry
from mcp_magic.errors import ServerUnreachable
from tests.servers.faulty_http import GONE, Faulty, serving

pytestmark = pytest.mark.filterwarnings("error")

T = TypeVar("T")


def _talk(
    talk: Callable[[Faulty, Connection], Awaitable[T]], path: str, **options: str
) -> T:
    async def go() -> T:
        async with serving() as server:
            url = server.url(path, **options)
            connection = Connection(ServerEntry("it", Http(url)))
            try:
                await connection.up()
                return await talk(server, connection)
            finally:
                await connection.down()

    return asyncio.run(asyncio.wait_for(go(), 30))


async def _call(connection: Connection, tool: str = "good") -> object:
    def work(client: Client) -> Awaitable[object]:
        return client.call_tool(tool, {})

    return await connection.send(work)


@pytest.mark.parametrize("gone", list(GONE))
def test_concurrent_calls_share_one_new_session_and_run_once(gone: str) -> None:
    async def talk(server: Faulty, it: Connection) -> tuple[list[str], int]:
        server.forget()
        await asyncio.gather(*(_call(it) for _ in range(5)))
        return server.ran, server.count("POST", "initialize")

    assert _talk(talk, "/mcp", gone=gone) == (["good"] * 5, 2)


def test_the_session_of_an_older_server_is_opened_anew() -> None:
    async def talk(server: Faulty, it: Connection) -> list[str]:
        server.drop_older()
        await asyncio.gather(*(_call(it) for _ in range(5)))
        return server.ran

    assert _talk(talk, "/sse") == ["good"] * 5


def test_a_second_refusal_is_an_error() -> None:
    async def talk(server: Faulty, it: Connection) -> tuple[str, int]:
        server.remembers = False
        server.forget()
        with pytest.raises(ServerUnreachable) as caught:
            await _call(it)
        return str(caught.value), server.count("POST", "initialize")

    text, sessions = _talk(talk, "/mcp")
    assert text.startswith("it has forgotten the session (HTTP 404)")
    assert sessions == 2


def test_a_call_that_was_cut_is_not_sent_again() -> None:
    async def talk(server: Faulty, it: Connection) -> list[str]:
        with pytest.raises(ServerUnreachable, match="whether the tool ran is unknown"):
            await _call(it, "bad")
        await _call(it)
        return server.ran

    assert _talk(talk, "/mcp", fault="cut-after-run") == ["bad", "good"]
