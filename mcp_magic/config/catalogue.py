"""All that was read, in order of precedence, and which entry a name means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from mcp_magic.config.entries import ServerEntry

__all__ = ["Catalogue", "Problem", "Standing", "standings"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read, or was read otherwise than written.

    Attributes:
        file: The file.
        key: The place in it, such as ``mcpServers.github``; empty for all of it.
        line: The line, counted from 1; 0 if that is not known.
        text: What is wrong and what to do; untrusted words are spelled out in it.
    """

    file: Path
    key: str
    line: int
    text: str

    def __str__(self) -> str:
        """Return all of it in one line."""
        place = f"{self.file}:{self.line}" if self.line else str(self.file)
        return (
            f"{place}: {self.key}: {self.text}" if self.key else f"{place}: {self.text}"
        )


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What files say about servers.

    Attributes:
        entries: Every readable entry, shadowed and disabled ones included, in order of
            precedence: our own file, files of the project, files of the user.
        problems: What could not be read.
    """

    entries: tuple[ServerEntry, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry, and whether it is what its name means.

    Attributes:
        entry: The entry.
        why_not: Why it is not what its name means, in words; empty if it is.
    """

    entry: ServerEntry
    why_not: str = ""


def standings(
    entries: Iterable[ServerEntry], approved: Callable[[ServerEntry], bool]
) -> tuple[Standing, ...]:
    """Tell of each entry whether it is what its name means.

    The first entry of a name that is neither disabled nor unapproved is. One that is
    disabled in our own file, or was typed as such, takes the name all the same: that
    is how a server of another product is switched off here.

    Args:
        entries: In order of precedence: those of this kernel, then a catalogue's.
        approved: Whether a person agreed to an entry; asked for those of a project.
    """
    taken: dict[str, ServerEntry] = {}
    return tuple(_standing(entry, taken, approved) for entry in entries)


def _standing(
    entry: ServerEntry,
    taken: dict[str, ServerEntry],
    approved: Callable[[ServerEntry], bool],
) -> Standing:
    scope = "own" if entry.source is None else entry.source.scope
    holder = taken.get(entry.name)
    if scope == "project" and not approved(entry):
        return Standing(entry, "not approved")
    if holder is not None:
        return Standing(entry, f"shadowed by {holder.origin}")
    if not entry.disabled or scope == "own":
        taken[entry.name] = entry
    return Standing(entry, entry.disabled)
