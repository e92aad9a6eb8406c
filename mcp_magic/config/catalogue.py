"""All that was read, in order of precedence, and which entry a name means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from mcp_magic.config.entries import ServerEntry, Source
from mcp_magic.config.names import folded
from mcp_magic.config.private import near_home

__all__ = ["Catalogue", "Problem", "Standing", "apart", "standings"]


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
        file = near_home(self.file)
        place = f"{file}:{self.line}" if self.line else file
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


def apart(
    entries: Iterable[ServerEntry],
) -> tuple[tuple[ServerEntry, ...], list[Problem]]:
    """Return the entries but those that another one's name can be mistaken for.

    Names that differ in nothing but case would let a correction, or a reader, take one
    for the other. What the user has wins over what a project brings.

    Args:
        entries: In order of precedence.

    Returns:
        The entries that remain, in their order, and what is wrong with the others.
    """
    given = list(entries)
    spelled: dict[str, ServerEntry] = {}
    problems: list[Problem] = []
    for entry in sorted(given, key=_is_brought):
        first = spelled.setdefault(folded(entry.name), entry)
        if first.name != entry.name and entry.source is not None:
            problems.append(_collision(entry, entry.source, first))
    wrong = {(one.file, one.key) for one in problems}
    kept = [one for one in given if _place(one) not in wrong]
    return tuple(kept), problems


def _is_brought(entry: ServerEntry) -> bool:
    return entry.source is not None and entry.source.scope == "project"


def _place(entry: ServerEntry) -> tuple[Path, str] | None:
    return None if entry.source is None else (entry.source.file, entry.source.key)


def _collision(entry: ServerEntry, source: Source, first: ServerEntry) -> Problem:
    text = (
        f"{entry.name} differs from {first.name} of {first.origin} in nothing but "
        "case; rename one"
    )
    return Problem(source.file, source.key, source.line, text)


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
    if holder is None and (scope == "own" or not entry.disabled):
        taken[entry.name] = entry
    shadowed = "" if holder is None else f"shadowed by {holder.origin}"
    return Standing(entry, entry.disabled or shadowed)
