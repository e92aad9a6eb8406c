"""Any text gives a value or our error with a column inside it, in linear time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.errors import LineError, McpMagicError, visible
from mcp_magic.language import (
    Bound,
    help_page,
    read_line,
    signature,
    split_command,
)
from mcp_magic.model import Json, Schema, Tool
from tests.language.reading import ONE, SCHEMA, Setting, read

# Pieces that mean something somewhere, so that texts reach deep into the readers.
_PIECES = st.sampled_from(
    [
        "demo",
        ".f",
        "demo.f",
        " ",
        "=",
        ":",
        ":=",
        '"',
        "'",
        "\\",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "--",
        "-5",
        "q",
        "n",
        "opts",
        "tags",
        "with space",
        "on",
        "true",
        "null",
        "5",
        "1e5",
        "$",
        "$x",
        "@",
        "#",
        ";",
        ",",
        "\n",
        "  ",
        "|",
        ">",
        "- ",
        "? ",
        "&",
        "*",
        "!",
        "{{",
        "}}",
        "{{{{",
        "{{ x }}",
        "x",
        "%",
        "~",
        "---",
        "\t",
        "\u2028",
        "\u00a0",
        "\x00",
        "\ud800",
        "😀",
        "add",
        "list",
        "call",
        "--timeout",
        "--args",
        "--body",
        "--stdio",
        "https://h/mcp",
        "bridge--a--b",
        "lambda:",
        "**",
        "x.y[0]",
        "\ue000",
        "\ufeff",
    ]
)
_LINES = st.lists(_PIECES | st.text(max_size=3), max_size=14).map("".join)
_NAMES = {"x": 5, "n": [1]}


class Untouched:
    """Fails the test when it is called, iterated, compared, or turned into text."""

    def _fail(self, *_: object) -> bool:
        raise AssertionError("evaluated")

    __call__ = __iter__ = __lt__ = __add__ = __bool__ = __len__ = __index__ = _fail
    __eq__ = _fail
    __hash__ = object.__hash__
    __str__ = __repr__ = __format__ = _fail  # type: ignore[assignment]


def _try(line: str, setting: Setting) -> Bound | None:
    """Read a line; a LineError has to point into the text it shows."""
    try:
        return read(line, setting)
    except McpMagicError as error:
        _check(error, line, setting.body or "")
    return None


def _check(error: McpMagicError, line: str, body: str) -> None:
    assert str(error)
    if not isinstance(error, LineError):
        return
    assert 0 <= error.column <= len(error.source)
    if error.line is None:
        assert error.source == line
    else:
        texts = body.removeprefix("\ufeff").split("\n")
        assert error.source == texts[error.line - 1].removesuffix("\r")


@settings(max_examples=150, deadline=None)
@given(_LINES)
def test_any_line_gives_a_value_or_our_error(line: str) -> None:
    _try(line, Setting(names=_NAMES))


@settings(max_examples=133, deadline=None)
@given(_LINES, st.sampled_from([SCHEMA, ONE, None, True, {"properties": {"n": False}}]))
def test_any_arguments_give_a_value_or_our_error(line: str, of: Schema | None) -> None:
    _try(f"demo.f {line}", Setting(of, names=_NAMES))


@settings(max_examples=133, deadline=None)
@given(_LINES)
def test_any_call_form_gives_a_value_or_our_error(line: str) -> None:
    _try(f"demo.f({line})", Setting(names=_NAMES))


@settings(max_examples=150, deadline=None)
@given(
    _LINES, st.sampled_from(["", "q: ", "q: {{ x }}\n", '{"q": ', '{"q": "', "q: |\n "])
)
def test_any_body_gives_a_value_or_our_error(body: str, head: str) -> None:
    _try("demo.f", Setting(names=_NAMES, body=head + body))


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_can_be_a_whole_argument(text: str) -> None:
    """Ours: what stands in a cell for one parameter arrives unchanged."""
    assert read("--body q demo.f", Setting(body=text)).values == {"q": text}


@settings(max_examples=100, deadline=None)
@given(_LINES)
def test_any_command_is_split_or_refused(text: str) -> None:
    try:
        split_command(text)
    except LineError as error:
        _check(error, text, "")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "items",
                    "anyOf",
                    "oneOf",
                    "allOf",
                    "$ref",
                    "enum",
                    "const",
                    "required",
                    "additionalProperties",
                    "patternProperties",
                    "pattern",
                    "nullable",
                    "default",
                    "$defs",
                    "a",
                    "title",
                    "format",
                    "prefixItems",
                    "not",
                    "multipleOf",
                    "minimum",
                    "minLength",
                    "uniqueItems",
                    "if",
                    "then",
                    "examples",
                ]
            )
            | st.text(max_size=3),
            inner
            | st.sampled_from(["string", "object", "#", "#/properties/a", "[[a]", "("]),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=133, deadline=None)
@given(_JSON, _LINES)
def test_any_schema_can_be_shown_and_bound(of: Json, line: str) -> None:
    """Ours: a server may write anything where a schema belongs."""
    tool = Tool("f", input_schema=cast("Schema", of), output_schema=cast("Schema", of))
    assert signature(tool) == visible(signature(tool))
    assert "\n" not in signature(tool)
    assert help_page(tool, "demo.f") == visible(help_page(tool, "demo.f"))
    _try(f"demo.f {line}", Setting(cast("Schema", of), names=_NAMES))
    _try("demo.f(a=1)", Setting(cast("Schema", of)))


@settings(max_examples=100, deadline=None)
@given(_LINES)
def test_nothing_outside_the_call_form_touches_a_value(line: str) -> None:
    """SEC-09: names are looked up; nothing is called, compared or turned into text."""
    names = {name: Untouched() for name in ("x", "n", "q", "y", "on", "demo", "f")}
    if "(" not in line and "{{" not in line:
        _try(f"demo.f {line}", Setting(names=names))


def test_attributes_and_items_are_all_that_is_read() -> None:
    class Counting:
        def __init__(self) -> None:
            self.seen: list[object] = []

        def __getattr__(self, name: str) -> object:
            self.seen.append(name)
            return self

        def __getitem__(self, key: object) -> object:
            self.seen.append(key)
            return "found"

    counting = Counting()
    counting.seen.clear()
    bound = read("demo.f q=$c.a['b']", Setting(names={"c": counting}))
    assert bound.values == {"q": "found"}
    assert counting.seen == ["a", "b"]


def _calls(run: Callable[[], object]) -> int:
    """Count the Python calls that *run* makes."""
    count = 0

    def note(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


_CHUNKS = [
    '"',
    "'",
    '\\"',
    "{",
    "[",
    "(",
    "{{",
    "a=",
    "a:",
    " ",
    "; ",
    "# ",
    "--a ",
    "$a['",
    ' $a["',
    "@",
    "a.",
    "\n- ",
    "a: ",
    "a: |\n ",
    "*a ",
    '"a":',
    "\\",
    "{{ x }} ",
    "a b ",
    '"{{',
    "not ",
    "“",
    "'''",
    "1e",
    "{a:",
]


@pytest.mark.parametrize("chunk", _CHUNKS)
@pytest.mark.parametrize(
    "form",
    ["demo.f {}", "demo.f q={}", "demo.f({})", "demo.f(q: {})", "add x {}", "{}"],
)
def test_the_work_for_a_line_grows_with_its_length(chunk: str, form: str) -> None:
    """Ours: a megabyte that goes wrong late would never end if this were quadratic."""
    few, many = (form.replace("{}", chunk * n) for n in (500, 4000))
    first = _calls(lambda: _try(few, Setting(names=_NAMES)))
    assert _calls(lambda: _try(many, Setting(names=_NAMES))) < 12 * first + 2000


@pytest.mark.parametrize("chunk", _CHUNKS)
@pytest.mark.parametrize("head", ["", "q: ", '{"q": "', '{"q": '])
def test_the_work_for_a_body_grows_with_its_length(chunk: str, head: str) -> None:
    few, many = (Setting(names=_NAMES, body=head + chunk * n) for n in (500, 4000))
    first = _calls(lambda: _try("demo.f", few))
    assert _calls(lambda: _try("demo.f", many)) < 12 * first + 2000


@pytest.mark.parametrize("chunk", ['"', "{", "[ ", "$a['", "{{", '\\"', "a: ", "{{x}}"])
@pytest.mark.parametrize("form", ["demo.f q={}", "demo.f({})", "demo.f q='{}"])
def test_a_megabyte_that_goes_wrong_comes_to_an_end(chunk: str, form: str) -> None:
    """Ours: patterns are matched without retrying, or this would take days."""
    _try(form.replace("{}", chunk * (1_000_000 // len(chunk))), Setting())


def test_a_megabyte_of_text_is_bound_whole() -> None:
    text = 'lorem; ipsum: "dolor" # sit {amet} $x\n' * 27_000
    block = "q: |\n" + "".join(f"  {line}\n" for line in text.splitlines())
    for setting, line in (
        (Setting(body=block), "demo.f"),
        (Setting(body=text), "--body q demo.f"),
        (Setting(names={"text": text}), "demo.f q=$text"),
        (Setting(files={"a.txt": text.encode()}), "demo.f q=@a.txt"),
        (Setting(), f"demo.f(q={text!r})"),
    ):
        assert read(line, setting).values == {"q": text}


def test_reading_a_line_needs_no_servers() -> None:
    assert read_line("demo.f n=1").verb is None
