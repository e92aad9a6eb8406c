"""The tour and every verb show what the golden files say; Lab has tests of its own.

When a difference is meant: ``python -m tests.tour --write``, and read what changed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_magic.notebook.verbs import KNOWN
from tests.tour import front_ends, verbs
from tests.tour.goldens import read
from tests.tour.outputs import Shown


@pytest.fixture(name="unattended", scope="module")
def _unattended(tmp_path_factory: pytest.TempPathFactory) -> list[Shown]:
    return front_ends.in_nbclient(tmp_path_factory.mktemp("nbclient"))


@pytest.fixture(name="shown", scope="module")
def _shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shown]:
    return verbs.run_all(tmp_path_factory.mktemp("verbs"))


def test_the_tour_reads_the_same_without_a_person(unattended: list[Shown]) -> None:
    assert {one.source: one.text for one in unattended} == read("tour.txt")


def test_the_tour_looks_the_same_as_a_page(unattended: list[Shown]) -> None:
    assert {one.source: one.html for one in unattended} == read("tour.html")


def test_the_tour_reads_the_same_in_a_terminal(tmp_path: Path) -> None:
    golden = {
        source: Shown(source, text).in_terminal
        for source, text in read("tour.txt").items()
    }
    found = {one.source: one.text for one in front_ends.in_terminal(tmp_path)}
    assert found == golden


@pytest.mark.parametrize("verb", verbs.CASES)
def test_a_verb_shows_what_it_always_showed(verb: str, shown: dict[str, Shown]) -> None:
    text, html = read("verbs.txt"), read("verbs.html")
    for source in verbs.CASES[verb]:
        assert (source, shown[source].text) == (source, text[source])
        assert (source, shown[source].html) == (source, html[source])


def test_every_verb_has_golden_outputs() -> None:
    assert set(KNOWN) <= set(verbs.CASES)


def test_no_golden_output_is_left_over() -> None:
    known = [source for cells in verbs.CASES.values() for source in cells]
    for name in ("verbs.txt", "verbs.html"):
        assert list(read(name)) == known
    assert list(read("tour.txt")) == list(read("lab.txt")) == front_ends.cells()


def test_no_secret_is_in_a_golden_output(shown: dict[str, Shown]) -> None:
    assert not [one for one in shown.values() if "hush" in one.text + one.html]
