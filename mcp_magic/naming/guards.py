"""Tells a slip of the finger from a name that was meant, but does not exist."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_magic.naming.vocabulary import KNOWN, NEGATIONS, READING
from mcp_magic.naming.words import signs, words

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Target", "looks_meant"]


@dataclass(frozen=True, slots=True)
class Target:
    """The name to which a typed one would be corrected, and what its tool declares."""

    name: str
    read_only: bool = False

    @property
    def harmless(self) -> bool:
        """Whether it only reads, declared or by its first word."""
        return self.read_only or words(self.name)[:1] in ([word] for word in READING)


def looks_meant(typed: str, target: Target, table: Sequence[tuple[str, str]]) -> bool:
    """Tell whether *typed* differs from the target as one real name from another.

    These are the guards of DESIGN §1.2 about words and figures: digits differ, a whole
    word more or less, or a real word in place of another.

    Args:
        typed: The name as typed.
        target: The name it might be a slip of.
        table: Every known name and how it is compared; their words are real words too.
    """
    if signs(typed) != signs(target.name):
        return True
    ours, theirs = _difference(words(typed), words(target.name))
    if not ours or not theirs:
        return True
    if len(ours) != len(theirs):
        if any(w not in theirs and _real(w, table) for w in ours):
            return True
        ours, theirs = ["".join(ours)], ["".join(theirs)]
    pairs = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    return any(_exchanged(x, y, target, table) for x, y in pairs)


def _difference(ours: list[str], theirs: list[str]) -> tuple[list[str], list[str]]:
    """Return both lists of words without the equal ones at their ends."""
    start, shorter = 0, min(len(ours), len(theirs))
    while start < shorter and ours[start] == theirs[start]:
        start += 1
    end = 0
    while end < shorter - start and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    return ours[start : len(ours) - end], theirs[start : len(theirs) - end]


def _exchanged(
    word: str, other: str, target: Target, table: Sequence[tuple[str, str]]
) -> bool:
    """Tell whether *word* was meant where the target has *other*."""
    if _is_plural(word, other) or _is_plural(other, word):
        return not target.harmless
    if any(word == start + other or other == start + word for start in NEGATIONS):
        return True
    if not _latin(word + other) or _too_far(word, other):
        return True
    return _real(word, table) or _holds_another(word, other)


def _is_plural(word: str, other: str) -> bool:
    """Tell whether *other* is the plural of *word*."""
    if word.endswith("y") and other == word[:-1] + "ies":
        return True
    return other in (word + "s", word + "es")


def _latin(text: str) -> bool:
    """Tell whether *text* is written in the alphabet of which we know the words.

    Elsewhere one letter can be the difference between on and off, and no list of words
    is at hand that would tell.
    """
    return text.isascii() or all(
        not c.isalpha() or unicodedata.name(c, "").startswith("LATIN") for c in text
    )


def _too_far(word: str, other: str) -> bool:
    """Tell whether too much of one word differs, however long the whole name is."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - loaded once a name is unknown

    longer, edits = max(len(word), len(other)), OSA.distance(word, other)
    if longer <= 2:
        return sorted(word) != sorted(other)
    return edits > max(2, longer * 34 // 100)


def _real(word: str, table: Sequence[tuple[str, str]]) -> bool:
    """Tell whether *word* is one of our vocabulary or of the catalogue."""
    if len(word) < 2:
        return False
    return word in KNOWN or any(
        word in squashed and word in words(name) for name, squashed in table
    )


def _holds_another(word: str, other: str) -> bool:
    """Tell whether words glued together differ by a real word: getitem, setitem."""
    start, shorter = 0, min(len(word), len(other))
    while start < shorter and word[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and word[-1 - end] == other[-1 - end]:
        end += 1
    return any(
        word[left : len(word) - right] in KNOWN
        and other[left : len(other) - right] in KNOWN
        for left in range(max(0, start - 12), start + 1)
        for right in range(max(0, end - 12), end + 1)
    )
