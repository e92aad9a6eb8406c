"""What stays with a form when it is shown as JSON: the secrets that it holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from mcp_magic.language import Field, read_form
from mcp_magic.language.check import fits, pointer
from mcp_magic.model import Json
from mcp_magic.notebook.widgets.forms import entry_of, member

__all__ = [
    "Kept",
    "Way",
    "bare",
    "hidden_at",
    "is_secretive",
    "joined",
    "secret_names",
    "secrets",
    "secrets_in",
]

Way: TypeAlias = tuple[str | int, ...]
"""Names and places from the root to a value."""


def is_secretive(place: Field) -> bool:
    """Whether a form has a place for a secret."""
    inner = [*place.fields, *place.variants, *([place.item] if place.item else [])]
    return place.secret or any(map(is_secretive, inner))


def secret_names(root: Field, values: Json) -> tuple[str, ...]:
    """Return the names of the parameters with a secret in them."""
    given = values if isinstance(values, Mapping) else {}
    return tuple(name for name in given if _holds_secret(root, {name: given[name]}))


def _holds_secret(place: Field, value: Json) -> bool:
    if place.secret:
        return value is not None
    if place.variants:
        return any(_holds_secret(way, value) for way in place.variants)
    if isinstance(value, Mapping):
        return any(
            _holds_secret(one, value[name]) for name, one in _named(place, value)
        )
    if isinstance(value, list):
        pairs = zip(_rows(place, len(value)), value, strict=False)
        return any(_holds_secret(one, item) for one, item in pairs)
    return False


def _named(place: Field, names: Mapping[str, object]) -> Iterator[tuple[str, Field]]:
    for name in names:
        found = member(place, name)
        if found is not None:
            yield name, found


def _rows(place: Field, count: int) -> Sequence[Field]:
    return place.fields if place.item is None else [place.item] * count


@dataclass(frozen=True, slots=True)
class Kept:
    """A secret of the form that goes back to its place.

    Attributes:
        way: Where it goes in the new values.
        old: Where it stood in the form, as a JSON pointer.
        is_hidden: Whether it is not known here.
    """

    way: Way
    old: str
    is_hidden: bool


def _is_secret(place: Field, mark: object) -> bool:
    """Whether a secret was entered; a list with one in its rows is one as a whole."""
    inner = [*place.fields, place.item] if place.kind in ("list", "tuple") else []
    is_one = place.secret or any(one is not None and one.secret for one in inner)
    entered = isinstance(mark, Mapping) and not (
        mark.get("null") or mark.get("default")
    )
    return is_one and entered


def _inner(place: Field, mark: object) -> Iterator[tuple[Way, Field, object]]:
    """Yield what stands inside a place: the step to it, its field, its mark."""
    match mark:
        case {"members": list(members)}:
            marks = {name: one for name, one in members if isinstance(name, str)}
            for name, part in _named(place, marks):
                yield (name,), part, marks[name]
        case {"rows": list(rows)}:
            pairs = zip(_rows(place, len(rows)), rows, strict=False)
            yield from (((at,), one, row) for at, (one, row) in enumerate(pairs))
        case {"variant": int(at), "mark": one} if 0 <= at < len(place.variants):
            yield (), place.variants[at], one


def secrets(place: Field, mark: object, way: Way = ()) -> Iterator[Way]:
    """Yield the ways to the secrets that were entered."""
    if _is_secret(place, mark):
        yield way
        return
    for step, inner, one in _inner(place, mark):
        yield from secrets(inner, one, (*way, *step))


def secrets_in(root: Field, mark: object) -> tuple[str, ...]:
    """Return the parameters in which a secret was entered, at whatever depth."""
    return tuple(dict.fromkeys(str(way[0]) for way in secrets(root, mark) if way))


def _is_hidden(mark: object) -> bool:
    match mark:
        case {"rows": list(rows)}:
            return any(map(_is_hidden, rows))
        case {"hidden": True}:
            return True
    return False


def _has_secret(place: Field, mark: object) -> bool:
    return next(secrets(place, mark), None) is not None


def bare(place: Field, mark: object) -> object:
    """Return a mark without its secrets."""
    if not _has_secret(place, mark):
        return mark
    inner = {step: (part, one) for step, part, one in _inner(place, mark)}
    match mark:
        case {"members": list(members)}:
            known = [
                [name, bare(*inner[(name,)]) if (name,) in inner else one]
                for name, one in members
                if (name,) not in inner or not _is_secret(*inner[(name,)])
            ]
            return {"members": known}
        case {"rows": list(rows)}:
            return {"rows": [bare(*inner[(at,)]) for at, _ in enumerate(rows)]}
        case {"variant": at}:
            return {"variant": at, "mark": bare(*inner[()])}
    return mark


def _value(place: Field, mark: object) -> Json:
    entry, _ = entry_of(place, mark)
    return read_form(place, entry, half=True).values


def joined(root: Field, values: Json, mark: object) -> tuple[Json, list[Kept]]:
    """Return values with the secrets that were entered, and where those are now.

    Args:
        root: The whole form.
        values: The arguments; a secret in them stands.
        mark: What was entered in the form.
    """
    joiner = _Joiner()
    return joiner.join(root, values, mark, (), ()), joiner.kept


@dataclass(slots=True)
class _Joiner:
    """Puts the secrets of a form into values that came without them."""

    kept: list[Kept] = field(default_factory=list)

    def join(self, place: Field, value: Json, mark: object, new: Way, old: Way) -> Json:
        if not _has_secret(place, mark):
            return value
        match mark:
            case {"variant": int(at), "mark": inner}:
                return self._variant(place, value, (at, inner), new, old)
            case {"rows": list(rows)} if isinstance(value, list):
                return self._rows(place, value, rows, new, old)
            case {"members": _} if isinstance(value, dict):
                return self._members(place, value, mark, new, old)
        return value

    def _members(
        self, place: Field, value: dict[str, Json], mark: object, new: Way, old: Way
    ) -> Json:
        joined = dict(value)
        for step, part, one in _inner(place, mark):
            name = str(step[0])
            here, before = (*new, name), (*old, name)
            if not _is_secret(part, one):
                if name in value:
                    joined[name] = self.join(part, value[name], one, here, before)
            elif name not in value:
                joined[name] = _value(part, one)
                self.kept.append(Kept(here, pointer(*before), _is_hidden(one)))
        return joined

    def _rows(
        self, place: Field, value: list[Json], rows: list[object], new: Way, old: Way
    ) -> Json:
        fields = _rows(place, max(len(value), len(rows)))
        before = [_value(f, bare(f, row)) for f, row in zip(fields, rows, strict=False)]
        joined = list(value)
        for at, was in _pairs(before, value):
            here, there = (*new, at), (*old, was)
            joined[at] = self.join(fields[at], value[at], rows[was], here, there)
        return joined

    def _variant(
        self, place: Field, value: Json, chosen: tuple[int, object], new: Way, old: Way
    ) -> Json:
        """Join the way that was chosen, unless the value has gone another way."""
        at, mark = chosen
        way = place.variants[at]
        apart = _Joiner()
        joined = apart.join(way, value, mark, new, old)
        others = [one for one in place.variants if one is not way]
        is_here = _fits(way, joined) and _knows(way, value)
        if not is_here and any(_fits(one, value) for one in others):
            return value
        self.kept += apart.kept
        return joined


def _fits(way: Field, value: Json) -> bool:
    document = way.node.document
    return any(fits(value, one, document) for one in way.node.alternatives)


def _knows(way: Field, value: Json) -> bool:
    """Whether the form names every member of a value."""
    names = value if isinstance(value, Mapping) else {}
    return {one.name for one in way.fields}.issuperset(names)


def _pairs(before: Sequence[Json], now: Sequence[Json]) -> Iterator[tuple[int, int]]:
    """Yield which row was which: what is the same, then what stands at the same place.

    Where rows were added or taken away, a row that was changed is a new one: it must
    not get the secret of another.
    """
    left = [json.dumps(one, sort_keys=True) for one in before]
    texts = [json.dumps(one, sort_keys=True) for one in now]
    free = dict(enumerate(left))
    found: dict[int, int] = {}
    for at, text in enumerate(texts):
        same = [was for was in free if free[was] == text]
        if same:
            found[at] = at if at in same else same[0]
            del free[found[at]]
    if len(before) == len(now):
        found |= {at: at for at in free if at not in found}
    yield from sorted(found.items())


def hidden_at(mark: Json, way: Way, old: str) -> dict[str, Json]:
    """Return a mark that says at the end of a way: here is a secret of the form."""
    if not way:
        return {"hidden": True, "at": old}
    step, *rest = way
    match mark:
        case {"variant": at, "mark": inner}:
            return {"variant": at, "mark": hidden_at(inner, way, old)}
        case {"rows": [*rows]}:
            changed = [
                hidden_at(row, tuple(rest), old) if at == step else row
                for at, row in enumerate(rows)
            ]
            return {"rows": changed}
        case {"members": [*members]}:
            pairs = [cast("list[Json]", pair) for pair in members]
            named: list[Json] = [
                [name, hidden_at(one, tuple(rest), old) if name == step else one]
                for name, one in pairs
            ]
            return {"members": named}
    return cast("dict[str, Json]", mark)
