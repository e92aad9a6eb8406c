"""What to enter in a form so that values are read back: ``entries`` the other way.

A form cannot hold every value: a check box holds no text, a line no line end. Such a
value is a problem, and never entered as something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from mcp_magic.language.check import Problem, fits, pointer
from mcp_magic.language.coerce import Unfit
from mcp_magic.language.describe import name_word
from mcp_magic.language.entries import (
    Chosen,
    Entry,
    Filled,
    Null,
    Rows,
    Typed,
    Variant,
    read_form,
)
from mcp_magic.language.forms import Field, Form
from mcp_magic.language.jsontext import BadJson, read_json
from mcp_magic.model import Json

__all__ = ["filled"]

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def filled(form: Form | Field, values: Json) -> tuple[Entry, tuple[Problem, ...]]:
    """Return what to enter, and what no form like this can hold.

    Args:
        form: The form, or one field of it.
        values: What it is to hold; it need not fit the schema.

    Returns:
        The entry, which ``read_form`` reads back as *values* where there is no problem.
    """
    root = form.root if isinstance(form, Form) else form
    filler = _Filler()
    return filler.fill(root, values, ""), tuple(filler.problems)


@dataclass(slots=True)
class _Filler:
    problems: list[Problem] = field(default_factory=list)

    def fill(self, place: Field, value: Json, at: str) -> Entry:
        """Return the entry of one place; a problem is kept, and null stands for it."""
        try:
            return self._fill(place, value, at)
        except Unfit as unfit:
            self.problems.append(Problem(at, str(unfit)))
            return Null()

    def _fill(self, place: Field, value: Json, at: str) -> Entry:
        match place.kind:
            case "fixed":
                return _chosen(place, [value])
            case _ if value is None and place.nullable:
                return Null()
            case "choice":
                return _chosen(place, [value])
            case "choices" if isinstance(value, list):
                return _chosen(place, value)
            case "list" | "tuple" if isinstance(value, list):
                return self._rows(place, value, at)
            case "group" | "map" if isinstance(value, Mapping):
                return self._members(place, value, at)
            case "union":
                return self._variant(place, value, at)
            case "json":
                return Typed(_as_json(value))
            case "text" | "date" | "date-time" | "integer" | "number" | "boolean":
                return _typed(place, value)
        raise _unheld(place)

    def _rows(self, place: Field, value: list[Json], at: str) -> Entry:
        if place.item is None and len(value) > len(place.fields):
            raise Unfit(
                place.label, f"has only {len(place.fields)} places in the form."
            )
        return Rows(
            tuple(
                self.fill(place.item or place.fields[index], one, at + pointer(index))
                for index, one in enumerate(value)
            )
        )

    def _members(self, place: Field, value: Mapping[str, Json], at: str) -> Entry:
        known = {one.name: one for one in place.fields}
        found: dict[str, Entry] = {}
        for name, one in value.items():
            here, inner = at + pointer(name), known.get(name) or place.item
            if not _is_sendable(name) or "\r" in name or "\n" in name:
                raise Unfit(name_word(name), "is a name that the form cannot hold.")
            if inner is not None:
                found[name] = self.fill(inner, one, here)
            elif place.closed:
                says = f"{name_word(name)} has no place in the form."
                self.problems.append(Problem(here, says))
            else:
                found[name] = Typed(_as_json(one))
        return Filled(found)

    def _variant(self, place: Field, value: Json, at: str) -> Entry:
        """Take the first way that fits; where none does, the one with least trouble."""
        tried: list[tuple[int, _Filler, Entry]] = []
        ways = enumerate(place.variants)
        for index, way in sorted(ways, key=lambda one: not _fits(one[1], value)):
            # What is wrong is told of the union: its ways have no names of their own.
            named = way if way.fields else replace(way, label=place.label)
            other = _Filler()
            tried.append((index, other, other.fill(named, value, at)))
            if not other.problems:
                break
        index, other, entry = min(tried, key=lambda one: len(one[1].problems))
        self.problems += other.problems
        return Variant(index, entry)


def _fits(way: Field, value: Json) -> bool:
    document = way.node.document
    return any(fits(value, one, document) for one in way.node.alternatives)


def _unheld(place: Field) -> Unfit:
    return Unfit(place.label or "This", "has a value that the form cannot hold.")


def _chosen(place: Field, values: list[Json]) -> Entry:
    known = [one.value for one in place.choices]
    at = [
        next((i for i, one in enumerate(known) if _same(one, value)), -1)
        for value in values
    ]
    if -1 in at:
        raise Unfit(place.label or "This", "has a value that is none of the choices.")
    return Chosen(tuple(at))


def _typed(place: Field, value: Json) -> Entry:
    """Return the text of a box, if the box gives it back as *value*."""
    entry = Typed(value if isinstance(value, str) else json.dumps(value))
    is_known = place.kind != "boolean" or isinstance(value, bool)
    has_room = _is_sendable(entry.text) and not re.search(_unkept(place), entry.text)
    is_date = place.kind != "date" or _is_date(entry.text)
    read = read_form(place, entry, half=True).values
    if not (is_known and has_room and is_date and _same(read, value)):
        raise _unheld(place)
    return entry


def _unkept(place: Field) -> str:
    """Return a pattern of what a box loses: a line holds no line ends, others some."""
    return r"\r" if place.kind == "text" and not place.secret else r"[\r\n]"


def _is_date(text: str) -> bool:
    try:
        return _DATE.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _as_json(value: Json) -> str:
    """Return the text of a box that takes JSON, or text where it is none."""
    if isinstance(value, str) and "\r" not in value and _is_sendable(value):
        try:
            read_json(value)
        except BadJson:
            return value
    written = json.dumps(value, ensure_ascii=False)
    return written if _is_sendable(written) else json.dumps(value)


def _is_sendable(text: str) -> bool:
    """Whether a message can hold a text: lone surrogates have no place in it."""
    try:
        return bool(text.encode()) or True
    except UnicodeEncodeError:
        return False


def _same(one: Json, other: Json) -> bool:
    """Compare as JSON does, where ``1`` and ``1.0`` are one number and true is none."""
    if isinstance(one, list | dict):
        return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    return one == other and isinstance(one, bool) == isinstance(other, bool)
