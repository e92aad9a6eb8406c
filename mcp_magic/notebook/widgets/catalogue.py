"""The rows of the list of tools: what the browser searches, groups and shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_magic.display.badges import badges
from mcp_magic.display.text import Meaning, brief
from mcp_magic.errors import visible
from mcp_magic.model import Annotations, Schema, Tool

__all__ = ["Listed", "rows"]

_NAME = 200  # characters of a name or a title that are shown
_DESCRIPTION = 4000  # characters of a description
_SPACE = re.compile(r"([^./]+)[./].")


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool in the list.

    Attributes:
        server: The name of its server.
        tool: The tool, as it was when the list was made.
    """

    server: str
    tool: Tool


def rows(listed: Sequence[Listed], meaning: Meaning) -> list[dict[str, object]]:
    """Return a row for each tool, in which every text is safe to show as text.

    Args:
        listed: The tools.
        meaning: Says what a namespaced name means, or nothing.
    """
    shared = Counter(_space(one.tool.name) for one in listed)
    several = len({one.server for one in listed}) > 1
    found = []
    for one in listed:
        tool, means = one.tool, visible(meaning(one.tool.name))
        space = means.partition(" › ")[0]
        if not space and shared[_space(tool.name)] > 1:
            space = visible(_space(tool.name))
        parts = [visible(one.server)] * several + [space] * bool(space)
        row: dict[str, object] = {
            "server": visible(one.server),
            "name": _cut(tool.name, _NAME),
            "means": means[:_NAME],
            "title": _cut(tool.title, _NAME),
            "brief": "" if tool.title else brief(tool.description, 80),
            "description": _cut(tool.description, _DESCRIPTION).strip(),
            "group": " › ".join(parts),
            "marks": _marks(tool.annotations),
            "problem": _problem(tool.input_schema),
        }
        found.append({key: value for key, value in row.items() if value})
    return found


def _cut(text: str, limit: int) -> str:
    shown = visible(text[:limit])
    return shown if len(text) <= limit else f"{shown}…"


def _space(name: str) -> str:
    """Return what stands before the first dot or slash of a name."""
    match = _SPACE.match(name)
    return match[1] if match else ""


def _marks(hints: Annotations) -> list[str]:
    """Return what a server says about a tool's effects, also that it says nothing."""
    silent = hints.read_only is None and hints.destructive is None
    return [*badges(hints), *["effects not stated"] * silent]


def _problem(schema: Schema) -> str:
    """Return why a schema is none of a tool's by the protocol, or an empty text."""
    if not isinstance(schema, Mapping):
        return f"Its input schema is {str(schema).lower()}, where an object is due."
    kind = schema.get("type")
    if kind == "object":
        return ""
    if kind is None:
        return 'Its input schema lacks "type": "object".'
    return f"Its input schema is of type {visible(str(kind))[:40]}, not object."
