"""The demo server for tests: connected in this process, in both protocol eras."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias, TypeVar

import pytest
from mcp import Client
from mcp_types import CallToolResult

from mcp_magic.demo.server import build

T = TypeVar("T")
Era: TypeAlias = Literal["auto", "legacy"]
Call: TypeAlias = Callable[..., CallToolResult]
Talk: TypeAlias = Callable[[Callable[[Client], Awaitable[T]]], T]


@pytest.fixture(name="era", params=["auto", "legacy"])
def _era(request: pytest.FixtureRequest) -> Era:
    """The protocol of 2026-07-28, which clients find by themselves, or 2025-11-25."""
    era: Era = request.param
    return era


@pytest.fixture(name="talk")
def _talk(era: Era) -> Talk[object]:
    """Run a conversation with a server of its own, in both eras."""

    def talk(conversation: Callable[[Client], Awaitable[T]]) -> T:
        async def connected() -> T:
            async with asyncio.timeout(20), Client(build(), mode=era) as client:
                return await conversation(client)

        return asyncio.run(connected())

    return talk


@pytest.fixture(name="call", scope="session")
def _call() -> Call:
    """Call one tool of a new server and return its result."""

    def call(tool: str, **arguments: object) -> CallToolResult:
        async def connected() -> CallToolResult:
            async with Client(build()) as client:
                return await client.call_tool(tool, arguments)

        return asyncio.run(connected())

    return call
