"""The table of known servers: what stands in it, what its buttons do."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping, Sequence

from mcp_magic.client.caller import Waiting
from mcp_magic.config import ServerEntry, consent
from mcp_magic.errors import AuthorizationRequired, McpMagicError, visible
from mcp_magic.model import Event, Notice
from mcp_magic.notebook.widgets.signing import Signing
from mcp_magic.session import Session
from mcp_magic.session.signin import SignIn, when_ended
from mcp_magic.session.status import ServerStatus, status

__all__ = ["ServerDesk"]

_COLUMNS = ("name", "transport", "origin", "state", "tools", "error")


class ServerDesk:
    """Connects, closes and approves servers; tells all views how the servers are.

    Args:
        session: Knows the servers.
        names: The servers of the table; those that wait for an approval come after.
        told: Receives the rows whenever they change, from any thread.
        send: Sends a message to all views, from any thread.
    """

    def __init__(
        self,
        session: Session,
        names: Sequence[str],
        told: Callable[[list[object]], None],
        send: Callable[[dict[str, object]], None],
    ) -> None:
        self._session = session
        # A name may stand twice: a folder's entry waits, and another one is used.
        self._places = [(name, False) for name in names]
        self._told = told
        self._send = send
        self._busy: dict[str, str] = {}
        self._asked: dict[int, ServerEntry] = {}
        self._signings: dict[str, Signing] = {}
        self._actions: Mapping[str, tuple[str, Callable[[str], None]]] = {
            "connect": ("connecting …", self._connect),
            "close": ("closing …", self._close),
        }

    def receive(self, message: object) -> None:
        """Carry out one message of a view, and return at once."""
        self._send({"kind": "here"})
        match message:
            case {"kind": "ready"}:
                for name in list(self._signings):
                    self._sign_in(name)
            case {"kind": "refresh"}:
                self._session.reread()
                self._told(self.rows())
            case {"kind": "reply", "server": int(at), "answer": answer}:
                if 0 <= at < len(self._places):
                    self._reply(at, answer)
            case {"kind": str(kind), "server": int(at)}:
                if 0 <= at < len(self._places):
                    self._act(kind, at)

    def _act(self, kind: str, at: int) -> None:
        name, waits = self._places[at]
        if waits and kind == "approve":
            self._ask(at, name)
        elif waits and kind == "agree":
            self._approve(at)
        elif not waits and kind in self._actions and name not in self._busy:
            self._begin(kind, name)

    def rows(self) -> list[object]:
        """Return how the servers are, in texts that are safe to show; new ones too."""
        session = self._session
        known = {one.name: one for one in status(session)}
        waiting = {one.name: one for one in session.known.waiting}
        found = [
            *((name, False) for name in known),
            *((name, True) for name in waiting),
        ]
        self._places += [place for place in found if place not in self._places]
        return [
            _waiting(name, waiting.get(name))
            if waits
            else self._row(name, known.get(name))
            for name, waits in self._places
        ]

    def look(self) -> None:
        """Tell the views how the servers are, if anything has changed."""
        self._told(self.rows())

    def _row(self, name: str, known: ServerStatus | None) -> dict[str, object]:
        if known is None:
            return {"name": visible(name), "state": "removed"}
        row = {key: getattr(known, key) for key in _COLUMNS}
        row = {key: "" if cell is None else str(cell) for key, cell in row.items()}
        shown: dict[str, object] = {key: visible(cell) for key, cell in row.items()}
        live = self._session.connections.live(name)
        is_up = live is not None and live.is_up
        if name in self._busy:
            return {**shown, "state": self._busy[name], "error": ""}
        return {**shown, "action": "close" if is_up else "connect"}

    def _ask(self, at: int, name: str) -> None:
        """Show what an entry would do; only what was shown can then be approved."""
        known = self._session.known
        for entry in known.waiting:
            if entry.name == name:
                self._asked[at] = entry
                said = visible(consent.request(entry, known.usable.get(name)))
                asked = {"kind": "consent", "server": at, "name": visible(name)}
                self._send({**asked, "text": said})

    def _approve(self, at: int) -> None:
        entry = self._asked.pop(at, None)
        if entry is not None:
            self._session.known.approvals.grant(entry)
            self._session.reread()
            self._say(f"Approved {entry.name}.")
            self._told(self.rows())

    def _begin(self, kind: str, name: str) -> None:
        word, act = self._actions[kind]
        self._busy[name] = word
        self._told(self.rows())

        def work() -> None:
            try:
                act(name)
            except McpMagicError as error:
                self._say(f"{name}: {error}")
            finally:
                self._busy.pop(name, None)
                self._told(self.rows())

        # See runs.py: ipykernel 7.0 must know for which message the thread works.
        target = contextvars.copy_context().run
        threading.Thread(target=target, args=(work,), daemon=True).start()

    def _connect(self, name: str) -> None:
        """Connect to a server, once somebody is signed in if it wants that."""
        session, waiting = self._session, Waiting(self._hear)
        before: SignIn | None = None
        signing = self._signings[name] = Signing(lambda: self._sign_in(name))
        while True:
            try:
                session.crossing.run_apart(
                    session.connections.connected(name), waiting, signing.prompter
                )
            except AuthorizationRequired:
                job = signing.job
                if job is None or job is before:  # there is nothing new to be shown
                    raise
            else:
                return
            if not self._has_signed_in(name, job, waiting):
                return
            before = job

    def _has_signed_in(self, name: str, job: SignIn, waiting: Waiting) -> bool:
        """Wait for the end of a sign-in, and tell it; whether it was a good one."""
        word = self._busy[name]
        self._busy[name] = "sign in below"
        self._told(self.rows())
        self._sign_in(name)
        self._say(f"{name} wants you to sign in; it is connected then.")
        self._session.crossing.run_apart(when_ended(job), waiting)
        self._busy[name] = word
        self._told(self.rows())
        self._say(job.text())
        return job.stage == "signed in"

    def _sign_in(self, name: str) -> None:
        """Show the sign-in to a server below its row, until it is over."""
        job, at = self._signings[name].job, self._places.index((name, False))
        is_open = job is not None and not job.is_over
        drawn = self._signings[name].drawn if is_open else None
        self._send({"kind": "sign_in", "server": at, "drawn": drawn})

    def _reply(self, at: int, answer: object) -> None:
        """Take what a person did in the prompt below a row."""
        signing = self._signings.get(self._places[at][0])
        for wrong in signing.receive(answer) if signing else ():
            self._send({"kind": "unfit", "server": at, "text": wrong.message})

    def _close(self, name: str) -> None:
        self._session.connections.close(name)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Notice):
            self._say(event.text)

    def _say(self, said: str) -> None:
        self._send({"kind": "said", "text": visible(said)})


def _waiting(name: str, entry: ServerEntry | None) -> dict[str, object]:
    if entry is None:
        return {"name": visible(name), "state": "removed"}
    return {
        "name": visible(name),
        "transport": entry.transport,
        "origin": visible(entry.origin),
        "state": "not approved",
        "action": "approve",
    }
