"""Tools over the data set: answers that are tables."""

from dataclasses import asdict
from typing import Annotated, Literal, TypeAlias, get_args

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, ConfigDict, Field

from mcp_magic.demo.offer import READS, offer
from mcp_magic.demo.worlds import Column, Kind, World, ranked, worlds

__all__ = ["install"]

Cell: TypeAlias = str | bool | int | float | None


class Range(BaseModel):
    """Bounds of a number, both included; one may be left out."""

    model_config = ConfigDict(extra="forbid")

    at_least: float | None = Field(default=None, description="The smallest value.")
    at_most: float | None = Field(default=None, description="The largest value.")

    def holds(self, value: float | None) -> bool:
        """Whether *value* is known and within the bounds."""
        if value is None:
            return False
        low = self.at_least is None or value >= self.at_least
        return low and (self.at_most is None or value <= self.at_most)


class Filter(BaseModel):
    """What a row must fulfil; all that is given counts."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind | None = Field(default=None, description="What it counts as.")
    orbits: str | None = Field(default=None, description="Around what it runs.")
    rings: bool | None = Field(default=None, description="Whether it has rings.")
    radius_km: Range | None = Field(default=None, description="Its mean radius.")
    discovered: Range | None = Field(default=None, description="The year it was found.")

    def holds(self, world: World) -> bool:
        """Whether *world* fulfils everything that is given."""
        same = all(
            getattr(self, column) in (None, getattr(world, column))
            for column in ("kind", "orbits", "rings")
        )
        ranges = (
            (self.radius_km, world.radius_km),
            (self.discovered, world.discovered),
        )
        return same and all(range_ is None or range_.holds(v) for range_, v in ranges)


class Found(BaseModel):
    """What a search found."""

    total: int = Field(description="How many rows fit, even if fewer are shown.")
    rows: list[dict[str, Cell]] = Field(description="The rows, with the columns asked.")


def install(server: MCPServer) -> None:
    """Offer these tools on *server*."""
    offer(server, list_rows, "List worlds of the solar system", READS)
    offer(server, search_rows, "Search the worlds", READS)


async def list_rows(
    kind: Annotated[
        Kind | None, Field(description="Only worlds of this kind; all without it.")
    ] = None,
    sort: Annotated[
        Column,
        Field(description="The column to sort by; rows without a value come last."),
    ] = "radius_km",
    order: Annotated[
        Literal["ascending", "descending"],
        Field(description="Whether the smallest or the largest comes first."),
    ] = "descending",
    limit: Annotated[
        int, Field(ge=1, le=100, description="How many rows at most.")
    ] = 10,
    offset: Annotated[
        int, Field(ge=0, description="How many rows to pass over first.")
    ] = 0,
) -> list[World]:
    """List the forty worlds of the data set, sorted and page by page: the Sun, its
    planets, dwarf planets and larger moons, with sizes, orbits and discoverers.
    """
    rows = ranked(sort, descending=order == "descending")
    rows = [row for row in rows if kind in (None, row.kind)]
    return rows[offset : offset + limit]


async def search_rows(
    words: Annotated[
        tuple[str, ...],
        Field(description="Words to find in the texts of a row, in any case."),
    ] = (),
    where: Annotated[
        Filter | None, Field(description="What else a row must fulfil.")
    ] = None,
    match: Annotated[
        Literal["all", "any"],
        Field(description="Whether a row must hold all words or any of them."),
    ] = "all",
    columns: Annotated[
        tuple[Column, ...] | None,
        Field(description="The columns to give, in this order; all without it."),
    ] = None,
    limit: Annotated[
        int | None, Field(ge=0, description="How many rows at most; null gives all.")
    ] = 20,
) -> Found:
    """Search the worlds by words and by conditions, and choose the columns. The answer
    tells how many rows fit in all, also when the limit cuts them off.
    """
    fitting = [
        world
        for world in worlds()
        if _speaks_of(world, words, match) and (where is None or where.holds(world))
    ]
    chosen = columns or get_args(Column)
    rows = [_cells(world, chosen) for world in fitting[:limit]]
    return Found(total=len(fitting), rows=rows)


def _speaks_of(world: World, words: tuple[str, ...], match: str) -> bool:
    texts = (world.name, world.kind, world.orbits or "", world.discoverer or "")
    text = "\n".join(texts).casefold()
    found = [word.casefold() in text for word in words]
    return all(found) if match == "all" else any(found) or not found


def _cells(world: World, columns: tuple[str, ...]) -> dict[str, Cell]:
    cells: dict[str, Cell] = asdict(world)
    return {column: cells[column] for column in columns}
