"""How much of a long value is shown, and how the rest is told of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["FOLDED", "Excerpt", "Limits", "excerpt", "plural", "pretty", "tree"]

FOLDED = 10  # a page folds away this many times what it shows; the rest is left out
_WIDE = 80  # columns of JSON
# In indented JSON a list without lists and tables in it; its texts hold no line break.
_ITEM = r'(?:"(?>[^"\\]*(?:\\.[^"\\]*)*)"|(?>[^\s\[\]{}",]+))'
_FLAT = re.compile(
    rf"\[\n(?P<indent> +)(?P<items>{_ITEM}(?:,\n +{_ITEM})*+)\n(?P<end> *)\]"
)
_LARGE = 1_000_000  # characters of JSON that are no longer indented to their end


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of an answer is shown.

    Attributes:
        rows: Rows of a table; also content blocks of an answer.
        lines: Lines of a text.
        chars: Characters of a text.
    """

    rows: int = 20
    lines: int = 60
    chars: int = 4000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a text.

    Attributes:
        head: What is shown.
        more: What follows and can be folded away; not all of a very long text.
        rest: What is not in *head*, in words, such as ``940 more lines``; empty if
            nothing is missing.
        total: How long the text is, in words.
        ends: Whether *head* and *more* are all of it.
    """

    head: str
    more: str = ""
    rest: str = ""
    total: str = ""
    ends: bool = True


def excerpt(text: str, limits: Limits) -> Excerpt:
    """Return the part of *text* that is shown within *limits*."""
    head = _start(text, limits.lines, limits.chars)
    after = text[len(head) :].removeprefix("\n")
    if not after:
        return Excerpt(head)
    more = _start(after, FOLDED * limits.lines, FOLDED * limits.chars)
    lines = after.count("\n") + 1
    rest = plural(lines, "more line")
    if lines == 1 or not text[len(head) :].startswith("\n"):
        rest = plural(len(after), "more character")
    total = f"{plural(len(text), 'character')} in all"
    return Excerpt(head, more, rest, total, len(more) == len(after))


def _start(text: str, lines: int, chars: int) -> str:
    """Return at most so many lines and characters, whole lines if there are several."""
    end = -1
    for _ in range(lines):
        end = text.find("\n", end + 1, chars + 1)
        if end < 0:
            break
    else:
        return text[:end]
    if len(text) <= chars:
        return text
    last = text.rfind("\n", 0, chars)
    return text[:last] if last > chars // 2 else text[:chars]


def tree(value: object, limits: Limits) -> Excerpt:
    """Return the part of a JSON value's indented text that is shown."""
    try:
        size = len(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return excerpt(pretty(value), limits)
    if size <= _LARGE:
        return excerpt(pretty(value), limits)
    pieces = json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(value)
    enough = 2 * FOLDED * limits.chars
    part = excerpt(_compact("".join(_until(pieces, enough))), limits)
    if next(pieces, None) is None:
        return part
    total = f"{plural(size, 'character')} in all"
    return Excerpt(part.head, part.more, "more", total, ends=False)


def _until(pieces: Iterator[str], enough: int) -> Iterator[str]:
    """Yield pieces until they have that many characters; the others are left."""
    while enough > 0 and (piece := next(pieces, "")):
        enough -= len(piece)
        yield piece


def pretty(value: object, *, indent: int | None = 2) -> str:
    """Return *value* as JSON text, or as Python text if JSON cannot hold it.

    Args:
        value: Anything.
        indent: Spaces a level; ``None`` for a single line. Indented, lists of numbers
            and texts fill their lines.
    """
    try:
        return _compact(json.dumps(value, indent=indent, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return repr(value)
    except RecursionError:
        return "(nested too deeply to be shown)"


def _compact(text: str) -> str:
    """Return indented JSON with lists of numbers and texts on few lines."""
    return _FLAT.sub(_filled, text)


def _filled(found: re.Match[str]) -> str:
    """Return a list that holds no others on one line, or on as few as it takes."""
    items = [one.strip() for one in found["items"].split(",\n")]
    begin = found.start() - found.string.rfind("\n", 0, found.start())
    one_line = f"[{', '.join(items)}]"
    if begin + len(one_line) <= _WIDE:
        return one_line
    space = found["indent"]
    lines = [""]
    for item in items:
        if lines[-1] and len(space) + len(lines[-1]) + len(item) + 2 > _WIDE:
            lines.append("")
        lines[-1] += f" {item}," if lines[-1] else f"{item},"
    inside = f"\n{space}".join(lines).removesuffix(",")
    return f"[\n{space}{inside}\n{found['end']}]"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, such as ``1 tool`` or ``1,000 tools``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
