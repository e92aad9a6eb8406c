"""Values as plain text: for terminals, for logs and for notebooks without HTML."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from mcp_magic.answer import (
    Answer,
    Audio,
    Block,
    Embedded,
    Image,
    Link,
    Text,
    UnknownBlock,
)
from mcp_magic.errors import visible
from mcp_magic.language import signature
from mcp_magic.model import Tool

__all__ = [
    "PREVIEW",
    "ROWS",
    "Meaning",
    "Reveal",
    "answer",
    "brief",
    "cell",
    "describe",
    "no_meaning",
    "pretty",
    "preview",
    "records",
    "size",
    "table",
    "tool_list",
]

Reveal: TypeAlias = Callable[[str], str]
"""Adds to a text what the namespaced names in it mean."""

Meaning: TypeAlias = Callable[[str], str]
"""Says what one namespaced name means, such as ``chrome › screenshot``, or nothing."""

PREVIEW = 4000  # characters of a text that are shown
ROWS = 20  # rows of a table of records that are shown
_WIDTH = 88


def brief(text: str, width: int = 100) -> str:
    """Return the first sentence or line of *text* in at most *width* characters."""
    first = visible(text).strip().partition("\n")[0].strip()
    sentence, stop, _ = first.partition(". ")
    first = sentence + stop.strip()
    return first if len(first) <= width else first[: width - 1].rstrip() + "…"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return *rows* in columns under *headers*."""
    cells = [tuple(map(cell, row)) for row in (headers, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def cell(value: object, width: int = 60) -> str:
    """Return *value* as the text of one table cell."""
    if value is None:
        return ""
    shown = value if isinstance(value, str) else pretty(value, indent=None)
    shown = visible(shown).replace("\n", "↵").replace("\t", " ")
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def no_meaning(_name: str) -> str:
    """Say nothing about any name."""
    return ""


def tool_list(server: str, tools: Sequence[Tool], meaning: Meaning = no_meaning) -> str:
    """Return the tools of a server: signature and first sentence each.

    Args:
        server: The server's name.
        tools: Its tools.
        meaning: Says what a namespaced name means, or nothing.
    """
    count = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    lines = [f"{visible(server)}: {count}"]
    for tool in tools:
        means = meaning(tool.name)
        lines.append(f"  {signature(tool)}{means and f'  ({visible(means)})'}")
        said = brief(tool.description or tool.title)
        if said:
            lines += textwrap.wrap(
                said, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6
            )
    return "\n".join(lines)


def pretty(value: object, *, indent: int | None = 2) -> str:
    """Return *value* as JSON text, or as Python text if JSON cannot hold it."""
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def size(count: int) -> str:
    """Return a number of bytes for people."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count = count / 1000  # type: ignore[assignment] # a float from here on
    return f"{count:,.1f} GB"


def preview(text: str) -> tuple[str, str]:
    """Return the part of *text* that is shown, and a note if something is left out."""
    if len(text) <= PREVIEW:
        return visible(text), ""
    note = f"… {len(text):,} characters in all; .text and .data hold them"
    return visible(text[:PREVIEW]), note


def records(value: object) -> tuple[list[str], list[Mapping[str, object]]] | None:
    """Return columns and rows if *value* is a list of flat mappings, else ``None``."""
    if not isinstance(value, list) or not value:
        return None
    if not all(isinstance(row, Mapping) for row in value):
        return None
    columns = list(dict.fromkeys(str(key) for row in value for key in row))
    return (columns, value) if 0 < len(columns) <= 20 else None


def answer(given: Answer) -> str:
    """Return an answer as plain text; large ones as a preview with their size."""
    notes = [f"Note: {cell(warning, 300)}" for warning in given.warnings]
    return "\n".join([*_parts(given), *notes])


def _parts(given: Answer) -> list[str]:
    found = records(given.data)
    if found is not None:
        return _table_of(*found)
    if "structuredContent" in given.raw:
        extra = [describe(b) for b in given.blocks if not isinstance(b, Text)]
        return [*_shown(_plain(given.data)), *extra]
    parts = [part for block in given.blocks for part in _shown(describe(block))]
    return parts or ["(no content)"]


def _table_of(columns: list[str], rows: list[Mapping[str, object]]) -> list[str]:
    shown = [[cell(row.get(c), 30) for c in columns] for row in rows[:ROWS]]
    more = len(rows) - len(shown)
    note = [f"… {more:,} more rows; .data and .to_pandas() hold them"] if more else []
    return [table(columns, shown), *note]


def _plain(value: object) -> str:
    return value if isinstance(value, str) else pretty(value)


def _shown(text: str) -> list[str]:
    return [part for part in preview(text) if part] or ["''"]


def describe(block: Block) -> str:
    """Return one content block as text."""
    match block:
        case Text(text):
            return text
        case Image(mime, data) | Audio(mime, data):
            kind = type(block).__name__.lower()
            return f"[{kind}: {mime or 'unknown type'}, {size(len(data))}]"
        case Link(uri=uri):
            return f"[resource link: {block.title or block.name or uri} <{uri}>]"
        case Embedded(text=str(text)):
            return text
        case Embedded(uri=uri, mime=mime, data=data):
            kind = mime or "unknown type"
            return f"[resource {uri}: {kind}, {size(len(data or b''))}]"
        case UnknownBlock(raw):
            return pretty(raw)
