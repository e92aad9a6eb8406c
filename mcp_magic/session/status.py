"""The table of known servers, as a value that shows itself."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_magic.config import Http, ServerEntry, Stdio
from mcp_magic.display import html, redact, text
from mcp_magic.errors import visible
from mcp_magic.session.session import Session

__all__ = ["ServerStatus", "Servers", "status"]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How one known server is.

    Attributes:
        name: Its name.
        transport: How it is spoken to, in a word.
        target: Its command, URL or object, without secrets.
        origin: Where the entry comes from.
        state: Whether it is connected.
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
    tools: int | None
    calls: int
    failed: int
    error: str


class Servers(tuple[ServerStatus, ...]):
    """The known servers; shows itself as a table."""

    __slots__ = ()

    _SHORT = ("name", "transport", "origin", "state", "tools")
    _LONG = ("name", "state", "tools", "calls", "failed", "target", "error")
    long = False

    def _table(self) -> tuple[list[str], list[list[object]]]:
        keys = self._LONG if self.long else self._SHORT
        return list(keys), [[getattr(one, key) for key in keys] for one in self]

    def __repr__(self) -> str:
        headers, rows = self._table()
        cells = [[text.cell(value) for value in row] for row in rows]
        return text.table(headers, cells)

    def _repr_mimebundle_(self, **_kinds: object) -> dict[str, object]:
        return {"text/plain": repr(self), "text/html": html.table(*self._table())}


class LongServers(Servers):
    """The known servers with calls, commands and errors."""

    __slots__ = ()
    long = True


def status(session: Session, *, long: bool = False) -> Servers:
    """Return how the known servers are; starts nothing.

    Args:
        session: Knows the servers.
        long: Show calls, targets and errors too.
    """
    kind = LongServers if long else Servers
    return kind(_status(session, entry) for entry in session.entries)


def _status(session: Session, entry: ServerEntry) -> ServerStatus:
    live = session.live(entry.name)
    error = None if live is None else live.error or live.listing_error
    count = session.journal.count
    return ServerStatus(
        name=entry.name,
        transport=entry.transport,
        target=_target(entry),
        origin=entry.origin,
        state="not connected" if live is None else live.current_state,
        tools=None if live is None or live.tools is None else len(live.tools),
        calls=count(entry.name),
        failed=count(entry.name) - count(entry.name, "ok"),
        error="" if error is None else visible(str(error)),
    )


def _target(entry: ServerEntry) -> str:
    match entry.target:
        case Http(url=url):
            return redact.url(url)
        case Stdio():
            return redact.command(str(entry.target))
    return str(entry.target)
