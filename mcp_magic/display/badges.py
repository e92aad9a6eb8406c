"""What a server declares about a tool's effects, in a word each."""

from __future__ import annotations

from mcp_magic.model import Annotations

__all__ = ["badges"]


def badges(hints: Annotations) -> tuple[str, ...]:
    """Return the words for what is declared, such as ``read-only``; often none.

    They are hints of the server, never promises. Of a tool that only reads, the others
    would say nothing.
    """
    reads = hints.read_only is True
    words = {
        "read-only": reads,
        "destructive": hints.destructive is True and not reads,
        "idempotent": hints.idempotent is True and not reads,
        "open world": hints.open_world is True,
    }
    return tuple(word for word, holds in words.items() if holds)
