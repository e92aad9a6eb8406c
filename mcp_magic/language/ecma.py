"""Reads the regular expressions of JSON Schema, which are JavaScript's."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["compile_pattern", "translate"]

_PIECE = re.compile(
    r"""(?P<group>\(\?<(?=[^\W\d]))
      | (?P<back>\\k<(?P<name>\w+)>)
      | (?P<escape>\\.)
      | (?P<end>\$)
      | (?P<open>\[\^?+\]?+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> re.Pattern[str] | None:
    """Return a compiled pattern, or ``None`` if Python cannot read it."""
    try:
        # In JavaScript \d and \w mean ASCII.
        return re.compile(translate(pattern), re.ASCII)
    except (re.error, RecursionError, OverflowError, FutureWarning):
        return None


def translate(pattern: str) -> str:
    """Return what *pattern* is in Python.

    Named groups are spelled differently; ``$`` is the end of the text, not also the
    place before its last line break; and in a set, what Python may one day read as an
    operator is escaped, so that no warning is given.
    """
    found: list[str] = []
    inside = False
    for piece in _PIECE.finditer(pattern):
        text = piece.group()
        if inside:
            inside = text != "]"
            text = f"\\{text}" if text[0] in "[&~|" else text
            if text == "-" and pattern.startswith("-", piece.end()):
                text = "\\-"
        elif piece["open"]:
            inside = True
            # A set that begins with "]" is empty in JavaScript, and rare.
        elif piece["group"]:
            text = "(?P<"
        elif piece["back"]:
            text = f"(?P={piece['name']})"
        elif piece["end"]:
            text = r"\Z"
        found.append(text)
    return "".join(found)
