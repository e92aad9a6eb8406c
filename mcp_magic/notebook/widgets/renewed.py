"""What stays of a filled-in form when the server has changed its tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from mcp_magic.errors import visible
from mcp_magic.language import Field, filled, read_form
from mcp_magic.notebook.widgets.forms import entry_of, mark_of, member
from mcp_magic.notebook.widgets.keeping import Way, secrets

__all__ = ["renewed"]

_TYPED = frozenset({"text", "date-time", "integer", "number", "json"})
_GROUPS = frozenset({"group", "map"})
_LIST = frozenset({"list"})
_TOLD = 6  # changes that are named


def renewed(old: Field, new: Field, mark: object) -> tuple[object, str]:
    """Return what still fits of what was entered, and a sentence on what is otherwise.

    Args:
        old: The form in which it was entered.
        new: The form that takes its place.
        mark: What was entered; its secrets are hidden, and stay at their places.
    """
    carrier = _Carrier()
    kept = carrier.carry(old, new, mark, ()) if mark is not None else None
    told = list(_changes(old, new))
    if len(told) > _TOLD:
        told[_TOLD:] = [f"and {len(told) - _TOLD} changes more"]
    said = "The server has changed this tool"
    said = f"{said}: {', '.join(told)}." if told else f"{said}."
    lost = list(_lost(new, carrier.lost))
    if lost:
        said += f" Taken out, as it fits no more: {', '.join(lost[:_TOLD])}."
    return kept, said


def _lost(new: Field, ways: Iterable[Way]) -> Iterator[str]:
    """Yield what did not fit, but for parameters that are gone as a whole."""
    names = {one.name for one in new.fields}
    for way in ways:
        if len(way) != 1 or way[0] in names:
            yield visible(".".join(map(str, way))) or "all that was entered"


def _changes(old: Field, new: Field) -> Iterator[str]:
    before = {one.name: one for one in old.fields}
    for one in new.fields:
        if one.name not in before:
            yield f"{one.label} is new{' and required' * one.required}"
        elif before[one.name] != one:
            yield f"{one.label} is different"
    names = {one.name for one in new.fields}
    yield from (f"{one.label} is gone" for one in old.fields if one.name not in names)


@dataclass(slots=True)
class _Carrier:
    """Takes marks over from one form to another; knows what did not fit."""

    lost: list[Way] = field(default_factory=list)

    def carry(
        self, old: Field | None, new: Field | None, mark: object, way: Way
    ) -> object:
        """Return the mark of a place; ``None`` if nothing of it fits.

        Args:
            old: Where it was entered; ``None`` for a key that the schema does not name.
            new: Where it goes, likewise.
            mark: What was entered.
            way: Where that is.
        """
        if mark is None or old == new:
            return mark
        kept = self._carry(old, new, mark, way)
        if kept is None:
            self.lost.append(way)
        return kept

    def _carry(
        self, old: Field | None, new: Field | None, mark: object, way: Way
    ) -> object:
        match mark:
            case {"typed": str(text)} if _is_typed(old) and _takes(new, text):
                return mark
            case {"hidden": True}:
                return mark if new is None or new.secret else None
            case {"null": True} if new is None or new.nullable:
                return mark
            case {"default": True} if new is not None and "default" in new.node.whole:
                return mark
            case {"members": list(members)} if _are(old, new, _GROUPS):
                return {"members": list(self._members(old, new, members, way))}
            case {"rows": list(rows)} if _are(old, new, _LIST):
                return self._rows(old, new, rows, way)
        return _by_value(old, new, mark)

    def _members(
        self, old: Field | None, new: Field | None, members: list[object], way: Way
    ) -> Iterator[object]:
        for pair in members:
            match pair:
                case [str(name), mark]:
                    before, place = _member(old, name), _member(new, name)
                    here = (*way, name)
                    # A parameter that went is not sent as a key of no meaning.
                    if place is None and (_is_closed(new) or before is not None):
                        self.lost.append(here)
                        continue
                    kept = self.carry(before, place, mark, here)
                    if kept is not None:
                        yield [name, kept]

    def _rows(
        self, old: Field | None, new: Field | None, rows: list[object], way: Way
    ) -> object:
        """Carry all rows or none: what is left would stand at other places."""
        before, place = (None if one is None else one.item for one in (old, new))
        apart = _Carrier()
        kept = [apart.carry(before, place, one, way) for one in rows]
        return None if apart.lost else {"rows": kept}


def _are(old: Field | None, new: Field | None, kinds: frozenset[str]) -> bool:
    return all(one is not None and one.kind in kinds for one in (old, new))


def _is_closed(place: Field | None) -> bool:
    return place is not None and place.closed


def _member(place: Field | None, name: str) -> Field | None:
    if place is None:
        return None
    declared = next((one for one in place.fields if one.name == name), None)
    return declared or (place.item and member(place, name))


def _is_typed(place: Field | None) -> bool:
    return place is None or place.kind in _TYPED or place.kind == "date"


def _takes(place: Field | None, text: str) -> bool:
    """Whether a box for typed text can show one; what it means is checked later."""
    if place is None or place.kind in _TYPED:
        return True
    if place.kind != "date":
        return False
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _by_value(old: Field | None, new: Field | None, mark: object) -> object:
    """Enter the same value in another way, if a form of this kind can hold it."""
    if old is None or new is None or next(secrets(old, mark), None) is not None:
        return None
    entry, wrong = entry_of(old, mark)
    reading = read_form(old, entry, half=True)
    made, unfit = filled(new, reading.values)
    return None if wrong or reading.problems or unfit else mark_of(made)
