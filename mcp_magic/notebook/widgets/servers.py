"""The table of known servers: what stands in it, what its buttons do."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping, Sequence

from mcp_magic.client.caller import Waiting
from mcp_magic.errors import McpMagicError, visible
from mcp_magic.model import Event, Notice
from mcp_magic.session import Session
from mcp_magic.session.status import ServerStatus, status

__all__ = ["ServerDesk"]

_COLUMNS = ("name", "transport", "target", "origin", "state", "tools", "error")


class ServerDesk:
    """Connects and closes servers; tells all views how the servers are.

    Args:
        session: Knows the servers.
        names: The servers of the table.
        told: Receives the rows whenever they change, from any thread.
        say: Receives a sentence for the person, from any thread.
    """

    def __init__(
        self,
        session: Session,
        names: Sequence[str],
        told: Callable[[list[object]], None],
        say: Callable[[str], None],
    ) -> None:
        self._session = session
        self._names = list(names)
        self._told = told
        self._say = say
        self._busy: dict[str, str] = {}
        self._actions: Mapping[str, tuple[str, Callable[[str], None]]] = {
            "connect": ("connecting …", self._connect),
            "close": ("closing …", self._close),
        }

    def receive(self, message: object) -> None:
        """Carry out one message of a view, and return at once."""
        match message:
            case {"kind": "refresh"}:
                self._told(self.rows())
            case {"kind": str(kind), "server": int(at)} if kind in self._actions:
                if 0 <= at < len(self._names) and self._names[at] not in self._busy:
                    self._begin(kind, self._names[at])

    def rows(self) -> list[object]:
        """Return how the servers are, in texts that are safe to show; new ones too."""
        known = {one.name: one for one in status(self._session)}
        self._names += [name for name in known if name not in self._names]
        return [self._row(name, known.get(name)) for name in self._names]

    def _row(self, name: str, known: ServerStatus | None) -> dict[str, object]:
        if known is None:
            return {"name": visible(name), "state": "removed"}
        row = {key: getattr(known, key) for key in _COLUMNS}
        row = {key: "" if cell is None else str(cell) for key, cell in row.items()}
        shown: dict[str, object] = {key: visible(cell) for key, cell in row.items()}
        live = self._session.live(name)
        is_up = live is not None and live.is_up
        if name in self._busy:
            return {**shown, "state": self._busy[name], "actions": []}
        return {**shown, "actions": ["close" if is_up else "connect"]}

    def _begin(self, kind: str, name: str) -> None:
        word, act = self._actions[kind]
        self._busy[name] = word
        self._told(self.rows())

        def work() -> None:
            try:
                act(name)
            except McpMagicError as error:
                self._say(visible(f"{name}: {error}"))
            finally:
                self._busy.pop(name, None)
                self._told(self.rows())

        # See runs.py: ipykernel 7.0 must know for which message the thread works.
        target = contextvars.copy_context().run
        threading.Thread(target=target, args=(work,), daemon=True).start()

    def _connect(self, name: str) -> None:
        session = self._session
        session.run_apart(session.connected(name), Waiting(self._hear))

    def _close(self, name: str) -> None:
        self._session.close(name)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Notice):
            self._say(visible(event.text))
