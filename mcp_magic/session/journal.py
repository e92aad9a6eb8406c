"""The journal: what was called, for everyone who wants to look back."""

from __future__ import annotations

from collections import Counter, deque

from mcp_magic.model import Call, Outcome

__all__ = ["Journal"]

_KEPT = 1000  # calls


class Journal:
    """The latest calls of this kernel, one ``Call`` each, and how they ended."""

    def __init__(self) -> None:
        self._calls: deque[Call] = deque(maxlen=_KEPT)
        self._ended: Counter[tuple[str, Outcome]] = Counter()

    @property
    def calls(self) -> tuple[Call, ...]:
        """The latest calls, oldest first; at most a thousand."""
        return tuple(self._calls)

    def record(self, call: Call) -> None:
        """Keep a finished call."""
        self._calls.append(call)
        self._ended[call.server, call.outcome] += 1

    def count(self, server: str, outcome: Outcome | None = None) -> int:
        """Count all calls to *server*, or those that ended with *outcome*."""
        return sum(
            number
            for (name, ended), number in self._ended.items()
            if name == server and outcome in (None, ended)
        )
