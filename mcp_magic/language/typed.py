"""Reads one typed value: quotes, ``$name``, ``{name}``, ``@file`` (rules 40 to 44)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

from mcp_magic.errors import LineError
from mcp_magic.language.describe import shown
from mcp_magic.language.jsontext import BadJson, read_json
from mcp_magic.language.paths import Path, PathFault, dollar, look_up, read_path
from mcp_magic.language.scan import Token, unquote
from mcp_magic.language.terms import Term, Value, Written

__all__ = [
    "FILE_LIMIT",
    "ReadFile",
    "Surroundings",
    "json_term",
    "quoted_from",
    "term",
]

FILE_LIMIT = 10 * 1024 * 1024
"""How many bytes a file named by ``@path`` may have (rule 44)."""

ReadFile: TypeAlias = Callable[[str, int], bytes]
"""Reads a file: the path as typed, and how many bytes to read at most.

It expands ``~``, reads relative to the kernel's folder, and raises ``OSError``.
"""

_BRACES = re.compile(r"\{([^\W\d]\w*+)[^{}]*+\}")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What values on a line may refer to.

    Attributes:
        source: The line, for error messages.
        namespace: The cell's names.
        read_file: Reads the file of ``@path``, if files may be read.
        notes: Takes sentences about what a reader might not expect.
    """

    source: str
    namespace: Mapping[str, object] = field(default_factory=dict)
    read_file: ReadFile | None = None
    notes: list[str] = field(default_factory=list)

    def fail(self, message: str, column: int) -> NoReturn:
        """Raise a ``LineError``."""
        raise LineError(message, self.source, min(column, len(self.source)))


def quoted_from(token: Token, at: int) -> bool:
    """Return whether quotes enclose the token from *at* on."""
    if at == 0:
        return token.whole
    return token.text[at : at + 1] in ('"', "'") and len(token.text) > at + 1


def term(token: Token, at: int, around: Surroundings, *, files: bool) -> Term:
    """Return the value that stands in *token* from *at* on.

    Args:
        token: The token.
        at: Where its value starts.
        around: What the value may refer to.
        files: Whether ``@path`` counts here.

    Raises:
        LineError: A variable or file cannot be read.
    """
    text = token.text[at:]
    column = token.start + at
    if quoted_from(token, at):
        return Written(unquote(text))
    if files and text.startswith("@@"):
        return Written(text[1:])
    if files and text.startswith("@"):
        return Written(_file(text[1:], column, around))
    if text[:1] == "$":
        return _variable(text, column, around)
    if text[:1] == "{" and text[-1:] == "}":
        return _braces(text, column, around)
    _note_braces(text, around)
    return Written(text)


def json_term(token: Token, at: int, around: Surroundings) -> Term:
    """Return the JSON after ``:=``.

    Raises:
        LineError: It is no JSON.
    """
    text = token.text[at:]
    column = token.start + at
    if text[:1] == "'" and quoted_from(token, at):
        text = unquote(text)
    try:
        return Value(read_json(text))
    except BadJson as bad:
        hint = ""
        if re.match(r"[$@]", text):
            hint = f" A variable or file is written with =, as in name={text[:40]}."
        around.fail(
            f":= takes JSON, and {shown(text)} is none ({bad}){hint}",
            column + min(bad.position, len(text)),
        )


def _file(path: str, column: int, around: Surroundings) -> str:
    if around.read_file is None:
        around.fail("Files cannot be read here.", column)
    if not path:
        around.fail("The name of a file is missing after @; '@' is the sign.", column)
    try:
        data = around.read_file(path, FILE_LIMIT + 1)
    except (OSError, ValueError, RuntimeError) as error:  # ~nobody is the last
        reason = getattr(error, "strerror", None) or str(error)
        around.fail(
            f"The file {path} cannot be read ({reason}); write '@{path}' in quotes if"
            " it is a text.",
            column,
        )
    if len(data) > FILE_LIMIT:
        around.fail(f"The file {path} is larger than 10 MiB.", column)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        how = "read it in Python and give $name"
        around.fail(f"The file {path} is no UTF-8 text; {how}.", column)


def _variable(text: str, column: int, around: Surroundings) -> Term:
    try:
        path = dollar(text)
    except PathFault as fault:
        around.fail(f"{fault} For the text itself write {_in_quotes(text)}.", column)
    return Written(text) if path is None else _found(path, text, column, around)


def _found(path: Path, text: str, column: int, around: Surroundings) -> Term:
    try:
        return Value(look_up(path, around.namespace))
    except PathFault as fault:
        around.fail(f"{fault} For the text itself write {_in_quotes(text)}.", column)


def _in_quotes(text: str) -> str:
    return f'"{text}"' if "'" in text else f"'{text}'"


def _braces(text: str, column: int, around: Surroundings) -> Term:
    """Read a whole ``{…}``: JSON, else a variable, else an error (rule 41)."""
    try:
        read_json(text)
    except BadJson as bad:
        path = read_path(text[1:-1])
        if path is not None:
            return _found(path, text, column, around)
        around.fail(
            f"{shown(text)} is neither JSON ({bad}) nor the name of a variable; quote"
            " it if it is a text.",
            column,
        )
    return Written(text)


def _note_braces(text: str, around: Surroundings) -> None:
    for match in _BRACES.finditer(text):
        if match[1] in around.namespace:
            around.notes.append(
                f"{match.group()} was sent as text: a variable counts only as the"
                " whole value."
            )
            return
