"""The live connections of a session: how they are made, looked up and closed."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_magic.client.loop import OnLoop
from mcp_magic.config import Answers, Eras
from mcp_magic.errors import AuthorizationRequired, McpMagicError
from mcp_magic.session.changes import Changes
from mcp_magic.session.crossing import Crossing
from mcp_magic.session.inputs import gather
from mcp_magic.session.known import Known, alike
from mcp_magic.session.several import close_all, relist_all
from mcp_magic.session.signins import SignIns
from mcp_magic.session.telling import Person

if TYPE_CHECKING:
    from mcp_magic.client.connection import Connection
    from mcp_magic.client.questions import Sampler

__all__ = ["Connections", "cache_folder"]


def cache_folder() -> Path:
    """Return the folder for what can be found out again."""
    import platformdirs  # noqa: PLC0415 - a cost at import that few calls need

    return platformdirs.user_cache_path("mcp-magic")


class Connections:
    """One connection to each known server that was wanted.

    Args:
        known: Says how servers are reached, and whether they may be.
        person: Is asked for inputs, and told what changed at a server.
        crossing: Where connections live.
        sign_ins: Where tokens are kept.

    Attributes:
        connect_timeout: Seconds a server may take to start.
        eras: Remembers which servers speak the older protocol.
    """

    def __init__(
        self, known: Known, person: Person, crossing: Crossing, sign_ins: SignIns
    ) -> None:
        self.connect_timeout = 60.0
        self.eras = Eras(cache_folder() / "eras.json")
        self._known = known
        self._person = person
        self._crossing = crossing
        self._sign_ins = sign_ins
        self._samplers: dict[str, Sampler] = {}
        self._roots: dict[str, tuple[Path, ...]] = {}
        self._answers = Answers()
        self._changes = Changes()
        self._lock = threading.RLock()

    # -- as they are; nothing is imported or connected to

    def live(self, name: str) -> Connection | None:
        """Return the connection of a server if one was made."""
        return self._crossing.open.get(name)

    def tool_names(self, name: str) -> tuple[str, ...]:
        """Return the tools that a server last listed."""
        live = self.live(name)
        return () if live is None or live.tools is None else tuple(live.tools)

    def listed(self) -> Mapping[str, tuple[str, ...]]:
        """Return the tools that each server last listed."""
        return {name: self.tool_names(name) for name in list(self._crossing.open)}

    def is_connected(self, text: str) -> bool:
        """Whether a line's target is a server that is up, and its file as it was.

        Such a line need not look at every file first: it would cost as much as a call.
        """
        for name, made in self._crossing.open.items():
            named = text.startswith(name) and text[len(name) : len(name) + 1] in " .("
            if named and made.is_up and name in self._known.usable:
                return self._known.is_current(name)
        return False

    # -- what servers are told when they connect

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

    # -- connecting

    def of(self, name: str) -> Connection:
        """Return the connection of a known server; it may not be up."""
        # Imports mcp, which costs most of a second; not before a server is needed.
        from mcp_magic.client.connection import Connection  # noqa: PLC0415
        from mcp_magic.client.settings import Settings  # noqa: PLC0415

        with self._lock:
            made = self._crossing.open.get(name)
            if made is None:
                entry = self._known.entry(name)
                settings = Settings(
                    connect_timeout=entry.connect_timeout or self.connect_timeout,
                    eras=self.eras,
                    sampler=self._samplers.get(name),
                    roots=self._roots.get(name, ()),
                    people=self._person.answer is not None,
                    ask=self._answers.of(entry),
                    store=self._sign_ins.store,
                )
                made = self._crossing.open[name] = Connection(entry, settings)
            return made

    async def connected(self, name: str) -> Connection:
        """Return a connection that is up, its tools listed; a step of a flow."""
        connection = self.of(name)
        self._gather(connection)
        if not connection.is_fresh:
            said, connection.news.obituary = connection.news.obituary, ""
            if said:
                self._person.say(said)
            try:
                await OnLoop(lambda _: connection.up())
            except McpMagicError as error:
                self._forget_inputs(connection, error)
                raise
            if isinstance(connection.listing_error, AuthorizationRequired):
                raise connection.listing_error
            for note in connection.overheard.notes:
                self._person.say_once(f"{name}: {note}")
            self._tell_changes(connection)
        return connection

    async def relisted(self, *names: str) -> dict[str, Connection | McpMagicError]:
        """Connect to several servers at once and list their tools anew.

        Returns:
            By name the connection, or why there is none.
        """
        connections = [self.of(name) for name in names]
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

    def _gather(self, connection: Connection) -> None:
        """Ask for the inputs of a server that is about to start, if somebody waits."""
        if self._crossing.waits and not connection.is_up:
            gather(self._answers, connection.entry, self._person.ask)

    def _forget_inputs(self, connection: Connection, error: McpMagicError) -> None:
        """Have inputs asked for again, if they may be why a server failed."""
        wants_person = isinstance(error, AuthorizationRequired)
        if not wants_person or connection.brings_token:
            self._answers.forget(connection.entry)

    def _tell_changes(self, connection: Connection) -> None:
        for line in self._changes.noted(connection.entry, connection.tools):
            self._person.say(line)

    # -- closing

    def close(self, name: str | None = None) -> list[str]:
        """Close one connection or all of them, and end the servers started here.

        Returns:
            The names of the servers that were connected.
        """
        with self._lock:
            names = list(self._crossing.open) if name is None else [name]
            made = {n: self._crossing.open.pop(n, None) for n in names}
        gone = [one for one in made.values() if one is not None]
        closed = [n for n, one in made.items() if one is not None and one.is_up]
        if gone and self._crossing.alive:
            self._crossing.run(close_all(gone))
        return closed

    def close_changed(self) -> None:
        """Close what is known otherwise than it was connected to, or no longer."""
        usable = self._known.usable
        for name, made in list(self._crossing.open.items()):
            if name not in usable or not alike(usable[name], made.entry):
                self.close(name)
