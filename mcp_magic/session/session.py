"""The session: which servers are known, which one a name means, and the rest of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mcp_magic.client.loop import Flow
from mcp_magic.config import ServerEntry, Target, name_for
from mcp_magic.display.limits import Limits
from mcp_magic.errors import ArgumentError
from mcp_magic.naming import (
    Corrected,
    Exact,
    Policy,
    Resolution,
    Unresolved,
    resolve,
)
from mcp_magic.session.connections import Connections
from mcp_magic.session.crossing import Crossing
from mcp_magic.session.journal import Journal
from mcp_magic.session.known import DEMO, Known, alike
from mcp_magic.session.meanings import Meanings
from mcp_magic.session.signins import SignIns
from mcp_magic.session.telling import Person

if TYPE_CHECKING:
    from mcp_magic.session.result import CallResult

__all__ = ["Session", "current"]

T = TypeVar("T")


class Session:
    """Known servers, how a person wants them used, and all that is done with them.

    Args:
        folder: Whose project files count; ``None`` is the current one, as it is now:
            changing to another folder later makes no other servers known.

    Attributes:
        policy: What happens to names that are not known: see ``naming.resolve``.
        call_timeout: Seconds a call may take unless it says otherwise; ``None``: as
            long as it takes.
        limits: How much of an answer is shown.
        read_only: Whether only tools may run that their server declares read-only.
        known: Which servers are known.
        person: Who is told, shown and asked.
        sign_ins: How people sign in to servers.
        crossing: Drives flows on the background loop.
        connections: The live ones.
        meanings: What namespaced names mean.
        journal: The finished calls.
        latest: By server, the result that came last.
        completed: How servers completed arguments, by server, prompt or template,
            argument and what was typed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.policy: Policy = "guarded"
        self.call_timeout: float | None = None
        self.limits = Limits()
        self.read_only = False
        self.known = Known.of(folder)
        self.person = Person()
        self.sign_ins = SignIns()
        self.crossing = Crossing(self.person, self.sign_ins)
        self.connections = Connections(
            self.known, self.person, self.crossing, self.sign_ins
        )
        self.meanings = Meanings(self.connections.listed, lambda: self.known.usable)
        self.journal = Journal()
        self.latest: dict[str, CallResult] = {}
        self.completed: dict[tuple[object, ...], tuple[str, ...]] = {}

    # -- known servers

    @property
    def entries(self) -> tuple[ServerEntry, ...]:
        """The servers that may be used: this kernel's, then those of files."""
        return tuple(self.known.usable.values())

    def reread(self) -> None:
        """Look at the files again; close what they say otherwise of, or no longer."""
        self.known.reread()
        self.connections.close_changed()

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
                self.person.say(
                    f"Auto-corrected server name to {name} (input: {typed})."
                )
                return self.known.entry(name)
            case Unresolved(typed, suggestions):
                self.person.suggest(suggestions)
                raise self.known.unknown(typed, suggestions)

    def add(self, entry: ServerEntry) -> ServerEntry:
        """Make a server known; an entry of the same name is replaced and closed.

        Raises:
            ArgumentError: The name is the bundled server's, or cannot be used.
        """
        before = self.known.usable.get(entry.name)
        self.known.add(entry)
        if before is not None and not alike(before, entry):
            self.connections.close(entry.name)
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
            self.connections.close(name)
            self.latest.pop(name, None)
        return dropped

    # -- what the person set

    def call_limit(self, name: str) -> float | None:
        """Return the seconds that a call to a server may take if it does not say."""
        return self.known.entry(name).call_timeout or self.call_timeout

    def show_limits(self) -> Limits:
        """Return how much of an answer is shown now."""
        return self.limits

    # -- what it does

    def run(self, flow: Flow[T], label: str | None = None) -> T:
        """Drive *flow* from this thread; see ``Crossing.run``."""
        return self.crossing.run(flow, label)

    def shut_down(self) -> None:
        """Close everything, the background loop too; the session can be used again."""
        if not self.crossing.stop():
            # Whatever kept the servers from closing: their processes end now.
            from mcp_magic.client.process import kill_all  # noqa: PLC0415 - imports mcp

            kill_all()


_current = Session()


def current() -> Session:
    """Return the session of this process, which magics and functions share."""
    return _current
