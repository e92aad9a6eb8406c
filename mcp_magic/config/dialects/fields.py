"""The members of one entry, read tolerantly: odd ones noted, harmful ones refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mcp_magic.model import Json

__all__ = ["Fields", "Unusable", "kind"]

_PAIR = re.compile(r"([^=\s]+)=(.*)", re.DOTALL)


class Unusable(Exception):
    """An entry cannot be used; the text says why and what to write, in one line."""


def kind(value: Json) -> str:
    """Return what a value is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case Mapping():
            return "a table"
    return "a list"


class Fields:
    """The members of an entry.

    Args:
        raw: The entry as written.

    Attributes:
        notes: What was read otherwise than written, one sentence each.
    """

    def __init__(self, raw: Mapping[str, Json]) -> None:
        self._raw = raw
        self._given = {name for name, value in raw.items() if value is not None}
        self._read = {"name"}  # which a list has where a table has its keys
        self.notes: list[str] = []

    def rest(self) -> dict[str, Json]:
        """Return the members that were not read, in the order of the file."""
        left = self._given - self._read
        return {name: one for name, one in self._raw.items() if name in left}

    def first(self, *names: str) -> tuple[str, Json]:
        """Return the first of these members that is there, as name and value."""
        if self._given.isdisjoint(names):
            return names[0], None
        name = next(name for name in names if name in self._given)
        self._read.add(name)
        return name, self._raw[name]

    def text(self, *names: str) -> str | None:
        """Return the text of a member.

        Raises:
            Unusable: It is none.
        """
        name, value = self.first(*names)
        if value is None:
            return None
        if not isinstance(value, str):
            raise Unusable(f"{name} is {kind(value)}; write a text")
        if "\0" in value:
            raise Unusable(f"{name} holds a NUL character; take it out")
        return value

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return the texts of a list; numbers are taken as texts.

        Raises:
            Unusable: It is no list of such.
        """
        name, value = self.first(*names)
        if value is None:
            return ()
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise Unusable(f'{name} is {kind(value)}; write a list: ["…", "…"]')
        return tuple(self._scalar(f"{name}[{at}]", one) for at, one in enumerate(value))

    def pairs(self, *names: str) -> dict[str, str]:
        """Return named texts, written as a table or a list of names and values.

        Raises:
            Unusable: It is neither; nothing is left out without a word.
        """
        name, value = self.first(*names)
        match value:
            case None:
                return {}
            case Mapping():
                found = dict(value)
            case list():
                found = dict(
                    _pair(f"{name}[{at}]", one) for at, one in enumerate(value)
                )
            case _:
                raise Unusable(
                    f'{name} is {kind(value)}; write a table: {{"NAME": "…"}}'
                )
        given = {key: one for key, one in found.items() if one is not None}
        self.notes += [
            f"{name}.{key} is null and left out" for key in found if key not in given
        ]
        return {key: self._noted(f"{name}.{key}", one) for key, one in given.items()}

    def joined(self, name: str, more: Mapping[str, str]) -> Json:
        """Return a member of named texts with more of them, which win.

        What is odd in a table stays in it, to be noted by whoever reads it.

        Raises:
            Unusable: It is neither a table nor a list of names and values.
        """
        _, value = self.first(name)
        held = value if isinstance(value, Mapping) else self.pairs(name)
        return {**held, **more} or None

    def flag(self, *names: str) -> bool | None:
        """Return a member that is true or false; ``None`` if it is neither."""
        name, value = self.first(*names)
        match value:
            case bool() | None:
                return value
            case str() if value.lower() in ("true", "false"):
                return value.lower() == "true"
        self.notes.append(f"{name} is {kind(value)}; write true or false")
        return None

    def tools(self, *names: str) -> tuple[str, ...] | None:
        """Return names of tools; what is no name is noted and left out.

        Raises:
            Unusable: It is no list, and a filter that cannot be read must not be open.
        """
        name, value = self.first(*names)
        match value:
            case None:
                return None
            case str():
                self.notes.append(f"{name} is a text; it is read as a list of one")
                return (value,)
            case list() | tuple():
                found = tuple(one for one in value if isinstance(one, str))
                if len(found) < len(value):
                    self.notes.append(f"{name} holds what is no name of a tool")
                return found
        raise Unusable(f"{name} is {kind(value)}; write a list of names of tools")

    def _noted(self, place: str, value: Json) -> str:
        if not isinstance(value, str) and not isinstance(value, Mapping | list):
            self.notes.append(f"{place} is {kind(value)} and was read as a text")
        return self._scalar(place, value)

    def _scalar(self, place: str, value: Json) -> str:
        match value:
            case str() if "\0" in value:
                raise Unusable(f"{place} holds a NUL character; take it out")
            case str():
                return value
            case bool():
                return str(value).lower()
            case int() | float():
                return str(value)
        raise Unusable(f"{place} is {kind(value)}; write a text")


def _pair(place: str, value: Json) -> tuple[str, Json]:
    name = value.get("name") if isinstance(value, Mapping) else None
    if isinstance(value, Mapping) and isinstance(name, str):
        return name, value.get("value")
    if isinstance(value, str) and (match := _PAIR.fullmatch(value)):
        return match.group(1), match.group(2)
    raise Unusable(f'{place} is {kind(value)}; write {{"name": "…", "value": "…"}}')
