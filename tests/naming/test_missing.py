"""Error texts: which of them say that a name does not exist (docs/names.md)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.naming import reports_missing


@pytest.mark.parametrize(
    "text",
    [
        "Unknown tool: 'x'",
        "Unknown tool: x",
        "Unknown tool: x.",
        'Unknown tool "x"!',
        "unknown tool `x`",
        "Unknown tool: “x”",
        "MCP error -32602: Tool x not found",
        "MCP error -32602: Unknown tool: x",
        "Tool x not found",
        "Tool 'x' not found",
        'Tool "x" does not exist',
        "Tool 'x' doesn't exist",
        "Tool x was not found on this server",
        "no such tool: x",
        "No such tool named x (did you mean y?)",
        "Unknown bridged tool 'x'",
        "x: tool not found",
        "x: not found",
        "TOOL X DOES NOT EXIST".replace("X", "x"),
        "Tool not found: x",
        "Unknown tool:\n    x",
        '{"error": "unknown tool", "name": "x"}',
        "The server says unknown: maybe later. Tool x not found, sorry",
        "x. Error: unknown tool x",
    ],
)
def test_a_server_says_that_the_name_does_not_exist(text: str) -> None:
    """docs/names.md: the name as a word beside one of the phrases."""
    assert reports_missing(text, "x")


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("File ad.txt not found", "ad"),
        ("/etc/ad not found", "ad"),
        ("ad-hoc not found", "ad"),
        ("ad_hoc not found", "ad"),
        ("road not found", "ad"),
        ("Unknown tool: ad-hoc", "ad"),
        ("Unknown tool: ad.hoc", "ad"),
        ("Unknown tool: gateway/ad", "ad"),
        ("Unknown tool: add", "ad"),
        ("No such file or directory: ad", "ad"),
        ("Unknown error. The tool ad failed", "ad"),
        ("Tool other not found. ad is fine", "ad"),
        ("ad worked, but its second page was for some reason not found", "ad"),
        ("Unknown user 'ad'", "ad"),
        ("ad failed: permission denied", "ad"),
        ("Das Werkzeug ad gibt es nicht", "ad"),
        ("unknowns: ad", "ad"),
        ("Unknown tool", "ad"),
        ("not found", ""),
        ("", "ad"),
        ("", ""),
    ],
)
def test_another_error_is_not_about_the_name(text: str, typed: str) -> None:
    """docs/names.md: other errors pass untouched."""
    assert not reports_missing(text, typed)


@pytest.mark.parametrize(
    "typed",
    ["tool", "unknown", "a.b/c", "--help", "日本", "two words", "x()", "a" * 300],
)
def test_any_name_can_be_missing(typed: str) -> None:
    """NAM-11: names like phrases, options or other scripts are found as they are."""
    assert reports_missing(f"Unknown tool: {typed}", typed)
    assert reports_missing(f"Error: tool '{typed}' not found", typed)


@pytest.mark.parametrize(
    "part",
    [
        "unknown tool ",
        "x ",
        "x not found.",
        "no such" + " " * 60,
        "not found the a is ",
    ],
)
def test_a_long_text_is_read_to_its_end(part: str) -> None:
    """Ours: a megabyte of near misses is no reason to wait or to stop."""
    text = part * (1_000_000 // len(part))
    assert not reports_missing(text, "zz")
    assert reports_missing(text + " Unknown tool: zz", "zz")


@settings(deadline=None)
@given(st.text(st.characters()), st.text(st.characters()))
def test_no_text_breaks_the_reading(text: str, typed: str) -> None:
    """Ours: server text is anything."""
    assert reports_missing(text, typed) in (True, False)
