"""The session: which servers are known, which are connected, and how they are found."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from mcp_magic.client.caller import Asked, Waiting
from mcp_magic.client.loop import Flow, Loop, OnLoop
from mcp_magic.config import Eras, ServerEntry, Target, demo_entry, name_for
from mcp_magic.display.limits import Limits
from mcp_magic.display.text import cell
from mcp_magic.errors import ArgumentError, McpMagicError, UnknownServer, visible
from mcp_magic.model import Event, Notice, Progress, Reply
from mcp_magic.naming import (
    Codec,
    Corrected,
    Exact,
    Policy,
    Resolution,
    resolve,
    spot,
)
from mcp_magic.session.journal import Journal

if TYPE_CHECKING:
    from mcp_magic.client.connection import Connection
    from mcp_magic.client.questions import Sampler

__all__ = ["Session", "Watch", "cache_folder", "current"]

T = TypeVar("T")

Watch: TypeAlias = Callable[[str], AbstractContextManager[Callable[[Progress], None]]]
"""Opens a display of progress for a call, named by its text."""

_DEMO = "demo"


def _say(line: str) -> None:
    """Print one line, dim where its output knows colours."""
    shown = visible(line).replace("\n", "↵")
    dim = sys.stdout.isatty()  # true in a kernel too
    print(f"\x1b[2m{shown}\x1b[0m" if dim else shown)  # noqa: T201 - it says so


def cache_folder() -> Path:
    """Return the folder for what can be found out again."""
    import platformdirs  # noqa: PLC0415 - a cost at import that few calls need

    return platformdirs.user_cache_path("mcp-magic")


def _unwatched(_label: str) -> AbstractContextManager[Callable[[Progress], None]]:
    return contextlib.nullcontext(lambda _progress: None)


class Session:
    """Known servers and live connections.

    Attributes:
        policy: What happens to names that are not known: see ``naming.resolve``.
        say: Shows one line to the person, such as a correction.
        watch: Shows the progress of a call while its caller waits.
        answer: Answers a server's question in the thread of the call that it stopped;
            ``None`` declines.
        connect_timeout: Seconds a server may take to start.
        call_timeout: Seconds a call may take unless it says otherwise; ``None``: as
            long as it takes.
        limits: How much of an answer is shown.
        eras: Remembers which servers speak the older protocol.
        journal: The finished calls.
        completed: How servers completed arguments, by server, prompt or template,
            argument and what was typed.
    """

    def __init__(self) -> None:
        self.policy: Policy = "guarded"
        self.say: Callable[[str], None] = _say
        self.watch: Watch = _unwatched
        self.answer: Callable[[Asked], Reply] | None = None
        self.connect_timeout = 60.0
        self.call_timeout: float | None = None
        self.limits = Limits()
        self.journal = Journal()
        self.completed: dict[tuple[object, ...], tuple[str, ...]] = {}
        self._entries: dict[str, ServerEntry] = {_DEMO: demo_entry()}
        self._connections: dict[str, Connection] = {}
        self._samplers: dict[str, Sampler] = {}
        self._roots: dict[str, tuple[Path, ...]] = {}
        self.eras = Eras(cache_folder() / "eras.json")
        self._said: set[str] = set()
        self._loop: Loop | None = None
        self._known: dict[str, tuple[str, ...]] = {}
        self._names: Codec | None = None
        self._lock = threading.RLock()

    # -- known servers

    @property
    def entries(self) -> tuple[ServerEntry, ...]:
        """The known servers in the order in which they became known."""
        return tuple(self._entries.values())

    def find(self, typed: str, policy: Policy | None = None) -> ServerEntry:
        """Return the server that *typed* means; a correction is said.

        Args:
            typed: Its name as typed.
            policy: Instead of the session's.

        Raises:
            UnknownServer: No known server is meant; the nearest name has been said.
        """
        return self.settle(resolve(typed, self._entries, policy=policy or self.policy))

    def settle(self, resolution: Resolution) -> ServerEntry:
        """Return the server that a resolution found; says what a person must know."""
        match resolution:
            case Exact(name):
                return self._entries[name]
            case Corrected(name, typed):
                self.say(f"Auto-corrected server name to {name} (input: {typed}).")
                return self._entries[name]
        self.suggest(resolution.suggestions)
        raise self.unknown(resolution.typed, resolution.suggestions)

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

    def unknown(self, typed: str, suggestions: Sequence[str] = ()) -> UnknownServer:
        """Return the error for a server name that nobody knows."""
        known = ", ".join(list(self._entries)[:10])
        more = " …" if len(self._entries) > 10 else ""
        return UnknownServer(
            f"Unknown MCP server {typed!r}. Known: {known}{more}; "
            "add one with %mcp add NAME TARGET",
            typed=typed,
            suggestions=suggestions,
        )

    def add(self, entry: ServerEntry) -> ServerEntry:
        """Make a server known; an entry of the same name is replaced and closed.

        Raises:
            ArgumentError: The name is the bundled server's, or cannot be used.
        """
        if entry.name == _DEMO:
            raise ArgumentError("demo is the bundled server; choose another name")
        if not entry.name or entry.name != entry.name.strip() or _hides(entry.name):
            raise ArgumentError(f"{entry.name!r} cannot be the name of a server")
        known = self._entries.get(entry.name)
        if known is not None and known.target != entry.target:
            self.close(entry.name)
        self._entries[entry.name] = entry
        return entry

    def adopt(self, target: Target, name: str | None = None) -> ServerEntry:
        """Return the entry for *target*, made up if there is none.

        Args:
            target: How the server is reached.
            name: Its name; without one a known entry serves, else a name is made up.
        """
        if name is not None:
            return self.add(ServerEntry(name, target))
        for entry in self._entries.values():
            if entry.target == target:
                return entry
        return self.add(ServerEntry(name_for(target, self._entries), target))

    def remove(self, name: str) -> None:
        """Forget a server that was added here, and close it.

        Raises:
            ArgumentError: It is the bundled server.
        """
        if name == _DEMO:
            raise ArgumentError("demo is bundled and always there")
        self.close(name)
        del self._entries[name]

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
                settings = Settings(
                    connect_timeout=self.connect_timeout,
                    eras=self.eras,
                    sampler=self._samplers.get(name),
                    roots=self._roots.get(name, ()),
                    people=self.answer is not None,
                )
                self._connections[name] = Connection(self._entries[name], settings)
            return self._connections[name]

    def live(self, name: str) -> Connection | None:
        """Return the connection of a server if one was made; imports nothing."""
        return self._connections.get(name)

    def tool_names(self, name: str) -> tuple[str, ...]:
        """Return the tools that a server last listed; connects to nothing."""
        live = self._connections.get(name)
        return () if live is None or live.tools is None else tuple(live.tools)

    # -- namespaced names (docs/names.md)

    def reveal(self, text: str) -> str:
        """Return *text* with the meaning of known namespaced names beside them."""
        if "--" not in text and "__" not in text:
            return text
        parts, end = [], 0
        for found in spot(text, pairs=self._codec(), servers=self._entries):
            parts += [
                text[end : found.end],
                f" ({cell(found.server)} › {cell(found.tool)})",
            ]
            end = found.end
        return "".join([*parts, text[end:]])

    def meaning(self, name: str) -> str:
        """Return what a tool's namespaced name means, or an empty text."""
        shown = self.reveal(name)
        return shown[len(name) + 2 : -1]

    def show_limits(self) -> Limits:
        """Return how much of an answer is shown now."""
        return self.limits

    def _codec(self) -> Codec:
        live = {name: self.tool_names(name) for name in list(self._connections)}
        if self._known != live or self._names is None:
            pairs = [(server, tool) for server in live for tool in live[server]]
            self._known, self._names = live, Codec(pairs)
        return self._names

    async def connected(self, name: str) -> Connection:
        """Return a connection that is up, its tools listed; a step of a flow."""
        connection = self.connection(name)
        if not connection.is_fresh:
            said, connection.obituary = connection.obituary, ""
            if said:
                self.say(said)
            await OnLoop(lambda _: connection.up())
            for note in connection.overheard.notes:
                self.say_once(f"{name}: {note}")
        return connection

    async def relisted(self, *names: str) -> dict[str, Connection | McpMagicError]:
        """Connect to several servers at once and list their tools anew.

        Returns:
            By name the connection, or why there is none.
        """
        connections = [self.connection(name) for name in names]
        outcomes = await OnLoop(lambda _: _relist_all(connections))
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
            self.run(_close_all(gone))
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
        show = _unwatched if label is None else self.watch
        with show(label or "") as progress:

            def on_event(event: Event) -> None:
                if isinstance(event, Progress):
                    progress(event)
                else:
                    self.say(event.text)

            return self._running().run(flow, Waiting(on_event, self.answer))

    async def arun(self, flow: Flow[T]) -> T:
        """Drive *flow* from another event loop."""

        def on_event(event: Event) -> None:
            if isinstance(event, Notice):
                self.say(event.text)

        return await self._running().arun(flow, on_event)

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


async def _relist_all(
    connections: Sequence[Connection],
) -> list[McpMagicError | None]:
    return await asyncio.gather(*map(_relist, connections))


async def _relist(connection: Connection) -> McpMagicError | None:
    try:
        if connection.is_fresh:
            await connection.refresh()
        else:
            await connection.up()
    except McpMagicError as error:
        return error
    return None


async def _close_all(connections: Sequence[Connection]) -> None:
    async def down(_: object) -> None:
        await asyncio.gather(*(one.down() for one in connections))

    await OnLoop(down)


def _hides(name: str) -> bool:
    return visible(name) != name or "\n" in name or "\t" in name


_current = Session()


def current() -> Session:
    """Return the session of this process, which magics and functions share."""
    return _current
