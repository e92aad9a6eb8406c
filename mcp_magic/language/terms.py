"""What was given for a parameter, before its schema has typed it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = ["Hole", "Items", "Members", "Style", "Term", "Value", "Woven", "Written"]

Style: TypeAlias = Literal["line", "plain", "quoted", "cell"]
"""How a text was written: on the line, unquoted or quoted in YAML, or as a cell."""


@dataclass(frozen=True, slots=True)
class Written:
    """A text whose type comes from the schema (rules 37 and 46).

    Attributes:
        text: The text without quotes.
        style: In YAML, a quoted text is always text, and ``~`` or nothing can be
            null when plain; a whole cell stays text wherever text is allowed.
    """

    text: str
    style: Style = "line"


@dataclass(frozen=True, slots=True)
class Value:
    """A value that has its type already, from Python or JSON."""

    value: object


@dataclass(frozen=True, slots=True)
class Hole:
    """A ``{{ name }}`` in a cell body (rule 47).

    Attributes:
        text: What stands there, braces included.
        index: Where it stands in the body.
    """

    text: str
    index: int


@dataclass(frozen=True, slots=True)
class Woven:
    """A scalar of a cell body with holes, which the cell's names fill.

    Attributes:
        pieces: Texts and holes in order.
        body: The whole body, for error messages.
    """

    pieces: tuple[str | Hole, ...]
    body: str


@dataclass(frozen=True, slots=True)
class Items:
    """Several terms in a row: a repeated parameter, or a YAML list."""

    items: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Members:
    """Terms by name: a YAML mapping."""

    members: Mapping[str, Term] = field(default_factory=dict)


Term: TypeAlias = Written | Value | Woven | Items | Members
