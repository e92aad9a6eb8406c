"""Namespaced names inside texts: which are decoded, which stay (docs/names.md)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.naming import Codec, Spotted, spot

SERVERS = ["chrome", "my server", "a", "a__b", "x--y"]
PAIRS = [("chrome", "screenshot"), ("gw", "bridge--far--go"), ("hub", "pkg--run")]


def meanings(text: str) -> list[tuple[str, str, str]]:
    """Return what is spotted with the servers and tools of these tests."""
    found = spot(text, servers=SERVERS, pairs=PAIRS)
    return [(one.name, one.server, one.tool) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bridge--chrome--click", [("bridge--chrome--click", "chrome", "click")]),
        ("bridge--my-server--t", [("bridge--my-server--t", "my server", "t")]),
        ("mcp__my_server__t_2", [("mcp__my_server__t_2", "my server", "t_2")]),
        ("bridge--x--y--z", [("bridge--x--y--z", "x--y", "z")]),
        ("bridge--a---b", [("bridge--a---b", "a", "-b")]),
        ("bridge--far--go", [("bridge--far--go", "far", "go")]),
        ("pkg--run", [("pkg--run", "pkg", "run")]),
        ("chrome--screenshot", [("chrome--screenshot", "chrome", "screenshot")]),
        ("mcp__chrome__list.all", [("mcp__chrome__list.all", "chrome", "list.all")]),
    ],
)
def test_a_name_that_means_something_is_spotted(
    text: str, expected: list[tuple[str, str, str]]
) -> None:
    """docs/names.md: held by a known catalogue, or a prefix and a known server."""
    assert meanings(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "node--inspect",
        "run node --inspect-brk -- file",
        "bridge--firefox--click",
        "bridge--chrome",
        "bridge--chrome--",
        "bridge----click",
        "mcp__firefox__click",
        "mcp__a__b__c",
        "pkg--walk",
        "/var/bridge--chrome--click",
        "https://host.test/bridge--chrome--click",
        "snake__case and __dunder__",
        "",
    ],
)
def test_other_text_stays(text: str) -> None:
    """docs/names.md: ordinary text, unknown servers, paths, names with two readings."""
    assert meanings(text) == []


def test_the_place_is_that_of_the_name() -> None:
    """Ours: quotes, brackets, a full stop and a server before it stay outside."""
    text = "é: 'bridge--chrome--a' (gw.bridge--chrome--b), mcp__chrome__c."
    found = spot(text, servers=SERVERS)
    assert [text[one.start : one.end] for one in found] == [one.name for one in found]
    assert [one.tool for one in found] == ["a", "b", "c"]


def test_a_codec_is_used_as_it_is() -> None:
    """Ours: escaped names are read back, too."""
    codec = Codec([("a", "b__c"), ("a__b", "c")])
    name = codec.encode("a", "b__c", "mcp")
    assert spot(name, pairs=codec) == [Spotted(0, len(name), name, "a", "b__c")]


@pytest.mark.parametrize(
    "part", ["bridge--", "-", "_", "mcp__a", "a.b.", "chrome--x ", "bridge--a--b."]
)
def test_a_long_text_is_searched_to_its_end(part: str) -> None:
    """Ours: a megabyte of near misses is no reason to wait or to stop."""
    text = part * (1_000_000 // len(part)) + " bridge--chrome--click"
    assert spot(text, servers=["chrome"])[-1].end == len(text)


@settings(deadline=None)
@given(st.text(st.characters()) | st.text("bridge-mcp_chrom. /", max_size=60))
def test_no_text_breaks_the_search(text: str) -> None:
    """Ours: displayed text is anything; what is found stands where it is said to."""
    for one in spot(text, servers=SERVERS, pairs=PAIRS):
        assert text[one.start : one.end] == one.name
