"""Reads a cell body as YAML, composed from its events and never loaded (rule 46).

What YAML would swallow without a word is an error: comments after a plain value,
anchors, tags, repeated keys, a second document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn, cast

from mcp_magic.language.jsontext import DEPTH
from mcp_magic.language.templates import Marked, fail_at
from mcp_magic.language.terms import Items, Members, Term, Woven, Written

if TYPE_CHECKING:
    from yaml import Event, ScalarEvent
    from yaml.error import YAMLError

__all__ = ["read_yaml"]

_COMMENT = re.compile(r"[ \t]+#")
# What libyaml says, and what helps.
_ADVICE = (
    ("mapping values are not allowed", 'a value with ": " in it stands in quotes'),
    ("cannot start any token", "quote this value, and indent with spaces"),
    ("alias", "a value that begins with * stands in quotes"),
    ("anchor", "a value that begins with & stands in quotes"),
    ("quoted scalar", "this quote is never closed"),
    ("simple key", "write name: value, and quote a value that goes on"),
    ("flow", "close the bracket, or quote this value"),
    ("directive", "a line that begins with % stands in quotes"),
    ("block collection", "indent the lines of one level alike"),
    ("block mapping", "indent the lines of one level alike, and quote odd values"),
    ("control characters", "control characters go into JSON, as \\u001b"),
    ("special characters", "control characters go into JSON, as \\u001b"),
    ("surrogates", "a lone surrogate is no text that can be sent"),
)


def read_yaml(marked: Marked) -> Term:
    """Return the whole body as a term.

    Raises:
        LineError: It is no YAML, or holds what would be lost without a word.
    """
    # Importing yaml takes 20 ms.
    import yaml  # noqa: PLC0415

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder(marked)
    try:
        for event in yaml.parse(marked.text, Loader=loader):
            builder.take(event)
    except yaml.YAMLError as error:
        _explain(error, marked)
    except UnicodeEncodeError as error:
        fail_at(
            "A lone surrogate is no text that can be sent.",
            marked.body,
            marked.index(error.start),
        )
    return builder.root


def _explain(error: YAMLError, marked: Marked) -> NoReturn:
    """Raise an error that says what to write instead."""
    place = getattr(error, "problem_mark", None)
    index = getattr(place, "index", getattr(error, "position", 0))
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", error))
    context = f"{getattr(error, 'context', '')} {problem}"
    advice = next((text for key, text in _ADVICE if key in context), "quote this value")
    fail_at(
        f"The cell is no YAML ({problem}): {advice}, or give the whole text to one"
        " parameter with --body PARAM.",
        marked.body,
        marked.index(index),
    )


@dataclass(slots=True)
class _Level:
    """A list or mapping that is still open."""

    items: list[Term] = field(default_factory=list)
    members: dict[str, Term] | None = None
    key: str | None = None


@dataclass(slots=True)
class _Builder:
    """Composes terms from events, with its own stack instead of recursion."""

    marked: Marked
    levels: list[_Level] = field(default_factory=list)
    root: Term = field(default_factory=Members)
    documents: int = 0

    def fail(self, message: str, index: int) -> NoReturn:
        fail_at(message, self.marked.body, self.marked.index(index))

    def take(self, event: Event) -> None:
        """Add one event."""
        kind = type(event).__name__
        index = _index(event.start_mark)
        match kind:
            case "ScalarEvent":
                self.bare(event, index)
                self.scalar(cast("ScalarEvent", event), index)
            case "MappingStartEvent" | "SequenceStartEvent":
                self.bare(event, index)
                self.open(_Level(members={} if kind[0] == "M" else None), index)
            case "MappingEndEvent" | "SequenceEndEvent":
                self.close()
            case "AliasEvent":
                self.fail("A value that begins with * stands in quotes.", index)
            case "DocumentStartEvent":
                self.documents += 1
                if self.documents > 1:
                    self.fail("--- starts a second document; a cell has one.", index)

    def bare(self, event: Event, index: int) -> None:
        """Refuse an anchor or a tag, which YAML would take off the value."""
        for mark, sign in (("anchor", "&"), ("tag", "!")):
            if getattr(event, mark) is not None:
                self.fail(f"A value that begins with {sign} stands in quotes.", index)

    def open(self, level: _Level, index: int) -> None:
        if len(self.levels) >= DEPTH:
            self.fail(f"This is nested more than {DEPTH} levels deep.", index)
        if self.levels and self.wants_key():
            self.fail("A name is a text, not a list or a mapping.", index)
        self.levels.append(level)

    def close(self) -> None:
        level = self.levels.pop()
        if level.members is None:
            self.add(Items(tuple(level.items)))
        else:
            self.add(Members(level.members))

    def wants_key(self) -> bool:
        level = self.levels[-1]
        return level.members is not None and level.key is None

    def scalar(self, event: ScalarEvent, index: int) -> None:
        text, style = str(event.value), event.style or "plain"
        if self.levels and self.wants_key():
            self.name(text, style, index)
            return
        if style == "plain":
            self.comment(_index(event.end_mark))
        self.add(self.term(text, style))

    def term(self, text: str, style: str) -> Term:
        if style in "|>":
            return Written(self.marked.original(text), "quoted")
        found = self.marked.term(text)
        if isinstance(found, Woven):
            return found
        return Written(found, "plain" if style == "plain" else "quoted")

    def name(self, text: str, style: str, index: int) -> None:
        """Take the name of a member."""
        level = self.levels[-1]
        name = self.marked.original(text) if style in "|>" else self.marked.term(text)
        if isinstance(name, Woven):
            self.fail("A name cannot come from a variable.", index)
        if name in (level.members or {}):
            self.fail(f"{name[:40]} stands twice.", index)
        level.key = name

    def comment(self, end: int) -> None:
        """Refuse a comment that may have been meant as part of the value."""
        if _COMMENT.match(self.marked.text, end):
            at = self.marked.text.index("#", end)
            self.fail(
                "YAML would drop what follows #: quote the value, or put the comment"
                " on a line of its own.",
                at,
            )

    def add(self, term: Term) -> None:
        if not self.levels:
            self.root = term
            return
        level = self.levels[-1]
        if level.members is None:
            level.items.append(term)
        elif level.key is not None:
            level.members[level.key] = term
            level.key = None


def _index(mark: object) -> int:
    return int(getattr(mark, "index", 0))
