"""Values as plain text: for terminals, for logs and for notebooks without HTML."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from mcp_magic.display.badges import badges
from mcp_magic.display.limits import plural, pretty
from mcp_magic.errors import visible
from mcp_magic.language import signature, spell, spell_verb
from mcp_magic.model import Tool

__all__ = [
    "TOOLS",
    "Meaning",
    "Reveal",
    "brief",
    "cell",
    "columns",
    "fit",
    "no_meaning",
    "not_connected",
    "numeric",
    "size",
    "table",
    "tool_list",
]

Reveal: TypeAlias = Callable[[str], str]
"""Adds to a text what the namespaced names in it mean."""

Meaning: TypeAlias = Callable[[str], str]
"""Says what one namespaced name means, such as ``chrome › screenshot``, or nothing."""

TOOLS = 100  # tools that a list in plain text shows
_WIDTH = 88
_GAP = "  "


def brief(text: str, width: int = 100) -> str:
    """Return the first sentence or line of *text* in at most *width* characters."""
    first = visible(text).strip().partition("\n")[0].strip()
    sentence, stop, _ = first.partition(". ")
    first = sentence + stop.strip()
    return first if len(first) <= width else first[: width - 1].rstrip() + "…"


def columns(text: str) -> int:
    """Return how many columns of a terminal a line of *text* takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(one) in ("W", "F") for one in text)
    none = sum(unicodedata.category(one) in ("Mn", "Me", "Cf") for one in text)
    return len(text) + wide - none


def fit(text: str, width: int) -> str:
    """Return *text* cut to *width* columns of a terminal."""
    if columns(text) <= width:
        return text
    cut = text[:width]
    while columns(cut) >= width:
        cut = cut[:-1]
    return f"{cut}…"


def table(
    headers: Sequence[str], rows: Sequence[Sequence[object]], width: int = 60
) -> str:
    """Return *rows* in columns under *headers*; columns of numbers stand on the right.

    Args:
        headers: The headings.
        rows: As many cells in each row.
        width: The columns of a terminal that a cell may take.
    """
    cells = [[cell(value, width) for value in row] for row in (headers, *rows)]
    lines = [""] * len(cells)
    for index, column in enumerate(zip(*cells, strict=True)):
        wide = max(map(columns, column))
        right = numeric([row[index] for row in rows])
        for line, shown in enumerate(column):
            space = " " * (wide - columns(shown))
            lines[line] += (space + shown if right else shown + space) + _GAP
    return "\n".join(line.rstrip() for line in lines)


def numeric(values: Sequence[object]) -> bool:
    """Whether a column holds numbers alone, besides empty cells."""
    kinds = {type(value) for value in values} - {type(None)}
    return bool(kinds) and kinds <= {int, float}


def cell(value: object, width: int = 60) -> str:
    """Return *value* as the text of one table cell of at most *width* columns."""
    if value is None:
        return ""
    shown = value if isinstance(value, str) else pretty(value, indent=None)
    # Cut before it is spelled out, for it may be long; what was spelled is longer.
    shown = visible(shown[: width + 1]).replace("\n", "↵").replace("\t", " ")
    return fit(shown, width)


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
    lines = [f"{visible(server)}: {plural(len(tools), 'tool')}"]
    for tool in tools[:TOOLS]:
        lines.append(f"  {signature(tool)}{_asides(tool, meaning)}")
        said = brief(tool.description or tool.title)
        if said:
            lines += textwrap.wrap(
                said, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6
            )
    if len(tools) > TOOLS:
        more = plural(len(tools) - TOOLS, "more tool")
        lines.append(f"  … {more}; mcp_magic.tools({server!r}) lists all")
    return "\n".join(lines)


def not_connected(server: str, known: Iterable[str] = ()) -> str:
    """Return what a server says of itself while it is not connected, and what to do.

    Args:
        server: The server's name.
        known: The names of the tools that it had, if it was connected before.
    """
    tool = next((one for one in known if one.isidentifier() and one.isascii()), None)
    call = f" or {spell(server, tool, {})} …" if tool else ""
    return visible(
        f"{server}: not connected; {spell_verb('list', server)}{call} connects"
    )


def _asides(tool: Tool, meaning: Meaning) -> str:
    means, hints = meaning(tool.name), badges(tool.annotations)
    shown = f"{_GAP}({cell(means, 200)})" if means else ""
    return f"{shown}{_GAP}[{', '.join(hints)}]" if hints else shown


def size(count: float) -> str:
    """Return a number of bytes for people."""
    if count < 1000:
        return plural(int(count), "byte")
    for unit in ("kB", "MB"):
        count /= 1000
        if count < 1000:
            return f"{count:,.1f} {unit}"
    return f"{count / 1000:,.1f} GB"
