"""The data set of the demo, and the tools that search it."""

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest
from mcp_types import CallToolResult

from mcp_magic.demo.worlds import World, named, ranked, shipped, worlds

Call: TypeAlias = Callable[..., CallToolResult]

GRAVITATION = 6.6743e-11


def _rows(result: CallToolResult, key: str = "result") -> list[Mapping[str, object]]:
    rows = (result.structured_content or {})[key]
    assert isinstance(rows, list)
    return rows


def _names(rows: list[Mapping[str, object]]) -> list[object]:
    return [row["name"] for row in rows]


def test_there_are_forty_worlds_with_different_names() -> None:
    names = {world.name for world in worlds()}
    assert (len(worlds()), len(names)) == (40, 40)
    kinds = [world.kind for world in worlds()]
    counted = [kinds.count(k) for k in ("star", "planet", "dwarf planet", "moon")]
    assert counted == [1, 8, 5, 26]


def test_the_file_has_no_stray_spaces_and_ends_with_a_line_break() -> None:
    text = shipped("worlds.csv")
    cells = [cell for line in text.splitlines() for cell in line.split(",")]
    assert text.endswith("\n")
    assert not any(cell != cell.strip() for cell in cells)


def test_every_world_orbits_a_world_of_the_table_except_the_sun() -> None:
    assert [world.name for world in worlds() if world.orbits is None] == ["Sun"]
    assert all(named(world.orbits) for world in worlds() if world.orbits)


def test_what_was_discovered_has_a_year_and_only_haumea_has_no_discoverer() -> None:
    years = [world.discovered for world in worlds() if world.discovered]
    assert (min(years), max(years)) == (1610, 2005)
    found = [world for world in worlds() if world.discovered and not world.discoverer]
    assert [world.name for world in found] == ["Haumea"]
    assert not any(world.discoverer and not world.discovered for world in worlds())


@pytest.mark.parametrize(
    "world", [w for w in worlds() if w.orbits], ids=lambda world: world.name
)
def test_orbits_obey_keplers_third_law(world: World) -> None:
    """Distance, period and the masses of both agree within one percent."""
    assert world.orbits
    assert world.distance_km
    assert world.period_days
    around = named(world.orbits)
    assert around
    assert around.mass_kg
    left = 4 * math.pi**2 * (world.distance_km * 1e3) ** 3
    masses = around.mass_kg + (world.mass_kg or 0)
    right = GRAVITATION * masses * (world.period_days * 86400) ** 2
    assert left / right == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    "world", [w for w in worlds() if w.mass_kg], ids=lambda world: world.name
)
def test_sizes_and_masses_give_believable_densities(world: World) -> None:
    assert world.mass_kg
    litres = 4 / 3 * math.pi * (world.radius_km * 1e4) ** 3
    assert 0.5 < world.mass_kg / litres < 5.6


def test_rows_without_a_value_come_last_in_both_directions() -> None:
    for descending in (False, True):
        years = [w.discovered for w in ranked("discovered", descending=descending)]
        known = [year for year in years if year is not None]
        assert known == sorted(known, reverse=descending)
        assert years[len(known) :] == [None] * (40 - len(known))


def test_list_rows_gives_the_ten_largest_worlds_without_arguments(call: Call) -> None:
    rows = _rows(call("list_rows"))
    assert len(rows) == 10
    assert _names(rows)[:3] == ["Sun", "Jupiter", "Saturn"]
    assert rows[1] == {
        "name": "Jupiter",
        "kind": "planet",
        "orbits": "Sun",
        "distance_km": 778341000,
        "period_days": 4332.589,
        "radius_km": 69911,
        "mass_kg": 1.89813e27,
        "rings": True,
        "discovered": None,
        "discoverer": None,
    }


def test_list_rows_filters_sorts_and_pages(call: Call) -> None:
    rows = call(
        "list_rows", kind="planet", sort="name", order="ascending", limit=2, offset=3
    )
    assert _names(_rows(rows)) == ["Mercury", "Neptune"]


def test_list_rows_beyond_the_end_is_empty(call: Call) -> None:
    assert _rows(call("list_rows", offset=40)) == []


def test_search_rows_gives_the_first_twenty_and_the_total(call: Call) -> None:
    result = call("search_rows")
    assert (result.structured_content or {})["total"] == 40
    assert len(_rows(result, "rows")) == 20


def test_search_rows_combines_words_conditions_and_columns(call: Call) -> None:
    result = call(
        "search_rows",
        words=["GALILEI"],
        where={"radius_km": {"at_least": 2000}, "rings": False},
        columns=["name", "discovered"],
    )
    assert result.structured_content == {
        "total": 2,
        "rows": [
            {"name": "Ganymede", "discovered": 1610},
            {"name": "Callisto", "discovered": 1610},
        ],
    }


@pytest.mark.parametrize(("match", "total"), [("all", 1), ("any", 9)])
def test_search_rows_wants_all_words_or_any(call: Call, match: str, total: int) -> None:
    result = call("search_rows", words=["Huygens", "saturn"], match=match, limit=None)
    assert len(_rows(result, "rows")) == total


def test_a_range_never_holds_what_is_not_known(call: Call) -> None:
    result = call("search_rows", where={"discovered": {"at_most": 1700}}, limit=None)
    found = _names(_rows(result, "rows"))
    assert "Titan" in found
    assert "Moon" not in found
