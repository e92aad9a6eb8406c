"""Which tools of a server may be used: what its entry says, by their exact names."""

from __future__ import annotations

from mcp_magic.config.entries import ServerEntry
from mcp_magic.config.private import near_home

__all__ = ["permits", "why_refused"]


def permits(entry: ServerEntry, tool: str) -> bool:
    """Whether an entry's filters let a tool of exactly that name be used."""
    allowed = entry.allowed is None or tool in entry.allowed
    return allowed and tool not in entry.blocked


def why_refused(entry: ServerEntry, tool: str) -> str:
    """Return the sentence for a tool that the filters keep out."""
    where = "its entry" if entry.source is None else near_home(entry.source.file)
    if tool in entry.blocked:
        return f"{entry.name}.{tool} is blocked by blockedTools in {where}"
    return f"{entry.name}.{tool} is not among allowedTools in {where}"
