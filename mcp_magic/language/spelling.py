"""Writes a call so that reading it back gives the same call.

What could mislead a reader, or could not stand on a line, is written in the call form
with ``repr``.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Collection, Iterator, Mapping

from mcp_magic.errors import McpMagicError, visible
from mcp_magic.language.coerce import Unfit, settle
from mcp_magic.language.line import VERBS, read_line
from mcp_magic.language.pairs import read_pairs
from mcp_magic.language.scan import Scanner
from mcp_magic.language.schema import Document, read_schema
from mcp_magic.language.target import Url, split_target, split_tool
from mcp_magic.language.typed import Surroundings
from mcp_magic.model import Json, Schema
from mcp_magic.naming import Exact

__all__ = ["spell", "spell_python", "spell_verb"]

# Texts that need no quotes wherever they stand. A line that ends in "?" is IPython's,
# one that ends in "\" goes on.
_PLAIN = re.compile(r"[\w.,+/:%&^~<>|*()!-]*[\w.,+/%&^~*)!-]")
_PLAIN_NAME = re.compile(r"[^\W\d][\w.-]*+")
_PLAIN_SERVER = re.compile(r"\w[\w.@/-]*|\w+://\S+")


def spell(
    server: str,
    tool: str,
    values: Mapping[str, Json],
    *,
    schema: Schema | None = None,
    secrets: Collection[str] = (),
) -> str:
    """Return a line of ``%mcp`` that makes a call.

    Reading it back, ``bind`` gives the same values.

    Args:
        server: The configured name of the server, or its address.
        tool: The tool's exact name.
        values: The arguments as they are sent.
        schema: The tool's input schema; ``None`` if it is not listed.
        secrets: Parameters whose values are not written: a variable of their name
            stands for them.
    """
    target = _target(server, tool)
    if target is None:
        return spell_python(server, tool, values, secrets=secrets)
    document = read_schema({} if schema is None else schema)
    words = []
    for name, value in values.items():
        word = (
            _secret_pair(name)
            if name in secrets
            else _pair(name, value, document, listed=schema is not None)
        )
        if word is None:
            return f"%mcp {target}({_call_arguments(values, secrets)})"
        words.append(word)
    return " ".join(["%mcp", target, *words])


def spell_python(
    server: str,
    tool: str,
    values: Mapping[str, Json],
    *,
    secrets: Collection[str] = (),
) -> str:
    """Return a Python expression that makes a call, with ``mcp_magic`` imported."""
    way = f".{tool}" if _is_name(tool) and tool[0] != "_" else f"[{_literal(tool)}]"
    arguments = _call_arguments(values, secrets)
    return f"mcp_magic.connect({_literal(server)}){way}({arguments})"


def spell_verb(verb: str, server: str) -> str:
    """Return the line that does something with a server, to be shown to a person.

    Args:
        verb: What it does; ``list`` is written where the server is called like a verb.
        server: The server's name; it is quoted where it needs to be.
    """
    word = server if _PLAIN_SERVER.fullmatch(server) else _quote(server) or server
    needed = verb != "list" or server in VERBS
    return f"%mcp {verb} {word}" if needed else f"%mcp {word}"


def _target(server: str, tool: str) -> str | None:
    """Return the target as written on a line, or ``None`` if it cannot stand there."""
    is_url = "://" in server
    for text in (
        f"{server} {tool}" if is_url else f"{server}.{tool}",
        f'"{server}".{tool}',
        _quote(f"{server}.{tool}"),
    ):
        if text is None or not _is_clear(text) or text in VERBS:
            continue
        if _leads_to(text, server, tool):
            return text
    return None


def _leads_to(text: str, server: str, tool: str) -> bool:
    for tail in ("", "(a=1)"):
        try:
            line = read_line(text + tail)
            if line.verb is not None or line.at:
                return False
            target = split_target(line, {server})
            found, arguments = split_tool(target, {tool, f"{tool} "})
        except McpMagicError:
            return False
        wanted = target.server in (Exact(server), Url(server)) and found == tool
        if not wanted or bool(arguments.code) != bool(tail):
            return False
    return True


def _pair(name: str, value: Json, document: Document, *, listed: bool) -> str | None:
    """Return ``key=value`` in the shortest spelling that is read back as *value*."""
    key = name if _PLAIN_NAME.fullmatch(name) else _quote(name)
    if key is None or not _is_clear(key):
        return None
    for text in _texts(value):
        word = f"{key}{text}"
        if _is_clear(word) and _reads_back(word, name, value, document, listed=listed):
            return word
    return None


def _secret_pair(name: str) -> str | None:
    key = name if _PLAIN_NAME.fullmatch(name) else _quote(name)
    return f"{key}=${_variable(name)}" if key is not None and _is_clear(key) else None


def _texts(value: Json) -> Iterator[str]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if _PLAIN.fullmatch(text) or text[:1] in ("[", "{"):
        yield f"={text}"
    quoted = _quote(text)
    if isinstance(value, str) and quoted is not None:
        yield f"={quoted}"
    yield f":={json.dumps(value, ensure_ascii=False)}"


def _quote(text: str) -> str | None:
    """Return *text* in quotes, if there is a way (rules 3 and 4)."""
    if "\\" not in text:
        escaped = text.replace('"', '\\"')
        return f'"{escaped}"'
    if '"' not in text:
        end = "\\" if text.endswith("\\") else ""
        return f'"{text}{end}"'
    return None if "'" in text else f"'{text}'"


def _is_clear(text: str) -> bool:
    """Return whether *text* looks on a line as what it is."""
    return (
        text == visible(text)
        and text.isprintable()
        and not text.endswith(("?", "\\", ";"))
    )


def _reads_back(
    word: str, name: str, value: Json, document: Document, *, listed: bool
) -> bool:
    parameters = document.parameters
    try:
        given = read_pairs(
            Scanner(word).tokens(),
            parameters if listed else None,
            Surroundings(word),
        )
        if len(given) != 1 or given[0].name != name:
            return False
        node = document.node(name)
        return _same(settle(given[0].term, node, name, []), value)
    except (McpMagicError, Unfit):
        return False


def _same(one: Json, other: Json) -> bool:
    """Compare values as JSON writes them: ``1``, ``1.0`` and ``true`` differ."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _call_arguments(values: Mapping[str, Json], secrets: Collection[str]) -> str:
    words = {
        name: _variable(name) if name in secrets else _literal(value)
        for name, value in values.items()
    }
    if all(_is_name(name) for name in words):
        return ", ".join(f"{name}={word}" for name, word in words.items())
    inside = ", ".join(f"{_literal(name)}: {word}" for name, word in words.items())
    return f"**{{{inside}}}"


def _is_name(text: str) -> bool:
    """Return whether Python reads *text* as this very name (it normalises others)."""
    return text.isascii() and text.isidentifier() and not keyword.iskeyword(text)


def _variable(name: str) -> str:
    return name if _is_name(name) and name[0] != "_" else "secret"


def _literal(value: Json) -> str:
    """Return *value* as a Python literal on which nothing is hidden."""
    text = repr(value)
    return text if text == visible(text) and text.isprintable() else ascii(value)
