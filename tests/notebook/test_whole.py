"""A whole form as JSON text and back: nothing is lost, and secrets stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_magic.display import redact
from mcp_magic.language import fields
from mcp_magic.model import Json, Schema
from mcp_magic.notebook.widgets.whole import as_form, as_text, contents
from tests.language.reading import SCHEMAS, schema

_PATHS = sorted(SCHEMAS.glob("*.json"))
_TEXTS: Any = {"type": "string"}
_ALL: dict[str, Any] = {
    "properties": {
        "t": _TEXTS,
        "n": {"type": "integer"},
        "x": {"type": ["number", "null"]},
        "on": {"type": "boolean"},
        "day": {"type": "string", "format": "date"},
        "when": {"type": "string", "format": "date-time"},
        "pick": {"enum": ["1", 1, True, None]},
        "picks": {"type": "array", "items": {"enum": ["a", "b"]}},
        "tags": {"type": "array", "items": _TEXTS},
        "pair": {"type": "array", "prefixItems": [_TEXTS, {"type": "integer"}]},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "who": {"type": "object", "properties": {"name": _TEXTS}},
        "any": {},
        "way": {"type": ["string", "integer"]},
    }
}
_ACCOUNT: Any = {"type": "object", "properties": {"name": _TEXTS, "password": _TEXTS}}
_LOGIN: Schema = {
    "properties": {
        "api_key": _TEXTS,
        "who": _ACCOUNT,
        "all": {"type": "array", "items": _ACCOUNT},
        "tokens": {"type": "array", "items": {"type": "string", "writeOnly": True}},
        "q": _TEXTS,
    }
}
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "1", "null", "true", "a\nb", "a\rb", "\u202e", "2026-11-30"])
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "a", "__proto__", "x/y~"]), inner)
    ),
    max_leaves=8,
)


# What stands under the name of a secret stays in the form.
_NAMES = st.text(max_size=3).filter(lambda name: not redact.names_secret(name))


def _members(**marks: Any) -> dict[str, Any]:
    return {"members": [[name, mark] for name, mark in marks.items()]}


def _typed(text: str) -> dict[str, Any]:
    return {"typed": text}


_HIDDEN = {"hidden": True}


def _round(of: Schema, values: Json) -> tuple[bool, Json]:
    """Return whether the form holds *values*, and what comes back as JSON."""
    form = fields(of)
    answer = as_form(form, json.dumps(values), _members())
    if answer["kind"] == "problems":
        return False, None
    answer = as_text(form, json.loads(json.dumps(answer["mark"])))
    return True, json.loads(str(answer["text"]))


@given(st.dictionaries(st.sampled_from([*_ALL["properties"], "other"]), _JSON))
def test_what_the_form_takes_over_it_gives_back(values: dict[str, Json]) -> None:
    took, back = _round(_ALL, values)
    assert not took or back == values


@pytest.mark.parametrize("path", _PATHS, ids=lambda path: path.stem)
@given(values=st.dictionaries(_NAMES, _JSON, max_size=3))
def test_unknown_keys_are_kept_or_told(path: Path, values: dict[str, Json]) -> None:
    took, back = _round(schema(path.stem[:2]), values)
    assert not took or back == values


@pytest.mark.parametrize(
    "values",
    [
        {"n": 2**64 - 1, "x": 1e-3, "any": [2**53 + 1, {"k": None}]},
        {"n": "3.7", "x": None},
        {"on": False, "pick": True, "picks": ["b", "a", "b"]},
        {"pick": 1}, {"pick": "1"}, {"pick": None},
        {"t": "", "tags": ["", "a\nb"], "pair": ["a"], "map": {"": 1}},
        {"way": "5"}, {"way": 5}, {"any": "5"}, {"any": 5}, {"any": "[1"},
        {"day": "2026-11-30", "when": "now", "other": {"deep": [1]}},
    ],
    ids=str,
)  # fmt: skip
def test_these_values_have_a_place_in_the_form(values: Json) -> None:
    assert _round(_ALL, values) == (True, values)


@pytest.mark.parametrize(
    ("values", "pointer"),
    [
        ({"n": "5"}, "/n"),
        ({"n": [1]}, "/n"),
        ({"t": 5}, "/t"),
        ({"t": "a\rb"}, "/t"),
        ({"on": "maybe"}, "/on"),
        ({"day": "soon"}, "/day"),
        ({"when": "a\nb"}, "/when"),
        ({"pick": 2}, "/pick"),
        ({"pair": ["a", 1, 2]}, "/pair"),
        ({"t": "\ud800"}, "/t"),
    ],
    ids=str,
)
def test_what_a_box_would_change_is_told_and_stays_json(
    values: Json, pointer: str
) -> None:
    answer: Any = as_form(fields(_ALL), json.dumps(values), _members())
    (problem,) = answer["problems"]
    assert problem["pointer"] == pointer


@pytest.mark.parametrize(
    ("text", "says", "at"),
    [
        ('{"a": 1,\n "b": }', "Line 2, column 7: Expecting value.", 15),
        ('{"😀": NaN}', "Line 1, column 7: JSON has no NaN.", 7),
        ('{\n"a": 1,\n"a": 2}', "Line 3, column 1: The key 'a' stands twice.", 10),
        ('{"n": 1e999}', "Line 1, column 7: 1e999 is too large", 6),
        ("  [1]", "Line 1, column 3: The arguments are an object", 2),
        ("", "Line 1, column 1: Expecting value.", 0),
    ],
    ids=str,
)
def test_what_is_no_json_is_told_with_its_line_and_column(
    text: str, says: str, at: int
) -> None:
    """``at`` counts as JavaScript does, where the face is two."""
    problem: Any
    (problem,) = contents(fields(_ALL), _members(), text).problems
    assert problem == {"pointer": "", "message": problem["message"], "at": at}
    assert says in problem["message"]


def test_what_was_entered_is_the_text_even_if_it_does_not_fit_yet() -> None:
    mark = _members(n=_typed("3.7"), t=_typed("\u202e"), x={"null": True})
    answer = as_text(fields(_ALL), mark)
    text = str(answer["text"])
    assert "\u202e" not in text
    assert json.loads(text) == {"n": "3.7", "t": "\u202e", "x": None}


def test_a_name_that_no_call_may_have_is_kept_and_told() -> None:
    """Rule 38, as on a line."""
    took, back = _round(schema("01"), {"odd": 1})
    assert (took, back) == (True, {"odd": 1})
    problems = contents(fields(schema("01")), _members(), '{"tab_id": "", "odd": 1}')
    assert problems.problems == [
        {"pointer": "/odd", "message": "There is no parameter odd."}
    ]


def test_a_key_that_stands_twice_in_the_form_is_told_before_it_could_be_lost() -> None:
    twice = {"members": [["k", _typed("1")], ["k", _typed("2")]]}
    answer = as_text(fields(_ALL), _members(map=twice))
    assert answer["kind"] == "problems"


_ENTERED = _members(
    api_key=_HIDDEN,
    who=_members(name=_typed("Ada"), password=_HIDDEN),
    all={
        "rows": [
            _members(name=_typed("a"), password=_HIDDEN),
            _members(name=_typed("b"), password=_HIDDEN),
        ]
    },
    tokens={"rows": [_HIDDEN]},
    q=_typed("x"),
)


def test_secrets_are_not_in_the_text_and_it_is_said_which() -> None:
    answer = as_text(fields(_LOGIN), _ENTERED)
    assert json.loads(str(answer["text"])) == {
        "who": {"name": "Ada"},
        "all": [{"name": "a"}, {"name": "b"}],
        "q": "x",
    }
    assert answer["kept"] == [
        *("api_key", "who.password", "all.0.password", "all.1.password", "tokens")
    ]


@pytest.mark.parametrize(
    ("rows", "was"),
    [
        (["a", "b"], [0, 1]),
        (["b", "a"], [1, 0]),
        (["b"], [1]),
        (["c", "b"], [0, 1]),
        (["c", "a", "b"], [None, 0, 1]),
        (["c"], [None]),
    ],
    ids=str,
)
def test_a_secret_goes_back_to_its_own_row_or_to_none(
    rows: list[str], was: list[int | None]
) -> None:
    text = json.dumps({"all": [{"name": one} for one in rows]})
    answer: Any = as_form(fields(_LOGIN), text, _ENTERED)
    (_, made) = next(one for one in answer["mark"]["members"] if one[0] == "all")
    found = [dict(row["members"]).get("password") for row in made["rows"]]
    places = [one and one["at"] for one in found]
    assert places == [None if at is None else f"/all/{at}/password" for at in was]


def test_json_is_sent_with_the_secrets_of_the_form() -> None:
    entered = json.loads(json.dumps(_ENTERED).replace('"hidden": true', '"typed": "s"'))
    found = contents(fields(_LOGIN), entered, '{"who": {}, "q": "y"}')
    assert found.values == {
        "who": {"password": "s"}, "q": "y", "api_key": "s", "tokens": ["s"],
    }  # fmt: skip
    assert found.secrets == ("who", "api_key", "tokens")


def test_a_secret_in_the_text_counts_and_is_known_as_one() -> None:
    entered = _members(api_key=_typed("old"))
    found = contents(fields(_LOGIN), entered, '{"api_key": "new"}')
    assert (found.values, found.secrets) == ({"api_key": "new"}, ("api_key",))
    made: Any = as_form(fields(_LOGIN), '{"api_key": "new"}', entered)["mark"]
    assert made == _members(api_key=_typed("new"))


def test_a_secret_stays_with_its_way_of_a_union_while_that_fits() -> None:
    ways: Any = [
        {"type": "object", "required": [one], "properties": {one: _TEXTS, "n": {}}}
        for one in ("password", "file")
    ]
    form = fields({"anyOf": ways})
    mark = {"variant": 0, "mark": _members(password=_typed("s"))}
    assert contents(form, mark, '{"n": 1}').values == {"n": 1, "password": "s"}
    made: Any = as_form(form, '{"n": 1}', mark)["mark"]
    assert made["variant"] == 0
    assert made["mark"]["members"][1] == [
        "password",
        {"hidden": True, "at": "/password"},
    ]
    assert contents(form, mark, '{"file": "f"}').values == {"file": "f"}
