"""Checks of what a person gave to a function, before it does anything.

Each takes what the value is for, as the start of a sentence, and the value; one that
cannot be is refused by an ``ArgumentError``.
"""

from __future__ import annotations

import math
from pathlib import Path

from mcp_magic.errors import ArgumentError

__all__ = ["folder", "is_folder", "only_text", "seconds", "shown", "text"]

_PLAIN = (bool, int, float, str, bytes, type(None))
_LONGEST = 60  # characters of a value that are quoted


def text(what: str, value: object, *, hint: str = "") -> str:
    """Return a text that can be sent: neither empty nor one that UTF-8 cannot say.

    Args:
        what: What it is for.
        value: What was given.
        hint: What to do if it is none.
    """
    if not isinstance(value, str) or not value.strip():
        raise ArgumentError(f"{what} takes a text, not {shown(value)}{hint}")
    try:
        value.encode()
    except UnicodeEncodeError:
        why = "holds half a character, which cannot be sent"
        raise ArgumentError(f"{what} {why}: {shown(value)}{hint}") from None
    return value


def only_text(what: str, value: object) -> None:
    """Refuse what is no text; nothing of it is shown, for it may be a secret."""
    if not isinstance(value, str):
        kind = type(value).__name__
        raise ArgumentError(f"{what} takes a text, not an object of type {kind}")


def seconds(what: str, value: object) -> float:
    """Return a time that can be waited, which is a finite number above 0."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
        if 0 < found < math.inf:
            return found
    raise ArgumentError(f"{what} takes seconds above 0, not {shown(value)}")


def folder(what: str, value: object) -> Path:
    """Return the path of a folder, with ``~`` filled in; it need not exist."""
    if not isinstance(value, str | Path) or "\0" in str(value) or not str(value):
        raise ArgumentError(f"{what} takes the path of a folder, not {shown(value)}")
    try:
        return Path(value).expanduser()
    except RuntimeError:
        pass
    who = Path(value).parts[0]
    raise ArgumentError(f"{what}: there is no home folder {who}; write the whole path")


def is_folder(path: Path) -> bool:
    """Whether there is a folder of that name."""
    try:
        return path.is_dir()
    except OSError:  # its name is too long for one
        return False


def shown(value: object) -> str:
    """Return what was given as it can stand in an error: short, whatever it is."""
    if not isinstance(value, _PLAIN):
        return f"an object of type {type(value).__name__}"
    try:
        said = repr(value[:_LONGEST] if isinstance(value, str | bytes) else value)
    except ValueError:  # Python writes no number of more than some thousand digits
        return "a number that long"
    return said if len(said) <= _LONGEST + 3 else f"{said[:_LONGEST]}…"
