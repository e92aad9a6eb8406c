"""Tells a slip of the finger from a name that was meant, but does not exist."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from mcp_magic.naming.vocabulary import CONNECTIVES, KNOWN, NEGATIONS, READING
from mcp_magic.naming.words import signs, words

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Guess"]


@dataclass(frozen=True, slots=True)
class Guess:
    """A name that may have been meant by a typed one.

    Attributes:
        typed: The name as typed.
        name: The known name it might be a slip of.
        read_only: Whether that tool declares to change nothing.
        table: Every known name and how it is compared; their words are real words too.
    """

    typed: str
    name: str
    read_only: bool
    table: Sequence[tuple[str, str]]

    def is_doubtful(self) -> bool:
        """Tell whether the two differ as one real name from another.

        These are the guards of docs/names.md about words and figures: digits differ,
        there is a whole word more or less, or a real word in place of another.
        """
        if signs(self.typed) != signs(self.name):
            return True
        ours, theirs = _difference(words(self.typed), words(self.name))
        if not ours or not theirs:
            return True
        if len(ours) != len(theirs):
            if any(word not in theirs and self._is_real(word) for word in ours):
                return True
            ours, theirs = ["".join(ours)], ["".join(theirs)]
        pairs = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
        return any(self._is_exchanged(word, other) for word, other in pairs)

    def _is_exchanged(self, word: str, other: str) -> bool:
        """Tell whether *word* was meant where the name has *other*."""
        if _is_plural(word, other):
            return not self._only_reads()
        if _is_plural(other, word):
            return not self._only_reads() or self._is_listed_elsewhere()
        if any(word == start + other or other == start + word for start in NEGATIONS):
            return True
        if not _latin(word + other) or _too_far(word, other):
            return True
        return self._is_real(word) or self._is_glued(word, other)

    def _only_reads(self) -> bool:
        return self.read_only or words(self.name)[0] in READING

    def _is_listed_elsewhere(self) -> bool:
        """Tell whether another name differs from the typed one in its first word only.

        Beside ``list_tags``, who asks for ``get_tags`` does not want ``get_tag``.
        """
        meant = words(self.typed)[1:]
        return any(
            name != self.name and meant[-1] in squashed and words(name)[1:] == meant
            for name, squashed in self.table
            if meant
        )

    def _is_real(self, word: str) -> bool:
        """Tell whether *word* is one of our vocabulary or of the catalogue."""
        if len(word) < 2:
            return False
        if word in KNOWN or (word[:-1] in KNOWN and _is_plural(word[:-1], word)):
            return True
        return any(
            word in squashed and word in words(name) for name, squashed in self.table
        )

    def _is_glued(self, word: str, other: str) -> bool:
        """Tell whether words written as one differ by a real word: getitem, setitem."""
        start, end = _common_ends(word, other)
        shorter = min(len(word), len(other))
        return any(
            {word[:-cut], other[:-cut]} <= KNOWN and self._is_real(word[-cut:])
            for cut in range(3, min(end, shorter - 3) + 1)
        ) or any(
            {word[cut:], other[cut:]} <= KNOWN and self._is_real(word[:cut])
            for cut in range(3, min(start, shorter - 3) + 1)
        )


def _difference(ours: list[str], theirs: list[str]) -> tuple[list[str], list[str]]:
    """Return both lists of words without the equal ones at their ends."""
    start, end = _common_ends(ours, theirs)
    return ours[start : len(ours) - end], theirs[start : len(theirs) - end]


def _common_ends(ours: Sequence[str], theirs: Sequence[str]) -> tuple[int, int]:
    """Return how many items are equal at the start, and of the others at the end."""
    start, shorter = 0, min(len(ours), len(theirs))
    while start < shorter and ours[start] == theirs[start]:
        start += 1
    end = 0
    while end < shorter - start and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    return start, end


def _is_plural(word: str, other: str) -> bool:
    """Tell whether *other* is the plural of *word*."""
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return other == word + "es"
    if word.endswith("y"):
        return other in (word[:-1] + "ies", word + "s")
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
    longer, edits = max(len(word), len(other)), OSA.distance(word, other)
    # Letters in another order are a slip; other letters may be another word.
    replaced = len(word) == len(other) and sorted(word) != sorted(other)
    if longer <= 2:
        # Codes such as eu, us, a, b: another letter is another thing.
        return edits > 1 or (replaced and other not in CONNECTIVES)
    if replaced and word[0] != other[0] and 2 * edits >= longer:
        return True
    return edits > max(2, longer * 34 // 100)
