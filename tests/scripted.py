"""A server whose behaviour a test writes down, and which counts what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mcp import MCPError
from mcp.server import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
)

__all__ = ["Scripted", "says", "tool"]

Answers = Mapping[str, Callable[[dict[str, Any]], CallToolResult]]


def tool(
    name: str,
    *parameters: str,
    read_only: bool | None = None,
    destructive: bool = False,
) -> Tool:
    """Return a tool with integer parameters, all required."""
    schema = {
        "type": "object",
        "properties": {one: {"type": "integer"} for one in parameters},
        "required": list(parameters),
    }
    hints = ToolAnnotations(
        read_only_hint=read_only, destructive_hint=destructive or None
    )
    return Tool(name=name, input_schema=schema, annotations=hints)


def says(text: str, *, error: bool = False) -> CallToolResult:
    """Return a result of one text block."""
    return CallToolResult(content=[TextContent(text=text)], is_error=error)


class Scripted:
    """A server in this process.

    Args:
        tools: What it lists; ``None`` makes every listing fail.
        answers: By tool name what it answers; other tools echo name and arguments.
        missing: How it answers the call of a tool that it neither lists nor answers.

    Attributes:
        calls: The names and arguments of all calls, in order.
        listings: How often its tools were listed.
    """

    def __init__(
        self,
        tools: list[Tool] | None,
        answers: Answers | None = None,
        missing: Callable[[str], CallToolResult] = lambda name: says(
            f"Unknown tool: {name}", error=True
        ),
    ) -> None:
        self.tools = tools
        self.answers = answers or {}
        self.missing = missing
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.listings = 0
        self.server: Server[Any] = Server(
            "scripted", on_list_tools=self._list, on_call_tool=self._call
        )

    async def _list(self, _ctx: object, _params: object) -> ListToolsResult:
        self.listings += 1
        if self.tools is None:
            raise MCPError(-32603, "no listing today")
        return ListToolsResult(tools=self.tools)

    async def _call(
        self, _ctx: object, params: CallToolRequestParams
    ) -> CallToolResult:
        arguments = dict(params.arguments or {})
        self.calls.append((params.name, arguments))
        if params.name in self.answers:
            return self.answers[params.name](arguments)
        if any(one.name == params.name for one in self.tools or []):
            return says(f"{params.name} {arguments}")
        return self.missing(params.name)
