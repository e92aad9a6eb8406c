"""Change one entry of a JSON text and leave every other character as it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["drop", "lines", "put"]

_TABLE = "mcpServers"
_TABLES = (_TABLE, "servers")  # the second one where somebody wrote it so
_ELSEWHERE = ("mcp", "mcp_servers", "context_servers")  # read, but not edited
_SPACE = re.compile(r"[ \t\r\n]*")
_LEADING = re.compile(r"[ \t]*")
_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """One ``"key": value`` of an object: where it starts, its value, and its end."""

    key: str
    start: int
    value: int
    end: int


def put(text: str, name: str, entry: Mapping[str, object]) -> str:
    """Return *text* with an entry under ``mcpServers``; one of that name is replaced.

    Args:
        text: A JSON object, or nothing at all.
        name: The name of the entry.
        entry: What it holds.

    Raises:
        ValueError: The text is no strict JSON, or not an object of objects.
    """
    if not text.strip():
        text = "{}\n"
    table = _table(text)
    if table is None:
        text = _insert(text, _root(text), _TABLE, {})
        table = _table(text)
        assert table is not None  # noqa: S101 - just put there
    held = [one for one in _members(text, table.value) if one.key == name]
    if not held:
        return _insert(text, table.value, name, entry)
    last = held[-1]  # the one that counts when a key stands twice
    column = _indentation(text, last.start)
    made = _written(text, entry, column, inline=_is_inline(text, table.value))
    return text[: last.value] + made + text[last.end :]


def drop(text: str, name: str) -> str:
    """Return *text* without the entry; unchanged if there is none.

    Raises:
        ValueError: The text is no strict JSON, or not an object of objects.
    """
    while (table := _table(text)) is not None:
        members = _members(text, table.value)
        at = [n for n, one in enumerate(members) if one.key == name]
        if not at:
            return text
        start, end = _span(table, members, at[-1])
        text = text[:start] + text[end:]
    return text


def lines(name: str, entry: Mapping[str, object]) -> str:
    """Return what a person would add to the file by hand, in one line."""
    return json.dumps({_TABLE: {name: entry}}, ensure_ascii=False)


def _span(table: _Member, members: list[_Member], at: int) -> tuple[int, int]:
    """Return what goes when a member goes: itself, and one comma if there is one."""
    if len(members) == 1:
        return table.value + 1, table.end - 1
    if at + 1 < len(members):
        return members[at].start, members[at + 1].start
    return members[at - 1].end, members[at].end


def _root(text: str) -> int:
    json.loads(text)  # whatever is looked at from here on is known to parse
    opening = _after_space(text, 0)
    if text[opening] != "{":
        raise ValueError("it holds no JSON object")
    return opening


def _table(text: str) -> _Member | None:
    members = {one.key: one for one in _members(text, _root(text))}
    for key in _TABLES:
        if key in members:
            if text[members[key].value] != "{":
                raise ValueError(f"its {key} is no object")
            return members[key]
    for key in _ELSEWHERE:
        if key in members:  # with a table beside it, what stands there would be lost
            raise ValueError(f"its servers stand under {key}, not under {_TABLE}")
    return None


def _members(text: str, opening: int) -> list[_Member]:
    """Return the members of the object that opens there; the text is known to parse."""
    found: list[_Member] = []
    at = _after_space(text, opening + 1)
    while text[at] == '"':
        key, end = _decoder.raw_decode(text, at)
        value = _after_space(text, _after_space(text, end) + 1)
        _, stop = _decoder.raw_decode(text, value)
        found.append(_Member(key, at, value, stop))
        comma = _after_space(text, stop)
        at = _after_space(text, comma + 1) if text[comma] == "," else comma
    return found


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _insert(text: str, opening: int, key: str, value: Mapping[str, object]) -> str:
    """Put a member at the end of an object, laid out as the others are."""
    members = _members(text, opening)
    inline = _is_inline(text, opening)
    outer = _indentation(text, opening)
    column = _indentation(text, members[0].start) if members else outer + _unit(text)
    made = f"{json.dumps(key, ensure_ascii=False)}: " + _written(
        text, value, column, inline=inline
    )
    eol = _eol(text)
    if members and inline:
        return f"{text[: members[-1].end]}, {made}{text[members[-1].end :]}"
    if members:
        end = members[-1].end
        return f"{text[:end]},{eol}{column}{made}{text[end:]}"
    closing = _after_space(text, opening + 1)
    head, tail = text[: opening + 1], text[closing:]
    return f"{head}{eol}{column}{made}{eol}{outer}{tail}"


def _is_inline(text: str, opening: int) -> bool:
    """Whether an object's first member stands on the line that opens it."""
    first = _after_space(text, opening + 1)
    return text[first] == '"' and "\n" not in text[opening:first]


def _indentation(text: str, at: int) -> str:
    """Return the white space that the line of a place begins with."""
    found = _LEADING.match(text, text.rfind("\n", 0, at) + 1)
    return "" if found is None else found.group()


def _unit(text: str) -> str:
    """Return one step of indentation, as the file's first member shows it."""
    opening = _root(text)
    members = _members(text, opening)
    if not members or _is_inline(text, opening):
        return "  "
    return _indentation(text, members[0].start) or "  "


def _written(
    text: str, value: Mapping[str, object], column: str, *, inline: bool
) -> str:
    if inline:
        return json.dumps(value, ensure_ascii=False)
    made = json.dumps(value, indent=_unit(text), ensure_ascii=False)
    return made.replace("\n", _eol(text) + column)


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
