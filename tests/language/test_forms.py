"""The form model: controls for every schema, and entries read back as arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_magic.language import (
    Chosen,
    Entry,
    Field,
    Filled,
    Kind,
    Null,
    Rows,
    Typed,
    Variant,
    fields,
    read_form,
)
from mcp_magic.language.check import Problem
from mcp_magic.model import Json, Schema
from tests.language.reading import SCHEMAS, schema


def _kinds(number: str) -> dict[str, str]:
    return {one.name: one.kind for one in fields(schema(number)).root.fields}


def _field(of: Json) -> Field:
    return fields({"properties": {"v": of}}).root.fields[0]


@pytest.mark.parametrize(
    ("of", "kind"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "format": "date"}, "date"),
        ({"type": "string", "format": "date-time"}, "date-time"),
        ({"type": "string", "format": "email"}, "text"),
        ({"type": "integer"}, "integer"),
        ({"type": "number"}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": ["boolean", "null"]}, "boolean"),
        ({"enum": [1, 2]}, "choice"),
        ({"const": "x"}, "fixed"),
        ({"type": "null"}, "fixed"),
        (
            {"oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]},
            "choice",
        ),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "choices"),
        ({"type": "array", "items": {"type": "string"}}, "list"),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "tuple"),
        ({"type": "object", "properties": {"a": {}}}, "group"),
        ({"type": "object"}, "group"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "map"),
        ({"type": ["string", "integer"]}, "union"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text"),
        ({}, "json"),
        (True, "json"),
        (False, "never"),
    ],
    ids=str,
)
def test_a_schema_has_its_control(of: Json, kind: Kind) -> None:
    assert _field(of).kind == kind


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda p: p.stem)
def test_every_field_case_has_a_form(path: Path) -> None:
    form = fields(schema(path.stem[:2]))
    assert form.root.kind in ("group", "union")


def test_the_forms_of_the_field_cases_are_what_people_need() -> None:
    assert _kinds("10") == {"payload": "json", "never": "never", "opts": "map"}
    assert _kinds("11") == {
        "tags": "list",
        "rows": "list",
        "pair": "tuple",
        "old_pair": "tuple",
    }
    assert _kinds("14") == {"q": "json", "n": "choice", "c": "fixed"}
    assert fields(schema("16")).root.open


def test_a_form_is_drawn_five_levels_deep_and_then_is_a_box() -> None:
    place, depth = fields(schema("19")).root, 0
    while place.fields:
        place, depth = place.fields[0], depth + 1
    assert (place.kind, depth) == ("json", 6)


def test_variants_are_named_by_what_tells_them_apart() -> None:
    assert [one.label for one in fields(schema("07")).root.variants] == [
        "content",
        "source_url",
        "file_id",
    ]
    assert [one.label for one in fields(schema("08")).root.variants] == ["a", "b"]


def test_choices_keep_their_types_and_show_their_titles() -> None:
    field = _field({"enum": ["1", 1, True, "null"], "enumNames": ["one", "uno"]})
    assert [(one.value, one.label) for one in field.choices] == [
        ("1", "one"),
        (1, "uno"),
        (True, "true"),
        ("null", "null"),
    ]


def test_a_field_says_what_a_person_needs_to_know() -> None:
    field = _field(
        {
            "type": "integer",
            "minimum": 1,
            "maximum": 9,
            "default": 5,
            "title": "Size",
            "description": "How \x1bbig",
        }
    )
    assert (field.title, field.help, field.default) == ("Size", "How \\x1bbig", "5")
    assert field.hint == "integer, 1 to 9"
    assert not field.required


def test_the_title_of_a_choice_is_not_the_title_of_its_field() -> None:
    field = _field({"oneOf": [{"const": "w", "title": "Warp", "description": "Fast"}]})
    assert (field.title, field.choices[0].label) == ("Warp", "Warp")
    ways: Json = [{"const": "w", "title": "Warp"}, {"const": 1, "title": "Impulse"}]
    field = _field({"oneOf": ways})
    assert (field.title, field.help) == ("", "")


def test_a_default_outside_the_choices_is_shown_and_harms_nothing() -> None:
    """ARG-21: it is the server's word, and never sent."""
    assert _field({"enum": ["x"], "default": {"odd": 1}}).default == '{"odd": 1}'


@pytest.mark.parametrize(
    "of",
    [{"type": "string", "format": "password"}, {"type": "string", "writeOnly": True}],
    ids=["password", "writeOnly"],
)
def test_a_secret_is_marked_by_its_schema(of: Json) -> None:
    assert _field(of).secret


@pytest.mark.parametrize("name", ["api_key", "apiKey", "accessToken", "PASSWORD"])
def test_a_secret_is_marked_by_its_name(name: str) -> None:
    form = fields({"properties": {name: {"type": "string"}}})
    assert form.root.fields[0].secret


@pytest.mark.parametrize("name", ["max_tokens", "pageToken", "next_token", "keyboard"])
def test_a_name_that_only_sounds_secret_is_not_marked(name: str) -> None:
    form = fields({"properties": {name: {"type": "string"}}})
    assert not form.root.fields[0].secret


def test_an_empty_name_and_a_hostile_one_can_be_shown() -> None:
    labels = {one.name: one.label for one in fields(schema("12")).root.fields}
    assert labels[""] == "(empty name)"
    hostile = fields({"properties": {"a\u202eb": {}}}).root.fields[0]
    assert (hostile.name, hostile.label) == ("a\u202eb", "a\\u202eb")


def test_a_place_is_named_by_its_pointer() -> None:
    form = fields({"properties": {"a/b": {"properties": {"~": {}}}}})
    assert form.root.fields[0].fields[0].pointer == "/a~1b/~0"


NUMENUM: Schema = {"properties": {"numenum": {"type": "integer", "enum": [1, 2, 3]}}}
X1: Schema = {"properties": {"s": {"type": "string", "default": "a"}}}


@pytest.mark.parametrize(
    ("of", "entries", "sent"),
    [
        (schema("01"), {"tab_id": Typed("0123")}, {"tab_id": "0123"}),
        (
            schema("01"),
            {"tab_id": Typed("1"), "ratio": Typed("1e-3")},
            {"tab_id": "1", "ratio": 0.001},
        ),
        (schema("23"), {"big": Typed("18446744073709551615")}, {"big": 2**64 - 1}),
        (schema("02"), {"a": Null()}, {"a": None}),
        (X1, {}, {}),
        (schema("03"), {"color": Chosen((2,))}, {"color": "1"}),
        (schema("03"), {"color": Typed("1")}, {"color": "1"}),
        (schema("03"), {"colors": Chosen((4, 2))}, {"colors": ["null", "1"]}),
        (
            schema("05"),
            {"tree": Filled({"value": Typed("1"), "children": Rows(())})},
            {"tree": {"value": 1, "children": []}},
        ),
        (
            schema("11"),
            {"pair": Rows((Typed("a"), Typed("2"))), "tags": Rows((Typed("x"),))},
            {"pair": ["a", 2], "tags": ["x"]},
        ),
        (schema("21"), {"headers": Filled({"A": Typed("1")})}, {"headers": {"A": "1"}}),
        (
            schema("16"),
            {"new key": Typed("007"), "other": Typed("[1]")},
            {"new key": "007", "other": [1]},
        ),
        (schema("14"), {"q": Typed('{"a": 1}')}, {"q": {"a": 1}}),
        (
            schema("12"),
            {"from": Typed("@x $y {z}"), "": Typed("")},
            {"from": "@x $y {z}", "": ""},
        ),
        (
            {"properties": {"v": {"type": ["string", "integer"]}}},
            {"v": Variant(1, Typed("5"))},
            {"v": 5},
        ),
        (
            {"properties": {"v": {"type": ["string", "integer"]}}},
            {"v": Variant(0, Typed("5"))},
            {"v": "5"},
        ),
        ({"properties": {"v": {"type": "boolean"}}}, {"v": Typed("true")}, {"v": True}),
    ],
    ids=str,
)
def test_what_is_entered_is_sent(
    of: Schema, entries: dict[str, Entry], sent: Json
) -> None:
    reading = read_form(fields(of), Filled(entries))
    assert (reading.values, reading.problems) == (sent, ())


@pytest.mark.parametrize(
    ("of", "entries", "pointer", "says"),
    [
        (
            schema("01"),
            {"tab_id": Typed("1"), "limit": Typed("3.7")},
            "/limit",
            "whole",
        ),
        (
            schema("01"),
            {"tab_id": Typed("1"), "limit": Typed("007")},
            "/limit",
            "zeros",
        ),
        (schema("01"), {"tab_id": Typed("1"), "limit": Typed("")}, "/limit", "whole"),
        (schema("01"), {"tab_id": Typed("1"), "pin": Typed("12")}, "/pin", "pattern"),
        (schema("01"), {}, "/tab_id", "needed"),
        (schema("02"), {}, "/a", "needed"),
        (schema("23"), {"big": Typed("-5")}, "/big", "at least 0"),
        (schema("23"), {"uniq": Rows((Typed("1"),) * 4)}, "/uniq", "items"),
        (schema("21"), {"metrics": Filled({"zz": Typed("1")})}, "/metrics", "zz"),
        (
            schema("10"),
            {"payload": Typed("1"), "never": Typed("1")},
            "/never",
            "may not",
        ),
        (NUMENUM, {"numenum": Typed("7")}, "/numenum", "one of"),
        (NUMENUM, {"numenum": Chosen((7,))}, "/numenum", "cannot be entered"),
        (NUMENUM, {"numenum": Rows(())}, "/numenum", "cannot be entered"),
        (
            {"properties": {"v": {}}, "additionalProperties": False},
            {"other": Typed("7")},
            "",
            "cannot be entered",
        ),
        (schema("05"), {"tree": Filled({})}, "/tree/value", "needed"),
        (schema("05"), {"tree": Filled({"value": Typed("x")})}, "/tree/value", "whole"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_a_problem_at_its_place(
    of: Schema, entries: dict[str, Entry], pointer: str, says: str
) -> None:
    problems = read_form(fields(of), Filled(entries)).problems
    assert pointer in [problem.pointer for problem in problems]
    assert says in "\n".join(problem.message for problem in problems)


def test_all_problems_are_told_at_once() -> None:
    entries = Filled({"limit": Typed("x"), "ratio": Typed("y")})
    problems = read_form(fields(schema("01")), entries).problems
    assert [problem.pointer for problem in problems] == ["/limit", "/ratio", "/tab_id"]


def test_what_has_nothing_to_do_with_another_problem_is_told_with_it() -> None:
    listed: Json = {"type": "array", "minItems": 1, "items": {"type": "integer"}}
    members: Json = {"n": {"type": "integer"}, "m": listed, "o": listed}
    form = fields({"properties": members, "minProperties": 3})
    entries = Filled({"n": Typed("x"), "m": Rows(()), "o": Rows((Typed("y"),))})
    problems = read_form(form, entries).problems
    assert [one.pointer for one in problems] == ["/n", "/o/0", "/m"]
    assert problems[2].message == "m has at least 1 item, not []."


def test_a_root_of_several_ways_is_filled_by_variant() -> None:
    form = fields(schema("07"))
    entry = Variant(1, Filled({"source_url": Typed("https://h")}))
    assert read_form(form, entry).values == {"source_url": "https://h"}


def test_one_field_can_be_read_alone() -> None:
    """Ours: a terminal asks field by field."""
    field = _field({"type": "integer", "minimum": 3})
    assert read_form(field, Typed("5")).values == 5
    (problem,) = read_form(field, Typed("five")).problems
    assert problem == Problem("/v", 'v takes a whole number, not "five".')
