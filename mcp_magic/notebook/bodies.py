"""What could stand at the cursor in the body of a ``%%mcp`` cell: keys and values.

The body is YAML, or JSON when it starts with a brace. Names that hide something are
left out; what is no plain word is written in JSON's quotes, which YAML reads too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from mcp_magic.language.schema import Node
from mcp_magic.model import Json
from mcp_magic.notebook.called import Called, choices, is_clear

__all__ = ["in_body"]

_LINE = re.compile(r"(?P<indent> *(?:- +)*)(?P<rest>.*)")
_KEY = re.compile(r"[\w.-]*")
_GIVEN = re.compile(r"(?P<key>[\w.-]+|\"(?:[^\"\\]|\\.)*\"):(?: +(?P<value>.*))?")
_PLAIN_KEY = re.compile(r"[^\W\d][\w.-]*")
_PLAIN_VALUE = re.compile(r"\w(?:[\w ./+-]*\w)?")
_CLOSED = re.compile(r'"(?:[^"\\]|\\.)*"')
_JSON = re.compile(rf'{_CLOSED.pattern}|"(?:[^"\\]|\\.)*\\?$|[{{}}\[\]:,]')

_ITEM = 0  # stands in a path for any item of a list

Path = list[str | int]


def in_body(called: Called, before: str, after: str) -> tuple[str, list[str]]:
    """Return what is typed of a key or value at the cursor, and what it could be.

    Args:
        called: What the first line of the cell calls.
        before: The body up to the cursor.
        after: The body from there on.
    """
    if before.lstrip().startswith("{"):
        return _in_json(called, before, after)
    return _in_yaml(called, before.split("\n"), after)


def _at(called: Called, path: Path) -> Node:
    node = Node(called.document, called.document.root)
    for step in path:
        node = node.item(step) if isinstance(step, int) else node.member(step)
    return node


def _members(node: Node, given: Collection[str]) -> Iterator[str]:
    """Yield the names that an object may have and does not have yet."""
    for one in node.alternatives:
        properties = one.get("properties")
        for name in properties if isinstance(properties, dict) else ():
            if name not in given and is_clear(name):
                yield name


# -- YAML


def _in_yaml(called: Called, lines: list[str], after: str) -> tuple[str, list[str]]:
    match = _LINE.fullmatch(lines[-1])
    typed = match["rest"] if match else ""
    path, given = _place(lines)
    if _KEY.fullmatch(typed):
        if not path:
            given |= {one[1] for one in re.finditer(r"(?m)^([\w.-]+):", after)}
        names = _members(_at(called, path), given)
        texts = (f"{_yaml_key(name)}: " for name in names)
    elif pair := _GIVEN.fullmatch(typed):
        typed = pair["value"] or ""
        values = choices(_at(called, [*path, _read_key(pair["key"])]))
        texts = (_yaml_value(one) for one in values if is_clear(str(one)))
    else:
        return "", []
    return typed, sorted({one for one in texts if one.startswith(typed)})


def _place(lines: list[str]) -> tuple[Path, set[str]]:
    """Return where the last line stands, and the keys beside it that come before."""
    path: Path = []
    given: set[str] = set()
    level, dash, _ = _levels(lines[-1])
    if dash is not None:
        path, level = [_ITEM], dash
    beside = not path
    for line in reversed(lines[:-1]):
        key_level, dash, key = _levels(line)
        if key is not None and (key_level < level or _holds(path, key_level, level)):
            path.insert(0, key)
            level, beside = key_level, False
        elif key is not None and beside and key_level == level:
            given.add(key)
        if dash is not None and dash < level:
            path.insert(0, _ITEM)
            level, beside = dash, False
    return path, given


def _holds(path: Path, key_level: int, level: int) -> bool:
    """Whether a key holds a list whose dashes stand as far left as the key itself."""
    return path[:1] == [_ITEM] and key_level == level


def _levels(line: str) -> tuple[int, int | None, str | None]:
    """Return how far right a line's text stands, its last dash, and its key."""
    match = _LINE.fullmatch(line)
    indent = match["indent"] if match else ""
    dash = indent.rfind("-")
    pair = _GIVEN.fullmatch(match["rest"]) if match else None
    key = _read_key(pair["key"]) if pair else None
    return len(indent), None if dash < 0 else dash, key


def _read_key(text: str) -> str:
    try:
        return str(json.loads(text)) if text.startswith('"') else text
    except ValueError:
        return text


def _yaml_key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else json.dumps(name)


def _yaml_value(value: Json) -> str:
    if isinstance(value, str) and _PLAIN_VALUE.fullmatch(value):
        return value
    return json.dumps(value)


# -- JSON


@dataclass(slots=True)
class _Level:
    """An open bracket of JSON, and what stands in it so far."""

    is_object: bool
    key: str = ""
    wants_value: bool = False
    given: set[str] = field(default_factory=set)


def _in_json(called: Called, before: str, after: str) -> tuple[str, list[str]]:
    levels, typed = _read_json(before)
    if not levels or not levels[-1].is_object:
        return "", []
    path: Path = [one.key if one.is_object else _ITEM for one in levels[:-1]]
    last = levels[-1]
    if last.wants_value:
        found = choices(_at(called, [*path, last.key]))
        texts = [json.dumps(one) for one in found if is_clear(str(one))]
    else:
        last.given |= {one[1] for one in re.finditer(r'"(\w+)"\s*:', after)}
        names = _members(_at(called, path), last.given)
        texts = [f"{json.dumps(name)}: " for name in names]
    fitting = {one for one in texts if one.startswith(typed)}
    if after.startswith('"'):  # the editor closed the quote already
        fitting = {one.rpartition('"')[0] for one in fitting if '"' in one}
    return typed, sorted(fitting)


def _read_json(text: str) -> tuple[list[_Level], str]:
    """Return the brackets that are open at the end of *text*, and its last string."""
    levels: list[_Level] = []
    for match in _JSON.finditer(text):
        sign = match.group()
        if sign in ("{", "["):
            levels.append(_Level(sign == "{"))
        elif not levels:
            break
        elif sign in ("}", "]"):
            levels.pop()
        elif sign in (":", ","):
            levels[-1].wants_value = sign == ":"
        elif match.end() == len(text) and not _CLOSED.fullmatch(sign):
            return levels, sign
        elif not levels[-1].wants_value:
            levels[-1].key = _read_key(sign)
            levels[-1].given.add(levels[-1].key)
    return levels, ""
