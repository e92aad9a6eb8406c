"""The rows of the table: what is measured, against what, and what it must reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "AtLeast",
    "AtMost",
    "Measured",
    "Measurement",
    "NotMeasured",
    "Reach",
    "Row",
    "Scale",
    "row",
    "rows",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much is measured.

    Attributes:
        blocks: Pairs of blocks of warm calls, one block a side.
        calls: Warm calls in a block.
        megabytes: Sizes of texts, ascending.
        peer_megabytes: Sizes that the bare SDK gets, too; it is slow.
        sleep: Seconds that the sleeping servers sleep.
        repeats: How often whatever takes about a second is done.
        names: Names in the catalogue, one of which is mistyped.
        typos: How many typos are put right.
        npm: Whether what comes from npm may be installed and run.
    """

    blocks: int = 16
    calls: int = 60
    megabytes: tuple[int, ...] = (1, 2, 4, 8, 16, 50)
    peer_megabytes: tuple[int, ...] = (1, 2, 4, 8, 16)
    sleep: float = 1.0
    repeats: int = 5
    names: int = 10_000
    typos: int = 40
    npm: bool = True

    @classmethod
    def full(cls) -> Scale:
        """Everything, the minutes that the bare SDK takes for 50 MB included."""
        return cls(peer_megabytes=(1, 2, 4, 8, 16, 50))

    @classmethod
    def tiny(cls) -> Scale:
        """Hardly anything, to see that it works; the numbers mean nothing."""
        return cls(
            blocks=2,
            calls=2,
            megabytes=(1, 2),
            peer_megabytes=(1, 2),
            sleep=0.1,
            repeats=1,
            names=100,
            typos=3,
            npm=False,
        )


@dataclass(frozen=True, slots=True)
class AtMost:
    """Ours takes at most *times* as long."""

    times: float

    def __str__(self) -> str:
        return f"<= {self.times:g}x"

    def ratio(self, ours: float, theirs: float) -> float:
        """Return how much longer ours takes."""
        return ours / theirs

    def is_met(self, ratio: float) -> bool:
        """Whether a ratio is good enough."""
        return ratio <= self.times


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Ours is at least *times* faster."""

    times: float

    def __str__(self) -> str:
        return f">= {self.times:g}x faster"

    def ratio(self, ours: float, theirs: float) -> float:
        """Return how much faster ours is."""
        return theirs / ours

    def is_met(self, ratio: float) -> bool:
        """Whether a ratio is good enough."""
        return ratio >= self.times


Reach: TypeAlias = AtMost | AtLeast


@dataclass(frozen=True, slots=True)
class Measured:
    """What a row measured; the answers of both sides were the same.

    Attributes:
        ours: Seconds.
        theirs: Seconds of the other side.
        note: What else is worth knowing.
        quotient: Ours by theirs, if measured better than by their medians.
    """

    ours: float
    theirs: float
    note: str = ""
    quotient: float | None = None

    def ratio(self, reach: Reach) -> float:
        """Return the ratio in the terms of *reach*."""
        if self.quotient is None:
            return reach.ratio(self.ours, self.theirs)
        return reach.ratio(self.quotient, 1.0)


class NotMeasured(Exception):
    """A row cannot be measured here; says why."""


Measurement: TypeAlias = Callable[[Scale], Measured]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table.

    Attributes:
        name: A short name, as used by ``--only``.
        what: What is measured.
        against: What it is compared with.
        reach: What the ratio must reach.
        measure: Measures it.
    """

    name: str
    what: str
    against: str
    reach: Reach
    measure: Measurement


_rows: list[Row] = []


def row(what: str, against: str, reach: Reach) -> Callable[[Measurement], Measurement]:
    """Register a function as a row of the table, under its own name."""

    def register(measure: Measurement) -> Measurement:
        name = getattr(measure, "__name__", "").replace("_", "-")
        _rows.append(Row(name, what, against, reach, measure))
        return measure

    return register


def rows() -> tuple[Row, ...]:
    """Return every row that was registered."""
    return tuple(_rows)
