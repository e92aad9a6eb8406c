"""Claude Code and Claude Desktop."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mcp_magic.config.dialects.shape import Place
from mcp_magic.config.dialects.tables import Dialect, Raw, Table, at, member, usual
from mcp_magic.config.entries import ServerEntry
from mcp_magic.model import Json

__all__ = ["CLAUDE_CODE", "CLAUDE_DESKTOP", "OffList", "disable", "off_lists"]

_ANY = "disabledMcpServers"
_OF_PROJECT_FILE = "disabledMcpjsonServers"  # servers of .mcp.json alone


@dataclass(frozen=True, slots=True)
class OffList:
    """A list of servers that a person switched off.

    Attributes:
        place: Its file.
        key: Where it stands there.
        names: What it holds.
    """

    place: Place
    key: str
    names: tuple[str, ...]

    def means(self, entry: ServerEntry) -> bool:
        """Whether *entry* is among what this list is about, whatever its name."""
        source = entry.source
        if source is None or source.product != "Claude Code":
            return False
        if self.place.scope == "project" and source.folder != self.place.folder:
            return False
        in_any = self.key.endswith(_ANY) and self.place.scope == "user"
        return in_any or (source.scope == "project" and source.file.name == ".mcp.json")


def off_lists(root: Json, place: Place) -> Iterator[OffList]:
    """Yield the lists of a file that concern this project."""
    if not isinstance(root, Mapping):
        return
    tables = [("", root)]
    for key in _projects(root, place):
        tables += [(f"projects.{key}.", member(member(root, "projects"), key))]
    for before, table in tables:
        for name in (_OF_PROJECT_FILE, _ANY):
            names = table.get(name)
            listed = names if isinstance(names, list) else [names]
            found = tuple(one for one in listed if isinstance(one, str))
            if found:
                yield OffList(place, before + name, found)


def disable(
    entries: Sequence[ServerEntry], lists: Sequence[OffList]
) -> list[ServerEntry]:
    """Return the entries, disabled where a list says so."""
    return [_disabled(entry, lists) for entry in entries]


def _disabled(entry: ServerEntry, lists: Sequence[OffList]) -> ServerEntry:
    for one in lists:
        if entry.name in one.names and one.means(entry):
            return replace(entry, disabled=f"disabled in {one.key} of {one.place.file}")
    return entry


def _tables(root: Raw, place: Place) -> Iterable[Table]:
    """Return the tables of this project, the nearest folder first, then the user's."""
    own = [("projects", key, "mcpServers") for key in _projects(root, place)]
    found = [Table(path) for path in own if at(root, path) is not None]
    return [*found, *usual(("mcpServers",))(root, place)]


def _projects(root: Raw, place: Place) -> Iterator[str]:
    """Yield the keys under which ``~/.claude.json`` knows folders of this project."""
    keys = {_alike(key): key for key in member(root, "projects")}
    for folder in place.folders:
        key = keys.get(_alike(str(folder)))
        if key is not None:
            yield key


def _alike(folder: str) -> str:
    """Return a folder as it compares: Windows has two slashes and no case."""
    slashed = folder.replace("\\", "/").rstrip("/")
    return slashed.casefold() if re.match("[A-Za-z]:", slashed) else slashed


_UNHEEDED = {"headersHelper": "is not run here; write the headers themselves"}

CLAUDE_CODE = Dialect(_tables, unheeded=_UNHEEDED)
CLAUDE_DESKTOP = Dialect(usual(("mcpServers",)))
