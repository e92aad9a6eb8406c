"""Checks of what a person gave to a function, before it does anything."""

from __future__ import annotations

import math
from pathlib import Path

from mcp_magic.errors import ArgumentError

__all__ = ["folder", "is_folder", "is_text", "seconds", "shown", "text"]

_PLAIN = (bool, int, float, str, bytes, type(None))
_LONGEST = 60  # characters of a value that are quoted


def text(what: str, value: object, *, hint: str = "") -> str:
    """Return *value* if it is a text that can be sent.

    Args:
        what: What it is for, as the start of a sentence.
        value: What was given.
        hint: What to do if it is none.

    Raises:
        ArgumentError: It is no text, an empty one, or one that UTF-8 cannot say.
    """
    if not isinstance(value, str) or not value.strip():
        raise ArgumentError(f"{what} takes a text, not {shown(value)}{hint}")
    try:
        value.encode()
    except UnicodeEncodeError:
        why = "holds half a character, which cannot be sent"
        raise ArgumentError(f"{what} {why}: {shown(value)}{hint}") from None
    return value


def is_text(what: str, value: object) -> None:
    """Refuse what is no text; nothing of it is shown, for it may be a secret.

    Args:
        what: What it is for, as the start of a sentence.
        value: What was given.

    Raises:
        ArgumentError: It is no text.
    """
    if not isinstance(value, str):
        kind = type(value).__name__
        raise ArgumentError(f"{what} takes a text, not an object of type {kind}")


def seconds(what: str, value: object) -> float:
    """Return *value* if it is a time that can be waited.

    Args:
        what: What it is for, as the start of a sentence.
        value: What was given.

    Raises:
        ArgumentError: It is no finite number above 0.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
        if 0 < found < math.inf:
            return found
    raise ArgumentError(f"{what} takes seconds above 0, not {shown(value)}")


def folder(what: str, value: object) -> Path:
    """Return the path of a folder, with ``~`` filled in; it need not exist.

    Args:
        what: What it is for, as the start of a sentence.
        value: What was given.

    Raises:
        ArgumentError: It is no path.
    """
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
