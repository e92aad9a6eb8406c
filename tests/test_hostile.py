"""The shared hostile texts are hostile, and their checks see it."""

from __future__ import annotations

import pytest

from mcp_magic.display.html import escape
from mcp_magic.errors import visible
from tests.hostile import VECTORS, WORD, faults_in_page, faults_in_text

_RAW_IN_TEXT = [
    name for name, text in VECTORS.items() if faults_in_text(text.replace(WORD, ""))
]
_RAW_IN_PAGE = ["script", "onerror", "onload", "frame", "form", "refresh", "style"]


def test_the_texts_hide_and_the_checks_see_it() -> None:
    assert len(_RAW_IN_TEXT) == 16
    assert all(faults_in_page(VECTORS[name]) for name in _RAW_IN_PAGE)


@pytest.mark.parametrize(
    "page",
    [
        "<img src='https://h.test/x.png' alt='x'>",
        "<img src='x' onerror='1'>",
        "<audio src='file:///etc/passwd'></audio>",
        "<a href='javascript:1'>x</a>",
        "<b style='background:url(https://h.test)'>x</b>",
        "<b style='position:fixed'>x</b>",
        "<div><b></div>",
        "<div>",
        "&#x202e;",
        "<!-- -->",
        "<b title='&#x202e;'>x</b>",
    ],
)
def test_a_page_that_loads_runs_or_hides_has_faults(page: str) -> None:
    assert faults_in_page(page)


@pytest.mark.parametrize("name", VECTORS)
def test_spelled_out_and_escaped_texts_have_no_faults(name: str) -> None:
    shown = visible(VECTORS[name])
    assert faults_in_text(shown) == []
    assert faults_in_page(f"<b title='{escape(shown)}'>{escape(shown)}</b>") == []


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧 ❤️‍🔥 1️⃣ ☎︎",
        "می‌خواهم",
        "क्‍ष",
        "日本語",
        "a\tb\nc",
        "é e\u0301",
    ],
    ids=ascii,
)
def test_the_writing_of_people_stays_as_it_is(text: str) -> None:
    assert visible(text) == text
    assert faults_in_text(text) == []
