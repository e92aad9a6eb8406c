"""Measures how near known names are to a typed one, and picks among them."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from operator import attrgetter
from typing import TYPE_CHECKING

from rapidfuzz import process
from rapidfuzz.distance import OSA, Levenshtein

from mcp_magic.naming.guards import Guess
from mcp_magic.naming.words import squash, squash_all, words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["Candidate", "Search"]

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name, how it is compared, and how far it is from what was typed.

    Attributes:
        name: The known name.
        squashed: How it is compared.
        plain: The published distance: a transposition counts as two edits.
        swaps: The distance in which a transposition is one edit.
        limit: The published threshold for this pair of names.
    """

    name: str
    squashed: str
    plain: int
    swaps: int
    limit: int

    @classmethod
    def measured(cls, name: str, squashed: str, wanted: str) -> Candidate:
        """Return how far *name* is from *wanted*."""
        return cls(
            name,
            squashed,
            plain=Levenshtein.distance(wanted, squashed),
            swaps=OSA.distance(wanted, squashed),
            # In whole numbers: 0.3 x 10 must be 3 on every machine.
            limit=max(2, max(len(wanted), len(squashed)) * 3 // 10),
        )

    @property
    def is_within(self) -> bool:
        """Whether it is within the published threshold."""
        return self.plain <= self.limit

    @property
    def order(self) -> tuple[int, int, str]:
        """The order of preference; the name makes it independent of the catalogue."""
        return self.swaps, self.plain, self.name


@dataclass(frozen=True, slots=True)
class Search:
    """A typed name among the known ones.

    Attributes:
        typed: The name as typed.
        wanted: How it is compared.
        table: Every known name and how it is compared.
        near: The nearest of them that may be within the threshold, nearest first: at
            least as many as are shown, with all that are equally near.
    """

    typed: str
    wanted: str
    table: Sequence[tuple[str, str]]
    near: Sequence[Candidate]

    @classmethod
    def among(cls, typed: str, names: Sequence[str]) -> Search:
        """Compare *typed* with every name, of which none equals it exactly."""
        wanted, squashed = squash(typed), squash_all(names)
        # A name that is d letters longer allows 0.3 d more edits but needs d of them.
        widest = max(2, len(wanted) * 3 // 7)
        found = process.extract(
            wanted, squashed, scorer=OSA.distance, score_cutoff=widest, limit=None
        )
        last = found[:_SHOWN][-1][1] if found else 0
        near = [
            Candidate.measured(names[place], item, wanted)
            for item, swaps, place in found
            if swaps <= last
        ]
        table = tuple(zip(names, squashed, strict=True))
        return cls(typed, wanted, table, sorted(near, key=attrgetter("order")))

    def nearest(self) -> Candidate:
        """Return the name at the shortest published distance, the first of equals."""
        squashed = [item for _, item in self.table]
        scorer = Levenshtein.distance
        _, edits, _ = process.extractOne(self.wanted, squashed, scorer=scorer)
        ties = process.extract(
            self.wanted, squashed, scorer=scorer, score_cutoff=edits, limit=None
        )
        name, item = min(self.table[place] for _, _, place in ties)
        return Candidate.measured(name, item, self.wanted)

    def surely_meant(
        self, *, destructive: Collection[str], read_only: Collection[str]
    ) -> str | None:
        """Return the name of which the typed one is a slip, if no guard objects.

        The published rule behind the guards of docs/names.md.
        """
        equal = [name for name, item in self.table if item == self.wanted]
        if equal and self.wanted:
            return equal[0] if len(equal) == 1 else None
        if not self.wanted or not self.near:
            return None
        best, *others = self.near
        if not best.is_within or best.name in destructive:
            return None
        # A tie is never guessed, nor is half of a short name (TYP-02, TYP-03).
        if others and others[0].swaps <= best.swaps:
            return None
        if 2 * best.swaps >= max(len(self.wanted), len(best.squashed)):
            return None
        guess = Guess(self.typed, best.name, best.name in read_only, self.table)
        return None if guess.is_doubtful() else best.name

    def suggestions(self, first: Candidate | None = None) -> tuple[str, ...]:
        """Return up to three names worth showing, best first.

        Names within the threshold come first, then related ones. Of a single name and
        of *first* it does not matter how far they are.
        """
        shown = [first.name] if first is not None else []
        if len(self.table) == 1:
            shown = [self.table[0][0]]
        if self.wanted:
            # Of short names two edits leave nothing: ``mem`` is no hint of ``ar``.
            shown += [
                one.name
                for one in self.near
                if one.is_within and one.swaps < len(one.squashed)
            ]
            shown += self._related() if len(shown) < _SHOWN else []
        return tuple(dict.fromkeys(shown))[:_SHOWN]

    def _related(self) -> list[str]:
        """Return names that hold the typed words, are held in them, or look alike."""
        parts = [word for word in words(self.typed) if len(word) > 2]
        holding = {
            name
            for name, item in self.table
            if (parts and parts[0] in item and all(part in item for part in parts))
            or (item in self.wanted and len(item) > 2)
        }
        alike = process.extract(
            self.wanted,
            [item for _, item in self.table],
            scorer=OSA.normalized_distance,
            score_cutoff=0.5,
            limit=None,
        )
        far = {self.table[place][0]: distance for _, distance, place in alike}
        return nsmallest(
            2 * _SHOWN,
            {*holding, *far},
            key=lambda name: (name not in holding, far.get(name, 1), name),
        )
