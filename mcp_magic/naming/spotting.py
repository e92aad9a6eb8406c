"""Finds namespaced names inside a text that is shown to a person."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mcp_magic.naming.codec import Codec
from mcp_magic.naming.namespaced import BRIDGE, HOST, decode, safe

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mcp_magic.naming.codec import Pair

    _Servers: TypeAlias = Mapping[str, set[str]]

__all__ = ["Spotted", "spot"]

# A word of a text with dots and slashes inside, but no part of a path or URL.
_WORD = re.compile(r"(?<![\w/\\@.-])[\w-]+(?:[./][\w-]+)*")
_LONGEST = 512  # no name is longer; keeps the work for one word constant


@dataclass(frozen=True, slots=True)
class Spotted:
    """A namespaced name inside a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        name: The name as it stands there.
        server: The server or package that it names.
        tool: The tool that it names.
    """

    start: int
    end: int
    name: str
    server: str
    tool: str


def spot(
    text: str,
    *,
    pairs: Codec | Iterable[Pair] = (),
    servers: Collection[str] = (),
) -> list[Spotted]:
    """Return the namespaced names in *text* that mean something, in order.

    A name means something if the catalogue holds it, as the name of one of its tools or
    as the encoded form of one, or if it begins with ``bridge--`` or ``mcp__`` and its
    server is known. Other text with double dashes, such as ``node--inspect``, and names
    with two readings are left alone (docs/names.md). Never fails, in linear time.

    Args:
        text: Any text.
        pairs: The known catalogue; give a ``Codec`` if it is used more than once.
        servers: The configured names of the known servers.
    """
    codec = pairs if isinstance(pairs, Codec) else Codec(pairs)
    known = _by_namespace(servers)
    found = []
    for word in _WORD.finditer(text):
        if "--" in word.group() or "__" in word.group():
            found += _spot_in(word, codec, known)
    return found


def _spot_in(word: re.Match[str], codec: Codec, known: _Servers) -> list[Spotted]:
    """Return the name that *word* is, or that stands after a dot in it."""
    if word.end() - word.start() > _LONGEST:
        return []
    whole = word.group()
    for place in (0, *(dot.end() for dot in re.finditer(r"\.", whole))):
        name = whole[place:]
        if meaning := _meaning(name, codec, known):
            return [Spotted(word.start() + place, word.end(), name, *meaning)]
    return []


def _meaning(name: str, codec: Codec, known: _Servers) -> Pair | None:
    parts = decode(name)
    if parts and name in codec.tools:
        return parts.namespace, parts.tool
    owners = codec.owners(name) or tuple(_with_known_server(name, known))
    return owners[0] if len(owners) == 1 else None


def _with_known_server(name: str, known: _Servers) -> Iterator[Pair]:
    """Yield every reading of *name* as a tool of a known server."""
    for prefix, sign in ((BRIDGE, "--"), (HOST, "__")):
        if not name.startswith(prefix):
            continue
        for place in range(len(prefix) + 1, len(name) - len(sign)):
            if name.startswith(sign, place):
                tool = name[place + len(sign) :]
                yield from ((server, tool) for server in known.get(name[:place], ()))


def _by_namespace(servers: Collection[str]) -> _Servers:
    """Return which servers a name may begin with: ``bridge--my-server`` for one."""
    known: dict[str, set[str]] = {}
    for server in servers:
        beginnings = (BRIDGE + safe(server), HOST + safe(server, "_"), HOST + server)
        for beginning in beginnings:
            known.setdefault(beginning, set()).add(server)
    return known
