"""Take the time of two sides in turns, so that a busy machine hits both."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from benchmarks.registry import Measured

__all__ = ["in_blocks", "in_turns", "say", "timed"]

T = TypeVar("T")


def say(line: str) -> None:
    """Tell the person who waits."""
    sys.stderr.write(f"  {line}\n")
    sys.stderr.flush()


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return how long *work* took, in seconds, and what it gave."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


async def in_blocks(
    ours: Callable[[], object],
    theirs: Callable[[], Awaitable[object]],
    *,
    blocks: int,
    calls: int,
) -> Measured:
    """Compare many short calls: a block of ours, a block of theirs, and so on.

    The quotient is the median over the pairs of blocks, the times over all calls.
    """
    mine: list[list[float]] = []
    others: list[list[float]] = []
    for _ in range(blocks):
        mine.append([timed(ours)[0] for _ in range(calls)])
        block = []
        for _ in range(calls):
            started = time.perf_counter()
            await theirs()
            block.append(time.perf_counter() - started)
        others.append(block)
    quotients = [
        statistics.median(a) / statistics.median(b)
        for a, b in zip(mine, others, strict=True)
    ]
    return Measured(
        statistics.median(t for block in mine for t in block),
        statistics.median(t for block in others for t in block),
        f"{blocks} x {calls} calls a side",
        statistics.median(quotients),
    )


def in_turns(
    ours: Callable[[], float], theirs: Callable[[], float], repeats: int
) -> Measured:
    """Compare what takes long; each side returns its own seconds."""
    pairs = [(ours(), theirs()) for _ in range(repeats)]
    quotient = statistics.median(a / b for a, b in pairs)
    mine, others = (statistics.median(side) for side in zip(*pairs, strict=True))
    return Measured(mine, others, f"{repeats} runs a side", quotient)
