"""The session: which servers are known, which are connected, and how they are found."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mcp_magic.client.caller import Asked, Waiting
from mcp_magic.client.loop import Flow, Loop, OnLoop
from mcp_magic.config import (
    Answers,
    Eras,
    ServerEntry,
    Target,
    name_for,
)
from mcp_magic.display.limits import Limits
from mcp_magic.errors import ArgumentError, AuthorizationRequired, McpMagicError
from mcp_magic.model import Event, Notice, Progress, Reply
from mcp_magic.naming import (
    Corrected,
    Exact,
    Policy,
    Resolution,
    Unresolved,
    resolve,
)
from mcp_magic.session.changes import Changes
from mcp_magic.session.inputs import gather
from mcp_magic.session.journal import Journal
from mcp_magic.session.known import DEMO, Known, alike
from mcp_magic.session.meanings import Meanings
from mcp_magic.session.several import close_all, relist_all
from mcp_magic.session.signins import SignIns
from mcp_magic.session.telling import Ask, Watch, nobody, say, unwatched

if TYPE_CHECKING:
    from mcp_magic.client.connection import Connection
    from mcp_magic.client.questions import Sampler
    from mcp_magic.session.result import CallResult

__all__ = ["Session", "Watch", "cache_folder", "current"]

T = TypeVar("T")

_apart: ContextVar[Waiting | None] = ContextVar("mcp_magic_apart", default=None)


def cache_folder() -> Path:
    """Return the folder for what can be found out again."""
    import platformdirs  # noqa: PLC0415 - a cost at import that few calls need

    return platformdirs.user_cache_path("mcp-magic")


class Session:
    """Known servers and live connections.

    Args:
        folder: Whose project files count; ``None`` is the current one, as it is now:
            changing to another folder later makes no other servers known.

    Attributes:
        policy: What happens to names that are not known: see ``naming.resolve``.
        watch: Shows the progress of a call while its caller waits.
        answer: Answers a server's question in the thread of the call that it stopped;
            ``None`` declines.
        ask: Asks the person for a line of text, which may be masked; gives ``None``
            if nobody is there.
        connect_timeout: Seconds a server may take to start.
        call_timeout: Seconds a call may take unless it says otherwise; ``None``: as
            long as it takes.
        limits: How much of an answer is shown.
        eras: Remembers which servers speak the older protocol.
        read_only: Whether only tools may run that their server declares read-only.
        known: Which servers are known.
        journal: The finished calls.
        sign_ins: How people sign in to servers.
        latest: By server, the result that came last.
        completed: How servers completed arguments, by server, prompt or template,
            argument and what was typed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.policy: Policy = "guarded"
        self._say: Callable[[str], None] = say
        self.watch: Watch = unwatched
        self.answer: Callable[[Asked], Reply] | None = None
        self.ask: Ask = nobody
        self.connect_timeout = 60.0
        self.call_timeout: float | None = None
        self.limits = Limits()
        self.read_only = False
        self.known = Known.of(folder)
        self.journal = Journal()
        self.latest: dict[str, CallResult] = {}
        self.completed: dict[tuple[object, ...], tuple[str, ...]] = {}
        self._connections: dict[str, Connection] = {}
        self._samplers: dict[str, Sampler] = {}
        self._roots: dict[str, tuple[Path, ...]] = {}
        self.eras = Eras(cache_folder() / "eras.json")
        self._answers = Answers()
        self._here = threading.local()
        self._changes = Changes()
        self.sign_ins = SignIns()
        self._said: set[str] = set()
        self._loop: Loop | None = None
        self._meanings = Meanings(self._listed, lambda: self.known.usable)
        self._lock = threading.RLock()

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

    # -- known servers

    @property
    def entries(self) -> tuple[ServerEntry, ...]:
        """The servers that may be used: this kernel's, then those of files."""
        return tuple(self.known.usable.values())

    def reread(self) -> None:
        """Look at the files again; close what they say otherwise of, or no longer."""
        self.known.reread()
        usable = self.known.usable
        for name, made in list(self._connections.items()):
            if name not in usable or not alike(usable[name], made.entry):
                self.close(name)

    def is_connected(self, text: str) -> bool:
        """Whether a line's target is a server that is up, and its file as it was.

        Such a line need not look at every file first: it would cost as much as a call.
        """
        for name, made in self._connections.items():
            named = text.startswith(name) and text[len(name) : len(name) + 1] in " .("
            if named and made.is_up and name in self.known.usable:
                return self.known.is_current(name)
        return False

    def find(self, typed: str, policy: Policy | None = None) -> ServerEntry:
        """Return the server that *typed* means; a correction is said.

        Args:
            typed: Its name as typed.
            policy: Instead of the session's.

        Raises:
            UnknownServer: No known server is meant; the nearest name has been said.
            ApprovalRequired: It came with a folder, and nobody agreed to it.
        """
        names = self.known.usable
        return self.settle(resolve(typed, names, policy=policy or self.policy))

    def settle(self, resolution: Resolution) -> ServerEntry:
        """Return the server that a resolution found; says what a person must know."""
        if isinstance(resolution, Exact):
            return self.known.entry(resolution.name)
        refusal = self.known.refusal(resolution.typed)
        if refusal is not None:
            raise refusal
        match resolution:
            case Corrected(name, typed):
                self.say(f"Auto-corrected server name to {name} (input: {typed}).")
                return self.known.entry(name)
            case Unresolved(typed, suggestions):
                self.suggest(suggestions)
                raise self.known.unknown(typed, suggestions)

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

    def add(self, entry: ServerEntry) -> ServerEntry:
        """Make a server known; an entry of the same name is replaced and closed.

        Raises:
            ArgumentError: The name is the bundled server's, or cannot be used.
        """
        before = self.known.usable.get(entry.name)
        self.known.add(entry)
        if before is not None and not alike(before, entry):
            self.close(entry.name)
        return entry

    def adopt(self, target: Target, name: str | None = None) -> ServerEntry:
        """Return the entry for *target*, made up if there is none.

        Args:
            target: How the server is reached.
            name: Its name; without one a known entry serves, else a name is made up.
        """
        if name is not None:
            return self.add(ServerEntry(name, target))
        for entry in self.entries:
            if entry.target == target:
                return entry
        return self.add(ServerEntry(name_for(target, self.known.usable), target))

    def remove(self, name: str) -> bool:
        """Forget a server that was made known in this kernel, and close it.

        Returns:
            Whether it was.

        Raises:
            ArgumentError: It is the bundled server.
        """
        if name == DEMO:
            raise ArgumentError("demo is bundled and always there")
        dropped = self.known.drop(name)
        if dropped:
            self.close(name)
            self.latest.pop(name, None)
        return dropped

    def let_sample(self, name: str, sampler: Sampler | None) -> None:
        """Let a function answer a server's sampling requests; ``None`` ends that.

        What a client offers is told when it connects, so the server is closed.
        """
        self.close(name)
        if sampler is None:
            self._samplers.pop(name, None)
        else:
            self._samplers[name] = sampler

    def set_roots(self, name: str, folders: Sequence[Path]) -> None:
        """Tell a server of folders, and of no others; the server is closed."""
        self.close(name)
        self._roots[name] = tuple(folder.expanduser().resolve() for folder in folders)

    # -- connections

    def connection(self, name: str) -> Connection:
        """Return the connection of a known server; it may not be up."""
        # Imports mcp, which costs most of a second; not before a server is needed.
        from mcp_magic.client.connection import Connection  # noqa: PLC0415
        from mcp_magic.client.settings import Settings  # noqa: PLC0415

        with self._lock:
            if name not in self._connections:
                entry = self.known.entry(name)
                settings = Settings(
                    connect_timeout=entry.connect_timeout or self.connect_timeout,
                    eras=self.eras,
                    sampler=self._samplers.get(name),
                    roots=self._roots.get(name, ()),
                    people=self.answer is not None,
                    ask=self._answers.of(entry),
                    store=self.sign_ins.store,
                )
                self._connections[name] = Connection(entry, settings)
            return self._connections[name]

    def call_limit(self, name: str) -> float | None:
        """Return the seconds that a call to a server may take if it does not say."""
        return self.known.entry(name).call_timeout or self.call_timeout

    def live(self, name: str) -> Connection | None:
        """Return the connection of a server if one was made; imports nothing."""
        return self._connections.get(name)

    def tool_names(self, name: str) -> tuple[str, ...]:
        """Return the tools that a server last listed; connects to nothing."""
        live = self._connections.get(name)
        return () if live is None or live.tools is None else tuple(live.tools)

    def _listed(self) -> dict[str, tuple[str, ...]]:
        return {name: self.tool_names(name) for name in list(self._connections)}

    # -- namespaced names (docs/names.md)

    def reveal(self, text: str) -> str:
        """Return *text* with the meaning of known namespaced names beside them."""
        return self._meanings.reveal(text)

    def meaning(self, name: str) -> str:
        """Return what a tool's namespaced name means, or an empty text."""
        return self.reveal(name)[len(name) + 2 : -1]

    def show_limits(self) -> Limits:
        """Return how much of an answer is shown now."""
        return self.limits

    def aside(self, server: str) -> Callable[[str], str]:
        """Return what says, of a tool of *server*, what stands beside its name."""
        live = self._connections.get(server)
        tools = None if live is None else live.tools

        def beside(name: str) -> str:
            tool = (tools or {}).get(name)
            runs = not self.read_only or (tool and tool.annotations.read_only)
            parts = (self.meaning(name), "" if runs else "read_only: does not run")
            return "; ".join(filter(None, parts))

        return beside

    async def connected(self, name: str) -> Connection:
        """Return a connection that is up, its tools listed; a step of a flow."""
        connection = self.connection(name)
        self._gather(connection)
        if not connection.is_fresh:
            said, connection.obituary = connection.obituary, ""
            if said:
                self.say(said)
            try:
                await OnLoop(lambda _: connection.up())
            except McpMagicError as error:
                self._forget_inputs(connection, error)
                raise
            if isinstance(connection.listing_error, AuthorizationRequired):
                raise connection.listing_error
            for note in connection.overheard.notes:
                self.say_once(f"{name}: {note}")
            self._tell_changes(connection)
        return connection

    def _tell_changes(self, connection: Connection) -> None:
        for line in self._changes.noted(connection.entry, connection.tools):
            self.say(line)

    def _forget_inputs(self, connection: Connection, error: McpMagicError) -> None:
        """Have inputs asked for again, if they may be why a server failed."""
        wants_person = isinstance(error, AuthorizationRequired)
        if not wants_person or connection.brings_token:
            self._answers.forget(connection.entry)

    def _gather(self, connection: Connection) -> None:
        """Ask for the inputs of a server that is about to start, if somebody waits."""
        waits = getattr(self._here, "waits", False)  # in this thread
        if waits and not connection.is_up:
            gather(self._answers, connection.entry, self.ask)

    async def relisted(self, *names: str) -> dict[str, Connection | McpMagicError]:
        """Connect to several servers at once and list their tools anew.

        Returns:
            By name the connection, or why there is none.
        """
        connections = [self.connection(name) for name in names]
        for one in connections:
            self._gather(one)
        outcomes = await OnLoop(lambda _: relist_all(connections))
        if len(outcomes) == 1 and isinstance(outcomes[0], AuthorizationRequired):
            self._forget_inputs(connections[0], outcomes[0])
            raise outcomes[0]  # whoever runs this offers to sign in
        for one, error in zip(connections, outcomes, strict=True):
            self._tell_changes(one)
            if error is not None:
                self._forget_inputs(one, error)
        return {
            connection.entry.name: connection if error is None else error
            for connection, error in zip(connections, outcomes, strict=True)
        }

    def close(self, name: str | None = None) -> list[str]:
        """Close one connection or all of them, and end the servers started here.

        Returns:
            The names of the servers that were connected.
        """
        with self._lock:
            names = list(self._connections) if name is None else [name]
            made = {n: self._connections.pop(n, None) for n in names}
        gone = [one for one in made.values() if one is not None]
        closed = [n for n, one in made.items() if one is not None and one.is_up]
        if gone and self._loop is not None and self._loop.alive:
            self.run(close_all(gone))
        return closed

    def shut_down(self) -> None:
        """Close everything, the background loop too; the session can be used again."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None and not loop.stop():
            # Whatever kept the servers from closing: their processes end now.
            from mcp_magic.client.process import kill_all  # noqa: PLC0415 - imports mcp

            kill_all()
        self._connections.clear()

    # -- crossing to the loop

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
            for note in self.sign_ins.news():
                self.say_once(note)
        # Outside the block: a prompt is shown by the thread that was refused.
        raise self._drive(self._offer(refused), None)

    def _drive(self, flow: Flow[T], label: str | None) -> T:
        show = unwatched if label is None else self.watch
        with show(label or "") as progress:

            def on_event(event: Event) -> None:
                if isinstance(event, Progress):
                    progress(event)
                else:
                    self.say(event.text)

            waited, self._here.waits = getattr(self._here, "waits", False), True
            try:
                return self._running().run(flow, Waiting(on_event, self.answer))
            finally:
                self._here.waits = waited

    def run_apart(self, flow: Flow[T], waiting: Waiting) -> T:
        """Drive *flow* from a thread for which no cell waits.

        What is said meanwhile is told to *waiting* as a ``Notice``: printed, it would
        appear below whichever cell runs.
        """
        token = _apart.set(waiting)
        try:
            return self._running().run(flow, waiting)
        finally:
            _apart.reset(token)

    async def arun(self, flow: Flow[T]) -> T:
        """Drive *flow* from another event loop."""

        def on_event(event: Event) -> None:
            if isinstance(event, Notice):
                self.say(event.text)

        refused: AuthorizationRequired | None = None
        try:
            return await self._running().arun(flow, on_event)
        except AuthorizationRequired as error:
            refused = error.with_traceback(None)
        raise await self._running().arun(self._offer(refused))

    def _offer(self, refused: AuthorizationRequired) -> Flow[McpMagicError]:
        return self.sign_ins.offer(self.live(refused.server), refused)

    def _running(self) -> Loop:
        with self._lock:
            if self._loop is None or not self._loop.alive:
                # A forked child has the parent's connections, and no thread for them.
                self._connections.clear()
                self._loop = Loop(self._farewell)
            return self._loop

    async def _farewell(self) -> None:
        open_now = list(self._connections.values())
        await asyncio.gather(*(one.down() for one in open_now), return_exceptions=True)
        await self.sign_ins.close()


_current = Session()


def current() -> Session:
    """Return the session of this process, which magics and functions share."""
    return _current
