"""How often a stream that the server keeps closing is opened again."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import anyio

__all__ = ["Pace", "delay"]

_STEADY = 30.0  # seconds after which a stream counts as one that lasts
_FREE = 2  # times it may be opened again at the pace that the SDK has
_IDLE = 120.0  # seconds between two attempts, when nothing is awaited
_WAITING = 10.0  # the same, when an answer is


class Pace:
    """Waits longer each time a stream ends soon at the same place.

    The SDK opens a closed stream again after the second the server asks for, or one,
    without end: an idle notebook would ask for ever, and with ``retry: 0`` in a hot
    loop.
    """

    def __init__(self) -> None:
        self._ends: dict[str, tuple[float, int]] = {}

    @contextlib.asynccontextmanager
    async def between(self, place: str) -> AsyncIterator[None]:
        """Wait as long as it takes before a stream is opened.

        Args:
            place: The last event that arrived: a new one is progress.
        """
        now = anyio.current_time()
        self._ends = {
            key: end for key, end in self._ends.items() if now - end[0] < _STEADY
        }
        short = self._ends[place][1] + 1 if place in self._ends else 0
        await anyio.sleep(delay(short, _IDLE if not place else _WAITING))
        try:
            yield
        finally:
            self._ends[place] = (anyio.current_time(), short)


def delay(short: int, longest: float = _IDLE) -> float:
    """Return the seconds to wait after so many streams that ended soon."""
    return 0.0 if short <= _FREE else min(2.0 ** (short - _FREE), longest)
