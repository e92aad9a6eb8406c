"""How a session speaks to a person, also before a notebook gives it better ways."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Protocol, TypeAlias

from mcp_magic.client.caller import Asked, Waiting
from mcp_magic.errors import visible
from mcp_magic.model import Notice, Progress, Reply

__all__ = ["Ask", "Person", "Watch", "about", "nobody", "say", "unwatched"]

_apart: ContextVar[Waiting | None] = ContextVar("mcp_magic_apart", default=None)

Watch: TypeAlias = Callable[[str], AbstractContextManager[Callable[[Progress], None]]]
"""Opens a display of progress for a call, named by its text."""


class Ask(Protocol):
    """Asks the person for a line of text."""

    def __call__(self, question: str, *, masked: bool) -> str | None:
        """Return the answer; ``None`` if nobody is there."""


def nobody(question: str, *, masked: bool) -> str | None:  # noqa: ARG001 - an Ask
    """Ask nobody."""
    return None


def about(server: str, error: Exception) -> str:
    """Return an error among those of other servers: it names its own, but once."""
    said = str(error)
    names_it = said.startswith((f"{server} ", f"the server {server} "))
    return said if names_it else f"{server}: {said}"


def say(line: str) -> None:
    """Print one line, dim where its output knows colours."""
    shown = visible(line).replace("\n", "↵")
    dim = sys.stdout.isatty()  # true in a kernel too
    print(f"\x1b[2m{shown}\x1b[0m" if dim else shown)  # noqa: T201 - it says so


def unwatched(_label: str) -> AbstractContextManager[Callable[[Progress], None]]:
    """Show no progress."""
    return contextlib.nullcontext(lambda _progress: None)


class Person:
    """Whoever the session works for: what they are told, shown and asked.

    Attributes:
        watch: Shows the progress of a call while its caller waits.
        answer: Answers a server's question in the thread of the call that it stopped;
            ``None`` declines.
        ask: Asks the person for a line of text, which may be masked; gives ``None``
            if nobody is there.
        looks: Whether an object is only looked at now, by Tab or by help at the
            cursor: no reason to start a server.
    """

    def __init__(self) -> None:
        self.watch: Watch = unwatched
        self.answer: Callable[[Asked], Reply] | None = None
        self.ask: Ask = nobody
        self.looks: Callable[[], bool] = bool
        self._say: Callable[[str], None] = say
        self._said: set[str] = set()

    @property
    def say(self) -> Callable[[str], None]:
        """Shows one line to the person, such as a correction."""
        apart = _apart.get()
        if apart is None:
            return self._say
        return lambda line: apart.on_event(Notice(line))

    @say.setter
    def say(self, say: Callable[[str], None]) -> None:
        self._say = say

    def say_once(self, line: str) -> None:
        """Say what stays the same for every call, once in this kernel."""
        if line not in self._said:
            self._said.add(line)
            self.say(line)

    def suggest(self, names: Sequence[str]) -> None:
        """Say which names may have been meant, the best first."""
        if names:
            others = f" Or {', '.join(names[1:])}?" if len(names) > 1 else ""
            self.say(f"Did you mean {names[0]}?{others}")

    @contextlib.contextmanager
    def apart(self, waiting: Waiting) -> Iterator[None]:
        """Tell *waiting* what is said in this context, as a ``Notice``."""
        token = _apart.set(waiting)
        try:
            yield
        finally:
            _apart.reset(token)
