"""Where in a document its servers stand, and what differs from product to product."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mcp_magic.config.dialects.documents import Path
from mcp_magic.config.dialects.shape import Habits, Place
from mcp_magic.config.entries import Input
from mcp_magic.model import Json

__all__ = ["Dialect", "Raw", "Table", "at", "member", "usual"]

Raw: TypeAlias = Mapping[str, Json]

# Where any product may have them: people copy tables from one file into another.
_ANYWHERE: tuple[Path, ...] = (
    ("mcpServers",),
    ("servers",),
    ("mcp", "servers"),
    ("mcp_servers",),
    ("context_servers",),
    ("mcp",),
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table or list of servers.

    Attributes:
        path: Where it stands.
        inputs: What the file asks a person for.
        disabled: Gives why a server is not to be used; empty if it may be.
    """

    path: Path
    inputs: Mapping[str, Input] = field(default_factory=dict)
    disabled: Callable[[str], str] = lambda _name: ""


def _as_it_is(raw: Raw) -> Raw | None:
    return raw


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one product writes servers.

    Attributes:
        tables: Finds them in a document.
        habits: Its spellings.
        amend: Returns an entry in the usual spelling; ``None`` if it is nothing that
            others can use.
        unheeded: By name a member that means nothing here, and what to do instead.
    """

    tables: Callable[[Raw, Place], Iterable[Table]]
    habits: Habits = field(default_factory=Habits)
    amend: Callable[[Raw], Raw | None] = _as_it_is
    unheeded: Mapping[str, str] = field(default_factory=dict)


def at(root: Json, path: Path) -> Json:
    """Return what stands at a path of names; ``None`` if nothing does."""
    for step in path:
        root = root.get(str(step)) if isinstance(root, Mapping) else None
    return root


def member(raw: Json, name: str) -> Raw:
    """Return a member that is a table; an empty one if it is not."""
    value = raw.get(name) if isinstance(raw, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def usual(*paths: Path) -> Callable[[Raw, Place], Iterable[Table]]:
    """Return a finder of the tables at *paths*, or where other products have them."""

    def tables(root: Raw, place: Place) -> Iterable[Table]:
        found = [path for path in paths if at(root, path) is not None]
        if not found and not place.mixed:
            found = [path for path in _ANYWHERE if at(root, path) is not None][:1]
        return [Table(path) for path in found]

    return tables
