"""Splits a line's target into server, tool and arguments (rules 11 to 21)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from mcp_magic.errors import LineError
from mcp_magic.language.arguments import Arguments, read_arguments
from mcp_magic.language.line import Line
from mcp_magic.language.scan import Scanner, Word
from mcp_magic.naming import (
    Codec,
    Corrected,
    Exact,
    Pair,
    Policy,
    Resolution,
    UnknownName,
    Unresolved,
    decode,
    resolve,
)

__all__ = ["Catalogue", "Given", "Target", "Url", "split_target", "split_tool"]

Catalogue: TypeAlias = Mapping[str, Collection[str]]
"""Tool names of servers whose listing is at hand, by server."""

_NOTHING: Catalogue = MappingProxyType({})
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+://")
_NAME_LIMIT = 500
_DOTS = 12
_PREFIXES = ("bridge--", "mcp__")


@dataclass(frozen=True, slots=True)
class Url:
    """A server that is named by its address."""

    text: str


@dataclass(frozen=True, slots=True)
class Given:
    """The server of ``--stdio`` or ``--url``."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a line is about.

    Attributes:
        line: The line.
        server: The server that was found, or that was not.
        tool: The tool as typed, if the target names one.
        at: The column where the text after the target starts.
        nearby: Targets under a server with a longer name that come near (rule 15).
    """

    line: Line
    server: Resolution | Url | Given
    tool: str | None
    at: int
    nearby: tuple[str, ...] = ()


def split_target(
    line: Line,
    servers: Collection[str],
    *,
    catalogue: Catalogue = _NOTHING,
    urls: Collection[str] = (),
    policy: Policy = "guarded",
) -> Target:
    """Find out which server, and perhaps which tool, a line means.

    Args:
        line: A line that has a target.
        servers: The names of all known servers.
        catalogue: The tools of those whose listing is at hand; nothing is started.
        urls: Addresses that are known already (rule 17).
        policy: How typos are put right.

    Raises:
        LineError: There is no target, or it has two owners.
    """
    scanner = Scanner(line.source, line.at)
    if line.options.server_given:
        return _given(line, scanner)
    if not scanner.more():
        scanner.fail("Name a server or a tool: server, or server.tool.")
    word = scanner.word()
    if not word.text:
        scanner.fail("A call begins with its target: server.tool(…).", word.column)
    if not word.quoted and re.match(r"\$[^\W\d_]|\{", word.text):
        scanner.fail(
            "A target takes no variables; write the name, or call the tool from"
            " Python with mcp_magic.connect(name).",
            word.column,
        )
    if _URL.match(word.text) and word.server is None:
        return _url(line, word, urls)
    return _Finder(line, word, servers, catalogue, policy).find()


def _given(line: Line, scanner: Scanner) -> Target:
    """The options name the server: the first word is a tool (rule 21)."""
    if not scanner.more():
        return Target(line, Given(), None, scanner.at)
    word = scanner.word()
    tool = word.text
    if line.options.name:
        tool = tool.removeprefix(f"{line.options.name}.")
    if not tool:
        scanner.fail("Name a tool of the server.", word.column)
    return Target(line, Given(), tool, word.end)


def _url(line: Line, word: Word, urls: Collection[str]) -> Target:
    """Split a tool off an address where that is safe (rule 17)."""
    address, tool = word.text, None
    called = line.source[word.end : word.end + 1] == "("
    if address not in urls:
        path = address.find("/", address.find("://") + 3)
        segment = address.rfind("/") + 1 if path >= 0 else len(address)
        for dot in _dots(address, segment):
            if address[:dot] in urls or (called and "?" not in address):
                address, tool = address[:dot], address[dot + 1 :]
                break
    return Target(line, Url(address), tool or None, word.end)


def _dots(text: str, start: int = 0) -> Iterator[int]:
    """Yield the places of dots that have text on both sides, from the right."""
    at = len(text) - 1
    for _ in range(_DOTS):
        at = text.rfind(".", start + 1, at)
        if at < 0:
            return
        yield at


@dataclass(slots=True)
class _Finder:
    line: Line
    word: Word
    servers: Collection[str]
    catalogue: Catalogue
    policy: Policy

    def find(self) -> Target:
        """Return the target, tried in the order of the rules."""
        text = self.word.text
        if self.word.server is not None:
            tool = text[len(self.word.server) + 1 :]
            return self.target(self.resolve(self.word.server), self.tool(tool))
        if len(text) > _NAME_LIMIT:
            return self.target(Unresolved(text, ()), None)
        return (
            self.known_prefix(text)
            or self.namespaced(text)
            or self.tool_alone(text)
            or self.corrected(text)
        )

    def target(self, server: Resolution, tool: str | None) -> Target:
        return Target(self.line, server, tool, self.word.end)

    def resolve(self, typed: str) -> Resolution:
        return resolve(typed, self.servers, policy=self.policy)

    def tool(self, text: str) -> str:
        if not text:
            raise LineError(
                "Name a tool after the dot, or write the server alone to list it.",
                self.line.source,
                self.word.end,
            )
        return text

    def known_prefix(self, text: str) -> Target | None:
        """The longest known server that starts the word wins (rules 14, 15)."""
        if text in self.servers:
            return self.target(Exact(text), None)
        ends = [at for at, char in enumerate(text) if char == "."]
        for end in reversed(ends):
            if text[:end] in self.servers:
                tool = self.tool(text[end + 1 :])
                nearby = self.nearby(text, [at for at in ends if at > end])
                return Target(self.line, Exact(text[:end]), tool, self.word.end, nearby)
        return None

    def nearby(self, text: str, ends: list[int]) -> tuple[str, ...]:
        """Return targets whose server has a longer name near what was typed."""
        found: list[str] = []
        for end in ends[:_DOTS]:
            match self.resolve(text[:end]):
                case Corrected(name) | Exact(name):
                    found.append(f"{name}{text[end:]}")
                case Unresolved(suggestions=names):
                    found.extend(f"{name}{text[end:]}" for name in names)
        return tuple(dict.fromkeys(found))

    def namespaced(self, text: str) -> Target | None:
        """A namespaced name: an exact tool first, then its parts (rules 18, 19)."""
        parts = decode(text)
        if parts is None and not text.startswith(_PREFIXES):
            return None
        owners = [server for server, tools in self.catalogue.items() if text in tools]
        pair = self.only([(server, text) for server in owners]) or self.encoded(text)
        if pair is None and parts is not None and parts.namespace in self.servers:
            pair = parts.namespace, parts.tool
        return pair and self.target(Exact(pair[0]), pair[1])

    def only(self, pairs: Sequence[Pair]) -> Pair | None:
        """Return the one tool that is meant; two are an error that names both."""
        if len(pairs) > 1:
            owners = sorted({server for server, _ in pairs})
            server, tool = min(pairs)
            raise LineError(
                f"{self.word.text} is a tool of {' and of '.join(owners)}; write the"
                f" server before it: {server} {tool}.",
                self.line.source,
                self.word.column,
            )
        return pairs[0] if pairs else None

    def encoded(self, text: str) -> Pair | None:
        """Return the tool of the catalogue that has *text* as a namespaced name."""
        if not self.catalogue:
            return None
        tools = self.catalogue.items()
        codec = Codec((server, name) for server, names in tools for name in names)
        try:
            return codec.decode(text)
        except UnknownName as unknown:
            return self.only(unknown.owners)

    def tool_alone(self, text: str) -> Target | None:
        """A tool without its server is not called (rule 20)."""
        owners = [server for server, tools in self.catalogue.items() if text in tools]
        if not owners:
            return None
        names = tuple(f"{server}.{text}" for server in sorted(owners))
        return self.target(Unresolved(text, names), None)

    def corrected(self, text: str) -> Target:
        """Each dot is tried as the split, the server resolved first (rule 14)."""
        suggestions: list[str] = []
        splits = [(text[:dot], text[dot + 1 :]) for dot in _dots(text)]
        for typed, tool in [*splits, (text, "")]:
            match self.resolve(typed):
                case Unresolved(suggestions=names):
                    suggestions.extend(names)
                case found:
                    return self.target(found, tool or None)
        typed = splits[-1][0] if splits else text
        return self.target(Unresolved(typed, tuple(dict.fromkeys(suggestions))), None)


def split_tool(
    target: Target, tool_names: Collection[str] | None
) -> tuple[str | None, Arguments]:
    """Find out which tool a target means, now that the server's tools are known.

    Args:
        target: What ``split_target`` returned.
        tool_names: The names of the server's tools; ``None`` if it could not list
            them.

    Returns:
        The tool as typed, which may still need correction, and its arguments. No
        tool means that the line asks for the server's list.

    Raises:
        LineError: The arguments cannot be read, or the line does not say which tool.
    """
    scanner = Scanner(target.line.source, target.at)
    whole = target.line.options.args or {}
    tool = target.tool
    if tool is None:
        given = target.line.cell or bool(whole) or _touches(scanner)
        if not given and not scanner.more():
            return None, Arguments(scanner.source)
        tool = _tool_word(scanner, tool_names) or _single(scanner, tool_names)
    return tool, read_arguments(scanner, whole)


def _touches(scanner: Scanner) -> bool:
    return scanner.source.startswith("(", scanner.at)


def _tool_word(scanner: Scanner, names: Collection[str] | None) -> str | None:
    """Read the next word if it is a tool (rule 11), else leave it."""
    if _touches(scanner) or not scanner.more():
        return None
    start = scanner.at
    word = scanner.word()
    is_value = not word.quoted and (
        not word.text or word.text.startswith("--") or bool(set("=:") & set(word.text))
    )
    if not is_value and (names is None or len(names) != 1 or word.text in names):
        return word.text
    scanner.at = start
    return None


def _single(scanner: Scanner, names: Collection[str] | None) -> str:
    """Return the only tool of a server whose tool was not named."""
    if names is not None and len(names) == 1:
        return next(iter(names))
    count = "several" if names is None else str(len(names))
    raise LineError(
        f"The server has {count} tools: name one before its arguments.",
        scanner.source,
        scanner.at,
    )
