"""Answers a server's questions below the call that asks, which Run has started."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Sequence

from mcp_magic.client.caller import Asked
from mcp_magic.errors import CallStopped
from mcp_magic.language import Problem
from mcp_magic.model import Declined, Reply
from mcp_magic.notebook.asking import refusal
from mcp_magic.notebook.widgets.inquiry import Inquiry, summary

__all__ = ["Panel"]

_TURN = 0.25  # seconds; how soon a cancelled call lets its question go
_numbers = itertools.count(1)


class Panel:
    """Asks the questions of one call, one after the other, in whatever views there are.

    Args:
        stop: Is set when the call is cancelled.
        changed: Is called when there is another question, or none any more.
        say: Receives what became of a question, and why one is not asked.
    """

    def __init__(
        self,
        stop: threading.Event,
        changed: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        self._stop = stop
        self._changed = changed
        self._say = say
        self._replies: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        self._inquiry: Inquiry | None = None
        self.drawn: dict[str, object] | None = None

    def ask(self, asked: Asked) -> Reply:
        """Return the answer to one question; waits in the thread of the call."""
        refused = refusal(asked.question)
        if refused:
            self._say(refused)
            return Declined()
        self._replies = queue.SimpleQueue()
        self._inquiry = Inquiry(asked.question)
        self.drawn = {**self._inquiry.drawn, "number": next(_numbers)}
        self._changed()
        reply = None
        try:
            reply = self._wait(asked)
        finally:
            self._inquiry = self.drawn = None
            self._say(summary(asked.question, reply))
            self._changed()
        return Declined(dismissed=True) if reply is None else reply

    def _wait(self, asked: Asked) -> Reply | None:
        """Return the answer; ``None`` if nobody waits for it any more."""
        while not asked.over.done():
            if self._stop.is_set():
                raise CallStopped("stopped")
            try:
                return self._replies.get(timeout=_TURN)
            except queue.Empty:
                continue
        return None

    def receive(self, message: object) -> Sequence[Problem]:
        """Take the answer of a view; return what is wrong with it, if anything is."""
        inquiry = self._inquiry
        if inquiry is None:
            return ()
        found = inquiry.read(message)
        if isinstance(found, Sequence):
            return found
        self._replies.put(found)
        return ()
