"""How a session speaks to a person before a notebook gives it better ways."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from mcp_magic.errors import visible
from mcp_magic.model import Progress

__all__ = ["Ask", "Watch", "nobody", "say", "unwatched"]

Watch: TypeAlias = Callable[[str], AbstractContextManager[Callable[[Progress], None]]]
"""Opens a display of progress for a call, named by its text."""


class Ask(Protocol):
    """Asks the person for a line of text."""

    def __call__(self, question: str, *, masked: bool) -> str | None:
        """Return the answer; ``None`` if nobody is there."""


def nobody(question: str, *, masked: bool) -> str | None:  # noqa: ARG001 - an Ask
    """Ask nobody."""
    return None


def say(line: str) -> None:
    """Print one line, dim where its output knows colours."""
    shown = visible(line).replace("\n", "↵")
    dim = sys.stdout.isatty()  # true in a kernel too
    print(f"\x1b[2m{shown}\x1b[0m" if dim else shown)  # noqa: T201 - it says so


def unwatched(_label: str) -> AbstractContextManager[Callable[[Progress], None]]:
    """Show no progress."""
    return contextlib.nullcontext(lambda _progress: None)
