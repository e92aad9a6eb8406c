"""The two ends of a browser form: what ``form.js`` draws, and what it gives back.

``sheet`` turns a form into what the browser needs to draw it. What was entered comes
back as *marks*: mappings with one tag each, in which every value is a text or the place
of a choice, so that no number passes through JavaScript. ``entered`` reads them.

::

    {"typed": "007"}                  text in a box
    {"null": true}                    null, chosen
    {"default": true}                 the default that the schema names, chosen
    {"chosen": [0, 2]}                choices by their place
    {"rows": [mark, null, mark]}      a list or a tuple; null is a place left out
    {"members": [["name", mark]]}     a group or a map
    {"variant": 1, "mark": mark}      one way of a union
    {"hidden": true}                  a secret that was typed and stays in the browser

``mark_of`` is the way from entries to marks. In these, a secret that was typed before
is ``{"hidden": true, "at": pointer}``: where it stood in the form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mcp_magic.display import redact
from mcp_magic.errors import McpMagicError
from mcp_magic.language import (
    Chosen,
    Entry,
    Field,
    Filled,
    Form,
    Known,
    Null,
    Problem,
    Reading,
    Rows,
    Typed,
    Variant,
    read_form,
)
from mcp_magic.language.check import pointer
from mcp_magic.model import Json

__all__ = ["entered", "entry_of", "mark_of", "member", "sheet", "told"]

_HIDDEN = "…"  # stands for a secret where only the shape of the entries matters

_SHOWN = ("name", "pointer", "kind", "label", "title", "help", "hint", "default")
_FLAGS = ("required", "nullable", "open", "closed", "secret")


def sheet(form: Form | Field) -> dict[str, Json]:
    """Return what ``makeForm`` in ``form.js`` needs to draw a form.

    Texts in it are safe to show as text; the values of choices stay here.
    """
    if isinstance(form, Form):
        return {**sheet(form.root), "warnings": list(form.warnings)}
    made: dict[str, Json] = {key: _sendable(getattr(form, key)) for key in _SHOWN}
    made |= {key: True for key in _FLAGS if getattr(form, key)}
    if "default" in form.node.whole:
        made["has_default"] = True
    made |= {
        key: [sheet(one) for one in getattr(form, key)]
        for key in ("fields", "variants")
        if getattr(form, key)
    }
    if form.choices:
        made["choices"] = [one.label for one in form.choices]
    if form.keys:
        made["keys"] = list(map(_sendable, form.keys))
    if form.item is not None:
        made["item"] = sheet(form.item)
    return made


def _sendable(text: str) -> str:
    """Return *text* without lone surrogates, which no message to a browser can hold."""
    return text.encode("utf-8", "replace").decode()


def entered(form: Form, mark: object, *, draft: bool = False) -> Reading:
    """Return what was entered in a form, as JSON or as all that is wrong with it.

    Args:
        form: The form.
        mark: What ``form.js`` gave back.
        draft: Secrets may have stayed in the browser; what stands for them here is
            not checked.

    Raises:
        McpMagicError: The mark is none that ``form.js`` makes.
    """
    reader = _Marks(draft)
    entry = reader.entry(form.root, mark, "")
    reading = read_form(form, entry)
    problems = (*reader.problems, *reading.problems)
    return Reading(
        reading.values, tuple(p for p in problems if p.pointer not in reader.hidden)
    )


def entry_of(place: Field, mark: object) -> tuple[Entry, Sequence[Problem]]:
    """Return what was entered, and what is wrong already with its rows and keys.

    Raises:
        McpMagicError: The mark is none that ``form.js`` makes.
    """
    reader = _Marks(draft=True)
    return reader.entry(place, mark, ""), reader.problems


def mark_of(entry: Entry) -> dict[str, Json]:
    """Return an entry as ``form.js`` takes it; it holds no ``Known``."""
    match entry:
        case Typed(text):
            return {"typed": text}
        case Chosen(at):
            return {"chosen": list(at)}
        case Rows(entries):
            return {"rows": [mark_of(one) for one in entries]}
        case Filled(entries):
            members: list[Json] = [[name, mark_of(entries[name])] for name in entries]
            return {"members": members}
        case Variant(at, inner):
            return {"variant": at, "mark": mark_of(inner)}
    return {"null": True}


def told(problems: Sequence[Problem]) -> list[object]:
    """Return what is wrong as ``form.js`` shows it, each beside its field."""
    return [{"pointer": one.pointer, "message": one.message} for one in problems]


def member(place: Field, name: str) -> Field | None:
    """Return what stands under a name in a group or a map, if anything may.

    Under a key that the schema does not name stands a secret if the key says so; it is
    the same rule in ``KeyRows`` (nests.js).
    """
    for one in place.fields:
        if one.name == name:
            return one
    if place.kind not in ("group", "map") or place.closed:
        return None
    node = place.node.member(name)
    item = place.item or Field("", place.pointer + pointer("-"), "json", node)
    is_masked = item.kind in ("text", "json") and redact.names_secret(name)
    return replace(item, secret=True) if is_masked else item


@dataclass(slots=True)
class _Marks:
    """Reads marks; keeps what the browser could not tell."""

    draft: bool
    problems: list[Problem] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)

    def entry(self, place: Field | None, mark: object, at: str) -> Entry:
        match mark:
            case {"typed": str(text)}:
                return Typed(text)
            case {"hidden": True} if self.draft:
                self.hidden.add(at)
                return Typed(_HIDDEN)
            case {"null": True}:
                return Null()
            case {"default": True} if place is not None:
                return Known(place.node.annotation("default"))
            case {"chosen": list(places)} if all(type(one) is int for one in places):
                return Chosen(tuple(places))
            case {"rows": list(rows)} if place is not None:
                return self.rows(place, rows, at)
            case {"members": list(members)}:
                return self.members(place, members, at)
            case {"variant": int(index), "mark": inner} if place is not None:
                return self.variant(place, index, inner, at)
        raise McpMagicError("the form sent what no form of ours sends; open it again")

    def rows(self, place: Field, rows: Sequence[object], at: str) -> Rows:
        while rows and rows[-1] is None:
            rows = rows[:-1]
        found: list[Entry] = []
        for index, row in enumerate(rows):
            inner = place.item or _at(place.fields, index)
            here = at + pointer(index)
            if row is None:
                self.problems.append(Problem(here, f"Place {index + 1} is needed."))
                return Rows(tuple(found))
            found.append(self.entry(inner, row, here))
        return Rows(tuple(found))

    def members(
        self, place: Field | None, members: Sequence[object], at: str
    ) -> Filled:
        known = {} if place is None else {one.name: one for one in place.fields}
        rest = None if place is None else place.item
        found: dict[str, Entry] = {}
        for member in members:
            match member:
                case [str(name), mark]:
                    here = at + pointer(name)
                    if name in found:
                        self.problems.append(Problem(here, "This key stands twice."))
                    found[name] = self.entry(known.get(name, rest), mark, here)
                case _:
                    raise McpMagicError(
                        "the form sent a member without a name; open it again"
                    )
        return Filled(found)

    def variant(self, place: Field, index: int, mark: object, at: str) -> Variant:
        way = _at(place.variants, index)
        return Variant(index, self.entry(way, mark, at))


def _at(fields: Sequence[Field], index: int) -> Field:
    if not 0 <= index < len(fields):
        raise McpMagicError("the form no longer fits the tool; open it again")
    return fields[index]
