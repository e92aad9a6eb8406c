"""Which names a server of a file may have."""

from __future__ import annotations

import unicodedata

__all__ = ["folded", "why_unusable"]

_LONGEST = 200  # characters
# Letters of which nothing is seen, though Unicode does not call them format characters.
_BLANK = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f")


def why_unusable(name: str) -> str:
    """Return why nobody could call a server *name*, in words; empty if one can."""
    if not name.strip():
        return "an empty text is no name for a server"
    if folded(name) == "demo":
        return "demo is the bundled server; give this one another name"
    if len(name) > _LONGEST:
        return f"a name of more than {_LONGEST} characters; give it a shorter one"
    seen = (name.isascii() and name.isprintable()) or not any(map(_unseen, name))
    if not seen or name != name.strip():
        return "its name holds characters that are not seen; write it anew"
    return ""


def folded(name: str) -> str:
    """Return what is left of a name without case and compatibility forms."""
    return unicodedata.normalize("NFKC", name).casefold()


def _unseen(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return (
        kind[0] == "C"
        or kind in ("Zl", "Zp")
        or (kind == "Zs" and letter != " ")
        or letter in _BLANK
    )
