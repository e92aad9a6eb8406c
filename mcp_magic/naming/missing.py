"""Tells whether a server's error text says that a name does not exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["reports_missing"]

_PHRASE = re.compile(
    r"\b(?:not\s{1,8}found|unknown|no\s{1,8}such"
    r"|does(?:\s{1,8}not|n['\u2019]t)\s{1,8}exist)\b",
    re.IGNORECASE,
)

# What may stand between the phrase and the name and still leave them side by side:
# quotes, colons and the few words servers use for a tool. A full stop may not.
_MARKS = r"[\s\"'`\u00b4\u2018-\u201f\u00ab\u00bb:=,()\[\]<>{}*#\u2010-\u2015-]{0,8}"
_GAP = re.compile(
    rf"{_MARKS}(?:(?:tools?|functions?|methods?|commands?|actions?|operations?"
    rf"|procedures?|prompts?|names?|named|called|with|the|an?|is|was|mcp|bridged"
    rf"|registered|requested)\b{_MARKS}){{0,4}}",
    re.IGNORECASE,
)
_REACH = 64

# A name is a word of its own: ``ad`` does not stand in ``ad.txt``, ``ad-hoc`` or
# ``/etc/ad``, but it does before the full stop of a sentence.
_GOES_ON = re.compile(r"\w|[-./\\@+~]{1,8}\w")
_GOES_BEFORE = re.compile(r"[\w./\\@+~-]")


def reports_missing(text: str, typed: str) -> bool:
    """Tell whether *text*, an error of a server, says that *typed* does not exist.

    True if *typed* stands as a word beside "not found", "unknown", "no such" or "does
    not exist"; quotes, a colon and words like "tool" may stand between, anything may
    stand before and after (docs/names.md). The work grows linearly with the text.

    Args:
        text: The text of an error result or of a JSON-RPC error.
        typed: The name exactly as it was sent.
    """
    if not typed:
        return False
    return any(
        _follows(text, typed, phrase.end()) or _precedes(text, typed, phrase.start())
        for phrase in _PHRASE.finditer(text)
    )


def _follows(text: str, typed: str, start: int) -> bool:
    places = _places(text, typed, start, start + _REACH + len(typed))
    return any(_GAP.fullmatch(text, start, at) for at in places)


def _precedes(text: str, typed: str, end: int) -> bool:
    places = _places(text, typed, max(0, end - _REACH - len(typed)), end)
    return any(_GAP.fullmatch(text, at + len(typed), end) for at in places)


def _places(text: str, typed: str, start: int, end: int) -> Iterator[int]:
    """Yield where *typed* stands as a word of its own between *start* and *end*."""
    at = text.find(typed, start, end)
    while at >= 0:
        before = at > 0 and _GOES_BEFORE.match(text, at - 1)
        if not before and not _GOES_ON.match(text, at + len(typed)):
            yield at
        at = text.find(typed, at + 1, end)
