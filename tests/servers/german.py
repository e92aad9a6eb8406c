"""A server that knows no English: -32602 for a tool that it does not have."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp import MCPError
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
    Tool,
)

_TOOL = Tool(
    name="addieren",
    description="Zählt zwei Zahlen zusammen.",
    input_schema={
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
)


async def _list(_ctx: object, _params: object) -> ListToolsResult:
    return ListToolsResult(tools=[_TOOL])


async def _call(_ctx: object, params: CallToolRequestParams) -> CallToolResult:
    if params.name != _TOOL.name:
        raise MCPError(-32602, f"Ein Werkzeug namens „{params.name}“ gibt es nicht.")
    given = params.arguments or {}
    return CallToolResult(content=[TextContent(text=str(given["a"] + given["b"]))])


async def _main() -> None:
    server: Server[Any] = Server("german", on_list_tools=_list, on_call_tool=_call)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(_main())
