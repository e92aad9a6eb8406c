"""What was given for a parameter, before its schema has typed it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Items", "Members", "Term", "Value", "Written"]


@dataclass(frozen=True, slots=True)
class Written:
    """A text whose type comes from the schema (rule 37).

    Attributes:
        text: The text without quotes.
        plain: Whether it is an unquoted YAML scalar, where ``~`` and nothing can
            mean null too (rule 46).
    """

    text: str
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """A value that has its type already: from Python, JSON, or quoted in YAML."""

    value: object


@dataclass(frozen=True, slots=True)
class Items:
    """Several terms in a row: a repeated parameter, or a YAML list."""

    items: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Members:
    """Terms by name: a YAML mapping."""

    members: Mapping[str, Term] = field(default_factory=dict)


Term: TypeAlias = Written | Value | Items | Members
