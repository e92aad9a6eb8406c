"""Reads the call form ``tool(a=1, b="x")`` (rules 24 to 26)."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from types import CodeType
from typing import cast

from mcp_magic.errors import LineError
from mcp_magic.language.jsontext import BadJson
from mcp_magic.language.literal import read_literal
from mcp_magic.language.scan import Scanner
from mcp_magic.model import Json

__all__ = ["Code", "Literals", "read_call", "run"]

_STRING = r"""'''(?:[^'\\]++|\\.|'(?!''))*+'''|\"""(?:[^"\\]++|\\.|"(?!""))*+\"""
            |'(?:[^'\\\n]++|\\.)*+'|"(?:[^"\\\n]++|\\.)*+\""""
_PIECE = re.compile(rf"{_STRING}|[()\[\]{{}}\"']", re.VERBOSE | re.DOTALL)
_PART = re.compile(rf"{_STRING}|[()\[\]{{}},]", re.VERBOSE | re.DOTALL)
_NAMED = re.compile(
    r"""\s*+(?:(?P<name>[^\W\d][\w$.-]*+)
           |(?P<quoted>"(?:[^"\\\n]++|\\.)*+"|'(?:[^'\\\n]++|\\.)*+'))\s*+[:=](?!=)""",
    re.VERBOSE,
)
_CALL = "@call"
_HEAD = "_("


@dataclass(frozen=True, slots=True)
class Code:
    """A call form that is Python and has not run yet.

    Attributes:
        code: What evaluates to the positional and the named arguments.
        source: The line, for errors.
        column: Where the text between the brackets starts.
    """

    code: CodeType
    source: str
    column: int


@dataclass(frozen=True, slots=True)
class Literals:
    """A call form in the style of other tools, read without running anything."""

    positional: tuple[Json, ...]
    named: Mapping[str, Json]


def read_call(scanner: Scanner) -> Code | Literals:
    """Read a call form; the scanner stands at its opening bracket.

    Raises:
        LineError: The bracket is not closed, something follows, or the text is
            neither Python nor a row of literals.
    """
    start = scanner.at + 1
    end = _closing(scanner)
    scanner.at = end + 1
    if scanner.more():
        rest = scanner.source[scanner.at :].strip()[:40]
        onward = f"r{rest}" if rest[0] in ".[" else "r"
        scanner.fail(
            "Nothing may follow the call; to go on with the result write"
            f" r = %mcp … and on the next line {onward}."
        )
    return _read(scanner.source, start, end)


def _closing(scanner: Scanner) -> int:
    opening, depth = scanner.at, 0
    for match in _PIECE.finditer(scanner.source, opening):
        mark = match.group()
        if mark in ("'", '"'):
            scanner.fail("This text is never closed.", match.start())
        depth += (mark in "([{") - (mark in ")]}") if len(mark) == 1 else 0
        if depth == 0 and mark == ")":
            return match.start()
    raise LineError(
        "This bracket is never closed; write the call on one line.",
        scanner.source,
        opening,
    )


def _read(source: str, start: int, end: int) -> Code | Literals:
    text = source[start:end]
    try:
        tree = _parse(text)
    except SyntaxError as error:
        if not _has_colons(text):
            raise _not_python(error, source, start, end) from None
        return _literals(source, start, end)
    try:
        return Code(_compile(tree), source, start)
    except SyntaxError as error:
        raise _not_python(error, source, start, end) from None


def _has_colons(text: str) -> bool:
    """Return whether a name stands before a colon, as in other tools' examples."""
    found = (_NAMED.match(text, at) for at, _ in _parts(text))
    return any(match is not None and match.group().endswith(":") for match in found)


def _parse(text: str) -> ast.Expression:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(f"{_HEAD}{text})", mode="eval")
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise SyntaxError(str(error) or "it is too deeply nested") from None


def _compile(tree: ast.Expression) -> CodeType:
    call = cast("ast.Call", tree.body)
    if isinstance(call.func, ast.Name):
        call.func.id = _CALL
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return compile(tree, "<%mcp>", "eval")
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise SyntaxError(str(error) or "it is too deeply nested") from None


def _not_python(error: SyntaxError, source: str, start: int, end: int) -> LineError:
    offset = (error.offset or 1) - 1 - len(_HEAD) if error.lineno in (None, 1) else 0
    column = min(max(start + offset, start), end)
    why = error.msg.rstrip(".")
    end_of_it = "" if why.endswith("?") else "."
    return LineError(f"This is no Python: {why}{end_of_it}", source, column)


def run(
    code: Code, namespace: Mapping[str, object]
) -> tuple[tuple[object, ...], dict[str, object]]:
    """Evaluate a call form's arguments with the cell's names.

    Raises:
        LineError: The evaluation raised; the original error is its cause.
    """
    names: dict[str, object] = {"true": True, "false": False, "null": None}
    names |= namespace
    names[_CALL] = _capture
    try:
        found = eval(code.code, names)  # noqa: S307 - the call form is the user's own code
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise LineError(said, code.source, _place(error, code)) from error
    return cast("tuple[tuple[object, ...], dict[str, object]]", found)


def _place(error: Exception, code: Code) -> int:
    """Return the column of the part of the call form that failed."""
    trace = error.__traceback__ and error.__traceback__.tb_next  # the first is ours
    if trace is None or trace.tb_frame.f_code is not code.code:
        return code.column
    places = islice(code.code.co_positions(), trace.tb_lasti // 2, None)
    _, _, column, _ = next(places, (None, None, None, None))
    # Python counts bytes.
    text = f"{_HEAD}{code.source[code.column :]}".encode(errors="surrogatepass")
    before = text[: column or 0].decode(errors="ignore")
    return code.column + max(0, len(before) - len(_HEAD))


def _capture(
    *args: object, **kwargs: object
) -> tuple[tuple[object, ...], dict[str, object]]:
    return args, kwargs


# What Python says of wrong arguments names the tool, not this function.
_capture.__module__, _capture.__qualname__ = "builtins", "tool"


def _parts(text: str) -> list[tuple[int, int]]:
    """Return the spans between top-level commas."""
    found, start, depth = [], 0, 0
    for match in _PART.finditer(text):
        mark = match.group()
        if mark == "," and depth == 0:
            found.append((start, match.start()))
            start = match.end()
        elif len(mark) == 1:
            depth += (mark in "([{") - (mark in ")]}")
    if text[start:].strip() or not found:
        found.append((start, len(text)))
    return found


def _literals(source: str, start: int, end: int) -> Literals:
    text = source[start:end]
    positional: list[Json] = []
    named: dict[str, Json] = {}
    for begin, stop in _parts(text):
        match = _NAMED.match(text, begin, stop)
        at = match.end() if match else begin
        value = _literal(source, start + at, start + stop)
        if match is None:
            positional.append(value)
            continue
        name = match["name"] or str(read_literal(match["quoted"]))
        if name in named:
            raise LineError(f"{name} stands twice.", source, start + begin)
        named[name] = value
    return Literals(tuple(positional), named)


def _literal(source: str, start: int, end: int) -> Json:
    try:
        return read_literal(source[start:end])
    except BadJson as bad:
        raise LineError(
            f"In a call written with name: value, each value is a literal: {bad}",
            source,
            min(start + bad.position, end),
        ) from None
