"""What a line calls that is not finished yet, and the values that its schema names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_magic.errors import visible
from mcp_magic.language import OPTIONS, SWITCHES
from mcp_magic.language.schema import Document, Node, read_schema
from mcp_magic.model import Json, Prompt, Schema, Tool

if TYPE_CHECKING:
    from mcp_magic.session import Session

__all__ = [
    "WORD",
    "Called",
    "choices",
    "find_called",
    "given_call",
    "is_clear",
    "unquoted",
    "without_options",
]

# A quote opens at the start of a word or of a value; a quoted part may hold spaces.
WORD = re.compile(r"""(?:(?<![^\s=:])(?:"(?:[^"\\]|\\.)*"?|'[^']*'?)|\S)+""")
_TAKES_VALUE = frozenset(OPTIONS) - SWITCHES


@dataclass(frozen=True, slots=True)
class Called:
    """The tool or prompt of a line, and the words after it.

    Attributes:
        server: The server's name.
        one: What is called.
        given: The words after it.
    """

    server: str
    one: Tool | Prompt
    given: list[str]

    @property
    def schema(self) -> Schema:
        """What it takes."""
        if isinstance(self.one, Tool):
            return self.one.input_schema
        texts = {argument.name: {"type": "string"} for argument in self.one.arguments}
        return {"type": "object", "properties": texts}

    @property
    def document(self) -> Document:
        """What it takes, read."""
        return read_schema(self.schema)


def unquoted(word: str) -> str:
    """Return a word without the quotes at its start."""
    return word[1:].replace(word[0], "", 1) if word[:1] in ('"', "'") else word


def given_call(session: Session, rest: str) -> Called | None:
    """Return what a line calls, or ``None`` if it is nothing known.

    Args:
        session: Knows the servers.
        rest: What stands after ``%mcp``.
    """
    words = [unquoted(word) for word in WORD.findall(rest)]
    return find_called(session, without_options(words) or [])


def find_called(session: Session, words: list[str]) -> Called | None:
    """Return what words without quotes call; ``None``: nothing known."""
    words = words[1:] if words[:1] == ["call"] else words
    is_prompt = words[:1] == ["prompt"]
    words = without_options(words[1:] if is_prompt else words) or []
    for entry in session.entries:
        live = session.connections.live(entry.name)
        if not words or live is None:
            continue
        known = live.prompts if is_prompt else (live.tools or {}).values()
        for one in known:
            after = _after(words, entry.name, one.name)
            if after is not None:
                return Called(entry.name, one, after)
    return None


def _after(words: list[str], server: str, tool: str) -> list[str] | None:
    if words[0] == f"{server}.{tool}":
        return words[1:]
    return words[2:] if words[:2] == [server, tool] else None


def without_options(words: list[str]) -> list[str] | None:
    """Return the words after our options; ``None`` if an option's value is due."""
    at = 0
    while at < len(words) and words[at].startswith("--"):
        takes = words[at][2:] in _TAKES_VALUE
        if takes and at + 1 == len(words):
            return None
        at += 2 if takes else 1
    return words[at:]


def choices(node: Node) -> Iterator[Json]:
    """Yield the values that a schema names one by one."""
    for one in node.alternatives:
        if "const" in one:
            yield one["const"]
        elif one.get("type") == "boolean":
            yield from (True, False)
        elif isinstance(values := one.get("enum"), list):
            yield from (value for value in values if value is not None)


def is_clear(text: str) -> bool:
    """Whether a text hides nothing and breaks no line, so that it can be offered."""
    return visible(text) == text and text.isprintable()
