"""Everything that was given for a tool's parameters, before any schema is known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcp_magic.errors import LineError
from mcp_magic.language.body import Body, read_body
from mcp_magic.language.callform import Code, Literals, read_call, run
from mcp_magic.language.scan import Scanner, Token

__all__ = ["Arguments", "evaluate", "read_arguments", "values", "with_body"]

# A call form that does not touch its tool: no value begins so without quotes.
_APART = re.compile(r"\s+(?=\(\s*[^\W\d]\w*\s*=)")


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was given, in the order and form it was given.

    Attributes:
        source: The line, for error messages.
        tokens: The tokens after the target.
        code: A call form in Python that has not been evaluated.
        positional: Values without names.
        named: Values by name.
        whole: The object of ``--args``.
        body: The cell's body.
    """

    source: str = ""
    tokens: tuple[Token, ...] = ()
    code: Code | None = None
    positional: tuple[object, ...] = ()
    named: Mapping[str, object] = field(default_factory=dict)
    whole: Mapping[str, object] = field(default_factory=dict)
    body: Body | None = None


def values(args: Sequence[object] = (), kwargs: Mapping[str, object] = {}) -> Arguments:
    """Return the arguments of a call made in Python.

    They are checked against the schema, never read as text.
    """
    return Arguments(positional=tuple(args), named=dict(kwargs))


def read_arguments(scanner: Scanner, whole: Mapping[str, object]) -> Arguments:
    """Read what follows a target: the call form, or tokens up to the end.

    Raises:
        LineError: It cannot be read.
    """
    source = scanner.source
    apart = _APART.match(source, scanner.at)
    if apart is not None:
        said = "The bracket of a call touches the tool's name; leave the space out."
        raise LineError(said, source, apart.end())
    if scanner.at < len(source) and source[scanner.at] == "(":
        match read_call(scanner):
            case Literals(positional, named):
                return Arguments(
                    source, positional=positional, named=named, whole=whole
                )
            case code:
                return Arguments(source, code=code, whole=whole)
    return Arguments(source, scanner.tokens(), whole=whole)


def with_body(arguments: Arguments, text: str, param: str | None = None) -> Arguments:
    """Add the body of a ``%%mcp`` cell.

    Args:
        arguments: What the line gave.
        text: The cell below its first line, unchanged.
        param: The parameter of ``--body``, which takes the text as it is (rule 50).

    Raises:
        LineError: The line has a call form (rule 49), or the body is no JSON or YAML.
    """
    if arguments.code is not None or arguments.positional or arguments.named:
        raise LineError(
            "A call form has all its arguments; write them in the cell instead.",
            arguments.source,
            max(arguments.source.find("("), 0),
        )
    return replace(arguments, body=read_body(text, param))


def evaluate(arguments: Arguments, namespace: Mapping[str, object]) -> Arguments:
    """Run the call form once; arguments without one are returned as they are.

    Raises:
        LineError: The expression raised; the original error is its cause.
    """
    if arguments.code is None:
        return arguments
    positional, named = run(arguments.code, namespace)
    return replace(arguments, code=None, positional=positional, named=named)
