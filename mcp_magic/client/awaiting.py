"""How Stop and Ctrl-C reach a call that another event loop awaits.

Such a call waits in a task of the caller's loop, which is asleep meanwhile. What
Ctrl-C does then is the caller's affair: a kernel cancels the task, but from a signal
handler, which wakes no loop; ``asyncio.run`` cancels it and wakes its loop; IPython in
a terminal leaves the loop at once, and the task hears of nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

from mcp_magic.errors import CallStopped, McpMagicError

__all__ = ["STOPPED", "Awaiting"]

_GLANCE = 0.1  # seconds between two turns of a loop that waits
STOPPED = "stopped; the server was told to cancel"


class Awaiting:
    """The steps that loops of the main thread await; signals concern no other."""

    def __init__(self) -> None:
        self._cancels: dict[object, Callable[[], object]] = {}
        self._calls: set[object] = set()

    @contextlib.contextmanager
    def step(self, cancel: Callable[[], object]) -> Iterator[None]:
        """Have a step cancelled if its loop is left while it is awaited inside.

        Args:
            cancel: Cancels it; also before it begins, and from a signal handler.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        step = object()
        self._cancels[step] = cancel
        try:
            yield
        finally:
            self._cancels.pop(step, None)

    @contextlib.contextmanager
    def call(self) -> Iterator[None]:
        """Let Stop and Ctrl-C end a call that is awaited inside.

        Raises:
            McpMagicError: No loop of asyncio runs here.
        """
        loop = _loop()
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        with _turning(loop), self._heeding():
            yield

    @contextlib.contextmanager
    def _heeding(self) -> Iterator[None]:
        """Cancel the steps when Ctrl-C leaves the loop, where nobody else heeds it."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._stop)
        call = object()
        self._calls.add(call)
        try:
            yield
        finally:
            self._calls.discard(call)
            if not self._calls:
                self._let_go()

    def _let_go(self) -> None:
        if signal.getsignal(signal.SIGINT) == self._stop:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _stop(self, _number: int, _frame: object) -> None:
        # The tasks that wait go on only when their loop does, perhaps never.
        self._let_go()
        self._calls.clear()
        cancels = list(self._cancels.values())
        self._cancels.clear()
        for cancel in cancels:
            cancel()
        raise CallStopped(STOPPED)


def _loop() -> asyncio.AbstractEventLoop:
    with contextlib.suppress(RuntimeError):
        return asyncio.get_running_loop()
    raise McpMagicError(
        ".aio needs an event loop of asyncio; elsewhere call the tool without .aio"
    )


@contextlib.contextmanager
def _turning(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Let *loop* turn now and then, though it only waits: it may have been told to do
    something by a signal handler.
    """
    due: list[asyncio.TimerHandle] = []

    def turn() -> None:
        due[:] = [loop.call_later(_GLANCE, turn)]

    turn()
    try:
        yield
    finally:
        due[0].cancel()
