"""What a tool answered, as plain text and as HTML: each kind of content its own way."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeGuard

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
from mcp_magic.display import html, text
from mcp_magic.display.limits import (
    FOLDED,
    Excerpt,
    Limits,
    excerpt,
    plural,
    pretty,
    tree,
)
from mcp_magic.display.text import Reveal
from mcp_magic.errors import visible

__all__ = ["Held", "as_page", "as_text", "block_text", "held_rows", "label"]

_COLUMNS = 20  # rows with more keys than this are no table
_WIDTH = 120  # columns of a terminal that a table takes
_SHORT = 80  # JSON on one line that is no longer stays on it
_LARGE = 10_000_000  # bytes of a picture or a sound that still go into a notebook
_NOTHING = "(no content)"
_FAILED = "The tool reported an error."
_KEPT = ".data and .text hold it all, .save(folder) writes it to files"


@dataclass(frozen=True, slots=True)
class _Rows:
    columns: list[str]
    rows: list[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class _Value:
    value: object


_Part: TypeAlias = Block | _Rows | _Value


def as_text(given: Answer, limits: Limits) -> str:
    """Return an answer as plain text; long ones as their beginning, with their size."""
    parts, left = _parts(given, limits)
    lines = [_FAILED] if given.is_error else []
    for part in parts:
        lines += [*_heading(part, parts), _text(part, limits)]
    lines = lines if parts else [*lines, _NOTHING]
    lines += [f"Note: {one}" for one in _notes(given, left)]
    return "\n".join(lines)


def as_page(given: Answer, limits: Limits, reveal: Reveal = str) -> str | None:
    """Return an answer as HTML: records as a table, images as images.

    Args:
        given: The answer.
        limits: How much of it is shown; more is folded away, and then left out.
        reveal: Adds to a text what the namespaced names in it mean.

    Returns:
        ``None`` for an answer that plain text shows best, for it is short text alone.
    """
    parts, left = _parts(given, limits)
    if all(_is_short_text(part, limits) for part in parts):
        return None
    shown = [html.note(_FAILED)] if given.is_error else []
    for part in parts:
        shown += [html.note(one) for one in _heading(part, parts)]
        shown.append(_page(part, limits, reveal))
    shown += [html.note(f"Note: {one}") for one in _notes(given, left)]
    return f"<div>{''.join(shown)}</div>"


def block_text(block: Block, limits: Limits, kept: str) -> str:
    """Return one content block as plain text.

    Args:
        block: The block.
        limits: How much of it is shown.
        kept: Says where all of it is.
    """
    return _text(block, limits, kept)


def _parts(given: Answer, limits: Limits) -> tuple[list[_Part], int]:
    """Return what is shown, and how many blocks more there are."""
    data = given.data
    structured = "structuredContent" in given.raw
    value = _tables(data) or ([_Value(data)] if structured else [])
    # Text repeats structured content, and rows were read from it.
    told = (Text,) if structured else (Text, UnknownBlock, Embedded)
    blocks = [b for b in given.blocks if not (value and isinstance(b, told))]
    parts = [*value, *blocks]
    return parts[: limits.rows], max(0, len(parts) - limits.rows)


def _notes(given: Answer, left: int) -> list[str]:
    notes = [text.cell(warning, 300) for warning in given.warnings[:10]]
    more = (
        f"{plural(left, 'more block')}; .content holds all, .save(folder) writes them"
    )
    return [*notes, more] if left else notes


def _heading(part: _Part, parts: Sequence[_Part]) -> list[str]:
    """Say which resource a text is, where that is not all there is."""
    if len(parts) == 1 or not isinstance(part, Embedded) or part.text is None:
        return []
    return [f"[{text.cell(f'resource {part.uri}', 300)}]"]


def _tables(data: object) -> list[_Part]:
    """Return the parts of data that are rows, or a mapping around one list of rows."""
    found = _records(data)
    if found is not None:
        return [found]
    held = held_rows(data)
    rows = None if held is None else _records(held.rows)
    if held is None or rows is None:
        return []
    lines = [f"{text.cell(k)}: {text.cell(v, _WIDTH)}" for k, v in held.others.items()]
    return [_Value("\n".join([*lines, f"{text.cell(held.name)}:"])), rows]


class Held(NamedTuple):
    """The one list of rows in a mapping, its name there, and what stands beside it."""

    name: str
    rows: list[Mapping[str, object]]
    others: Mapping[str, object]


def held_rows(data: object) -> Held | None:
    """Return the one list of rows in a mapping that holds plain values besides.

    So a tool answers that gives a page of rows with their count, or with a cursor.
    """
    if not isinstance(data, Mapping):
        return None
    inside = [key for key, value in data.items() if _are_rows(value)]
    others = {key: value for key, value in data.items() if key not in inside}
    if len(inside) != 1 or any(isinstance(v, Mapping | list) for v in others.values()):
        return None
    return Held(inside[0], data[inside[0]], others)


def _are_rows(value: object) -> TypeGuard[list[Mapping[str, object]]]:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(row, Mapping) for row in value)


def _records(value: object) -> _Rows | None:
    """Return columns and rows if *value* is a list of mappings, else ``None``."""
    if not _are_rows(value):
        return None
    columns = list(dict.fromkeys(str(key) for row in value for key in row))
    return _Rows(columns, value) if 0 < len(columns) <= _COLUMNS else None


# -- as plain text


def _text(part: _Part, limits: Limits, kept: str = _KEPT) -> str:
    match part:
        case _Rows():
            return _rows_text(part, limits)
        case _Value() | Text() | UnknownBlock() | Embedded(text=str()):
            return _cut_text(_excerpt(part, limits), kept)
    return visible(label(part))


def _excerpt(part: _Value | Text | UnknownBlock | Embedded, limits: Limits) -> Excerpt:
    match part:
        case _Value(str(value)):
            return excerpt(value, limits)
        case _Value(value) | UnknownBlock(value):
            return tree(value, limits)
        case Text(said) | Embedded(text=str(said)):
            return excerpt(_readable(said), limits)
    return Excerpt(label(part))


def _readable(said: str) -> str:
    """Return a text, indented if it is JSON on a single long line."""
    one_line = said.strip()
    if one_line[:1] not in ("{", "[") or not _SHORT < len(one_line) < 1_000_000:
        return said
    if "\n" in one_line:
        return said
    try:
        return pretty(json.loads(one_line))
    except (ValueError, RecursionError):
        return said


def _cut_text(part: Excerpt, kept: str) -> str:
    shown = visible(part.head) or "''"
    return f"{shown}\n… {part.rest} ({part.total}); {kept}" if part.rest else shown


def _rows_text(found: _Rows, limits: Limits) -> str:
    rows, columns = found.rows[: limits.rows], found.columns
    cells = [[row.get(column) for column in columns] for row in rows]
    kept = _fitting(columns, cells)
    shown = text.table(columns[:kept], [row[:kept] for row in cells], 30)
    missing = [
        plural(len(found.rows) - len(rows), "more row")
        if len(found.rows) > len(rows)
        else "",
        plural(len(columns) - kept, "more column") if len(columns) > kept else "",
    ]
    said = " and ".join(one for one in missing if one)
    return f"{shown}\n… {said}; .data and .to_pandas() hold them" if said else shown


def _fitting(columns: Sequence[str], cells: Sequence[Sequence[object]]) -> int:
    """Return how many columns stand beside each other; at least two."""
    taken = 0
    for index, column in enumerate(columns):
        shown = [text.cell(value, 30) for value in (column, *(r[index] for r in cells))]
        taken += max(map(text.columns, shown)) + 2
        if taken > _WIDTH and index >= 2:
            return index
    return len(columns)


def label(block: Block) -> str:
    """Return what a block is, in a line, such as ``[image: image/png, 8 bytes]``."""
    match block:
        case Image(mime, data) | Audio(mime, data):
            return _sized(type(block).__name__.lower(), mime, data)
        case Link(uri=uri):
            facts = [block.title or block.name, block.mime, block.description]
            about = ", ".join(text.cell(one, 100) for one in facts if one)
            return f"[link: {about} <{uri}>]" if about else f"[link: <{uri}>]"
        case Embedded(uri=uri, mime=mime, data=data):
            return _sized(f"resource {uri}".strip(), mime, data or b"")
        case Text() | UnknownBlock():
            return type(block).__name__.lower()


def _sized(kind: str, mime: str, data: bytes) -> str:
    shown = text.cell(mime, 100) or "unknown type"
    return f"[{text.cell(kind, 300)}: {shown}, {text.size(len(data))}]"


# -- as HTML


def _page(part: _Part, limits: Limits, reveal: Reveal) -> str:
    match part:
        case _Rows():
            return _rows_page(part, limits, reveal)
        case UnknownBlock():
            inside = _cut_page(_excerpt(part, limits), reveal)
            return html.fold("A block of an unknown kind", inside)
        case Link(uri):
            return _link_page(part, uri)
        case _Value() | Text() | Embedded(text=str()):
            return _cut_page(_excerpt(part, limits), reveal)
    return _media_page(part)


def _media_page(block: Image | Audio | Embedded) -> str:
    mime, data, said = block.mime, block.data or b"", label(block)
    if len(data) > _LARGE:
        return html.paragraph(f"{said} .save(folder) writes it to a file")
    if html.is_picture(mime):
        return html.picture(mime, data, said)
    if html.is_sound(mime):
        return html.sound(mime, data, said) + html.note(said)
    return html.paragraph(said)


def _link_page(block: Link, uri: str) -> str:
    """Return a link whose address is always to be read, whatever its title claims."""
    title = text.cell(block.title or block.name, 100)
    where = html.code(text.cell(uri, 2000))
    facts = ", ".join(
        text.cell(one, 100) for one in (block.mime, block.description) if one
    )
    about = f" {html.prose(facts)}" if facts else ""
    return f"<div>{html.link(uri, title or 'link')} {where}{about}</div>"


def _cut_page(part: Excerpt, reveal: Reveal) -> str:
    shown = html.paragraph(reveal(visible(part.head)) or "''")
    if not part.rest:
        return shown
    more = html.paragraph(reveal(visible(part.more)))
    end = "" if part.ends else html.note(f"… cut here: {_KEPT}")
    return shown + html.fold(f"… {part.rest} ({part.total})", more + end)


def _rows_page(found: _Rows, limits: Limits, reveal: Reveal) -> str:
    end = (FOLDED + 1) * limits.rows
    cells = [[row.get(c) for c in found.columns] for row in found.rows[:end]]
    shown = html.table(found.columns, cells[: limits.rows], reveal)
    left = len(found.rows) - limits.rows
    if left <= 0:
        return shown
    more = html.table(found.columns, cells[limits.rows :], reveal)
    kept = ".data and .to_pandas() hold them"
    cut = html.note(f"… cut here: {kept}") if len(found.rows) > end else ""
    return shown + html.fold(f"… {plural(left, 'more row')}; {kept}", more + cut)


def _is_short_text(part: _Part, limits: Limits) -> bool:
    match part:
        case _Value() | Text() | Embedded(text=str()):
            return not _excerpt(part, limits).rest
        case Embedded(mime=mime):
            return not (html.is_picture(mime) or html.is_sound(mime))
    return False
