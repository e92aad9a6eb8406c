"""A server that asks as before 2026-07-28, with requests of its own."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations
from pydantic import BaseModel

server = MCPServer("pushing")


class Name(BaseModel):
    """What is asked."""

    name: str


async def _ask(ctx: Context[Any, Any]) -> str:
    result = await ctx.elicit("Your name?", Name)
    return f"you {result.action}ed" if result.action == "accept" else "you declined"


@server.tool()
async def ask(ctx: Context[Any, Any]) -> str:
    """Ask for a name."""
    return await _ask(ctx)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def ask_harmlessly(ctx: Context[Any, Any]) -> str:
    """Ask for a name, and change nothing."""
    return await _ask(ctx)


if __name__ == "__main__":
    server.run()
