"""How a tool of the demo is offered: title, docstring in one piece, effects."""

from collections.abc import Callable

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

__all__ = ["ADDS", "DELETES", "READS", "offer"]

READS = ToolAnnotations(
    read_only_hint=True,
    destructive_hint=False,
    idempotent_hint=True,
    open_world_hint=False,
)
ADDS = ToolAnnotations(
    read_only_hint=False,
    destructive_hint=False,
    idempotent_hint=False,
    open_world_hint=False,
)
DELETES = ToolAnnotations(
    read_only_hint=False,
    destructive_hint=True,
    idempotent_hint=True,
    open_world_hint=False,
)


def offer(
    server: MCPServer,
    tool: Callable[..., object],
    title: str,
    effects: ToolAnnotations,
    *,
    name: str | None = None,
) -> None:
    """Add *tool* to *server*; its docstring becomes a description of one paragraph."""
    server.add_tool(
        tool,
        name=name,
        title=title,
        description=" ".join((tool.__doc__ or "").split()),
        annotations=effects,
    )
