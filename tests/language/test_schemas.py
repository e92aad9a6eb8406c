"""JSON Schema as servers write it: what is read, shown, repaired and checked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_magic.errors import ArgumentError, visible
from mcp_magic.language import bind, help_page, signature, values
from mcp_magic.language.ecma import compile_pattern
from mcp_magic.language.jsontext import BadJson, read_json
from mcp_magic.language.literal import read_literal
from mcp_magic.language.schema import read_schema
from mcp_magic.model import Json, Schema, Tool
from tests.language.reading import SCHEMAS, Setting, read, schema


def _type(of: Json) -> str:
    """Return how the signature shows a type."""
    shown = signature(Tool("f", input_schema={"properties": {"v": of}}))
    return shown.removeprefix("f(v?: ").removesuffix(")")


@pytest.mark.parametrize(
    ("of", "shown"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"type": "string", "nullable": True}, "string | null"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer | null"),
        ({"enum": ["a", 1, None]}, '"a" | 1 | null'),
        ({"enum": list(range(9))}, "0 | 1 | 2 | 3 | 4 | 5 | …"),
        ({"const": "x"}, '"x"'),
        ({"type": "array"}, "array"),
        ({"type": "array", "items": {"type": "string"}}, "string[]"),
        ({"items": {"type": "string"}}, "string[]"),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]"),
        ({"prefixItems": [{"type": "string"}, {}]}, "[string, any]"),
        ({"type": "array", "items": [{"type": "string"}]}, "[string]"),
        ({"type": "object"}, "object"),
        ({"properties": {"a": {}}}, "object"),
        ({"additionalProperties": {"type": "integer"}}, "{string: integer}"),
        ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "integer"),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": "number"}]}, "integer"),
        ({"oneOf": [{"const": 1}, {"const": 2}]}, "1 | 2"),
        ({"type": "nonsense"}, "any"),
        ({"$ref": "#/nowhere"}, "any"),
        (True, "any"),
        (False, "never"),
        (7, "any"),
    ],
    ids=str,
)
def test_a_type_is_shown_in_a_word(of: Json, shown: str) -> None:
    assert _type(of) == shown


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (None, ""),
        ({"type": "object"}, " -> object"),
        (
            {
                "title": "fOutput",
                "properties": {"result": {"type": "integer"}},
                "required": ["result"],
            },
            " -> integer",
        ),
        (
            {
                "properties": {"result": {"type": "string"}},
                "x-fastmcp-wrap-result": True,
            },
            " -> string",
        ),
        ({"properties": {"result": {"type": "string"}}}, " -> object"),
    ],
    ids=["none", "object", "SDK", "fastmcp", "a real object"],
)
def test_the_result_is_shown_as_the_caller_gets_it(
    output: Schema | None, shown: str
) -> None:
    tool = Tool("f", input_schema={"properties": {}}, output_schema=output)
    assert signature(tool) == f"f(){shown}"


def test_a_signature_marks_what_may_be_left_out() -> None:
    tool = Tool(
        "add",
        input_schema={
            "properties": {
                "a": {"type": "integer"},
                "b": {"type": "integer", "default": 0},
                "c": {"type": "string"},
            },
            "required": ["a"],
            "additionalProperties": True,
        },
    )
    assert signature(tool) == "add(a: integer, b: integer = 0, c?: string, …)"


def test_a_signature_stays_on_one_line() -> None:
    names = {f"parameter_{n}": {"type": "string"} for n in range(200)}
    shown = signature(Tool("f\nx", input_schema={"properties": names}))
    assert shown.startswith('"f\\nx"(parameter_0?: string')
    assert shown.endswith(" more)")
    assert len(shown) < 700


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda p: p.stem)
def test_every_field_case_can_be_shown(path: Path) -> None:
    of = schema(path.name[:2])
    tool = Tool("t", description="About.", input_schema=of, output_schema=of)
    page = help_page(tool, "k.t")
    assert page.startswith("k.t(")
    assert page == visible(page)
    assert len(page.splitlines()) < 40


def test_a_help_page_holds_what_a_person_needs() -> None:
    tool = Tool(
        "search",
        title="Search",
        description="Finds rows.\x1b[2J",
        input_schema={
            "properties": {
                "query": {"type": "string", "description": "What to\nlook for"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5},
                "day": {"type": "string", "format": "date"},
            },
            "required": ["query", "day"],
        },
    )
    assert help_page(tool, "demo.search") == (
        "demo.search(query: string, limit: integer = 5, day: string)\n"
        "\n"
        "Search\n"
        "Finds rows.\\x1b[2J\n"
        "\n"
        "  query  string, required. What to look for\n"
        "  limit  integer, 1 to 9, default 5\n"
        "  day    string, date, required\n"
        "\n"
        "  %mcp demo.search query=text day=2026-11-30"
    )


def test_a_long_description_is_cut_to_a_screen() -> None:
    tool = Tool("f", description="line\n" * 500 + "word " * 5000, input_schema={})
    assert len(help_page(tool, "demo.f").splitlines()) < 24


@pytest.mark.parametrize(
    ("of", "given", "sent"),
    [
        ({"properties": []}, {"a": 1}, {"a": 1}),
        ({"properties": {"a": {"type": "integer"}}, "required": True}, {}, {}),
        ({"properties": {"a": {"minimum": "1"}}}, {"a": 0}, {"a": 0}),
        ({"properties": {"a": {"enum": []}}}, {"a": 0}, {"a": 0}),
        ({"properties": {"a": {"pattern": "("}}}, {"a": "x"}, {"a": "x"}),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, {"a": 1}, {"a": 1}),
        ({"$ref": "#"}, {"a": 1}, {"a": 1}),
        ({"$id": "http://h/x", "properties": {"a": {"$ref": "#/$defs/T"}},
          "$defs": {"T": {"type": "integer"}}}, {"a": 1}, {"a": 1}),
        ({"properties": {"a": {"$ref": "#/definitions/a~1b%20c"}},
          "definitions": {"a/b c": {"type": "integer"}}}, {"a": 1}, {"a": 1}),
        ({"properties": {"a": {"$ref": "#T"}}, "$defs": {"x": {"$anchor": "T"}}},
         {"a": 1}, {"a": 1}),
        ({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]},
         {"a": 1, "b": 2}, {"a": 1, "b": 2}),
        ({"properties": {"$ref": {"type": "string"}, "type": {"type": "string"}}},
         {"$ref": "a", "type": "b"}, {"$ref": "a", "type": "b"}),
        ({"type": ["object", "null"], "properties": {"a": {}}}, {"a": 1}, {"a": 1}),
        ({"properties": {"a": {"minimum": 1, "exclusiveMinimum": True}}},
         {"a": 2}, {"a": 2}),
        ({"properties": {"k": {}}, "if": {"properties": {"k": {"const": 1}}},
          "then": {"properties": {"b": {}}}}, {"k": 1, "b": 2}, {"k": 1, "b": 2}),
        ({"properties": {"a": {"type": "string", "enum": ["x"], "nullable": True}}},
         {"a": None}, {"a": None}),
    ],
    ids=str,
)  # fmt: skip
def test_a_schema_with_slips_still_lets_calls_through(
    of: Schema, given: dict[str, object], sent: Json
) -> None:
    assert bind(values((), given), of).values == sent


@pytest.mark.parametrize(
    ("of", "given", "says"),
    [
        ({"properties": {"a": {"minimum": 1, "exclusiveMinimum": True}}}, {"a": 1},
         "a is more than 1, not 1"),
        ({"properties": {"a": {"maxLength": 2}}}, {"a": "abc"}, "at most 2 characters"),
        ({"properties": {"a": {"minItems": 2}}}, {"a": [1]}, "at least 2 items"),
        ({"properties": {"a": {"const": 1}}}, {"a": 2}, "a takes 1, not 2"),
        ({"properties": {"a": {"enum": ["planet", "moon"]}}}, {"a": "plant"},
         '"moon", not "plant"; did you mean "planet"?'),
        ({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "string"}]}}},
         {"a": []}, "a takes a whole number or a text"),
        ({"properties": {"a": {"not": {"type": "string"}}}}, {"a": "x"}, "not fit"),
        ({"properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}},
         {"a": 1}, "'b' is a dependency of 'a'"),
        ({"properties": {"a": {"properties": {"b": {}}, "required": ["b"]}}},
         {"a": {}}, "a lacks b"),
        ({"properties": {"a": {"properties": {}, "additionalProperties": False}}},
         {"a": {"b": 1}}, "Additional properties"),
        ({"properties": {"a": {"pattern": "^(?<y>\\d+)$"}}}, {"a": "x"},
         "does not match the pattern"),
        ({"properties": {"a": {"pattern": "^\\d+$"}}}, {"a": "５"}, "does not match"),
        ({"properties": {"a": {"items": {"$ref": "#/$defs/T"}}},
          "$defs": {"T": {"type": "integer"}}}, {"a": [1, "x"]},
         "a[1] takes a whole number"),
        ({"allOf": [{"required": ["a"]}], "properties": {"a": {}}}, {}, "needs a"),
        ({"properties": {}, "additionalProperties": False}, {"a": 1}, "no arguments"),
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_fit_is_said_in_a_sentence(
    of: Schema, given: dict[str, object], says: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        bind(values((), given), of, label="demo.f")
    assert says in str(caught.value)


def test_three_problems_are_told_and_no_more() -> None:
    of: Schema = {"properties": {name: {"maximum": 1} for name in "abcde"}}
    with pytest.raises(ArgumentError) as caught:
        bind(values((), dict.fromkeys("abcde", 2)), of)
    assert str(caught.value).count("is at most") == 3


def test_a_problem_is_told_once() -> None:
    inside: Schema = {"type": "object", "required": ["b", "c", "d"]}
    of: Schema = {"type": "object", "properties": {"a": inside, "e": {"maximum": 1}}}
    with pytest.raises(ArgumentError) as caught:
        bind(values((), {"a": {}, "e": 2}), of)
    told = str(caught.value)
    assert (told.count("a lacks b, c, d."), told.count("e is at most 1")) == (1, 1)


def test_a_branch_of_a_union_may_hold_references() -> None:
    of: Schema = {
        "properties": {
            "v": {
                "anyOf": [
                    {"properties": {"n": {"$ref": "#/$defs/N"}}, "required": ["n"]},
                    {"type": "array", "items": {"$ref": "#/$defs/N"}},
                ]
            }
        },
        "$defs": {"N": {"type": "integer"}},
    }
    assert read("demo.f v=[1]", Setting(of)).values == {"v": [1]}
    assert read('demo.f v={"n":1}', Setting(of)).values == {"v": {"n": 1}}
    with pytest.raises(ArgumentError):
        read('demo.f v={"n":"x"}', Setting(of))


def test_a_schema_of_a_thousand_levels_is_read_to_a_hundred() -> None:
    of: dict[str, Json] = {"type": "string"}
    for _ in range(300):
        of = {"type": "object", "properties": {"l": of}}
    document = read_schema(of)
    assert list(document.parameters.nodes) == ["l"]
    assert "cannot be read" in document.warnings[0]


def test_references_that_multiply_are_read_once_each() -> None:
    """Ours: forty levels of two branches each would be a million million places."""
    of: dict[str, Json] = {"$defs": {"d40": {"type": "integer"}}}
    definitions = of["$defs"]
    assert isinstance(definitions, dict)
    for n in range(40):
        link = {"$ref": f"#/$defs/d{n + 1}"}
        definitions[f"d{n}"] = {"properties": {"a": link, "b": link}}
    of["properties"] = {"v": {"$ref": "#/$defs/d0"}}
    assert signature(Tool("f", input_schema=of)) == "f(v?: object)"


def test_a_schema_is_read_once_for_the_same_object() -> None:
    of: Schema = {"properties": {"a": {}}}
    assert read_schema(of) is read_schema(of)
    assert read_schema(of) is not read_schema({"properties": {"a": {}}})


def test_a_value_as_deep_as_allowed_can_be_checked() -> None:
    value: Json = []
    for _ in range(90):
        value = {"value": 1, "children": [value]} if value else {"value": 1}
    limit = sys.getrecursionlimit()
    try:
        bind(values((), {"tree": value}), schema("05"))
    except ArgumentError as error:
        assert "nested more than" in str(error)  # noqa: PT017 - either is right
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^a$", "a\n", False),
        ("^a$", "a", True),
        (r"^\w+$", "é", False),
        (r"(?<y>\d{4})-\k<y>", "2026-2026", True),
        ("[[a]", "[", True),
        ("[--a]", "Z", True),
        ("[a||b]", "|", True),
        (r"[\]]", "]", True),
        (r"^\/a$", "/a", True),
        ("[$]", "$", True),
        (r"^\u0041$", "A", True),
    ],
)
def test_a_pattern_means_what_it_means_in_javascript(
    pattern: str, text: str, *, found: bool
) -> None:
    compiled = compile_pattern(pattern)
    assert compiled is not None
    assert bool(compiled.search(text)) is found


@pytest.mark.parametrize("pattern", [r"\p{L}", "(", "(?<=a+)b", "[z-a]"])
def test_a_pattern_that_python_cannot_read_is_left_out(pattern: str) -> None:
    assert compile_pattern(pattern) is None
    of: Schema = {"properties": {"a": {"pattern": pattern}}}
    bound = bind(values((), {"a": "x"}), of)
    assert "is not checked here" in bound.warnings[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{a: 1, 'b': [1, 2,],}", {"a": 1, "b": [1, 2]}),
        ("'it\\'s'", "it's"),
        ('"\\x41\\u0042\\n\\q"', "AB\nq"),
        ("'a\\\nb'", "ab"),
        ("+.5", 0.5),
        ("-5.", -5.0),
        ("0xFF", 255),
        ("-0x10", -16),
        ("1e3", 1000.0),
        ("[/* c */ true, // d\n null]", [True, None]),
        ("{$a_1: {}}", {"$a_1": {}}),
        ("'\\u2028'", "\u2028"),
    ],
)
def test_a_literal_of_json5_is_read(text: str, value: Json) -> None:
    assert read_literal(text) == value


@pytest.mark.parametrize(
    "text",
    ["a", "f()", "[a]", "{a}", "NaN", "Infinity", "-Infinity", "[1,,2]", "[,]", "'a",
     "{a: 1 b: 2}", "1 2", "", "/* a", "{__proto__: x}", "`a`", "01", "1__0"],
)  # fmt: skip
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(BadJson):
        read_literal(text)


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
))  # fmt: skip
def test_json_is_a_literal_and_means_the_same(value: Json) -> None:
    text = json.dumps(value)
    assert read_literal(text) == read_json(text) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("NaN", "no NaN"),
        ("1e400", "too large"),
        ('{"a":1,"a":2}', "stands twice"),
        ("9" * 5000, "too many digits"),
        ("[" * 101 + "]" * 101, "100 levels"),
        ("[1,]", "Illegal trailing comma") if sys.version_info >= (3, 13)
        else ("[1,]", "Expecting value"),
    ],
    ids=["nan", "large", "twice", "long", "deep", "comma"],
)  # fmt: skip
def test_json_that_would_lose_something_is_refused(text: str, says: str) -> None:
    with pytest.raises(BadJson, match=says):
        read_json(text)


def test_a_text_that_is_in_another_format_is_sent_with_a_note() -> None:
    form = Setting(schema("23"))
    bound = read("demo.f day=tomorrow link=https://h when=2026-11-30T12:00:00Z", form)
    assert bound.values["day"] == "tomorrow"
    assert bound.notes == ("day is no date such as 2026-11-30; it was sent as it is.",)


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("password", {"type": "string", "minLength": 20, "pattern": "^x"}),
        ("api_key", {"enum": ["a"]}),
        ("secrets", {"type": "array", "items": {"type": "string", "minLength": 20}}),
        ("login", {"type": "string", "format": "password", "maxLength": 3}),
        ("o", {"properties": {"token": {"type": "string"}}, "maxProperties": 0}),
    ],
)
def test_a_secret_that_does_not_fit_is_not_repeated(name: str, schema: Any) -> None:
    given: Any = {"secrets": ["hunter2"], "o": {"token": "hunter2"}}
    tool: Schema = {"type": "object", "properties": {name: schema}}
    with pytest.raises(ArgumentError, match=name) as caught:
        bind(values(kwargs={name: given.get(name, "hunter2")}), tool, label="t")
    assert "hunter2" not in str(caught.value)
    assert "…" in str(caught.value)
