"""Readers of the files in which products name servers: text in, entries out; pure.

A new product gets a ``Dialect`` here, a row in ``config/places.py`` and, if it has
placeholders, one in ``config/syntax.py``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcp_magic.config.catalogue import Problem
from mcp_magic.config.dialects import agents, claude, editors
from mcp_magic.config.dialects.claude import OffList
from mcp_magic.config.dialects.documents import (
    Document,
    Mark,
    Path,
    Unreadable,
    decode,
    parse,
)
from mcp_magic.config.dialects.fields import Unusable, kind
from mcp_magic.config.dialects.shape import Place, Spot, build
from mcp_magic.config.dialects.tables import Dialect, Table, at
from mcp_magic.config.entries import ServerEntry
from mcp_magic.config.names import why_unusable
from mcp_magic.errors import visible
from mcp_magic.model import Json

__all__ = ["DIALECTS", "Place", "Reading", "problem", "read"]

DIALECTS: Mapping[str, Dialect] = {
    "Claude Code": claude.CLAUDE_CODE,
    "Claude Desktop": claude.CLAUDE_DESKTOP,
    "Cline": editors.CLINE,
    "Codex": agents.CODEX,
    "Continue": editors.CONTINUE,
    "Copilot CLI": agents.COPILOT_CLI,
    "Cursor": editors.CURSOR,
    "Gemini CLI": agents.GEMINI_CLI,
    "Goose": agents.GOOSE,
    "Jupyter AI": agents.JUPYTER_AI,
    "LM Studio": agents.LM_STUDIO,
    "OpenCode": agents.OPENCODE,
    "Roo Code": editors.ROO_CODE,
    "VS Code": editors.VS_CODE,
    "Windsurf": editors.WINDSURF,
    "Zed": editors.ZED,
    "mcp-magic": agents.OWN,
    "mcporter": agents.MCPORTER,
}
"""By name of a product, how it writes servers."""

_PLAIN = re.compile(r"[\w-]+")
_LONGEST = 300  # characters of a problem: names and values in it may be endless
_TOLD = 50  # problems of a file
_MOST = 5_000  # entries of a table: whoever wrote it must not make others wait


@dataclass(frozen=True, slots=True)
class Reading:
    """What one file says.

    Attributes:
        entries: Its servers, in its order.
        problems: What could not be read, or was read otherwise than written.
        off: Lists of servers that a person switched off.
    """

    entries: tuple[ServerEntry, ...] = ()
    problems: tuple[Problem, ...] = ()
    off: tuple[OffList, ...] = ()


def read(place: Place, data: bytes) -> Reading:
    """Read a file; never raises: what is wrong becomes a problem, entry by entry.

    Args:
        place: Whose file it is.
        data: Its bytes.
    """
    problems: list[Problem] = []
    entries: list[ServerEntry] = []
    try:
        document = parse(decode(data), place.file.suffix)
        for spot in _spots(document, place, problems):
            entries += _entry(spot, place, problems)
        off = (
            tuple(claude.off_lists(document.value, place)) if _is_claude(place) else ()
        )
    except Unreadable as error:
        problems.append(problem(place, "", error.line, error.text))
        return Reading(problems=tuple(problems))
    except RecursionError:
        problems.append(problem(place, "", 0, "this is nested too deeply to be read"))
        return Reading(problems=tuple(problems))
    return Reading(tuple(entries), _few(place, problems), off)


def _few(place: Place, problems: list[Problem]) -> tuple[Problem, ...]:
    more = len(problems) - _TOLD
    if more <= 0:
        return tuple(problems)
    return (*problems[:_TOLD], problem(place, "", 0, f"{more} more problems are here"))


def _is_claude(place: Place) -> bool:
    return place.product == "Claude Code"


def _spots(document: Document, place: Place, problems: list[Problem]) -> Iterator[Spot]:
    """Yield what stands where servers stand, as written."""
    root = document.value
    if not isinstance(root, Mapping):
        raise Unreadable(f"this is {kind(root)}, not a table", 1)
    tables = list(DIALECTS[place.product].tables(root, place))
    if not tables and root and not place.mixed:
        text = "no table of servers is here; write one under mcpServers"
        problems.append(problem(place, "", 0, text))
    for table in tables:
        seen: set[str] = set()
        for spot in _in_table(document, table, place, problems):
            if spot.name in seen:
                text = f"a second entry called {spot.name}; only the first one counts"
                problems.append(problem(place, spot.key, spot.line, text))
            else:
                yield spot
            seen.add(spot.name)


def _in_table(
    document: Document, table: Table, place: Place, problems: list[Problem]
) -> Iterator[Spot]:
    value = at(document.value, table.path)
    found: list[tuple[str | int, str, Json]]
    match value:
        case Mapping():
            found = [(name, name, raw) for name, raw in value.items()]
        case list():
            found = [(i, _name(raw), raw) for i, raw in enumerate(value)]
        case _:
            text = f"this is {kind(value)}, not a table of servers"
            problems.append(problem(place, _key(table.path), 0, text))
            return
    marks = tuple(document.marks(table.path)) if found else ()
    lines = dict(marks)
    for again in _twice(marks):
        text = f"{again} stands here more than once; only the last one counts"
        key = _key((*table.path, again))
        problems.append(problem(place, key, lines[again], text))
    if len(found) > _MOST:
        text = f"only the first {_MOST} of {len(found)} entries are read"
        problems.append(problem(place, _key(table.path), 0, text))
    for step, name, raw in found[:_MOST]:
        key, line = _key((*table.path, step)), lines.get(step, 0)
        yield Spot(name, raw, key, line, table.inputs, table.disabled(name))


def _twice(marks: Sequence[Mark]) -> Iterator[str | int]:
    """Yield each name that stands more than once in a table."""
    if len(dict(marks)) < len(marks):
        count = Counter(name for name, _ in marks)
        yield from (name for name in count if count[name] > 1)


def _name(raw: Json) -> str:
    name = raw.get("name") if isinstance(raw, Mapping) else None
    return name if isinstance(name, str) else ""


def _entry(spot: Spot, place: Place, problems: list[Problem]) -> list[ServerEntry]:
    """Return the one entry that stands there, or none."""
    try:
        found, notes = _read_entry(spot, place)
    except Unusable as error:
        found, notes = [], [str(error)]
    except RecursionError:
        found, notes = [], ["is nested too deeply to be read"]
    problems += [problem(place, spot.key, spot.line, note) for note in notes]
    return found


def _read_entry(spot: Spot, place: Place) -> tuple[list[ServerEntry], list[str]]:
    dialect = DIALECTS[place.product]
    why = why_unusable(spot.name)
    if why:
        raise Unusable(why)
    if not isinstance(spot.raw, Mapping):
        raise Unusable(f"is {kind(spot.raw)}, not a table; give it a command or a url")
    unheeded = dialect.unheeded
    given = spot.raw
    if unheeded:
        given = {key: one for key, one in given.items() if key not in unheeded}
    raw = dialect.amend(given)
    if raw is None:
        return [], []
    entry, notes = build(spot, raw, place, dialect.habits)
    notes += [
        f"{key} {what}"
        for key, what in unheeded.items()
        if spot.raw.get(key) is not None
    ]
    return [entry], notes


def _key(path: Path) -> str:
    """Return a path as people write it, such as ``mcp_servers."name.with.dots"``."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
            continue
        plain = _PLAIN.fullmatch(step)
        shown += "." * bool(shown) + (step if plain else json.dumps(step))
    return shown


def problem(place: Place, key: str, line: int, text: str) -> Problem:
    """Return a problem in one line, whatever letters are in its words."""

    def shown(text: str) -> str:
        short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        return visible(short).replace("\n", "\\n")

    return Problem(place.file, shown(key), line, shown(text))
