"""Tab after ``%mcp``: verbs, servers, tools, parameters and values, from what is known.

Nothing is started: names come from servers that are connected, and only the values of a
prompt's argument are asked for, 0.15 s at most. Names that cannot be typed plainly are
left out; ``%mcp help SERVER`` shows them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
)

from mcp_magic.errors import visible
from mcp_magic.language import OPTIONS, VERBS
from mcp_magic.language.schema import Document, Node, read_schema
from mcp_magic.model import Prompt, Tool
from mcp_magic.session import protocol

if TYPE_CHECKING:
    from mcp_magic.session import Session

__all__ = ["candidates", "complete"]

# ``%mcp …``, ``x = %mcp …`` and the first line of ``%%mcp …``, up to the cursor.
_LINE = re.compile(
    r"^\s*(?:[\w.\[\]'\", ]+=\s*)?(%{1,2})mcp(?P<rest>[ \t].*)$", re.DOTALL
)
_PLAIN = re.compile(r"[^\W\d][\w.:/@~-]*")
_WORD = re.compile(r"\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|\S+")
_VALUE = re.compile(r"[\w.:/@+-]+")
_KEY = re.compile(r"[^\W\d][\w.-]*")
_TAKES_VALUE = frozenset(OPTIONS) - {"raw", "no-correct", "save", "all", "reset",
                                     "forget", "paste", "list", "revoke"}  # fmt: skip
_SERVER_VERBS = frozenset(
    "list remove auth sampling resources read watch prompts status close logs "
    "doctor".split()
)


def complete(context: CompletionContext, session: Session) -> SimpleMatcherResult:
    """Return what IPython's completer should offer for a cursor after ``%mcp``."""
    found = _find(context, session)
    if found is None:
        return {"completions": [], "suppress": False}
    fragment, names = found
    return {
        "completions": [SimpleCompletion(text=one, type="mcp") for one in names],
        "matched_fragment": fragment,
        "suppress": True,
        "ordered": True,
    }


def _find(context: CompletionContext, session: Session) -> tuple[str, list[str]] | None:
    lines = context.full_text.split("\n")
    if context.cursor_line > 0 and lines[0].lstrip().startswith("%%mcp"):
        return _in_body(lines, context, session)
    match = _LINE.match(context.text_until_cursor.split("\n")[-1])
    if match is None or (match[1] == "%%" and context.cursor_line > 0):
        return None
    return candidates(session, match["rest"])


def candidates(session: Session, rest: str) -> tuple[str, list[str]]:
    """Return the word at the cursor and what could stand there.

    Args:
        session: Knows the servers.
        rest: What stands between ``%mcp`` and the cursor.
    """
    words = _WORD.findall(rest)
    fragment = "" if not rest or rest[-1].isspace() else words.pop()
    names = sorted(set(_expected(session, words, fragment)))
    if fragment[:1] in ("'", '"'):
        return fragment, []
    return fragment, [one for one in names if one.startswith(fragment)]


def _expected(session: Session, words: list[str], fragment: str) -> Iterator[str]:
    after = _without_options(words)
    if after is None:
        return
    words = after
    if not words:
        yield from _first(session, fragment)
    elif words[0] in ("call", "help") and len(words) == 1:
        yield from _targets(session, fragment)
        yield from VERBS if words[0] == "help" else ()
    elif words[0] == "prompt" and len(words) == 1:
        yield from _prompt_names(session, fragment)
    elif words[0] in ("read", "watch") and len(words) == 2:
        yield from _resources(session, words[1])
    elif words[0] in _SERVER_VERBS:
        yield from _servers(session)
    else:
        yield from _arguments(session, words, fragment)


def _without_options(words: list[str]) -> list[str] | None:
    """Return the words after our options; ``None`` if an option's value is due."""
    at = 0
    while at < len(words) and words[at].startswith("--"):
        takes = words[at][2:] in _TAKES_VALUE
        if takes and at + 1 == len(words):
            return None
        at += 2 if takes else 1
    return words[at:]


def _first(session: Session, fragment: str) -> Iterator[str]:
    if fragment.startswith("--"):
        yield from (f"--{name}" for name in OPTIONS)
        return
    yield from VERBS
    yield from _targets(session, fragment)


def _servers(session: Session) -> Iterator[str]:
    yield from _plain(entry.name for entry in session.entries)


def _targets(session: Session, fragment: str) -> Iterator[str]:
    yield from _servers(session)
    if "." in fragment:
        for entry in session.entries:
            tools = session.tool_names(entry.name)
            yield from _plain(f"{entry.name}.{tool}" for tool in tools)


def _plain(names: Iterable[str]) -> Iterator[str]:
    """Yield the names that can be typed as they are."""
    for name in names:
        if _PLAIN.fullmatch(name) and visible(name) == name:
            yield name


def _prompt_names(session: Session, fragment: str) -> Iterator[str]:
    yield from _servers(session)
    if "." in fragment:
        for entry in session.entries:
            live = session.live(entry.name)
            known = () if live is None else live.prompts
            yield from _plain(f"{entry.name}.{one.name}" for one in known)


def _resources(session: Session, server: str) -> Iterator[str]:
    live = session.live(server)
    if live is not None:
        uris = (one.uri for one in live.resources)
        yield from (one for one in uris if _WORD.fullmatch(one) and visible(one) == one)


@dataclass(frozen=True, slots=True)
class _Called:
    """What is called, and the words after it."""

    server: str
    one: Tool | Prompt
    document: Document
    given: list[str]


def _called(session: Session, words: list[str]) -> _Called | None:
    if words[0] == "call":
        words = words[1:]
    is_prompt = bool(words) and words[0] == "prompt"
    words = words[1:] if is_prompt else words
    for entry in session.entries:
        live = session.live(entry.name)
        if not words or live is None:
            continue
        known = live.prompts if is_prompt else (live.tools or {}).values()
        for one in known:
            after = _after(words, entry.name, one.name)
            if after is not None:
                return _Called(entry.name, one, _document(one), after)
    return None


def _after(words: list[str], server: str, tool: str) -> list[str] | None:
    if words[0] == f"{server}.{tool}":
        return words[1:]
    return words[2:] if words[:2] == [server, tool] else None


def _document(one: Tool | Prompt) -> Document:
    if isinstance(one, Tool):
        return read_schema(one.input_schema)
    texts = {argument.name: {"type": "string"} for argument in one.arguments}
    return read_schema({"type": "object", "properties": texts})


def _arguments(session: Session, words: list[str], fragment: str) -> Iterator[str]:
    called = _called(session, words)
    if called is None:
        if len(words) == 1:
            yield from _plain(session.tool_names(words[0]))
        return
    nodes = called.document.parameters.nodes
    key, equals, typed = fragment.partition("=")
    if equals and key in nodes:
        values = [*_choices(nodes[key]), *_asked(session, called, key, typed)]
        yield from (f"{key}={value}" for value in values)
        return
    given = {re.split(r":?=|:", word.removeprefix("--"))[0] for word in called.given}
    dashes = "--" if fragment.startswith("--") else ""
    ending = "" if dashes else "="
    for name in nodes:
        if name not in given and _KEY.fullmatch(name):
            yield f"{dashes}{name}{ending}"


def _asked(session: Session, called: _Called, key: str, typed: str) -> list[str]:
    """Ask a connected server for the values of a prompt's argument; tools have none."""
    if not isinstance(called.one, Prompt):
        return []
    flow = protocol.complete(session, called.server, called.one, key, typed)
    return [one for one in session.run(flow) if _VALUE.fullmatch(one)]


def _choices(node: Node) -> Iterator[str]:
    for one in node.alternatives:
        values = one.get("enum")
        if one.get("type") == "boolean":
            values = [True, False]
        if "const" in one:
            values = [one["const"]]
        for value in values if isinstance(values, list) else ():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if _VALUE.fullmatch(text):
                yield text


def _in_body(
    lines: list[str], context: CompletionContext, session: Session
) -> tuple[str, list[str]] | None:
    """Complete the keys of a YAML body, at the start of its lines."""
    line = context.text_until_cursor.split("\n")[-1]
    if not re.fullmatch(r"[\w.-]*", line):
        return None
    match = _LINE.match(lines[0])
    words = [] if match is None else _WORD.findall(match["rest"])
    words = _without_options(words) or []
    called = _called(session, words) if words else None
    if called is None:
        return None
    given = {other.partition(":")[0] for other in lines[1:] if ":" in other}
    keys = [f"{name}: " for name in called.document.parameters.nodes
            if _KEY.fullmatch(name) and name not in given]  # fmt: skip
    return line, sorted(one for one in keys if one.startswith(line))
