"""Reads what a person entered in a form (``fields``).

What was typed is data: nothing in it is syntax of the line. Numbers are read from the
text that was typed, never rounded or cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mcp_magic.language.check import Problem, pointer, problems, undeclared
from mcp_magic.language.coerce import Unfit, settle
from mcp_magic.language.forms import Field, Form
from mcp_magic.language.jsontext import BadJson, read_json
from mcp_magic.language.terms import Value, Written
from mcp_magic.model import Json

__all__ = [
    "Chosen",
    "Entry",
    "Filled",
    "Known",
    "Null",
    "Reading",
    "Rows",
    "Typed",
    "Variant",
    "read_form",
]

_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Typed:
    """Text in a box."""

    text: str


@dataclass(frozen=True, slots=True)
class Null:
    """The explicit choice of null."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value that was not typed here: a default of the schema, or JSON."""

    value: Json


@dataclass(frozen=True, slots=True)
class Chosen:
    """The choices at these places of ``Field.choices``."""

    at: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a list or a tuple."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """Members by name; one that is absent is not sent."""

    entries: Mapping[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Variant:
    """What was entered in one variant of a union."""

    at: int
    entry: Entry


Entry: TypeAlias = Typed | Null | Known | Chosen | Rows | Filled | Variant


@dataclass(frozen=True, slots=True)
class Reading:
    """What a form holds.

    Attributes:
        values: The arguments; complete only if there are no problems.
        problems: What has to be put right, each with its place.
    """

    values: Json
    problems: tuple[Problem, ...] = ()


def read_form(form: Form | Field, entry: Entry, *, half: bool = False) -> Reading:
    """Return what was entered as JSON, or all that is wrong with it.

    Args:
        form: The form, or one field of it.
        entry: What was entered.
        half: The form is half filled: what is missing is no problem, and text that
            cannot be read yet stays text.
    """
    root = form.root if isinstance(form, Form) else form
    reader = _Reader(half)
    values = reader.read(root, entry, root.pointer)
    found = reader.problems
    if isinstance(form, Form) and not half:
        document = root.node.document
        checked = problems(values, document, _SHOWN) or undeclared(values, document)
        found = [*found, *(one for one in checked if not _concerns(one, found))]
    return Reading(values, tuple(found[:_SHOWN]))


def _concerns(problem: Problem, known: list[Problem]) -> bool:
    """Whether a problem may come of another: it is at, above or below its place."""
    here = f"{problem.pointer}/"
    places = [f"{one.pointer}/" for one in known]
    return any(here.startswith(one) or one.startswith(here) for one in places)


class _Mismatch(Exception):
    """An entry is of a kind that its field does not have."""


@dataclass(slots=True)
class _Reader:
    half: bool
    problems: list[Problem] = field(default_factory=list)

    def read(self, place: Field, entry: Entry, at: str) -> Json:
        """Return one value; a problem is kept, and null stands for it."""
        try:
            return self._read(place, entry, at)
        except Unfit as unfit:
            if self.half and isinstance(entry, Typed):
                return entry.text
            self.problems.append(Problem(at, str(unfit)))
        except (_Mismatch, IndexError):
            self.problems.append(Problem(at, f"{place.label} cannot be entered so."))
        return None

    def _read(self, place: Field, entry: Entry, at: str) -> Json:
        match entry:
            case Null():
                return settle(Value(None), place.node, place.label, [])
            case Known(value):
                return value
            case Typed(text):
                return _typed(place, text)
            case Chosen(indexes):
                return _chosen(place, indexes)
            case Rows(entries):
                return self._rows(place, entries, at)
            case Filled(entries):
                return self._members(place, entries, at)
            case Variant(index, inner):
                return self.read(place.variants[index], inner, at)

    def _rows(self, place: Field, entries: tuple[Entry, ...], at: str) -> Json:
        if place.kind not in ("list", "tuple"):
            raise _Mismatch
        found: list[Json] = []
        for index, entry in enumerate(entries):
            inner = place.item or place.fields[index]
            found.append(self.read(inner, entry, at + pointer(index)))
        return found

    def _members(self, place: Field, entries: Mapping[str, Entry], at: str) -> Json:
        if place.kind not in ("group", "map"):
            raise _Mismatch
        known = {one.name: one for one in place.fields}
        found: dict[str, Json] = {}
        for name, entry in entries.items():
            inner = known.get(name) or place.item
            if inner is None and place.closed:
                raise _Mismatch
            here = at + pointer(name)
            found[name] = (
                self.read(inner, entry, here) if inner else self._added(entry, here)
            )
        for one in place.fields:
            if one.required and one.name not in entries and not self.half:
                self.problems.append(
                    Problem(at + pointer(one.name), f"{one.label} is needed.")
                )
        return found

    def _added(self, entry: Entry, at: str) -> Json:
        """Return the value of a key that the schema does not name."""
        match entry:
            case Typed(text):
                return _json_or_text(text)
            case Null():
                return None
        self.problems.append(Problem(at, "This can only be typed, as JSON or text."))
        return None


def _typed(place: Field, text: str) -> Json:
    match place.kind:
        case "text" | "date" | "date-time":
            return text
        case "json" | "union":
            value = _json_or_text(text)
            if value == text and not place.node.kinds & {"string", "any"}:
                raise Unfit(place.label, "takes JSON here.")
            return value
        case "never":
            raise Unfit(place.label, "may not be given.")
    return settle(Written(text), place.node, place.label, [])


def _json_or_text(text: str) -> Json:
    try:
        return read_json(text)
    except BadJson:
        return text


def _chosen(place: Field, indexes: tuple[int, ...]) -> Json:
    values = [place.choices[index].value for index in indexes]
    if place.kind == "choices":
        return values
    if len(values) != 1:
        raise _Mismatch
    return values[0]
