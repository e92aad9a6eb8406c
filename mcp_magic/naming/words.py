"""How names are compared: what of a name counts, and into which words it falls."""

from __future__ import annotations

import re
import string
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["signs", "squash", "squash_all", "words"]


class _Counted(dict[int, int | None]):
    """A table for ``str.translate`` that drops what does not count, and remembers."""

    def __missing__(self, code: int) -> int | None:
        # Symbols outside ASCII stay: two emoji are not the same name.
        kind = unicodedata.category(chr(code))
        dropped = kind[0] in "PZ" or kind in ("Cc", "Cf") or code in _SELECTORS
        self[code] = None if dropped else code
        return self[code]


_SELECTORS: Final = range(0xFE00, 0xFE10)
_COUNTED: Final = _Counted(
    {ord(c): None for c in string.punctuation + string.whitespace}
)

_NOT_COUNTED: Final = bytes(c for c in range(128) if not chr(c).isalnum())

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")

# Characters that are words or figures by themselves, so that one more, less or other
# is never a slip of the finger: digits, ideographs, syllables, symbols, emoji.
_SIGN = re.compile(
    r"\d+|[\u2e80-\u2fdf\u3005-\u3007\u3021-\u312f\u3131-\u318e\u31a0-\u4dbf"
    r"\u4e00-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\w\s\u0300-\u036f]"
)


def squash(name: str) -> str:
    """Return *name* as it is compared: NFKC, case folded, without punctuation."""
    if name.isascii():
        return name.lower().encode().translate(None, _NOT_COUNTED).decode()
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded).translate(_COUNTED)


def squash_all(names: Sequence[str]) -> list[str]:
    """Return every name as it is compared; ten thousand take a millisecond."""
    joined = "\n".join(names)
    if not joined.isascii() or joined.count("\n") != len(names) - 1:
        return [squash(name) for name in names]
    dropped = _NOT_COUNTED.replace(b"\n", b"")
    return joined.lower().encode().translate(None, dropped).decode().split("\n")


def words(name: str) -> list[str]:
    """Return the words of *name*, squashed: ``listIssues`` has two, so has ``a--b``."""
    if name.isascii():
        return [part.lower() for part in _ASCII_WORD.findall(_HUMP.sub(" ", name))]
    spaced = _HUMP.sub(" ", unicodedata.normalize("NFKC", name))
    parts = "".join(c if _counts(c) else " " for c in spaced).split()
    return [squash(part) for part in parts]


def _counts(character: str) -> bool:
    return _COUNTED[ord(character)] is not None


def signs(name: str) -> list[str]:
    """Return what of *name* cannot be mistyped: numbers, ideographs, symbols."""
    return _SIGN.findall(" ".join(words(name)))
