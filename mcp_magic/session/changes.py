"""Tools that are not what they were: a server may change them once it is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcp_magic.config import ServerEntry, Target
from mcp_magic.model import Tool

__all__ = ["Changes"]

_ASPECTS = {
    "description": "what it says it does",
    "input_schema": "its parameters",
    "output_schema": "what it returns",
    "annotations": "what it declares of its effects",
}


class Changes:
    """Remembers how tools were first listed in this process."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Target, dict[str, Tool]]] = {}

    def noted(
        self, entry: ServerEntry, tools: Mapping[str, Tool] | None
    ) -> Iterator[str]:
        """Yield a sentence for each tool that is not as it was last listed.

        Args:
            entry: The server; another target under its name is another server.
            tools: Its tools as listed now.
        """
        target, seen = self._seen.get(entry.name, (entry.target, {}))
        if target != entry.target:
            seen = {}
        self._seen[entry.name] = entry.target, seen
        for name, tool in (tools or {}).items():
            changed = _changed(seen.setdefault(name, tool), tool)
            seen[name] = tool
            if changed:
                yield f"{entry.name}.{name} has changed: {', '.join(changed)}."


def _changed(before: Tool, now: Tool) -> list[str]:
    return [
        words
        for aspect, words in _ASPECTS.items()
        if getattr(before, aspect) != getattr(now, aspect)
    ]
