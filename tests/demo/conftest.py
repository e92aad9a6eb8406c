"""The demo server for tests, in both protocol eras."""

import asyncio
from collections.abc import Callable
from typing import Literal

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult

from mcp_magic.demo.server import build


@pytest.fixture(name="era", params=["auto", "legacy"])
def _era(request: pytest.FixtureRequest) -> Literal["auto", "legacy"]:
    """How a client connects: it finds 2026-07-28 by itself, or asks for 2025-11-25."""
    era: Literal["auto", "legacy"] = request.param
    return era


@pytest.fixture(name="server", scope="session")
def _server() -> MCPServer:
    """One server for all tests that leave no traces in it."""
    return build()


@pytest.fixture(name="call")
def _call(
    server: MCPServer, era: Literal["auto", "legacy"]
) -> Callable[..., CallToolResult]:
    """Call one tool by name and arguments; it must leave no traces."""

    def call(tool: str, **arguments: object) -> CallToolResult:
        async def talk() -> CallToolResult:
            async with Client(server, mode=era) as client:
                return await client.call_tool(tool, arguments)

        return asyncio.run(talk())

    return call
