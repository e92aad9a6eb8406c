"""Compares texts with the formats that schemas name.

A format is a hint in JSON Schema: a text that does not fit is sent all the same, with
a note.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

__all__ = ["format_note"]


def _date(text: str) -> bool:
    return len(text) == 10 and _reads(dt.date.fromisoformat, text)


def _moment(text: str) -> bool:
    return len(text) > 10 and _reads(dt.datetime.fromisoformat, text)


def _reads(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _like(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


_FORMATS: dict[str, tuple[str, str, Callable[[str], bool]]] = {
    "date": ("date", "2026-11-30", _date),
    "date-time": ("date and time", "2026-11-30T12:00:00Z", _moment),
    "email": ("address", "name@example.org", _like(r"[^@\s]++@[^@\s]++")),
    "uri": ("address", "https://example.org", _like(r"[A-Za-z][\w+.-]*+:\S++")),
    "uuid": (
        "UUID",
        "123e4567-e89b-12d3-a456-426614174000",
        _like(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    ),
}


def format_note(place: str, text: str, name: str) -> str | None:
    """Return a note if *text* is not what the format *name* means."""
    if name not in _FORMATS:
        return None
    word, example, fits = _FORMATS[name]
    if fits(text):
        return None
    return f"{place} is no {word} such as {example}; it was sent as it is."
