"""Calls written as text: reading them back gives the same call, whatever they hold."""

from __future__ import annotations

import ast
import json
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.language import (
    Url,
    bind,
    evaluate,
    read_line,
    spell,
    spell_python,
    spell_verb,
    split_target,
    split_tool,
    values,
)
from mcp_magic.model import Json, Schema
from mcp_magic.naming import Exact
from tests.language.reading import SCHEMA, schema

_TEXTS = st.text(max_size=12) | st.sampled_from(
    [
        "null",
        "true",
        "5",
        "007",
        "1.10",
        "-5",
        "a=b",
        "a: b",
        "@x",
        "@@x",
        "$x",
        "{x}",
        "{}",
        "[1]",
        "it's",
        '"',
        "\\",
        "C:\\dir\\",
        "a\\\"b'",
        "what?",
        "x;",
        "# a",
        "--x",
        "--",
        "",
        " ",
        "a b",
        "\n",
        "\u202e",
        "“x”",
        "http://h/a?b=c",
        "=",
        ":=",
        "}}",
        "{{",
    ]
)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3)
    ),
    max_leaves=6,
)
_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "q": _TEXTS,
        "n": st.integers(),
        "x": st.floats(allow_nan=False, allow_infinity=False),
        "on": st.booleans(),
        "tags": st.lists(_TEXTS, max_size=3),
        "opts": st.dictionaries(_TEXTS, _JSON, max_size=2),
        "maybe": st.none() | _TEXTS,
        "count": st.none() | st.integers(),
        "any": _JSON,
        "with space": _TEXTS,
    },
)


def _read_back(text: str, server: str, tool: str, of: Schema | None) -> dict[str, Json]:
    if text.startswith("mcp_magic."):
        return _run(text, server, tool, of)
    line = read_line(text.removeprefix("%mcp "))
    target = split_target(line, {server})
    found, arguments = split_tool(target, {tool, "another"})
    assert found == tool
    assert getattr(target.server, "name", None) in (server, None)
    return bind(evaluate(arguments, {}), of).values


def _run(text: str, server: str, tool: str, of: Schema | None) -> dict[str, Json]:
    """Run a Python call against a server that binds and returns."""

    class Tools:
        def __getattr__(self, name: str) -> object:
            return self[name]

        def __getitem__(self, name: str) -> object:
            assert name == tool
            return lambda *args, **kwargs: bind(values(args, kwargs), of).values

    class Package:
        @staticmethod
        def connect(name: str) -> Tools:
            assert name == server
            return Tools()

    found = eval(text, {"mcp_magic": Package})  # noqa: S307 - what is tested
    return cast("dict[str, Json]", found)


def _alike(one: Json, other: Json) -> bool:
    """Compare as JSON writes values: 1, 1.0 and true differ."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@settings(max_examples=150, deadline=None)
@given(_VALUES)
def test_a_spelled_call_is_read_back_as_the_same_call(sent: dict[str, Json]) -> None:
    text = spell("demo", "f", sent, schema=SCHEMA)
    assert _alike(_read_back(text, "demo", "f", SCHEMA), sent)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(_TEXTS, _JSON, max_size=3))
def test_a_call_of_an_unlisted_tool_is_read_back_too(sent: dict[str, Json]) -> None:
    text = spell("demo", "f", sent)
    assert _alike(_read_back(text, "demo", "f", None), sent)


@settings(max_examples=100, deadline=None)
@given(_TEXTS.filter(bool), _TEXTS.filter(bool), _VALUES)
def test_any_server_and_tool_can_be_spelled(
    server: str, tool: str, sent: dict[str, Json]
) -> None:
    text = spell(server, tool, sent, schema=SCHEMA)
    assert _alike(_read_back(text, server, tool, SCHEMA), sent)


@settings(max_examples=50, deadline=None)
@given(_TEXTS.filter(bool), st.dictionaries(_TEXTS, _JSON, max_size=3))
def test_the_python_call_is_an_expression_that_gives_the_same(
    tool: str, sent: dict[str, Json]
) -> None:
    text = spell_python("my server", tool, sent)
    assert _alike(_run(text, "my server", tool, None), sent)


@settings(max_examples=100, deadline=None)
@given(_TEXTS.filter(bool), _TEXTS.filter(bool), _VALUES)
def test_a_spelled_call_is_one_line_on_which_nothing_hides(
    server: str, tool: str, sent: dict[str, Json]
) -> None:
    text = spell(server, tool, sent, schema=SCHEMA)
    assert text.isprintable()
    assert not text.endswith(("?", "\\"))


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"n": 5, "q": "hello"}, "%mcp demo.f n=5 q=hello"),
        ({"q": "a b"}, '%mcp demo.f q="a b"'),
        ({"q": "what?"}, '%mcp demo.f q="what?"'),
        ({"q": "C:\\dir\\"}, '%mcp demo.f q="C:\\dir\\\\"'),
        ({"q": "@alice"}, '%mcp demo.f q="@alice"'),
        ({"q": "null", "maybe": "null"}, '%mcp demo.f q=null maybe:="null"'),
        ({"maybe": None, "on": True}, "%mcp demo.f maybe=null on=true"),
        ({"tags": ["a", "b c"]}, '%mcp demo.f tags=["a", "b c"]'),
        ({"with space": "x"}, '%mcp demo.f "with space"=x'),
        ({"any": "5"}, '%mcp demo.f any:="5"'),
        ({"q": "two\nlines"}, '%mcp demo.f q:="two\\nlines"'),
        ({"q": "a\u202eb", "n": 1}, r"%mcp demo.f(q='a\u202eb', n=1)"),
        ({}, "%mcp demo.f"),
    ],
    ids=str,
)
def test_the_shortest_spelling_that_holds_is_taken(
    sent: dict[str, Json], text: str
) -> None:
    assert spell("demo", "f", sent, schema=SCHEMA) == text


@pytest.mark.parametrize(
    ("server", "tool", "text"),
    [
        ("demo", "read/file", "%mcp demo.read/file n=1"),
        ("my server", "f", '%mcp "my server".f n=1'),
        ("my server", "g h", '%mcp "my server.g h" n=1'),
        ("list", "f", "%mcp list.f n=1"),
        ("https://h/mcp", "f", "%mcp https://h/mcp f n=1"),
        ("demo", "f(x)", '%mcp "demo.f(x)" n=1'),
        ("demo", "a\nb", "mcp_magic.connect('demo')['a\\nb'](n=1)"),
    ],
)
def test_a_target_is_quoted_where_it_must_be(server: str, tool: str, text: str) -> None:
    assert spell(server, tool, {"n": 1}, schema=SCHEMA) == text


@pytest.mark.parametrize(
    "server",
    ["demo", "my server", "list", "-x", "a(b", 'say "hi"', "a=b", "a.b", "https://h/m"],
)
def test_the_line_of_a_verb_leads_to_its_server(server: str) -> None:
    line = read_line(spell_verb("list", server).removeprefix("%mcp "))
    if line.verb == "list":
        assert [word.text for word in line.words] == [server]
    else:
        target = split_target(line, {server})
        assert target.server in (Exact(server), Url(server))
    assert spell_verb("logs", server).startswith("%mcp logs ")


def test_odd_names_are_keys_of_a_mapping_in_python() -> None:
    sent: dict[str, Json] = {"from": "a", "ﬁ": 1}
    text = spell_python("demo", "class", sent)
    assert text == "mcp_magic.connect('demo')['class'](**{'from': 'a', 'ﬁ': 1})"
    ast.parse(text)


def test_a_secret_is_written_as_a_variable() -> None:
    sent: dict[str, Json] = {"q": "hunter2", "n": 1}
    line = spell("demo", "f", sent, schema=SCHEMA, secrets=["q"])
    assert line == "%mcp demo.f q=$q n=1"
    assert "hunter2" not in spell_python("demo", "f", sent, secrets=["q"])


@pytest.mark.parametrize("number", ["12", "13", "25"])
def test_hostile_parameter_names_are_read_back(number: str) -> None:
    of = schema(number)
    assert isinstance(of, dict)
    names = cast("dict[str, Json]", of["properties"])
    made: dict[str, Json] = {"string": "x; y", "integer": 5, "boolean": True}
    kinds = {name: cast("dict[str, str]", one)["type"] for name, one in names.items()}
    sent = {name: made.get(kind, {}) for name, kind in kinds.items()}
    text = spell("demo", "f", sent, schema=of)
    assert _alike(_read_back(text, "demo", "f", of), sent)


def test_the_target_of_a_spelled_line_is_exact() -> None:
    line = read_line(spell("gw.cal", "a.b", {}).removeprefix("%mcp "))
    assert split_target(line, {"gw.cal"}).server == Exact("gw.cal")
