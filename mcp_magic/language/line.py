"""Reads the first part of a line: options, verb, and what a verb is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from mcp_magic.language.options import OptionReader, Options
from mcp_magic.language.scan import Scanner, Word

__all__ = ["CALLS", "VERBS", "Line", "read_line"]

VERBS = frozenset(
    """servers list call help add remove import approve auth sampling resources read
    watch prompts prompt status close logs trace history map record replay stop
    doctor""".split()
)
"""Every word that is a verb when it stands first."""

CALLS = frozenset({"call", "prompt"})
"""Verbs with a target that takes arguments; our options stand before it (rule 23)."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Line:
    """A line of ``%mcp`` read up to its target.

    Attributes:
        source: The whole line, for error messages.
        options: What was asked of this package.
        verb: The verb, or ``None`` when the line begins with its target;
            ``"servers"`` when it holds nothing at all.
        words: The words after a verb that calls no tool.
        rest: What stands after ``add NAME``: one URL, or a command.
        at: The column where the target starts.
        cell: Whether a cell body comes with the line.
    """

    source: str
    options: Options = field(default_factory=Options)
    verb: str | None = None
    words: tuple[Word, ...] = ()
    rest: str = ""
    at: int = 0
    cell: bool = False


def read_line(
    text: str,
    *,
    namespace: Mapping[str, object] = _NOTHING,
    cell: bool = False,
    environ: Mapping[str, str] = _NOTHING,
) -> Line:
    """Read the options, the verb and the words of a line.

    The target and the arguments of a call are read by ``split_target``, which needs
    to know the servers.

    Args:
        text: What stands after ``%mcp`` or ``%%mcp``.
        namespace: The cell's names, for ``$name`` in options (rule 43).
        cell: Whether a cell body follows (rule 49).
        environ: The environment, for ``--timeout ${VAR}``.

    Raises:
        LineError: The line cannot be read; the column says where.
    """
    scanner = Scanner(text)
    reader = OptionReader(scanner, namespace, environ)
    reader.leading()
    verb = None if reader.options.server_given else _verb(scanner)
    if cell:
        _with_cell(scanner, reader.options, verb)
    if verb is None or verb.text in CALLS:
        return _call(scanner, reader, verb, cell=cell)
    if verb.text == "add":
        return _add(scanner, reader)
    words = _words(scanner, reader)
    at = words[0].column if words else len(text)
    return Line(text, reader.options, verb.text, words, at=at)


def _verb(scanner: Scanner) -> Word | None:
    """Read a verb, or leave the place as it is (rules 12, 13)."""
    if not scanner.more():
        return None
    start = scanner.at
    word = scanner.word()
    if not word.quoted and word.text in VERBS and scanner.ends():
        return word
    scanner.at = start
    return None


def _with_cell(scanner: Scanner, options: Options, verb: Word | None) -> None:
    """Refuse what cannot have a cell body (rule 49)."""
    if verb is not None and verb.text != "call":
        scanner.fail(
            f"%%mcp calls one tool with the cell as its arguments; write %mcp"
            f" {verb.text} on a line of its own.",
            verb.column,
        )
    if verb is None and not options.server_given and not scanner.more():
        scanner.fail("%%mcp calls one tool: write %%mcp server.tool.")


def _call(
    scanner: Scanner, reader: OptionReader, verb: Word | None, *, cell: bool
) -> Line:
    if verb is not None:
        reader.leading()
    name = verb.text if verb else None
    if not scanner.more() and not reader.options.server_given:
        if name is not None:
            what = "server.name" if name == "prompt" else "server.tool"
            scanner.fail(f"{name} needs a target: {name} {what}.")
        name = "servers"
    return Line(scanner.source, reader.options, name, at=scanner.at, cell=cell)


def _add(scanner: Scanner, reader: OptionReader) -> Line:
    """Read ``add NAME TARGET``; all after the name is the target (rule 22)."""
    reader.leading()
    if not scanner.more():
        scanner.fail("add needs a name and a target: add NAME URL, or NAME COMMAND.")
    name = scanner.word(stop="")
    at = scanner.at
    end = at
    while scanner.more():
        scanner.token()
        end = scanner.at
    rest = scanner.source[at:end].strip()
    if not rest and not reader.options.server_given:
        scanner.fail(f"What is {name.text}? Write add {name.text} URL, or a command.")
    return Line(scanner.source, reader.options, "add", (name,), rest, name.column)


def _words(scanner: Scanner, reader: OptionReader) -> tuple[Word, ...]:
    """Read the words of a verb, with our options anywhere between (rule 23)."""
    words: list[Word] = []
    while scanner.more():
        if reader.here():
            reader.read()
            continue
        words.append(scanner.word(stop=""))
    return tuple(words)
