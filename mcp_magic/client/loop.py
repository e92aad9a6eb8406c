"""The one background thread with its event loop, and the one way to cross to it.

What a caller does is a *flow*: a coroutine that runs in the caller's own thread and
awaits ``OnLoop`` steps for what must happen on the loop. ``Loop.run`` drives it from
plain code and ``Loop.arun`` from another event loop, so a magic and ``.aio`` share
every line; only the steps cross over.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import logging
import os
import queue
import threading
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from mcp_magic.client.awaiting import STOPPED, Awaiting
from mcp_magic.client.caller import IDLE, Caller, News, Nobody, Waiting
from mcp_magic.errors import CallStopped, McpMagicError, show_as_line
from mcp_magic.model import Event

__all__ = ["Flow", "Loop", "OnLoop"]

T = TypeVar("T")

_log = logging.getLogger(__name__)
_TURN = 0.25  # seconds; a bounded wait keeps Ctrl-C alive on every system
_FAREWELL = 12.0  # seconds that connections may take to close at exit


class OnLoop(Generic[T]):
    """A step of a flow that runs on the background loop; awaiting it gives its result.

    Args:
        work: Makes the coroutine to run; receives the ``Caller`` who waits for it.
    """

    def __init__(self, work: Callable[[Caller], Coroutine[Any, Any, T]]) -> None:
        self.work = work

    def __await__(self) -> Generator[OnLoop[T], Any, T]:
        result: T = yield self
        return result


Flow: TypeAlias = Coroutine[OnLoop[Any], Any, T]


class Loop:
    """A daemon thread with an event loop.

    Args:
        farewell: Makes the coroutine that closes what runs on the loop; it runs when
            the loop stops, at the latest before the interpreter's thread pools end.
    """

    def __init__(self, farewell: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._farewell = farewell
        self._awaiting = Awaiting()
        self._pid = os.getpid()
        self._stopped = False
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_log_quietly)
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="mcp-magic", daemon=True
        )
        self._thread.start()
        _before_exit(self.stop)

    @property
    def alive(self) -> bool:
        """Whether work can be given to the loop; false in a forked child."""
        return (
            not self._stopped and self._pid == os.getpid() and self._thread.is_alive()
        )

    def run(self, flow: Flow[T], waiting: Waiting = IDLE) -> T:
        """Drive *flow* from plain code; Ctrl-C cancels the step that is running.

        Args:
            flow: What to do; it runs in this thread between its steps.
            waiting: What this thread does while a step runs.
        """
        wait = partial(self._wait, waiting=waiting)
        resume = partial(flow.send, None)
        while True:
            try:
                step = resume()
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return] # PEP 492: untyped
            try:
                resume = partial(flow.send, wait(step))
            except BaseException as error:  # noqa: BLE001 - the flow decides
                resume = partial(flow.throw, error)

    async def arun(
        self, flow: Flow[T], on_event: Callable[[Event], None] = lambda _: None
    ) -> T:
        """Drive *flow* from another event loop; nobody answers.

        Args:
            flow: What to do.
            on_event: Receives what was told during a step, after it, in this task.

        Raises:
            McpMagicError: No loop of asyncio runs here.
        """
        with contextlib.closing(flow), self._awaiting.call():
            try:
                return await self._adrive(flow, on_event)
            except asyncio.CancelledError as error:
                # Not a class of ours: ``asyncio.timeout`` asks for this very one.
                show_as_line(error, STOPPED)
                raise

    async def _adrive(self, flow: Flow[T], on_event: Callable[[Event], None]) -> T:
        told: queue.SimpleQueue[Event] = queue.SimpleQueue()
        resume = partial(flow.send, None)
        while True:
            try:
                step = resume()
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return] # PEP 492: untyped
            job = _Job(partial(step.work, Nobody(told.put)))
            cancel = partial(self._loop.call_soon_threadsafe, job.cancel)
            try:
                with self._awaiting.step(cancel):
                    future = asyncio.wrap_future(self._submit(job.run()))
                    resume = partial(flow.send, await future)
            except BaseException as error:  # noqa: BLE001 - the flow decides
                resume = partial(flow.throw, error)
            while not told.empty():
                on_event(told.get())

    def stop(self) -> bool:
        """Close what runs on the loop, then the loop; safe to call again.

        Returns:
            Whether everything was closed in time.
        """
        if not self.alive:
            return True
        in_time = False
        with contextlib.suppress(Exception):
            self._submit(self._farewell()).result(_FAREWELL)
            in_time = True
        self._stopped = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_TURN * 8)
        if not self._loop.is_running():
            self._loop.close()
        return in_time

    def _submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        try:
            self._check()
        except BaseException:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _check(self) -> None:
        """Refuse work that could never be done."""
        if threading.current_thread() is self._thread:
            raise RuntimeError("a blocking call was made on the loop's own thread")
        if not self.alive:
            raise McpMagicError(
                "the connection to servers ended with the process that made it; "
                "run %reload_ext mcp_magic"
            )

    def _wait(self, step: OnLoop[T], waiting: Waiting) -> T:
        news: News = queue.SimpleQueue()
        job = _Job(partial(step.work, waiting.caller(news)))
        # Ctrl-C may come at any instruction: the job can be cancelled from here on.
        try:
            self._check()
            self._loop.call_soon_threadsafe(job.start, news)
            while True:
                waiting.heed()
                try:
                    item = news.get(timeout=_TURN)
                except queue.Empty:
                    if not self.alive:
                        why = (
                            "the connection to servers was closed meanwhile; "
                            "run this again"
                        )
                        raise McpMagicError(why) from None
                    continue
                if item is None:
                    return job.result()
                waiting.attend(item)
        except KeyboardInterrupt:
            self._cancel(job)
        except BaseException:
            self._cancel(job)
            raise
        # Outside the block: the waiting queue is no news to the person.
        raise CallStopped(STOPPED)

    def _cancel(self, job: _Job[Any]) -> None:
        if job.done or not self.alive:
            return
        self._loop.call_soon_threadsafe(job.cancel)
        # The server is told by the cancelled task: give it a moment to say so.
        with contextlib.suppress(Exception):
            self._submit(asyncio.sleep(0.05)).result(1)


class _Job(Generic[T]):
    """A step that runs on the loop; its attributes change there alone."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self.done = False
        self._work = work
        self._task: asyncio.Task[Any] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._made: T
        self._error: BaseException | None = None

    async def run(self) -> T:
        """Do the work in the task that awaits this."""
        if self.done:
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        try:
            return await self._work()
        finally:
            self.done = True

    def start(self, news: News) -> None:
        """Do the work in a task of its own, and tell a thread of the end.

        Cheaper than ``run_coroutine_threadsafe``, whose two futures tell each other of
        the end in a turn of the loop of its own.
        """
        self._telling = asyncio.ensure_future(self._tell(news))

    async def _tell(self, news: News) -> None:
        try:
            self._made = await self.run()
        except asyncio.CancelledError:
            self._error = concurrent.futures.CancelledError()
        except BaseException as error:  # noqa: BLE001 - for the thread that waits
            self._error = error
        finally:
            news.put(None)

    def result(self) -> T:
        """Return what the work gave, or raise what it raised; once that is told."""
        if self._error is not None:
            raise self._error
        return self._made

    def cancel(self) -> None:
        if self._task is not None and not self.done:
            self._task.cancel()
        self.done = True


def _log_quietly(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _log.debug("loop: %s", context.get("message"), exc_info=context.get("exception"))


def _before_exit(stop: Callable[[], object]) -> None:
    """Run *stop* before the interpreter's thread pools end.

    Plain ``atexit`` comes after that, and then closing an HTTP session fails to look
    up its host. The private hook is what ``concurrent.futures`` itself uses.
    """
    register = getattr(threading, "_register_atexit", None)
    if register is not None:
        with contextlib.suppress(RuntimeError):  # the interpreter is already ending
            register(stop)
    atexit.register(stop)
