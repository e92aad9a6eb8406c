"""Shows a tool on one screen: signature, description, parameters, an example."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import cast

from mcp_magic.errors import McpMagicError, visible
from mcp_magic.language.arguments import values
from mcp_magic.language.binding import bind
from mcp_magic.language.describe import limits, name_word, shown, type_word
from mcp_magic.language.schema import Alternative, Document, Node, read_schema
from mcp_magic.language.signatures import returns, signature_of
from mcp_magic.language.spelling import spell
from mcp_magic.model import Json, Tool

__all__ = ["help_page"]

_WIDTH = 88
_LINES = 12
_PARAMETERS = 24
_TEXTS = {
    "date": "2026-11-30",
    "date-time": "2026-11-30T12:00:00Z",
    "time": "12:00:00Z",
    "email": "name@example.org",
    "uri": "https://example.org",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}


def help_page(tool: Tool, label: str) -> str:
    """Return what ``%mcp help server.tool`` shows.

    Args:
        tool: The tool.
        label: How it is called on a line, such as ``demo.add``.
    """
    document = read_schema(tool.input_schema)
    parts = [f"{signature_of(visible(label), document)}{returns(tool)}"]
    parts.append(_description(tool))
    parts.append(_parameters(document))
    parts.append("\n".join(visible(text) for text in document.warnings))
    parts.append(_example(tool, label, document))
    return "\n\n".join(part for part in parts if part)


def _description(tool: Tool) -> str:
    lines = []
    for text in (tool.title, tool.description):
        for line in visible(text).expandtabs(4).strip().splitlines():
            lines.extend(textwrap.wrap(line, _WIDTH) or [""])
    return _cut(lines, _LINES)


def _cut(lines: list[str], limit: int) -> str:
    if len(lines) > limit:
        lines = [*lines[: limit - 1], f"… ({len(lines) - limit + 1} more lines)"]
    return "\n".join(lines)


def _parameters(document: Document) -> str:
    parameters = document.parameters
    rows = [
        (name_word(name), _facts(node, required=name in parameters.required), node)
        for name, node in parameters.nodes.items()
    ]
    left = max((len(name) for name, _, _ in rows), default=0)
    lines = []
    for name, facts, node in rows[:_PARAMETERS]:
        about = visible(str(node.annotation("description") or ""))
        text = f"{facts}. {' '.join(about.split())}" if about else facts
        lines.append(_row(name, min(left, 24), text))
    if len(rows) > _PARAMETERS:
        lines.append(f"  … and {len(rows) - _PARAMETERS} more parameters")
    return "\n".join(lines)


def _row(name: str, left: int, text: str) -> str:
    wrapped = textwrap.wrap(text, _WIDTH - left - 4) or [""]
    if len(wrapped) > 3:
        wrapped = [*wrapped[:2], f"{wrapped[2][: _WIDTH - left - 6]} …"]
    indent = "\n" + " " * (left + 4)
    return f"  {name:{left}}  {indent.join(wrapped)}"


def _facts(node: Node, *, required: bool) -> str:
    default = node.annotation("default")
    words = [type_word(node), *limits(node)]
    if required:
        words.append("required")
    elif default is not None:
        words.append(f"default {shown(default)}")
    return ", ".join(words)


def _example(tool: Tool, label: str, document: Document) -> str:
    """Return a line that calls the tool, if a valid one can be made up."""
    given = {
        name: example(node)
        for name, node in document.parameters.nodes.items()
        if name in document.parameters.required
    }
    server = label.removesuffix(f".{tool.name}")
    try:
        bind(values((), given), tool.input_schema)
    except McpMagicError:
        return ""
    return f"  {spell(server, tool.name, given, schema=tool.input_schema)}"


def example(node: Node, levels: int = 4) -> Json:
    """Return a value that would fit a place, for showing."""
    given = node.annotation("examples")
    if isinstance(given, list) and given:
        return cast("Json", given[0])
    default = node.annotation("default")
    if default is not None or not node.alternatives:
        return default
    return _example_of(node.alternatives[0], node, levels)


def _example_of(one: Alternative, node: Node, levels: int) -> Json:
    if "const" in one:
        return one["const"]
    if "enum" in one:
        return cast("list[Json]", one["enum"])[0]
    match one.get("type"):
        case "integer" | "number":
            low = one.get("minimum", 1)
            return low if isinstance(low, int | float) and low > 1 else 1
        case "boolean":
            return True
        case "array":
            return [example(node.item(0), levels - 1)] if levels else []
        case "object":
            return dict(_members(one, node, levels))
        case "null":
            return None
    return _TEXTS.get(str(one.get("format")), "text")


def _members(one: Alternative, node: Node, levels: int) -> Iterator[tuple[str, Json]]:
    needed = one.get("required")
    if levels and isinstance(needed, list) and isinstance(one, Mapping):
        for name in needed:
            yield str(name), example(node.member(str(name)), levels - 1)
