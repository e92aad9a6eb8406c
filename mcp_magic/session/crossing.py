"""The crossing to the background loop, and what a person meets while a flow runs."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, TypeVar

from mcp_magic.client.caller import Waiting
from mcp_magic.client.loop import Flow, Loop
from mcp_magic.errors import AuthorizationRequired, McpMagicError
from mcp_magic.model import Event, Notice, Progress
from mcp_magic.session.signin import Prompter
from mcp_magic.session.signins import SignIns
from mcp_magic.session.telling import Person, unwatched

if TYPE_CHECKING:
    from mcp_magic.client.connection import Connection

__all__ = ["Crossing"]

T = TypeVar("T")


class Crossing:
    """Drives flows from any thread; starts the background loop when one is driven.

    Args:
        person: Hears events and answers questions meanwhile.
        sign_ins: Offered where a flow was refused for want of one.

    Attributes:
        open: By server, the connections that live on the loop and end with it.
    """

    def __init__(self, person: Person, sign_ins: SignIns) -> None:
        self.open: dict[str, Connection] = {}
        self._person = person
        self._sign_ins = sign_ins
        self._loop: Loop | None = None
        self._here = threading.local()
        self._lock = threading.RLock()

    @property
    def waits(self) -> bool:
        """Whether somebody waits for a flow in this thread."""
        return getattr(self._here, "waits", False)

    @property
    def alive(self) -> bool:
        """Whether there is a loop on which something can live."""
        return self._loop is not None and self._loop.alive

    def run(self, flow: Flow[T], label: str | None = None) -> T:
        """Drive *flow* from this thread; Ctrl-C cancels what runs on the loop.

        Args:
            flow: What to do.
            label: Shows progress under this name while it runs.
        """
        refused: AuthorizationRequired | None = None
        try:
            return self._drive(flow, label)
        except AuthorizationRequired as error:
            refused = error.with_traceback(None)
        finally:
            for note in self._sign_ins.news():
                self._person.say_once(note)
        # Outside the block: a prompt is shown by the thread that was refused.
        raise self._drive(self._offer(refused), None)

    def _drive(self, flow: Flow[T], label: str | None) -> T:
        person = self._person
        show = unwatched if label is None else person.watch
        with show(label or "") as progress:

            def on_event(event: Event) -> None:
                if isinstance(event, Progress):
                    progress(event)
                else:
                    person.say(event.text)

            waited, self._here.waits = self.waits, True
            try:
                return self._running().run(flow, Waiting(on_event, person.answer))
            finally:
                self._here.waits = waited

    def run_apart(
        self, flow: Flow[T], waiting: Waiting, prompter: Prompter | None = None
    ) -> T:
        """Drive *flow* from a thread for which no cell waits.

        What is said meanwhile is told to *waiting* as a ``Notice``: printed, it would
        appear below whichever cell runs.

        Args:
            flow: What to do.
            waiting: What the thread does meanwhile.
            prompter: Who is shown how to sign in where the flow is refused for want of
                it; ``None``: nobody.
        """
        refused: AuthorizationRequired | None = None
        with self._person.apart(waiting):
            try:
                return self._running().run(flow, waiting)
            except AuthorizationRequired as error:
                refused = error.with_traceback(None)
            if prompter is None:
                raise refused
            # Outside the block, as in ``run``.
            raise self._running().run(self._offer(refused, prompter), waiting)

    async def arun(self, flow: Flow[T]) -> T:
        """Drive *flow* from another event loop."""

        def on_event(event: Event) -> None:
            if isinstance(event, Notice):
                self._person.say(event.text)

        refused: AuthorizationRequired | None = None
        try:
            return await self._running().arun(flow, on_event)
        except AuthorizationRequired as error:
            refused = error.with_traceback(None)
        raise await self._running().arun(self._offer(refused))

    def stop(self) -> bool:
        """Close what lives on the loop, then the loop; the next flow starts another.

        Returns:
            Whether everything was closed in time.
        """
        with self._lock:
            loop, self._loop = self._loop, None
        in_time = loop is None or loop.stop()
        self.open.clear()
        return in_time

    def _offer(
        self, refused: AuthorizationRequired, prompter: Prompter | None = None
    ) -> Flow[McpMagicError]:
        connection = self.open.get(refused.server)
        return self._sign_ins.offer(connection, refused, prompter)

    def _running(self) -> Loop:
        with self._lock:
            if self._loop is None or not self._loop.alive:
                # A forked child has the parent's connections, and no thread for them.
                self.open.clear()
                self._loop = Loop(self._farewell)
            return self._loop

    async def _farewell(self) -> None:
        open_now = list(self.open.values())
        await asyncio.gather(*(one.down() for one in open_now), return_exceptions=True)
        await self._sign_ins.close()
