"""Golden files: a section a cell, made anew by ``python -m tests.tour --write``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["FOLDER", "read", "write"]

FOLDER = Path(__file__).parent / "golden"

_HEAD = "━━━ "
_OUT = "───"


def write(name: str, sections: Iterable[tuple[str, str]]) -> None:
    """Keep sections, each of a heading and a text, in the golden file *name*."""
    lines = [
        f"{_HEAD}{head}\n{_OUT}\n{body}\n" if body else f"{_HEAD}{head}\n{_OUT}\n"
        for head, body in sections
    ]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / name).write_text("".join(lines), encoding="utf-8")


def read(name: str) -> Mapping[str, str]:
    """Return the texts of the golden file *name* by their headings, in order."""
    whole = (FOLDER / name).read_text(encoding="utf-8")
    found = {}
    for section in whole.split(_HEAD)[1:]:
        head, _, body = section.partition(f"\n{_OUT}\n")
        found[head] = body.removesuffix("\n")
    return found
