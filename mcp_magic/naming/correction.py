"""Finds the name that was meant by one that does not exist."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

from mcp_magic.naming.guards import Guess
from mcp_magic.naming.words import squash, squash_all, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    _Table: TypeAlias = Sequence[tuple[str, str]]

__all__ = ["Corrected", "Exact", "Policy", "Resolution", "Unresolved", "resolve"]

Policy: TypeAlias = Literal["guarded", "threshold", "suggest", "off"]
"""How far ``resolve`` goes.

``guarded`` corrects what is surely a slip; ``threshold`` is the published rule alone;
``suggest`` never corrects; ``off`` does not even suggest.
"""


@dataclass(frozen=True, slots=True)
class Exact:
    """The name exists as typed."""

    name: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """Another name was meant; it may be used in place of *typed*."""

    name: str
    typed: str


@dataclass(frozen=True, slots=True)
class Unresolved:
    """No name may be used in place of *typed*.

    Attributes:
        typed: The name as typed.
        suggestions: Up to three names worth showing, best first.
    """

    typed: str
    suggestions: tuple[str, ...] = ()


Resolution: TypeAlias = Exact | Corrected | Unresolved
"""What ``resolve`` found."""

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A name, how it is compared, and how far it is from what was typed.

    Attributes:
        plain: The published distance: a transposition counts as two edits.
        swaps: The distance in which a transposition is one edit.
        limit: The published threshold for this pair of names.
    """

    name: str
    squashed: str
    plain: int
    swaps: int
    limit: int

    @property
    def is_within(self) -> bool:
        """Whether it is within the published threshold."""
        return self.plain <= self.limit

    @property
    def nearness(self) -> tuple[int, int, str]:
        """The order of preference; the name makes it independent of the catalogue."""
        return self.swaps, self.plain, self.name


def resolve(
    typed: str,
    names: Iterable[str],
    *,
    policy: Policy = "guarded",
    destructive: Collection[str] = (),
    read_only: Collection[str] = (),
) -> Resolution:
    """Find the name meant by *typed*, or the nearest ones.

    An exact name wins over everything, then the only name that equals *typed* after
    normalising (Unicode NFKC, case folded, punctuation dropped), then the nearest
    within ``max(2, floor(0.3 x length of the longer))`` edits, unless a guard of
    DESIGN §1.2 holds. The verdict never depends on the order of *names*.

    Args:
        typed: The name as typed.
        names: Every name that may be used instead.
        policy: How far to go. ``threshold`` has no guards; of equally near names it
            takes the first in code point order.
        destructive: Names whose tools declare that they destroy; they are corrected to
            only from an equal name.
        read_only: Names whose tools declare that they change nothing; between singular
            and plural they are corrected to.
    """
    catalogue = tuple(dict.fromkeys(names))
    if typed in catalogue:
        return Exact(typed)
    if policy == "off" or not catalogue:
        return Unresolved(typed)
    table = tuple(zip(catalogue, squash_all(catalogue), strict=True))
    if policy == "threshold":
        return _by_threshold(typed, table)
    near = _near(squash(typed), table)
    best = None
    if policy == "guarded":
        best = _guarded(typed, table, near, destructive, read_only)
    if best is not None:
        return Corrected(best, typed)
    return Unresolved(typed, _worth_suggesting(typed, table, near))


def _by_threshold(typed: str, table: _Table) -> Resolution:
    """The published rule alone, with ties broken by name instead of by order."""
    wanted = squash(typed)
    name, squashed, edits = _first_nearest(wanted, table)
    if edits <= _limit(wanted, squashed):
        return Corrected(name, typed)
    others = _worth_suggesting(typed, table, _near(wanted, table))
    return Unresolved(typed, tuple(dict.fromkeys((name, *others)))[:_SHOWN])


def _first_nearest(wanted: str, table: _Table) -> tuple[str, str, int]:
    """Return the nearest name, first in code point order, and the edits it needs."""
    # Costs 50 ms once, and most names are typed right.
    from rapidfuzz import process  # noqa: PLC0415
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415

    squashed = [item for _, item in table]
    _, edits, _ = process.extractOne(wanted, squashed, scorer=Levenshtein.distance)
    ties = process.extract(
        wanted, squashed, scorer=Levenshtein.distance, score_cutoff=edits, limit=None
    )
    return (*min(table[place] for _, _, place in ties), int(edits))


def _guarded(
    typed: str,
    table: _Table,
    near: Sequence[_Candidate],
    destructive: Collection[str],
    read_only: Collection[str],
) -> str | None:
    """The published rule behind the guards of DESIGN §1.2; the name to use, if any."""
    wanted = squash(typed)
    equal = [name for name, squashed in table if squashed == wanted]
    if equal and wanted:
        return equal[0] if len(equal) == 1 else None
    if not wanted or not near:
        return None
    best = near[0]
    if not best.is_within or best.name in destructive:
        return None
    # A tie is never guessed, nor is half of a short name (TYP-02, TYP-03).
    if len(near) > 1 and near[1].swaps <= best.swaps:
        return None
    if 2 * best.swaps >= max(len(wanted), len(best.squashed)):
        return None
    guess = Guess(typed, best.name, best.name in read_only, table)
    return None if guess.is_doubtful() else best.name


def _near(wanted: str, table: _Table) -> list[_Candidate]:
    """Return the names nearest to *wanted* that may be within the threshold.

    Nearest first; all that are as near as the last of those that can be shown.
    """
    from rapidfuzz import process  # noqa: PLC0415
    from rapidfuzz.distance import OSA, Levenshtein  # noqa: PLC0415

    # A name that is d letters longer allows 0.3 d more edits but needs d of them.
    widest = max(2, len(wanted) * 3 // 7)
    squashed = [item for _, item in table]
    found = process.extract(
        wanted, squashed, scorer=OSA.distance, score_cutoff=widest, limit=None
    )
    last = found[:_SHOWN][-1][1] if found else 0
    candidates = [
        _Candidate(
            name=table[place][0],
            squashed=item,
            plain=Levenshtein.distance(wanted, item),
            swaps=swaps,
            limit=_limit(wanted, item),
        )
        for item, swaps, place in found
        if swaps <= last
    ]
    return sorted(candidates, key=attrgetter("nearness"))


def _limit(wanted: str, squashed: str) -> int:
    # In whole numbers: 0.3 x 10 must be 3 on every machine.
    return max(2, max(len(wanted), len(squashed)) * 3 // 10)


def _worth_suggesting(
    typed: str, table: _Table, near: Sequence[_Candidate]
) -> tuple[str, ...]:
    """Return up to three names: those within the threshold, then related ones."""
    if len(table) == 1:
        return (table[0][0],)
    wanted = squash(typed)
    if not wanted:
        return ()
    # Of short names two edits leave nothing: ``mem`` is no hint of ``ar``.
    shown = [c.name for c in near if c.is_within and c.swaps < len(c.squashed)]
    if len(shown) < _SHOWN:
        shown += [name for name in _related(typed, table) if name not in shown]
    return tuple(shown[:_SHOWN])


def _related(typed: str, table: _Table) -> list[str]:
    """Return names that hold the typed words, are held in them, or look alike."""
    from rapidfuzz import process  # noqa: PLC0415
    from rapidfuzz.distance import OSA  # noqa: PLC0415

    wanted, squashed = squash(typed), [item for _, item in table]
    parts = [word for word in words(typed) if len(word) > 2]
    holding = {
        name
        for name, item in table
        if (parts and parts[0] in item and all(part in item for part in parts))
        or (item in wanted and len(item) > 2)
    }
    scorer = OSA.normalized_distance
    alike = process.extract(
        wanted, squashed, scorer=scorer, score_cutoff=0.5, limit=None
    )
    far = {table[place][0]: distance for _, distance, place in alike}
    return nsmallest(
        2 * _SHOWN,
        {*holding, *far},
        key=lambda name: (name not in holding, far.get(name, 1), name),
    )
