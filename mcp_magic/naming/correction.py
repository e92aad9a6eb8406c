"""Finds the name that was meant by one that does not exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

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
    docs/names.md holds. The verdict never depends on the order of *names*.

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
    # Loads rapidfuzz, which takes 50 ms, and most names are typed right.
    from mcp_magic.naming.nearness import Search  # noqa: PLC0415

    search = Search.among(typed, catalogue)
    first = search.nearest() if policy == "threshold" else None
    best = None
    if first is not None and first.is_within:
        best = first.name
    elif policy == "guarded":
        best = search.surely_meant(destructive=destructive, read_only=read_only)
    if best is not None:
        return Corrected(best, typed)
    return Unresolved(typed, search.suggestions(first))
