"""Namespaced names that can be read back, for a known catalogue of tools.

The published names lose what they replace, so two tools may share one. A ``Codec``
knows all tools and gives each a name of its own: the published one where that is
enough, else one that tells what was lost, else one with a hash.
"""

from __future__ import annotations

import re
from base64 import b32encode
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeAlias

from mcp_magic.errors import McpMagicError
from mcp_magic.naming.namespaced import (
    Form,
    encode_bridge,
    encode_host,
    encode_registry,
    safe,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["Codec", "HashClash", "Pair", "UnknownName"]

Pair: TypeAlias = tuple[str, str]
"""The configured name of a server (or package), and the exact name of its tool."""

_PUBLISHED: Final[Mapping[Form, Callable[[str, str], str]]] = {
    "bridge": encode_bridge,
    "mcp": encode_host,
    "registry": lambda package, tool: safe(encode_registry(package, tool)),
}

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_DIGITS = 13  # of five bits each: two tools in a billion billion hash alike


class UnknownName(McpMagicError):
    """No tool of the catalogue has the name, or more than one has.

    Attributes:
        name: The name as given.
        owners: The tools that it may mean, sorted: none, or at least two.
    """

    def __init__(self, message: str, name: str, owners: Iterable[Pair] = ()) -> None:
        super().__init__(message)
        self.name = name
        self.owners = tuple(owners)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.name, self.owners)


class HashClash(McpMagicError):
    """Two tools of the catalogue have the same hash, so neither gets a name."""


class Codec:
    """Turns tools of a catalogue into namespaced names, and names into tools.

    The name of a tool depends on the tool and on the set of all tools, never on their
    order or on the process (field case NAM-04). For every tool of the catalogue::

        codec.decode(codec.encode(server, tool, form)) == (server, tool)
    """

    __slots__ = ("_by_hash", "_escaped", "_limit", "_pairs", "_published", "_tools")

    def __init__(self, pairs: Iterable[Pair], *, limit: int = 64) -> None:
        """Learn the catalogue.

        Args:
            pairs: Every tool, as server and tool.
            limit: The longest name that may be given. Model APIs allow 64 characters.

        Raises:
            ValueError: If *limit* leaves no room for a name.
        """
        if limit < 1:
            raise ValueError("a name has at least one character: limit must be >= 1")
        self._limit = limit
        self._pairs = frozenset((server, tool) for server, tool in pairs)
        self._tools = frozenset(tool for _, tool in self._pairs)
        self._by_hash = _inverted((_hash(p, limit), p) for p in self._pairs)
        self._published = _inverted((n, p) for p in self._pairs for n in _spellings(p))
        self._escaped: Mapping[str, Sequence[Pair]] = {}
        self._escaped = _inverted(
            (_escaped(pair, form), pair)
            for pair in self._pairs
            for form in _PUBLISHED
            if not self._is_name_of(pair, _PUBLISHED[form](*pair))
        )

    @property
    def tools(self) -> frozenset[str]:
        """The exact names of all tools in the catalogue."""
        return self._tools

    def encode(self, server: str, tool: str, form: Form = "bridge") -> str:
        """Return the name of a tool: at most ``limit`` of ``A-Z a-z 0-9 _ -``.

        It is the published name if no other tool shares it. Otherwise it is that name,
        with the length of the server's name and the replaced characters attached, such
        as ``mcp__a__b__c--1`` for the tool ``b__c`` of ``a``; if that is too long or
        taken, the start of the published name with a hash of the pair.

        Args:
            server: The server or package, exactly as in the catalogue.
            tool: The tool, likewise.
            form: Which of the published forms the name has.

        Raises:
            UnknownName: If the catalogue has no such tool: nothing would read the
                name back.
            HashClash: If the name needs a hash that another tool has, too.
        """
        pair = (server, tool)
        if pair not in self._pairs:
            message = (
                f"The catalogue holds no {_shown(pair)}; it cannot be given a name."
            )
            raise UnknownName(message, tool)
        for name in (_PUBLISHED[form](server, tool), _escaped(pair, form)):
            if self._is_name_of(pair, name):
                return name
        name = _hashed(pair, form, self._limit)
        if not self._is_name_of(pair, name):
            others = " and ".join(map(_shown, self.owners(name)))
            raise HashClash(f"Within {self._limit} characters, {others} hash alike.")
        return name

    def decode(self, name: str) -> Pair:
        """Return the server and the tool that have *name*.

        Besides names that ``encode`` gives, published names are understood wherever
        they are from, as long as they have one reading.

        Raises:
            UnknownName: If no tool has the name, or if it has two readings; then it
                names them (field case NAM-01).
        """
        owners = self.owners(name)
        if len(owners) == 1:
            return owners[0]
        if not owners:
            raise UnknownName(f"No known tool has the name {name!r}.", name)
        readings = " or ".join(map(_shown, owners))
        raise UnknownName(f"{name!r} may mean {readings}.", name, owners)

    def owners(self, name: str) -> tuple[Pair, ...]:
        """Return every tool that *name* may mean, sorted.

        A name with a hash is believed first, then published names, then escaped ones:
        whoever calls a tool by the hashed name of another must not take it away.
        """
        same = self._by_hash.get(name[-min(_DIGITS, self._limit) :], ())
        found: Sequence[Pair] = [
            pair
            for pair in same
            if any(name == _hashed(pair, form, self._limit) for form in _PUBLISHED)
        ]
        found = found or self._published.get(name) or self._escaped.get(name) or ()
        return tuple(sorted(found))

    def _is_name_of(self, pair: Pair, name: str) -> bool:
        fits = 0 < len(name) <= self._limit and not _UNSAFE.search(name)
        return fits and self.owners(name) == (pair,)


def _inverted(items: Iterable[tuple[str, Pair]]) -> dict[str, list[Pair]]:
    """Return who has each name; each owner once."""
    owners: dict[str, list[Pair]] = {}
    for name, pair in items:
        known = owners.setdefault(name, [])
        if pair not in known:
            known.append(pair)
    return owners


def _spellings(pair: Pair) -> set[str]:
    """Return the published names of a tool, and those that others write unsanitised."""
    server, tool = pair
    names = {encode(server, tool) for encode in _PUBLISHED.values()}
    return names | {
        encode_registry(server, tool),
        f"bridge--{safe(server)}--{tool}",
        f"mcp__{server}__{tool}",
    }


def _escaped(pair: Pair, form: Form) -> str:
    """Return the published name with what it lost: where the server ends, and which
    characters were replaced, as position and hexadecimal code.
    """
    server, tool = pair
    lost = "".join(
        f"-{found.start()}x{ord(found.group()):x}"
        for found in _UNSAFE.finditer(server + tool)
    )
    return f"{safe(_PUBLISHED[form](server, tool))}--{len(server)}{lost}"


def _hashed(pair: Pair, form: Form, limit: int) -> str:
    """Return the start of the published name and the hash of the pair."""
    room = max(0, limit - _DIGITS - 1)
    head = safe(_PUBLISHED[form](*pair))[:room]
    return f"{head}-{_hash(pair, limit)}" if head else _hash(pair, limit)


def _hash(pair: Pair, limit: int) -> str:
    server, tool = pair
    # Names from JSON may hold lone surrogates.
    text = f"{len(server)}:{server}{tool}".encode("utf-8", "surrogatepass")
    return b32encode(sha256(text).digest()).decode().lower()[: min(_DIGITS, limit)]


def _shown(pair: Pair) -> str:
    return f"tool {pair[1]!r} of {pair[0]!r}"
