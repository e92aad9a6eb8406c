"""Finds the name that was meant by one that does not exist."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

from mcp_magic.naming.guards import Target, looks_meant
from mcp_magic.naming.words import squash, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

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
    table = [(name, squash(name)) for name in catalogue]
    if policy == "threshold":
        return _by_threshold(typed, table)
    best = None
    if policy == "guarded":
        best = _guarded(typed, table, destructive=destructive, read_only=read_only)
    return Corrected(best, typed) if best else Unresolved(typed, _nearest(typed, table))


_Table: TypeAlias = "Sequence[tuple[str, str]]"


def _by_threshold(typed: str, table: _Table) -> Resolution:
    """The published rule (vectors ``typo-threshold``), with a tie broken by name."""
    # Costs 50 ms, and most names are typed right.
    from rapidfuzz import process  # noqa: PLC0415
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415

    wanted, squashed = squash(typed), [item for _, item in table]
    best = process.extractOne(wanted, squashed, scorer=Levenshtein.distance)
    ties = process.extract(
        wanted,
        squashed,
        scorer=Levenshtein.distance,
        score_cutoff=best[1],
        limit=None,
    )
    name = min(table[place][0] for _, _, place in ties)
    if best[1] <= _limit(wanted, squash(name)):
        return Corrected(name, typed)
    others = [other for other in _nearest(typed, table) if other != name]
    return Unresolved(typed, (name, *others)[:_SHOWN])


def _guarded(
    typed: str,
    table: _Table,
    *,
    destructive: Collection[str],
    read_only: Collection[str],
) -> str | None:
    """The published rule behind the guards; the name to use, if any."""
    wanted = squash(typed)
    if not wanted:
        return None
    equal = [name for name, squashed in table if squashed == wanted]
    if equal:
        return equal[0] if len(equal) == 1 else None
    best, *others = [*_near(wanted, table), None]
    if best is None or best.plain > best.limit or best.name in destructive:
        return None
    # A tie is never guessed, nor is half of a short name (field case TYP-03).
    if others[0] is not None and others[0].swaps <= best.swaps:
        return None
    if 2 * best.swaps >= max(len(wanted), len(best.squashed)):
        return None
    target = Target(best.name, read_only=best.name in read_only)
    return None if looks_meant(typed, target, table) else best.name


def _near(wanted: str, table: _Table) -> list[_Candidate]:
    """Return every name that can be within the threshold, nearest first."""
    from rapidfuzz import process  # noqa: PLC0415
    from rapidfuzz.distance import OSA, Levenshtein  # noqa: PLC0415

    # A name that is d longer allows 0.3 d more edits and needs d of them.
    widest = max(2, len(wanted) * 3 // 7 + 1)
    found = process.extract(
        wanted,
        [squashed for _, squashed in table],
        scorer=OSA.distance,
        score_cutoff=widest,
        limit=None,
    )
    candidates = [
        _Candidate(
            table[place][0],
            squashed,
            Levenshtein.distance(wanted, squashed),
            swaps,
            _limit(wanted, squashed),
        )
        for squashed, swaps, place in found
    ]
    return sorted(candidates, key=attrgetter("nearness"))


def _limit(wanted: str, squashed: str) -> int:
    # In whole numbers: 0.3 x 10 must be 3 on every machine.
    return max(2, max(len(wanted), len(squashed)) * 3 // 10)


def _nearest(typed: str, table: _Table) -> tuple[str, ...]:
    """Return the names worth suggesting: near ones, then those that share its words."""
    near = [c.name for c in _near(squash(typed), table) if c.plain <= c.limit]
    if len(near) < _SHOWN:
        near += [name for name in _related(typed, table) if name not in near]
    if not near and len(table) == 1:
        near = [table[0][0]]
    return tuple(near[:_SHOWN])


def _related(typed: str, table: _Table) -> list[str]:
    """Return names that contain the typed words or are contained in them, or are alike."""
    from rapidfuzz import process  # noqa: PLC0415
    from rapidfuzz.distance import OSA  # noqa: PLC0415

    wanted = squash(typed)
    parts = [word for word in words(typed) if len(word) > 2]
    holding = {
        name
        for name, squashed in table
        if (parts and all(part in squashed for part in parts))
        or (len(squashed) > 2 and squashed in wanted)
    }
    alike = process.extract(
        wanted,
        [squashed for _, squashed in table],
        scorer=OSA.normalized_distance,
        score_cutoff=0.5,
        limit=None,
    )
    far = {table[place][0]: distance for _, distance, place in alike}
    return sorted(
        {*holding, *far}, key=lambda name: (name not in holding, far.get(name, 1), name)
    )
