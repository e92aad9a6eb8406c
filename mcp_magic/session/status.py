"""The table of known servers, as a value that shows itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mcp_magic.config import ServerEntry, Standing
from mcp_magic.config.private import near_home
from mcp_magic.errors import AuthorizationRequired, visible
from mcp_magic.session.session import Session
from mcp_magic.session.tables import Table

if TYPE_CHECKING:
    from mcp_magic.client.connection import Connection

__all__ = [
    "AllEntries",
    "KnownEntry",
    "ServerStatus",
    "Servers",
    "everything",
    "status",
]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How one known server is.

    Attributes:
        name: Its name.
        transport: How it is spoken to, in a word.
        target: Its command, URL or object, without secrets.
        origin: Where the entry comes from.
        state: Whether it is connected.
        protocol: The version of the protocol that is spoken, or an empty text.
        tools: How many tools it listed; ``None`` if it was not asked or failed.
        calls: How many calls went to it.
        failed: How many of them failed, tool errors included.
        error: Why it is not connected or its tools not listed, or an empty text.
    """

    name: str
    transport: str
    target: str
    origin: str
    state: str
    protocol: str
    tools: int | None
    calls: int
    failed: int
    error: str


class Servers(Table[ServerStatus]):
    """The known servers; shows itself as a table."""

    __slots__ = ()
    headers: ClassVar[Sequence[str]] = ("name", "transport", "origin", "state", "tools")
    empty = "(no servers)"

    def row(self, one: ServerStatus) -> list[object]:
        """Return the columns that *headers* names."""
        return [getattr(one, key) for key in self.headers]


class LongServers(Servers):
    """The known servers with calls, commands and errors."""

    __slots__ = ()
    headers = (
        *("name", "state", "protocol", "tools", "calls"),
        *("failed", "target", "error"),
    )


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """An entry of a file or of this kernel, used or not.

    Attributes:
        name: Its name.
        transport: How it is spoken to, in a word.
        target: Its command, URL or object, without secrets.
        origin: Where it comes from.
        used: ``yes``, or why not.
        file: The file, with its line if that is known; empty if it was typed.
    """

    name: str
    transport: str
    target: str
    origin: str
    used: str
    file: str


class AllEntries(Table[KnownEntry]):
    """Every entry there is, used or not."""

    __slots__ = ()
    headers = ("name", "used", "origin", "file", "transport", "target")
    empty = "(no servers)"

    def row(self, one: KnownEntry) -> list[str]:
        """Return the columns that *headers* names."""
        return [getattr(one, key) for key in self.headers]


def everything(session: Session) -> AllEntries:
    """Return every entry, also those that are shadowed, disabled or not approved."""
    return AllEntries(map(_known_entry, session.known.standings))


def _known_entry(standing: Standing) -> KnownEntry:
    entry, source = standing.entry, standing.entry.source
    line = f":{source.line}" if source is not None and source.line else ""
    return KnownEntry(
        name=entry.name,
        transport=entry.transport,
        target=str(entry.target),
        origin=entry.origin,
        used=standing.why_not or "yes",
        file="" if source is None else f"{near_home(source.file)}{line}",
    )


def status(session: Session, *, long: bool = False) -> Servers:
    """Return how the known servers are; starts nothing.

    Args:
        session: Knows the servers.
        long: Show calls, targets and errors too.
    """
    kind = LongServers if long else Servers
    return kind(_status(session, entry) for entry in session.entries)


def _state(live: Connection | None) -> str:
    if live is None:
        return "not connected"
    refused = (live.error, live.listing_error)
    if any(isinstance(one, AuthorizationRequired) for one in refused):
        return "sign in"
    return live.current_state


def _status(session: Session, entry: ServerEntry) -> ServerStatus:
    live = session.connections.live(entry.name)
    error = None if live is None else live.error or live.listing_error
    count = session.journal.count
    return ServerStatus(
        name=entry.name,
        transport=entry.transport,
        target=str(entry.target),
        origin=entry.origin,
        state=_state(live),
        protocol="" if live is None else live.protocol,
        tools=None if live is None or live.tools is None else len(live.tools),
        calls=count(entry.name),
        failed=count(entry.name) - count(entry.name, "ok"),
        error="" if error is None else visible(str(error)),
    )
