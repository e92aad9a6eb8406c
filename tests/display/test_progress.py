"""Progress in words, as a bar and as HTML."""

from __future__ import annotations

import math

import pytest

from mcp_magic.display.progress import bar, page, rate, share, words
from mcp_magic.model import Progress


@pytest.mark.parametrize(
    ("report", "part"),
    [
        (Progress(1, 4), 0.25),
        (Progress(5, 4), 1.0),
        (Progress(-1, 4), 0.0),
        (Progress(1), None),
        (Progress(1, 0), None),
        (Progress(1, -4), None),
        (Progress(1, math.inf), None),
        (Progress(math.nan, 4), None),
    ],
)
def test_the_share_is_between_nothing_and_all_or_unknown(
    report: Progress, part: float | None
) -> None:
    assert share(report) == part


@pytest.mark.parametrize(
    ("done", "seconds", "speed"),
    [
        (30, 2.0, 10.0),
        (30, 0.5, None),
        (10, 2.0, None),
        (5, 2.0, None),
        (math.inf, 2.0, None),
    ],
)
def test_a_rate_is_told_once_it_says_something(
    done: float, seconds: float, speed: float | None
) -> None:
    assert rate(Progress(10), Progress(done), seconds) == speed


@pytest.mark.parametrize(
    ("report", "speed", "line"),
    [
        (Progress(2, 3, "Step 2"), None, "demo.slow · 2/3 · Step 2 · 1.5 s"),
        (Progress(1500, 3000), 12.345, "demo.slow · 1,500/3,000 · 1.5 s · 12.3/s"),
        (Progress(0.5), 0.25, "demo.slow · 0.5 · 1.5 s · 0.25/s"),
        (Progress(1, 2, "a\n  b\x1b"), None, "demo.slow · 1/2 · a b\\x1b · 1.5 s"),
        (Progress(math.inf, math.nan), None, "demo.slow · inf · 1.5 s"),
    ],
)
def test_one_line_tells_amount_message_time_and_rate(
    report: Progress, speed: float | None, line: str
) -> None:
    assert words("demo.slow", report, 1.5, speed) == line


def test_a_bar_is_as_long_as_wanted_or_not_there() -> None:
    assert bar(Progress(1, 3), 6) == "██░░░░"
    assert bar(Progress(1), 6) == ""


def test_a_page_names_its_bar_for_a_screen_reader() -> None:
    assert 'value="0.2500" max="1" aria-label="a.b">' in page(
        "a.b", Progress(1, 4), "x"
    )
    assert '<progress aria-label="a.b">' in page("a.b", Progress(1), "x")
