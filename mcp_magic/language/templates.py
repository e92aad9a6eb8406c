"""Finds ``{{ name }}`` in a cell body and puts the cell's values there (rule 47).

Holes are found in the raw text and replaced by a private mark before YAML or JSON is
read, so that a value is inserted once and never read as syntax.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from mcp_magic.errors import LineError
from mcp_magic.language.paths import PathFault, look_up, read_path
from mcp_magic.language.terms import Hole, Items, Members, Term, Value, Woven, Written

__all__ = ["Marked", "fail_at", "fill", "mark"]

_HOLE = re.compile(r"\{\{\{\{|\{\{(?:(?!\{\{|\}\}|\n).)*+(?:\}\})?+")
_STRING_EDGE = re.compile(r"\\.|\"", re.DOTALL)
_PRIVATE = (*range(0xE000, 0xF900), *range(0xF0000, 0xF1000))


def fail_at(message: str, body: str, index: int) -> NoReturn:
    """Raise a ``LineError`` at a place in a cell body."""
    index = max(0, min(index, len(body)))
    start = body.rfind("\n", 0, index) + 1
    end = body.find("\n", index)
    source = body[start : end if end >= 0 else len(body)].removesuffix("\r")
    line = body.count("\n", 0, index) + 1
    raise LineError(message, source, min(index - start, len(source)), line=line)


@dataclass(frozen=True, slots=True)
class Marked:
    """A cell body whose holes are marks.

    Attributes:
        text: The body with marks.
        body: The body as typed.
        holes: What each mark stands for.
        sign: The character around a mark's number, which the body does not hold.
        starts: Where each mark ends in ``text``, to find places again.
    """

    text: str
    body: str
    holes: tuple[Hole, ...] = ()
    sign: str = ""
    starts: tuple[int, ...] = ()

    def index(self, at: int) -> int:
        """Return the place in the body of a place in the marked text."""
        number = bisect_right(self.starts, at) - 1
        if number < 0:
            return at
        hole = self.holes[number]
        return hole.index + len(hole.text) + at - self.starts[number]

    def pieces(self, text: str) -> tuple[str | Hole, ...]:
        """Return a scalar as texts and holes; ``{{{{`` is the text ``{{``."""
        found: list[str | Hole] = []
        for at, part in enumerate(text.split(self.sign)):
            piece: str | Hole = self.holes[int(part)] if at % 2 else part
            if isinstance(piece, Hole) and piece.text == "{{{{":
                piece = "{{"
            if isinstance(piece, str) and found and isinstance(found[-1], str):
                found[-1] += piece
            elif piece:
                found.append(piece)
        return tuple(found)

    def has_marks(self, text: str) -> bool:
        """Return whether a scalar holds marks."""
        return bool(self.holes) and self.sign in text

    def term(self, text: str) -> Woven | str:
        """Return a scalar with its holes, or its text if it has none."""
        if not self.has_marks(text):
            return text
        pieces = self.pieces(text)
        if len(pieces) == 1 and isinstance(pieces[0], str):
            return pieces[0]
        return Woven(pieces, self.body)

    def original(self, text: str) -> str:
        """Return a block scalar as it was typed, where nothing is filled in."""
        if not self.has_marks(text):
            return text
        parts = text.split(self.sign)
        return "".join(
            self.holes[int(part)].text if at % 2 else part
            for at, part in enumerate(parts)
        )


def mark(body: str, *, json: bool = False) -> Marked:
    """Replace the holes of a cell body by marks.

    Args:
        body: The cell's text.
        json: Whether it is JSON, where a mark outside a string becomes a string.
    """
    holes = tuple(Hole(match.group(), match.start()) for match in _HOLE.finditer(body))
    if not holes:
        return Marked(body, body)
    sign = next((chr(one) for one in _PRIVATE if chr(one) not in body), None)
    if sign is None:
        fail_at("The cell uses every private character.", body, 0)
    parts: list[str] = []
    starts: list[int] = []
    length, at, inside = 0, 0, False
    for number, hole in enumerate(holes):
        before = body[at : hole.index]
        if json:
            inside ^= _quotes(before) % 2 == 1
        word = f"{sign}{number}{sign}"
        word = word if inside or not json else f'"{word}"'
        parts += [before, word]
        length += len(before) + len(word)
        starts.append(length)
        at = hole.index + len(hole.text)
    parts.append(body[at:])
    return Marked("".join(parts), body, holes, sign, tuple(starts))


def _quotes(text: str) -> int:
    return sum(match.group() == '"' for match in _STRING_EDGE.finditer(text))


def fill(term: Term, namespace: Mapping[str, object]) -> Term:
    """Return *term* with the cell's values in its holes.

    A scalar that is one hole becomes the object itself; a hole in a longer text
    becomes its ``str``.

    Raises:
        LineError: A name is not defined, or the braces hold no name.
    """
    match term:
        case Woven(pieces, body):
            found = [
                _look_up(piece, body, namespace) if isinstance(piece, Hole) else piece
                for piece in pieces
            ]
            if len(found) == 1:
                return Value(found[0])
            return Written("".join(map(str, found)), "quoted")
        case Items(items):
            return Items(tuple(fill(item, namespace) for item in items))
        case Members(members):
            return Members({k: fill(item, namespace) for k, item in members.items()})
    return term


def _look_up(hole: Hole, body: str, namespace: Mapping[str, object]) -> object:
    inside = hole.text[2:-2].strip()
    path = read_path(inside) if hole.text.endswith("}}") else None
    if path is None:
        fail_at(
            f"{hole.text[:40]} holds no variable; write {{{{{{{{ for the text {{{{.",
            body,
            hole.index,
        )
    try:
        return look_up(path, namespace)
    except PathFault as fault:
        fail_at(f"{fault} Write {{{{{{{{ for the text {{{{.", body, hole.index)
