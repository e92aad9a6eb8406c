"""Which placeholders mean something in the files of which product.

What is no placeholder of a product is plain text there: ``{env:X}`` in a file of
Claude Code, ``$HOME`` in the arguments of a shell. docs/configuration.md has the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

__all__ = ["Kind", "Reference", "fill", "find", "strangers", "variable"]

Kind = Literal["variable", "input", "file", "word", "nested", "unknown"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A placeholder.

    Attributes:
        kind: What it refers to; ``word`` is one such as ``workspaceFolder``, ``nested``
            one whose default has another in it, and ``unknown`` what only the product
            itself can fill in.
        name: The variable, input, path or word.
        default: What stands for an unset or empty variable; ``None`` if nothing does.
        written: The placeholder as written.
    """

    kind: Kind
    name: str
    default: str | None
    written: str


_NAME = r"[A-Za-z_]\w*"
# Nothing goes on behind the next ${: else millions of them would be looked through from
# each one to the end of the text.
_DEFAULT = r":-(?:[^}$]|\$(?!\{))*"
# One group a form; its name is the kind, an underscore, and the form.
_BRACED = (
    rf"\$\{{(?P<variable_1>{_NAME})(?P<default_1>{_DEFAULT})?\}}"
    rf"|\$\{{(?P<nested_1>{_NAME}{_DEFAULT}\$\{{)"
)
_ENV = (
    rf"\$\{{env:(?P<variable_2>[^}}:]+)(?P<default_2>{_DEFAULT})?\}}"
    rf"|\$\{{(?P<nested_2>env:[^}}:]+{_DEFAULT}\$\{{)"
)
_BARE = rf"\$(?P<variable_3>{_NAME})"
_SHELL = rf"\$env:(?P<variable_4>{_NAME})"
_CURLY = r"(?<!\$)\{(?:env:(?P<variable_5>[^{}]+)|file:(?P<file_1>[^{}]+))\}"
_SECRETS = rf"\$\{{\{{\s*(?:secrets|env)\.(?P<variable_6>{_NAME})\s*\}}\}}"
_OTHERS = r"\$\{\{\s*(?P<unknown_2>[\w.]+)\s*\}\}"
_WORDS = (
    r"\$\{(?P<word_1>workspaceFolderBasename|workspaceFolder|userHome|pathSeparator|/)"
    r"\}"
)
_INPUT = r"\$\{input:(?P<input_1>[^{}]+)\}"
_EDITOR = (
    r"\$\{(?P<unknown_1>(?:config|command|workspaceFolder|input):[^{}]*"
    r"|file|file[A-Z]\w*|relativeFile\w*|cwd|execPath|defaultBuildTask|lineNumber"
    r"|selectedText)\}"
)

_VALUES = (_BRACED, _ENV)
_EDITORS = (_ENV, _WORDS, _INPUT, _EDITOR)

# By product: what counts everywhere, and what counts besides in values, which are
# variables, headers, URLs and settings of a sign-in. No value is ever meant to hold a
# ``${NAME}``; a word of a command may, as in sh -c 'echo ${NAME}'.
_SYNTAX: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "mcp-magic": ((_WORDS, *_VALUES), ()),
    "Claude Code": ((_BRACED,), (_ENV,)),
    "Cursor": (_EDITORS, (_BRACED,)),
    "VS Code": (_EDITORS, (_BRACED,)),
    "Windsurf": (_EDITORS, (_BRACED,)),
    "Cline": (_EDITORS, (_BRACED,)),
    "Roo Code": (_EDITORS, (_BRACED,)),
    "Copilot CLI": ((), (_BRACED, _BARE, _ENV)),
    "OpenCode": ((_CURLY,), ()),
    "Gemini CLI": ((_BRACED, _BARE), (_ENV,)),
    "mcporter": ((_BRACED, _SHELL), (_ENV,)),
    "Continue": ((_SECRETS, _OTHERS), _VALUES),
}
_OTHER = ((), _VALUES)  # products that say nothing about placeholders

# Written by people who have another product in mind.
_FORGOTTEN = r"(?<!\$)\{(?:workspaceFolder|userHome)\}"
_STRANGE = re.compile(_FORGOTTEN)
_STRANGE_VALUE = re.compile(
    "|".join(
        re.sub(r"\?P<\w+>", "?:", one)
        for one in (_ENV, _BRACED, _SHELL, _CURLY, _INPUT, _FORGOTTEN)
    )
)


@cache
def _pattern(product: str, *, in_value: bool) -> re.Pattern[str] | None:
    always, values = _SYNTAX.get(product, _OTHER)
    forms = (*always, *values) if in_value else always
    return re.compile("|".join(forms)) if forms else None


def find(text: str, product: str, *, in_value: bool) -> Iterator[Reference]:
    """Yield the placeholders of a text.

    Args:
        text: A text of an entry.
        product: Whose file the entry comes from; ``mcp-magic`` for one that was typed.
        in_value: Whether the text is a variable, header, URL or the like, and no word
            of a command.
    """
    pattern = _pattern(product, in_value=in_value)
    for match in pattern.finditer(text) if pattern else ():
        yield _reference(match)


def fill(
    text: str, product: str, *, in_value: bool, value: Callable[[Reference], str]
) -> str:
    """Return a text with its placeholders filled in; values are not looked into.

    Args:
        text: As for ``find``.
        product: As for ``find``.
        in_value: As for ``find``.
        value: Gives what stands for a placeholder.
    """
    pattern = _pattern(product, in_value=in_value)
    if pattern is None:
        return text
    return pattern.sub(lambda match: value(_reference(match)), text)


def variable(name: str, default: str | None = None) -> str:
    """Return the placeholder of a variable, as our file has it and values of most."""
    plain = name if re.fullmatch(_NAME, name) else f"env:{name}"
    return f"${{{plain}}}" if default is None else f"${{{plain}:-{default}}}"


def strangers(text: str, product: str, *, in_value: bool) -> tuple[str, ...]:
    """Return what looks like a placeholder but is plain text in a product's files."""
    strange = _STRANGE_VALUE if in_value else _STRANGE
    found = [match.group() for match in strange.finditer(text)]
    if not found:
        return ()
    pattern = _pattern(product, in_value=in_value)
    known = {match.group() for match in pattern.finditer(text)} if pattern else set()
    # A default may be a secret.
    return tuple(re.sub(":-.*}", "}", one) for one in found if one not in known)


def _reference(match: re.Match[str]) -> Reference:
    kind: Kind
    for kind in ("variable", "input", "file", "word", "nested", "unknown"):
        for group, name in match.groupdict().items():
            if name is not None and group.startswith(kind):
                default = match.groupdict().get(f"default_{group[-1]}")
                default = None if default is None else default.removeprefix(":-")
                return Reference(kind, name.strip(), default, match.group())
    raise AssertionError(match)
