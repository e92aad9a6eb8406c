"""Errors show one line, and what they quote cannot hide or forge output."""

from __future__ import annotations

import pickle
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_magic import errors
from mcp_magic.errors import LineError, McpMagicError, RequestRefused, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb", "a\nb"),
        ("over\rwritten", "over\\x0dwritten"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]8;;https://x.test\x07link", "\\x1b]8;;https://x.test\\x07link"),
        ("\x9b2J", "\\x9b2J"),
        ("abc\u202edef", "abc\\u202edef"),
        ("a\u200bb", "a\\u200bb"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("👩\u200d🔬 naïve 漢字 क्\u200dष", "👩\u200d🔬 naïve 漢字 क्\u200dष"),
    ],
    ids=["tabs and lines", "CRLF", "CR", "SGR", "OSC 8", "C1", "bidi", "zero width",
         "tag", "surrogate", "words and emoji"],
)  # fmt: skip
def test_what_could_hide_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_nothing_that_moves_the_cursor_is_left(text: str) -> None:
    left = {c for c in visible(text) if unicodedata.category(c) in ("Cc", "Cs")}
    assert left <= {"\n", "\t"}
    assert visible(visible(text)) == visible(text)


def test_the_caret_stands_under_the_character_that_is_shown() -> None:
    error = LineError("Here.", "a\x1bb=", 2)
    assert str(error) == "Here.\n  a\\x1bb=\n       ^"


def test_of_a_very_long_line_the_part_around_the_fault_is_shown() -> None:
    error = LineError("Here.", "a" * 300 + "!" + "b" * 10**6, 300)
    _, shown, caret = str(error).split("\n")
    assert shown == "  …" + "a" * 200 + "!" + "b" * 199 + "…"
    assert shown[caret.index("^")] == "!"


@pytest.mark.parametrize("name", [n for n in errors.__all__ if n[0].isupper()])
def test_every_error_renders_without_a_stack_trace(name: str) -> None:
    kind = getattr(errors, name)
    made = kind("wrong \x1b[2J", "x", 0) if name == "LineError" else kind("wrong")
    lines = made._render_traceback_()
    assert len(lines) == 1
    assert "\x1b[2J" not in lines[0]


@pytest.mark.parametrize(
    "error",
    [LineError("m", "src", 1, line=3), RequestRefused("m", "srv", -32602)],
    ids=["line", "refused"],
)
def test_an_error_survives_pickling(error: McpMagicError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


@pytest.mark.parametrize("source", ["", "  "])
def test_a_fault_in_an_empty_line_has_no_mark(source: str) -> None:
    assert str(LineError("It ends.", source, 0)) == "It ends."
    assert str(LineError("It ends.", source, 0, line=2)) == (
        "It ends. (line 2 of the cell body)"
    )
