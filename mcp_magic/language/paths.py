"""Finds variables by paths such as ``row.name["key"][0]`` (rules 40 to 42).

Only names, attributes and items are read; nothing is called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Namespace", "Path", "PathFault", "dollar", "look_up", "read_path"]

Namespace: TypeAlias = Mapping[str, object]
"""What a cell's names stand for."""

_NAME = re.compile(r"[^\W\d]\w*+")
_STEP = re.compile(
    r"""\.(?P<attribute>[^\W\d]\w*+)
      | \[\s*+(?:(?P<index>-?\d{1,18})
                |(?P<key>'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+"))\s*+\]""",
    re.VERBOSE | re.DOTALL,
)
_ATTEMPT = re.compile(r"\$[^\W\d_](?:\w|\.\w|\[[^\[\]]*+\])*+[\[(]|\$\w++\[")


class PathFault(Exception):
    """A path cannot be followed; the message says why."""


@dataclass(frozen=True, slots=True)
class Path:
    """A variable's name and the way from there.

    Attributes:
        text: The path as typed.
        name: The variable.
        steps: Attribute names as ``("a",)``, items as ``[0]`` or ``["key"]``.
    """

    text: str
    name: str
    steps: tuple[Attribute | Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """One ``.name``."""

    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """One ``[key]``."""

    key: str | int


def read_path(text: str) -> Path | None:
    """Read *text* as a path; ``None`` if it is something else."""
    text = text.strip()
    name = _NAME.match(text)
    if name is None:
        return None
    steps: list[Attribute | Item] = []
    at = name.end()
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            return None
        steps.append(_step(step))
        at = step.end()
    return Path(text, name.group(), tuple(steps))


def _step(match: re.Match[str]) -> Attribute | Item:
    if match["attribute"] is not None:
        return Attribute(match["attribute"])
    if match["index"] is not None:
        return Item(int(match["index"]))
    return Item(_literal(match["key"]))


def _literal(text: str) -> str:
    """Return the text between quotes; a backslash escapes quotes and itself."""
    return re.sub(r"\\([\\'\"])", r"\1", text[1:-1])


def dollar(text: str) -> Path | None:
    """Read a whole ``$name`` value; ``None`` if *text* is ordinary text.

    Raises:
        PathFault: It looks like a variable with a computed subscript or a call.
    """
    if not re.match(r"\$[^\W\d_]", text):
        return None
    path = read_path(text[1:])
    if path is None and _ATTEMPT.match(text):
        raise PathFault(
            f"{_short(text)} is no variable with literal subscripts; write it in the"
            f" call form tool(name={_short(text[1:])}), or in quotes if it is a text."
        )
    return path


def look_up(path: Path, namespace: Namespace) -> object:
    """Return the object that *path* leads to.

    Raises:
        PathFault: There is no such name, attribute or item, or it is private.
    """
    if path.name not in namespace:
        raise PathFault(f"The name {path.name} is not defined.")
    value = namespace[path.name]
    for step in path.steps:
        value = _follow(value, step, path)
    return value


def _follow(value: object, step: Attribute | Item, path: Path) -> object:
    name = step.name if isinstance(step, Attribute) else step.key
    if isinstance(name, str) and name.startswith("_"):
        raise PathFault(f"{path.text} reads {name}, and names with _ are private.")
    try:
        if isinstance(step, Attribute):
            return getattr(value, step.name)
        return value[step.key]  # type: ignore[index]  # the object decides
    except Exception as error:
        raise PathFault(
            f"{path.text} cannot be read"
            f" ({type(error).__name__}: {_short(str(error))})."
        ) from error


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"
