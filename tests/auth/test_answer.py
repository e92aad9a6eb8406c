"""What comes back from a sign-in page: what is taken, refused, or left alone."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_magic.client.auth.answer import (
    Code,
    Expected,
    Refusal,
    Unfit,
    judge,
    read_pasted,
)
from mcp_magic.model import Secret

_EXPECTED = Expected(
    "http://127.0.0.1:51000/callback",
    Secret("st4te"),
    "https://as.test",
    names_issuer=True,
    has_pkce=True,
)
_SILENT = replace(_EXPECTED, names_issuer=False)
_GOOD = {"code": "c0de", "state": "st4te", "iss": "https://as.test"}


@pytest.mark.parametrize(
    ("change", "expected", "kind"),
    [
        # The table of RFC 9207 in MCP 2026-07-28: named or not, promised or not.
        ({}, _EXPECTED, Code),
        ({"iss": None}, _EXPECTED, Refusal),
        ({}, _SILENT, Code),
        ({"iss": None}, _SILENT, Code),
        ({"iss": "https://evil.test"}, _EXPECTED, Refusal),
        ({"iss": "https://evil.test"}, _SILENT, Refusal),
        ({"iss": "https://as.test/"}, _EXPECTED, Refusal),
        ({"iss": "https://AS.test"}, _EXPECTED, Refusal),
        # Whose answer it is.
        ({"state": "other"}, _EXPECTED, Unfit),
        ({"state": None}, _EXPECTED, Unfit),
        ({"state": "st4te\u00e9"}, _EXPECTED, Unfit),
        ({"code": None}, _EXPECTED, Unfit),
        ({"code": ""}, _EXPECTED, Unfit),
        ({"error": "access_denied"}, _EXPECTED, Refusal),
        ({"error": "access_denied", "state": "x"}, _EXPECTED, Unfit),
    ],
)
def test_an_answer_is_judged(
    change: dict[str, str | None], expected: Expected, kind: type
) -> None:
    query = {key: one for key, one in (_GOOD | change).items() if one is not None}
    assert isinstance(judge(query, expected), kind)


def test_another_services_words_are_never_shown() -> None:
    query = _GOOD | {
        "iss": "https://evil.test",
        "error": "x",
        "error_description": "y!",
    }
    answer = judge(query, _EXPECTED)
    assert isinstance(answer, Refusal)
    assert "evil" not in answer.why
    assert "y!" not in answer.why


def test_what_a_service_says_is_short_and_hides_nothing() -> None:
    query = _GOOD | {"error": "a\x1bb" * 99, "error_description": "\u202e\n<b>" * 99}
    answer = judge(query, _EXPECTED)
    assert isinstance(answer, Refusal)
    assert answer.why.isprintable()
    assert len(answer.why) < 320


def test_a_pasted_address_is_an_answer() -> None:
    text = f" <{_EXPECTED.redirect_uri}?{urlencode(_GOOD)}>\n"
    assert read_pasted(text, _EXPECTED) == Code(Secret("c0de"))
    assert read_pasted(urlencode(_GOOD), _EXPECTED) == Code(Secret("c0de"))
    assert read_pasted(f"?{urlencode(_GOOD)}#_", _EXPECTED) == Code(Secret("c0de"))
    bare = text.strip().strip("<>").removeprefix("http://")
    assert read_pasted(bare, _EXPECTED) == Code(Secret("c0de"))
    local = replace(_EXPECTED, redirect_uri="http://localhost:5/cb")
    bare = f"localhost:5/cb?{urlencode(_GOOD)}"
    assert read_pasted(bare, local) == Code(Secret("c0de"))


@pytest.mark.parametrize(
    "place",
    [
        "http://evil.test/callback",
        "evil.test/callback",
        "//127.0.0.1:51000/callback",
        "https://127.0.0.1:51000/callback",
        "http://127.0.0.1:51001/callback",
        "http://127.0.0.1:51000/callback/x",
        "http://me@127.0.0.1:51000/callback",
        "http://[",
    ],
)
def test_an_address_of_another_place_is_none_with_or_without_its_scheme(
    place: str,
) -> None:
    """Row 9 of the checklist."""
    answer = read_pasted(f"{place}?{urlencode(_GOOD)}", _EXPECTED)
    assert isinstance(answer, Unfit)
    assert "does not begin with http://127.0.0.1:" in answer.why


@pytest.mark.parametrize(
    ("expected", "kind"),
    [
        (_EXPECTED, Unfit),
        (_SILENT, Code),
        (replace(_SILENT, has_pkce=False), Unfit),
    ],
)
def test_a_bare_code_is_taken_only_where_an_address_says_no_more(
    expected: Expected, kind: type
) -> None:
    assert isinstance(read_pasted("4/0AbCd-_x.y~z", expected), kind)


@given(st.text())
def test_whatever_is_pasted_is_no_accident(text: str) -> None:
    answer = read_pasted(text, _EXPECTED)
    assert isinstance(answer, Unfit)
    assert "st4te" not in answer.why


def test_nothing_secret_prints() -> None:
    assert "st4te" not in repr(_EXPECTED)
    assert "c0de" not in repr(judge(_GOOD, _EXPECTED))
