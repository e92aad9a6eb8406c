"""Which servers are known, which one a name means, and which may be used."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from mcp_magic.config import (
    Approvals,
    Catalogue,
    Problem,
    ServerEntry,
    Standing,
    demo_entry,
    needs_approval,
    standings,
)
from mcp_magic.config.names import folded, why_unusable
from mcp_magic.config.private import near_home, state
from mcp_magic.config.store import read_files
from mcp_magic.errors import (
    ApprovalRequired,
    ArgumentError,
    McpMagicError,
    ServerUnreachable,
    UnknownServer,
)
from mcp_magic.language import spell_verb
from mcp_magic.started import trust

__all__ = ["DEMO", "Known", "alike", "check_name"]

DEMO = "demo"

_NO_SCHEME = re.compile(r"[\w-]+(\.[\w-]+)*(:\d+)?/")


class Known:
    """The servers of this kernel, of our file, of a project, and of other products.

    Args:
        read: Reads all files; called whenever they may have changed.
        approvals: What a person agreed to.
    """

    def __init__(self, read: Callable[[], Catalogue], approvals: Approvals) -> None:
        self.approvals = approvals
        self._read = read
        self._typed: dict[str, ServerEntry] = {DEMO: demo_entry()}
        self._catalogue = Catalogue()
        self._standings: tuple[Standing, ...] = ()
        self._usable: Mapping[str, ServerEntry] = MappingProxyType({})
        self._approved: object = None
        self._gated = False
        self._files: Mapping[Path, object] = {}
        self._lock = threading.RLock()
        self._weigh()

    @classmethod
    def of(cls, folder: Path | None) -> Known:
        """Return what this user's files and those of *folder* make known.

        Args:
            folder: ``None`` for the current one.
        """
        import platformdirs  # noqa: PLC0415 - a cost at import that few calls need

        file = platformdirs.user_data_path("mcp-magic") / "approvals.json"
        home = Path.home()
        here = folder or _current_folder(home)
        # No partial: tracebacks would show what it holds, the environment included.
        return cls(lambda: read_files(home, here, os.environ), Approvals(file, trust()))

    def reread(self) -> None:
        """Look at the files again."""
        with self._lock:
            catalogue = self._read()
            if catalogue != self._catalogue:
                self._catalogue = catalogue
                self._weigh()
            sources = (one.source for one in catalogue.entries)
            files = {one.file for one in sources if one is not None}
            self._files = {file: state(file) for file in files}

    def is_current(self, name: str) -> bool:
        """Whether the file of a usable server is as it was when it was last read."""
        source = self.usable[name].source
        return source is None or state(source.file) == self._files.get(source.file)

    @property
    def usable(self) -> Mapping[str, ServerEntry]:
        """What each name means: entries that are approved, enabled and not shadowed."""
        self._heed_approvals()
        return self._usable

    @property
    def standings(self) -> Sequence[Standing]:
        """Every entry, in order of precedence, and why it is not used if it is not."""
        self._heed_approvals()
        return self._standings

    @property
    def names(self) -> set[str]:
        """The names of all entries, also of those that may not be used."""
        return {one.entry.name for one in self.standings}

    @property
    def problems(self) -> Sequence[Problem]:
        """What could not be read."""
        return self._catalogue.problems

    @property
    def waiting(self) -> list[ServerEntry]:
        """The entries that wait for an approval."""
        return [
            one.entry for one in self.standings if not self.approvals.holds(one.entry)
        ]

    @property
    def refused(self) -> list[str]:
        """The names that no usable entry has, only those that may not be used."""
        return sorted(self.names - self.usable.keys())

    def add(self, entry: ServerEntry) -> None:
        """Make a server known in this kernel, before all that files say.

        Raises:
            ArgumentError: The name is the bundled server's, or cannot be used.
        """
        check_name(entry.name)
        with self._lock:
            self._typed[entry.name] = entry
            self._weigh()

    def drop(self, name: str) -> bool:
        """Forget a server that was made known in this kernel.

        Returns:
            Whether it was.
        """
        with self._lock:
            gone = self._typed.pop(name, None)
            self._weigh()
        return gone is not None

    def entry(self, name: str) -> ServerEntry:
        """Return what a name means, if it may be used. Every connection asks here.

        Raises:
            ApprovalRequired: It came with a folder, and nobody agreed to it.
            ServerUnreachable: It is disabled.
            UnknownServer: Nobody knows it.
        """
        found = self.usable.get(name)
        if found is None:
            raise self.refusal(name) or self.unknown(name)
        return found

    def refusal(self, name: str) -> McpMagicError | None:
        """Return why an entry of exactly this name is not used, if there is one."""
        for one in self.standings:
            if one.entry.name != name:
                continue
            if not self.approvals.holds(one.entry):
                changed = self.approvals.once_held(one.entry)
                return _unapproved(one.entry, changed=changed)
            if one.entry.disabled:
                return _disabled(one.entry)
        return None

    def unknown(self, typed: str, suggestions: Sequence[str] = ()) -> UnknownServer:
        """Return the error for a name that nobody knows."""
        usable = self.usable
        known = ", ".join(list(usable)[:10])
        more = " …" if len(usable) > 10 else ""
        advice = "add one with %mcp add NAME TARGET"
        if _NO_SCHEME.match(typed):
            advice = "a URL begins with https:// or http://"
        return UnknownServer(
            f"Unknown MCP server {typed!r}. Known: {known}{more}; {advice}",
            typed=typed,
            suggestions=suggestions,
        )

    def _heed_approvals(self) -> None:
        # Asked for many times in a call: most people have nothing that needs approval.
        if self._gated and self.approvals.seen != self._approved:
            with self._lock:
                self._weigh()

    def _weigh(self) -> None:
        self._approved = self.approvals.seen
        entries = (*self._typed.values(), *self._catalogue.entries)
        self._gated = any(map(needs_approval, entries))
        self._standings = standings(entries, self.approvals.holds)
        self._usable = MappingProxyType(
            {one.entry.name: one.entry for one in self._standings if not one.why_not}
        )


def _current_folder(home: Path) -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return home


def alike(entry: ServerEntry, other: ServerEntry) -> bool:
    """Whether two entries differ in nothing but where they stand."""
    return replace(entry, source=other.source, origin=other.origin) == other


def check_name(name: str) -> None:
    """Refuse a name that a server cannot have.

    Raises:
        ArgumentError: It is the bundled server's, or cannot be typed and seen.
    """
    why = why_unusable(name)
    if folded(name) == DEMO:
        raise ArgumentError(why)
    if why:
        raise ArgumentError(f"{name!r} cannot be the name of a server: {why}")


def _unapproved(entry: ServerEntry, *, changed: bool) -> ApprovalRequired:
    assert entry.source is not None  # noqa: S101 - typed entries need no approval
    file = near_home(entry.source.file)
    why = f"{entry.name} comes from {file} and nobody has agreed to it"
    if changed:
        why = f"{entry.name} has changed in {file} since you agreed to it"
    asks = f"{spell_verb('approve', entry.name)} shows it and asks"
    return ApprovalRequired(f"{why}; {asks}", entry.name)


def _disabled(entry: ServerEntry) -> ServerUnreachable:
    return ServerUnreachable(
        f"{entry.name} is {entry.disabled} ({entry.origin})", entry.name
    )
