"""Imports what the first server needs beforehand, in a thread, between two cells.

Never while a cell runs: two threads that import a package whose modules import each
other, as the SDK's do, can meet in each other's locks, and one gets half a module.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["Warming"]

_PAUSE = 1.0  # seconds after loading, so that the next cell starts without delay


class Warming:
    """One run of *work* in a thread, when no cell of *shell* is running.

    A cell that begins while it works waits for its end, most of a second at most.
    """

    def __init__(self, shell: InteractiveShell, work: Callable[[], None]) -> None:
        self._shell = shell
        self._work = work
        self._turn = threading.Condition()
        self._cells = 0
        self._at_work = False
        self._hooks = (("pre_execute", self._begin), ("post_execute", self._end))
        for event, hook in self._hooks:
            shell.events.register(event, hook)
        timer = threading.Timer(_PAUSE, self._run)
        timer.daemon = True
        timer.start()

    def stop(self) -> None:
        """Let go of the shell."""
        for event, hook in self._hooks:
            with contextlib.suppress(ValueError):  # somebody took all hooks out
                self._shell.events.unregister(event, hook)

    def _begin(self) -> None:
        with self._turn:
            self._turn.wait_for(lambda: not self._at_work)
            self._cells += 1

    def _end(self) -> None:
        with self._turn:
            self._cells = max(
                0, self._cells - 1
            )  # that of the loading cell comes alone
            self._turn.notify_all()

    def _run(self) -> None:
        with self._turn:
            self._turn.wait_for(lambda: self._cells == 0)
            self._at_work = True
        try:
            with contextlib.suppress(Exception):  # whoever needs it will see the error
                self._work()
        finally:
            with self._turn:
                self._at_work = False
                self._turn.notify_all()
