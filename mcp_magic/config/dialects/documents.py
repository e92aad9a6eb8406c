"""The text of a file as plain values, and the lines in which they stand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from mcp_magic.model import Json

if TYPE_CHECKING:
    from yaml import Node

__all__ = ["Document", "Mark", "Path", "Unreadable", "decode", "parse"]

Path: TypeAlias = tuple[str | int, ...]
Mark: TypeAlias = tuple[str | int, int]
"""A member of a table or list, and the line in which it stands."""

_SLOW = 100_000  # characters; json5 and YAML take seconds for more
_LONG = 1_000_000  # characters; TOML takes seconds for more
_DOTS = 300  # dots of a line; what a key of TOML costs grows with their square
_HEADERS = 5_000  # tables of TOML of which the line is looked for
_VALUES = 200_000  # values of a document: aliases of YAML can stand for endless ones
_DEPTH = 64  # levels of nesting

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMA = re.compile(rf"{_STRING}|,(?=[ \t\r\n]*[}}\]])")
_HEADER = re.compile(r"^[ \t]*\[\[?[ \t]*([^\]#\n]+?)[ \t]*\]", re.MULTILINE)


class Unreadable(Exception):
    """A file is not what its name says.

    Attributes:
        text: What is wrong and what to do.
        line: In which line, counted from 1; 0 if that is not known.
    """

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.text = text
        self.line = line


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says.

    Attributes:
        value: All of it.
        marks: Gives the members of the table or list at a path; one that stands there
            twice is given twice.
    """

    value: Json
    marks: Callable[[Path], Iterable[Mark]]


def decode(data: bytes) -> str:
    """Return the text of a file, whatever mark stands at its beginning.

    Raises:
        Unreadable: It is neither UTF-8 nor UTF-16.
    """
    encoding = "utf-8-sig"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif b"\0" in data[:4]:
        encoding = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable("this is not UTF-8; save the file as UTF-8", line) from None


def parse(text: str, suffix: str) -> Document:
    """Return what a text says.

    Args:
        text: The text of a file.
        suffix: The end of its name: ``.toml``, ``.yaml`` and ``.yml`` tell those
            languages; all others are JSON, with what editors and JSON5 add to it.

    Raises:
        Unreadable: It cannot be read.
    """
    try:
        match suffix.lower():
            case ".toml":
                document = _toml(text)
            case ".yaml" | ".yml":
                document = _yaml(text)
            case _:
                document = _json(text)
    except RecursionError:
        raise Unreadable("this is nested too deeply to be read") from None
    return document


# -- JSON


def _json(text: str) -> Document:
    if not text.strip():
        return Document({}, lambda _: ())
    try:
        return Document(_loads(text), lambda path: _json_marks(text, path))
    except ValueError:
        bare = _COMMA.sub(_blank, _COMMENT.sub(_blank, text))
    try:
        return Document(_loads(bare), lambda path: _json_marks(bare, path))
    except ValueError as error:
        return _json5(text, error)


def _loads(text: str) -> Json:
    value: Json = json.loads(text)
    return value


def _blank(match: re.Match[str]) -> str:
    """Return spaces in place of a comment or comma, so that all else stays in place."""
    found = match.group()
    return found if found[0] == '"' else re.sub(r"[^\n]", " ", found)


def _json5(text: str, error: ValueError) -> Document:
    """Read what is neither JSON nor JSON with comments; *error* says why."""
    if len(text) > _SLOW or _is_bare_backslash(error):
        raise _why_not_json(error)
    import json5  # noqa: PLC0415 - few files need it

    try:
        value: Json = json5.loads(text)
    except ValueError:
        raise _why_not_json(error) from None
    return Document(value, lambda path: _likely_marks(text, value, path))


def _is_bare_backslash(error: ValueError) -> bool:
    """Whether a Windows path stands there; JSON5 would lose its backslashes."""
    match error:
        case json.JSONDecodeError(msg=said, doc=text, pos=at) if "escape" in said:
            return text[at + 1 : at + 2] not in ("'", "\n", "\r")
    return False


def _why_not_json(error: ValueError) -> Unreadable:
    if not isinstance(error, json.JSONDecodeError):
        return Unreadable("this is no JSON: a number is too long")
    place = f"line {error.lineno}, column {error.colno}"
    if _is_bare_backslash(error):
        what = r"a single \ in a text; write \\ or / instead"
        return Unreadable(f"this is no JSON: {place} has {what}", error.lineno)
    said = error.msg[:1].lower() + error.msg[1:]
    return Unreadable(f"this is no JSON: {said} at {place}", error.lineno)


def _json_marks(text: str, path: Path) -> Iterator[Mark]:
    """Yield the members at *path*; others are skipped at C's speed."""
    at = 0
    for step in path:
        found = (value for key, _, value in _members(text, at) if key == step)
        at = next(found, -1)
        if at < 0:
            return
    line, seen = 1, 0
    for key, start, _ in _members(text, at):
        line += text.count("\n", seen, start)
        seen = start
        yield key, line


def _members(text: str, at: int) -> Iterator[tuple[str | int, int, int]]:
    """Yield each member of the object or array at *at*: key, its place, its value's."""
    at = _skip(text, at)
    is_object = text[at] == "{"
    at, count = _skip(text, at + 1), 0
    while text[at] not in "}]":
        key: str | int = count
        start = at
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        yield key, start, at
        _, at = _DECODER.raw_decode(text, at)
        at, count = _skip(text, at), count + 1
        at = _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _likely_marks(text: str, root: Json, path: Path) -> Iterator[Mark]:
    """Yield where names stand that are followed by a colon; exact enough for JSON5."""
    for step in path:
        root = root.get(str(step)) if isinstance(root, Mapping) else None
    for name in root if isinstance(root, Mapping) else ():
        match = re.search(rf"(?<![\w.]){re.escape(name)}[\"']?\s*:", text)
        if match:
            yield name, text.count("\n", 0, match.start()) + 1


# -- TOML


def _toml(text: str) -> Document:
    import tomllib  # noqa: PLC0415 - one product has it

    if len(text) > _LONG:
        raise Unreadable("this file is too large to be read")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _DOTS:
            raise Unreadable(f"this line has more than {_DOTS} dots", number)
    try:
        value: Json = tomllib.loads(text)
    except ValueError as error:
        said = re.sub(r" \(at (.*)\)$", r" at \1", str(error))
        found = re.search(r"at line (\d+)", said)
        at = int(found.group(1)) if found else 0
        raise Unreadable(f"this is no TOML: {said}", at) from None
    return Document(_plain(value), lambda path: _toml_marks(text, path))


def _toml_marks(text: str, path: Path) -> Iterable[Mark]:
    import tomllib  # noqa: PLC0415 - one product has it

    lines: dict[str | int, int] = {}
    for match in islice(_HEADER.finditer(text), _HEADERS):
        try:
            keys = tomllib.loads(f"[{match.group(1)}]")
        except ValueError:
            continue
        for step in path:
            keys = keys.get(str(step), {})
        line = text.count("\n", 0, match.start(1)) + 1
        lines |= {name: line for name in keys if name not in lines}
    return lines.items()


# -- YAML


def _yaml(text: str) -> Document:
    import yaml  # noqa: PLC0415 - takes 20 ms

    if len(text) > _SLOW:
        raise Unreadable("this file is too large to be read")
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        node = loader.get_single_node()
        value = {} if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = 0 if mark is None else mark.line + 1
        said = getattr(error, "problem", None) or "it cannot be read"
        raise Unreadable(f"this is no YAML: {said}", line) from None
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError):
        # Values such as 2024-99-99 and !!int x are refused in many ways.
        raise Unreadable("this is no YAML: a value is not what it seems") from None
    return Document(_plain(value), lambda path: _yaml_marks(node, path))


def _yaml_marks(node: Node | None, path: Path) -> Iterator[Mark]:
    for step in path:
        node = next((one for key, _, one in _nodes(node) if key == step), None)
    for key, line, _ in _nodes(node):
        yield key, line


def _nodes(node: Node | None) -> Iterator[tuple[str | int, int, Node]]:
    kind = type(node).__name__
    if node is not None and kind == "MappingNode":
        for key, value in node.value:
            yield str(key.value), key.start_mark.line + 1, value
    elif node is not None and kind == "SequenceNode":
        for count, value in enumerate(node.value):
            yield count, value.start_mark.line + 1, value


# -- what TOML and YAML can hold and JSON cannot


def _plain(value: object) -> Json:
    """Return a value with all that JSON cannot hold as text.

    Raises:
        Unreadable: It is endless.
    """
    left = [_VALUES]

    def plain(value: object, depth: int) -> Json:
        left[0] -= 1
        if left[0] < 0 or depth > _DEPTH:
            raise Unreadable("this is nested too deeply, or too large, to be read")
        match value:
            case Mapping():
                return {str(key): plain(one, depth + 1) for key, one in value.items()}
            case list() | tuple() | set():
                return [plain(one, depth + 1) for one in value]
            case bool() | int() | float() | str() | None:
                return value
        return str(value)

    return plain(value, 0)
