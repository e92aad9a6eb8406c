"""What could stand at the cursor on a line of ``%mcp``, from what is known.

Nothing is started: names come from servers that are connected, and only the values of
a prompt's or a template's argument are asked for, 0.15 s at most. A name that cannot
stand plainly is written through ``spell``; one that hides something is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from mcp_magic.language import CALLS, OPTIONS, options_of, spell
from mcp_magic.language.schema import Node
from mcp_magic.model import Json, Prompt, ResourceTemplate
from mcp_magic.notebook.called import (
    WORD,
    Called,
    choices,
    find_called,
    is_clear,
    unquoted,
    without_options,
)
from mcp_magic.notebook.callform import in_form
from mcp_magic.notebook.configuring import by_product
from mcp_magic.notebook.verbs import KNOWN
from mcp_magic.session import protocol

if TYPE_CHECKING:
    from mcp_magic.session import Session

__all__ = ["candidates"]

_OPENING = re.compile(r"""(?:^|(?<=[=:]))["']""")
_PAIR = re.compile(r"(?P<dashes>--)?(?P<key>[\w.-]+?)(?P<equals>:?=|:)(?P<value>.*)")
_PLAIN = re.compile(r"[^\W\d][\w.:/@~-]*")
_SPELLED = 100  # odd names and values that are written out, each most of a millisecond
_KEY = re.compile(r"[^\W\d][\w.-]*")
_TEMPLATE = re.compile(r"([^{}]*)\{(\w+)\}([^{}]*)")
# A text that reads as itself in a value, whatever the schema says.
_WORD = re.compile(r"(?!(?i:true|false|null|nan|inf)$)[A-Za-z][A-Za-z0-9_-]*")
_EARLY = CALLS | {"add"}  # their options stand before the target (rules 22 and 23)
_MANY = frozenset({"list", "remove", "status", "close", "doctor"})
_ONE = frozenset("auth logs prompts read resources sampling watch".split())


class _Offer(NamedTuple):
    """What is looked for when a person types, and how it is written."""

    name: str
    text: str


def candidates(
    session: Session, rest: str, names: Iterable[str] = (), *, cell: bool = False
) -> tuple[str, list[str]]:
    """Return the word at the cursor and what could stand there.

    Args:
        session: Knows the servers.
        rest: What stands between ``%mcp`` and the cursor.
        names: The variables of the notebook.
        cell: Whether it is the first line of ``%%mcp``, which calls one tool.
    """
    form = in_form(session, rest, names)
    if form is not None:
        return form
    words = WORD.findall(rest)
    fragment = "" if not rest or rest[-1:].isspace() else words.pop()
    bare = _OPENING.sub("", fragment, count=1)
    line = _Line(session, [unquoted(word) for word in words], bare, tuple(names), cell)
    texts = {one.text for one in line.offers() if one.name.startswith(bare)}
    return fragment, sorted(texts)


@dataclass(frozen=True, slots=True)
class _Line:
    """The words before the cursor, and the one that it stands in, without quotes."""

    session: Session
    words: list[str]
    fragment: str
    names: tuple[str, ...]
    cell: bool

    def offers(self) -> Iterator[_Offer]:
        """Yield what could stand at the cursor, whatever is typed there already."""
        words = without_options(self.words)
        if words is None:
            return
        if not words:
            yield from self._first()
            return
        verb, *given = words
        if verb in _EARLY:
            later = without_options(given)
            if later is None:
                return
            given = later
        may_be_option = verb in KNOWN and not (verb in _EARLY and given)
        if self.fragment.startswith("--") and may_be_option:
            yield from _options(options_of(verb))
        elif verb in _MANY:
            yield from self._servers(given)
        elif verb in _ONE and not given:
            yield from self._servers(())
        else:
            found = self._named(verb, given)
            yield from self._arguments([verb, *given]) if found is None else found

    def _named(self, verb: str, given: list[str]) -> Iterator[_Offer] | None:
        """Return what a verb is about, or ``None`` where the arguments begin."""
        match verb, given:
            case "call", []:
                return self._targets()
            case "help", []:
                return chain(self._targets(), map(_plainly, KNOWN))
            case "help", [server]:
                return _names(self.session.connections.tool_names(server))
            case "prompt", []:
                return chain(self._servers(()), self._within(self._prompts))
            case "prompt", [server] if self._prompts(server):
                return _names(self._prompts(server))
            case "read" | "watch", [server]:
                return self._addresses(server)
            case "sampling", [_]:
                return map(_plainly, self.names)
            case "approve" | "import", _:
                return self._brought(verb, given)
        return None

    def _first(self) -> Iterator[_Offer]:
        if self.fragment.startswith("--"):
            yield from _options(options_of("call") if self.cell else OPTIONS)
            return
        yield from map(_plainly, {"call"} if self.cell else KNOWN)
        yield from self._targets()

    def _brought(self, verb: str, given: list[str]) -> Iterator[_Offer]:
        """Yield what a folder or another product has to offer."""
        products = by_product(self.session)
        if verb == "import" and not given:
            yield from _names(products)
            return
        waiting = self.session.known.waiting
        entries = waiting if verb == "approve" else products.get(given[0], ())
        yield from _names(one.name for one in entries if one.name not in given)

    def _servers(self, given: Iterable[str]) -> Iterator[_Offer]:
        left_out = frozenset(given)
        for entry in self.session.entries:
            if entry.name not in left_out:
                yield from _names([entry.name])

    def _targets(self) -> Iterator[_Offer]:
        yield from self._servers(())
        yield from self._within(self.session.connections.tool_names)

    def _within(self, inside: Callable[[str], Iterable[str]]) -> Iterator[_Offer]:
        """Yield what servers have whose name stands before the dot that was typed."""
        found = [
            (entry.name, name)
            for entry in self.session.entries
            if self.fragment.startswith(f"{entry.name}.")
            for name in inside(entry.name)
            if f"{entry.name}.{name}".startswith(self.fragment)
        ]
        odd = []
        for server, name in found:
            if _stands_plainly(f"{server}.{name}"):
                yield _plainly(f"{server}.{name}")
            else:
                odd.append((server, name))
        for server, name in odd[:_SPELLED]:
            yield from _target(server, name)

    def _prompts(self, server: str) -> list[str]:
        live = self.session.connections.live(server)
        return [] if live is None else [one.name for one in live.prompts]

    def _addresses(self, server: str) -> Iterator[_Offer]:
        live = self.session.connections.live(server)
        for one in () if live is None else live.resources:
            if WORD.fullmatch(one.uri) and is_clear(one.uri):
                yield _plainly(one.uri)
        for template in () if live is None else live.templates:
            yield from self._filled(server, template)

    def _filled(self, server: str, template: ResourceTemplate) -> Iterator[_Offer]:
        """Yield a template up to its one variable, and with what the server offers."""
        match = _TEMPLATE.fullmatch(template.uri_template)
        if match is None or not _PLAIN.fullmatch(match[1] + match[3]):
            return
        before, variable, after = match.groups()
        if not self.fragment.startswith(before):
            yield _plainly(before)
            return
        typed = self.fragment.removeprefix(before)
        for value in self._asked(server, template, variable, typed):
            if re.fullmatch(r"[\w.@~-]+", value) and is_clear(value):
                yield _plainly(f"{before}{value}{after}")

    def _asked(
        self, server: str, about: Prompt | ResourceTemplate, argument: str, typed: str
    ) -> Iterable[str]:
        """Ask a connected server for values; it has 0.15 s."""
        flow = protocol.complete(self.session, server, about, argument, typed)
        return self.session.run(flow)

    # -- arguments

    def _arguments(self, words: list[str]) -> Iterator[_Offer]:
        called = find_called(self.session, words)
        if called is None:
            yield from self._tools(words[1:] if words[0] == "call" else words)
            return
        nodes = called.document.parameters.nodes
        before = called.given[-1].removeprefix("--") if called.given else ""
        pair = _PAIR.fullmatch(self.fragment)
        if pair is not None and pair["key"] in nodes:
            for one in self._values(called, pair["key"], pair["value"]):
                yield from _between(pair, one)
        elif called.given[-1:] == [f"--{before}"] and _takes_value(nodes.get(before)):
            for one in self._values(called, before, self.fragment):
                yield _Offer(one.name, one.text.removeprefix(f"{before}="))
        else:
            yield from _parameters(called, dashes=self.fragment.startswith("--"))

    def _tools(self, words: list[str]) -> Iterator[_Offer]:
        if len(words) == 1:
            yield from _names(self.session.connections.tool_names(words[0]))

    def _values(self, called: Called, key: str, typed: str) -> Iterator[_Offer]:
        """Yield the values that fit, each written as ``key=value``."""
        if typed.startswith("$"):
            for name in self.names:
                yield _Offer(f"${name}", f"{key}=${name}")
            return
        values: Iterable[Json] = choices(called.document.parameters.nodes[key])
        if isinstance(called.one, Prompt):  # a tool's values are not asked for
            values = self._asked(called.server, called.one, key, typed)
        odd = []
        for value in values:
            if not _shown(value).startswith(typed):
                continue
            if (
                isinstance(value, str)
                and _KEY.fullmatch(key)
                and _WORD.fullmatch(value)
            ):
                yield _Offer(_shown(value), f"{key}={value}")
            else:
                odd.append(value)
        start = "%mcp a.b "
        for value in odd[:_SPELLED]:
            spelled = spell("a", "b", {key: value}, schema=called.schema)
            if spelled.startswith(f"{start}{key}="):
                yield _Offer(_shown(value), spelled.removeprefix(start))


def _options(names: Iterable[str]) -> Iterator[_Offer]:
    return (_plainly(f"--{name}") for name in names)


def _plainly(name: str) -> _Offer:
    return _Offer(name, name)


def _names(names: Iterable[str]) -> Iterator[_Offer]:
    """Yield names of servers, tools and prompts as words of their own."""
    for name in names:
        if not is_clear(name):
            continue
        if _PLAIN.fullmatch(name):
            yield _plainly(name)
        elif '"' not in name and "\\" not in name:
            yield _Offer(name, f'"{name}"')


def _stands_plainly(target: str) -> bool:
    return bool(_PLAIN.fullmatch(target)) and is_clear(target)


def _target(server: str, name: str) -> Iterator[_Offer]:
    """Yield ``server.tool`` as it can stand on a line, if it can."""
    whole = f"{server}.{name}"
    spelled = spell(server, name, {})
    if spelled.startswith("%mcp ") and not spelled.endswith(")"):
        yield _Offer(whole, spelled.removeprefix("%mcp "))


def _parameters(called: Called, *, dashes: bool) -> Iterator[_Offer]:
    """Yield the parameters that are not given yet."""
    given = {re.split(r":?=|:", word.removeprefix("--"))[0] for word in called.given}
    for name in called.document.parameters.nodes:
        if name in given or not is_clear(name):
            continue
        if _KEY.fullmatch(name):
            yield _plainly(f"--{name}" if dashes else f"{name}=")
        elif not dashes and '"' not in name and "\\" not in name:
            yield _Offer(f"{name}=", f'"{name}"=')


def _between(pair: re.Match[str], one: _Offer) -> Iterator[_Offer]:
    """Yield ``key=value`` with the sign and the dashes that were typed."""
    if pair["equals"] != ":=":
        before = f"{pair['dashes'] or ''}{pair['key']}{pair['equals']}"
        value = one.text.removeprefix(f"{pair['key']}=")
        yield _Offer(f"{before}{one.name}", f"{before}{value}")


def _takes_value(node: Node | None) -> bool:
    return node is not None and "boolean" not in node.kinds


def _shown(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
