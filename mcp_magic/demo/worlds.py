"""The data set of the demo: forty worlds of the solar system, from a CSV file."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field

__all__ = ["Column", "Kind", "World", "named", "ranked", "shipped", "worlds"]

Kind: TypeAlias = Literal["star", "planet", "dwarf planet", "moon"]
Column: TypeAlias = Literal[
    "name",
    "kind",
    "orbits",
    "distance_km",
    "period_days",
    "radius_km",
    "mass_kg",
    "rings",
    "discovered",
    "discoverer",
]

_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}


# Servers describe their columns with the annotations.
@dataclass(frozen=True, slots=True)
class World:
    """One world; null stands for what does not apply or is not known well."""

    name: Annotated[str, Field(description="What it is called.")]
    kind: Annotated[Kind, Field(description="What it counts as.")]
    orbits: Annotated[
        str | None, Field(description="The name of the world around which it runs.")
    ]
    distance_km: Annotated[
        int | None, Field(description="Its mean distance from that world.")
    ]
    period_days: Annotated[
        float | None, Field(description="The days that one orbit takes.")
    ]
    radius_km: Annotated[float, Field(description="Its mean radius.")]
    mass_kg: Annotated[float | None, Field(description="Its mass.")]
    rings: Annotated[bool, Field(description="Whether it has rings.")]
    discovered: Annotated[
        int | None,
        Field(description="The year of its discovery; null if always known."),
    ]
    discoverer: Annotated[
        str | None, Field(description="Who found it; null if nobody, or disputed.")
    ]


def shipped(file: str) -> str:
    """Return the text of a file that is shipped with the data."""
    return (files(__package__) / "data" / file).read_text(encoding="utf-8")


@cache
def worlds() -> tuple[World, ...]:
    """Return all worlds in the order of the file: outwards, the moons last."""
    lines = shipped("worlds.csv").splitlines()
    return tuple(_read(row) for row in csv.DictReader(lines))


def named(name: str) -> World | None:
    """Return the world called *name*, in any case, or ``None``."""
    return next((w for w in worlds() if w.name.casefold() == name.casefold()), None)


def ranked(column: Column, *, descending: bool = False) -> list[World]:
    """Return all worlds sorted by *column*; those without a value come last."""
    known = [world for world in worlds() if getattr(world, column) is not None]
    unknown = [world for world in worlds() if getattr(world, column) is None]
    known.sort(key=lambda world: _key(getattr(world, column)), reverse=descending)
    return known + unknown


def _key(value: object) -> float | str:
    return value if isinstance(value, bool | int | float) else str(value)


def _read(row: Mapping[str, str]) -> World:
    return World(
        name=row["name"],
        kind=_KINDS[row["kind"]],
        orbits=row["orbits"] or None,
        distance_km=_whole(row["distance_km"]),
        period_days=_number(row["period_days"]),
        radius_km=float(row["radius_km"]),
        mass_kg=_number(row["mass_kg"]),
        rings=row["rings"] == "true",
        discovered=_whole(row["discovered"]),
        discoverer=row["discoverer"] or None,
    )


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _number(text: str) -> float | None:
    return float(text) if text else None
