"""What a person agreed to: entries that a folder brings along, each as it was written.

An approval holds for one entry of one file in one place. Another clone of the same
folder, and the same entry with one character changed, are not approved. It guards what
is only opened, listed or completed, and notebooks that do nothing else than call
servers; code of a notebook that wants to start something needs no server for it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mcp_magic.config import private
from mcp_magic.config.entries import ServerEntry, Source
from mcp_magic.errors import visible

__all__ = ["Approval", "Approvals", "needs_approval"]


@dataclass(frozen=True, slots=True, order=True)
class Approval:
    """One entry that a person agreed to.

    Attributes:
        file: The real path of its file.
        folder: The real path of the folder in which it works.
        digest: SHA-256 of the entry as written, its name included.
        name: The server's name, to be shown.
    """

    file: str
    folder: str
    digest: str
    name: str

    def __str__(self) -> str:
        return visible(f"{self.name}  {self.trust}")

    @property
    def trust(self) -> str:
        """What ``MCP_MAGIC_TRUST`` holds to say the same."""
        return f"{self.file}#{self.digest}"


def needs_approval(entry: ServerEntry) -> bool:
    """Whether an entry came with a folder, so that a person must agree to it."""
    return entry.source is not None and entry.source.scope == "project"


class Approvals:
    """The entries that a person agreed to, kept in a file of the user's data.

    Args:
        file: Where they are kept; ``None`` keeps them in memory alone.
        trust: What ``MCP_MAGIC_TRUST`` holds: ``PATH#HASH``, several separated as in
            ``PATH``. Whoever starts a process without anyone to ask sets it.
    """

    def __init__(self, file: Path | None, trust: str = "") -> None:
        self._file = file
        self._trust = frozenset(filter(None, trust.split(os.pathsep)))
        self._kept: frozenset[Approval] = frozenset()
        self._seen: tuple[int, int, int] | None = None

    def holds(self, entry: ServerEntry) -> bool:
        """Whether an entry may be used; true of every entry that needs no approval."""
        if not needs_approval(entry):
            return True
        wanted = _approval(entry)
        return wanted in self._now() or self._is_trusted(wanted)

    def once_held(self, entry: ServerEntry) -> bool:
        """Whether a person agreed to what stood in the place of an entry before."""
        wanted = _approval(entry)
        return any(replace(wanted, digest=one.digest) == one for one in self._now())

    def trusting(self, entry: ServerEntry) -> str:
        """Return what ``MCP_MAGIC_TRUST`` would hold for an entry of a project."""
        return _approval(entry).trust

    def grant(self, entry: ServerEntry) -> None:
        """Keep that a person agreed to an entry.

        Raises:
            McpMagicError: It cannot be kept.
        """
        self._change(lambda kept: kept | {_approval(entry)})

    def revoke(self, which: Callable[[Approval], bool]) -> list[Approval]:
        """Forget approvals.

        Returns:
            Those that were forgotten.

        Raises:
            McpMagicError: They cannot be forgotten.
        """
        gone = sorted(filter(which, self._now()))
        if gone:
            self._change(lambda kept: kept.difference(gone))
        return gone

    def all(self) -> tuple[Approval, ...]:
        """Return every approval that is kept."""
        return tuple(sorted(self._now()))

    @property
    def seen(self) -> object:
        """A value that changes when approvals do, in whichever process."""
        return self._now()

    def _is_trusted(self, wanted: Approval) -> bool:
        # The folder is not named in it, so it must be the one that the file lies in.
        inside = Path(wanted.file).is_relative_to(wanted.folder)
        return inside and wanted.trust in self._trust

    def _now(self) -> frozenset[Approval]:
        if self._file is None:
            return self._kept
        found = private.state(self._file)
        if found != self._seen:
            self._seen, self._kept = found, _read(self._file)
        return self._kept

    def _change(
        self, change: Callable[[frozenset[Approval]], Iterable[Approval]]
    ) -> None:
        if self._file is None:
            self._kept = frozenset(change(self._kept))
            return
        with private.alone(self._file) as real:
            private.tighten(real.parent)
            kept = [asdict(one) for one in sorted(change(_read(real)))]
            private.replace(real, json.dumps({"approved": kept}, indent=1).encode())
        self._seen = None


def _approval(entry: ServerEntry) -> Approval:
    source = entry.source
    assert isinstance(source, Source)  # noqa: S101 - asked for those of a project alone
    # A link as the file itself would take an approval from one folder to another.
    file = source.file.parent.resolve() / source.file.name
    return Approval(str(file), str(source.folder.resolve()), source.digest, entry.name)


def _read(file: Path) -> frozenset[Approval]:
    """Read what is kept; a file that others can write, or that is broken, is none."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        if private.is_shared(file):
            return frozenset()
        kept = json.loads(file.read_text(encoding="utf-8"))["approved"]
        return frozenset(Approval(**one) for one in kept)
    return frozenset()
