"""What a person was asked for on behalf of an entry, kept in memory."""

from __future__ import annotations

from pathlib import Path

from mcp_magic.config.entries import Input, ServerEntry
from mcp_magic.config.expand import Ask, inputs_of
from mcp_magic.model import Secret

__all__ = ["Answers"]


class Answers:
    """The answers given in this process; two files never share one.

    Call ``gather`` where a person can be asked, and give ``of`` to ``expand``.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Path | None, str], Secret] = {}

    def gather(self, entry: ServerEntry, ask: Ask) -> None:
        """Ask for each input of an entry that was not asked for before.

        Args:
            entry: A server that is about to be started.
            ask: Asks a person; its ``None`` is not kept, so that it asks again.
        """
        for wanted in inputs_of(entry):
            key = (_file(entry), wanted.id)
            if key not in self._known and not wanted.unsupported:
                answer = ask(wanted)
                if answer is not None:
                    self._known[key] = answer

    def of(self, entry: ServerEntry) -> Ask:
        """Return what gives the answers for an entry, and asks nobody."""

        def known(wanted: Input) -> Secret | None:
            return self._known.get((_file(entry), wanted.id))

        return known

    def forget(self, entry: ServerEntry) -> None:
        """Let go of an entry's answers, which may be wrong: the next start asks."""
        for wanted in inputs_of(entry):
            self._known.pop((_file(entry), wanted.id), None)


def _file(entry: ServerEntry) -> Path | None:
    return None if entry.source is None else entry.source.file
