"""The catalogue codec: every tool has a name, and the name leads back to the tool."""

from __future__ import annotations

import json
import os
import pickle
import re
import string
import subprocess
import sys
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.naming import (
    Codec,
    Form,
    HashClash,
    Pair,
    UnknownName,
    decode,
    encode_bridge,
    encode_registry,
)

FORMS: tuple[Form, ...] = ("bridge", "mcp", "registry")
COLLIDING: list[Pair] = [
    ("a", "b__c"),
    ("a__b", "c"),
    ("my server", "take shot"),
    ("my-server", "take-shot"),
    ("my_server", "take_shot"),
    ("@scope/pkg", "helloTool"),
    ("scope-pkg", "hello"),
    ("@tpmjs/tools-x", "y"),
    ("x", "y"),
    ("x", "Y"),
    ("pkg--x", "tool"),
    ("pkg", "x--tool"),
    ("bridge--pkg--x", "tool"),
    ("mcp__a", "b--c"),
    ("io.github.someone/thing", "--help"),
    ("x_2", "y"),
    ("", ""),
    ("", "-"),
    ("日本", "作成"),
    ("中国", "作成"),
    ("s" * 42, "t" * 49),
    ("s" * 42, "t" * 48 + "u"),
]

# Few letters, so that names collide in every way; and everything there is.
PART = st.text("aT-_ /@é", max_size=6) | st.text(st.characters(), max_size=90)
ODD = st.sampled_from(
    ["", "bridge", "bridge--a", "mcp__a", "a--b", "a__b", "tpmjs-tools-a", "aTool"]
)
PAIRS = st.lists(st.tuples(PART | ODD, PART | ODD), max_size=12)
LIMIT = st.sampled_from([20, 32, 64, 128])


def assert_law(codec: Codec, pairs: list[Pair], limit: int) -> None:
    """Check that every name is safe and leads back, in every form."""
    for (server, tool), form in product(pairs, FORMS):
        name = codec.encode(server, tool, form)
        assert re.fullmatch(rf"[A-Za-z0-9_-]{{1,{limit}}}", name)
        assert codec.decode(name) == (server, tool)


@settings(deadline=None)
@given(pairs=PAIRS, limit=LIMIT)
def test_every_name_leads_back_to_its_tool(pairs: list[Pair], limit: int) -> None:
    """docs/names.md, NAM-03, NAM-08: the law of the codec, for all Unicode names."""
    assert_law(Codec(pairs, limit=limit), pairs, limit)


@settings(max_examples=60, deadline=None)
@given(pairs=PAIRS, limit=LIMIT)
def test_a_tool_called_like_the_name_of_another_is_told_apart(
    pairs: list[Pair], limit: int
) -> None:
    """Ours: names that were given come back as parts of other tools' names."""
    codec = Codec(pairs, limit=limit)
    given_names = [codec.encode(*pair, form) for pair, form in product(pairs, FORMS)]
    parts = [decode(name) for name in given_names]
    mimics = [(found.namespace, found.tool) for found in parts if found]
    splits = [
        tuple(name.split(sign, 1)) for name in given_names for sign in ("--", "__")
    ]
    mimics += [(split[0], split[1]) for split in splits if len(split) == 2]
    everyone = [*pairs, *mimics]
    assert_law(Codec(everyone, limit=limit), everyone, limit)


@settings(deadline=None)
@given(pairs=PAIRS, data=st.data())
def test_names_do_not_depend_on_the_order_of_the_tools(
    pairs: list[Pair], data: st.DataObject
) -> None:
    """NAM-04: a saved notebook never starts to call another server."""
    codec, other = Codec(pairs), Codec(data.draw(st.permutations(pairs)) + pairs[:1])
    for pair, form in product(pairs, FORMS):
        assert codec.encode(*pair, form) == other.encode(*pair, form)


def test_names_do_not_depend_on_the_process() -> None:
    """NAM-04: neither on the order in which Python walks a set."""
    program = (
        "import json, sys; from mcp_magic.naming import Codec;"
        "pairs = [tuple(pair) for pair in json.load(sys.stdin)]; codec = Codec(pairs);"
        "print([codec.encode(*p, f) for p in pairs for f in ('bridge', 'registry')])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(COLLIDING),
            env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout
        for number in ("1", "2")
    }
    assert len(outputs) == 1


def test_tools_that_share_published_names_keep_apart() -> None:
    """NAM-03, NAM-06, NAM-07, NAM-08: all collisions of the field cases at once."""
    codec = Codec(COLLIDING)
    assert_law(codec, COLLIDING, 64)
    for form in FORMS:
        assert len({codec.encode(*pair, form) for pair in COLLIDING}) == len(COLLIDING)


@pytest.mark.parametrize(
    ("server", "tool"),
    [("chrome", "screenshot"), ("my server", "take shot"), ("@tpmjs/hello", "hiTool")],
)
def test_the_published_name_is_given_where_it_is_enough(server: str, tool: str) -> None:
    """docs/names.md: nothing is escaped without need."""
    codec = Codec([(server, tool), ("other", "tool")])
    assert codec.encode(server, tool) == encode_bridge(server, tool)
    registry = encode_registry(server, tool).replace(" ", "-")
    assert codec.encode(server, tool, "registry") == registry


def test_an_escaped_name_starts_like_the_published_one_and_tells_what_was_lost() -> (
    None
):
    """docs/names.md: where the server ends, and which characters were replaced."""
    codec = Codec([("a", "b__c"), ("a__b", "c"), ("x y", "z"), ("x-y", "z")])
    assert codec.encode("a", "b__c", "mcp") == "mcp__a__b__c--1"
    assert codec.encode("a__b", "c", "mcp") == "mcp__a__b__c--4"
    assert codec.encode("x y", "z") == "bridge--x-y--z--3-1x20"
    assert codec.encode("x-y", "z") == "bridge--x-y--z--3"


def test_a_long_name_keeps_its_start() -> None:
    """NAM-06: shortened with a stable hash, which the codec reads back."""
    pair = ("s" * 42, "t" * 49)
    name = Codec([pair]).encode(*pair, "mcp")
    assert name == "mcp__" + "s" * 42 + "__t-" + name[-13:]
    assert len(name) == 64
    assert Codec([pair, ("a", "b")]).encode(*pair, "mcp") == name


def test_a_name_with_two_readings_is_an_error_that_names_both() -> None:
    """NAM-01: never decoded by the first separator."""
    codec = Codec([("a__b", "c"), ("a", "b__c")])
    with pytest.raises(
        UnknownName, match="tool 'b__c' of 'a' or tool 'c' of 'a__b'"
    ) as e:
        codec.decode("mcp__a__b__c")
    assert e.value.owners == (("a", "b__c"), ("a__b", "c"))


def test_a_published_name_with_one_reading_is_understood() -> None:
    """NAM-01: also where another product left characters that we replace."""
    codec = Codec([("my server", "take shot"), ("a__b", "c")])
    assert codec.decode("mcp__a__b__c") == ("a__b", "c")
    assert codec.decode("bridge--my-server--take shot") == ("my server", "take shot")
    assert codec.decode("mcp__my server__take shot") == ("my server", "take shot")


def test_unknown_names_and_tools_are_errors() -> None:
    """NAM-01: unknown is an error; so is a tool for which no name would lead back."""
    codec = Codec([("a", "b")])
    with pytest.raises(UnknownName, match="'mcp__a__c'") as e:
        codec.decode("mcp__a__c")
    assert (e.value.name, e.value.owners) == ("mcp__a__c", ())
    with pytest.raises(UnknownName, match="tool 'c' of 'a'"):
        codec.encode("a", "c")


def test_tools_that_hash_alike_are_an_error() -> None:
    """docs/names.md: the one thing that cannot be helped, here with one character."""
    pairs = [("server", f"tool{number}") for number in range(40)]
    codec = Codec(pairs, limit=1)
    with pytest.raises(HashClash, match="hash alike"):
        [codec.encode(*pair) for pair in pairs]
    shared = [name for name in string.printable if len(codec.owners(name)) > 1]
    with pytest.raises(UnknownName, match="may mean"):
        codec.decode(shared[0])


def test_a_limit_without_room_is_refused() -> None:
    """Ours: a name has at least one character."""
    with pytest.raises(ValueError, match="limit"):
        Codec([], limit=0)


def test_the_error_travels_between_processes() -> None:
    """README: handles are used on many machines, and so are their errors."""
    error = UnknownName("text", "name", [("a", "b")])
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.name, again.owners) == ("text", "name", (("a", "b"),))


def test_a_large_catalogue_has_names_for_all() -> None:
    """Ours: thousands of tools that all share their published names."""
    pairs = [(f"s{sign}{n}", "t t") for n in range(500) for sign in " -./"]
    codec = Codec(pairs)
    assert len({codec.encode(*pair) for pair in pairs}) == 2_000
