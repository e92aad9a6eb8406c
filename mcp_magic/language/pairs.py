"""Sorts a line's tokens into values with and without names (rules 27 to 32)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from mcp_magic.errors import LineError
from mcp_magic.language.options import OPTIONS
from mcp_magic.language.scan import Token, unquote
from mcp_magic.language.schema import Parameters
from mcp_magic.language.terms import Term, Written
from mcp_magic.language.typed import Surroundings, json_term, term

__all__ = ["Pair", "read_pairs"]

_WORD_KEY = re.compile(r"[^\W\d][\w.$-]*+")
_VALUE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+://|[A-Za-z]:[\\/]")
_MARK = re.compile(r":=|=|:")
_MARKS = 20


@dataclass(frozen=True, slots=True)
class Pair:
    """One value given on the line.

    Attributes:
        name: The parameter as typed; ``None`` for a positional value.
        term: The value.
        column: Where it stands.
    """

    name: str | None
    term: Term
    column: int


@dataclass(frozen=True, slots=True)
class _Key:
    """A key found in a token: its name, its separator, where its value starts."""

    name: str
    mark: str
    at: int


def read_pairs(
    tokens: tuple[Token, ...],
    parameters: Parameters | None,
    around: Surroundings,
    *,
    label: str = "",
) -> list[Pair]:
    """Return what the tokens give, in order.

    Args:
        tokens: The tokens after the target.
        parameters: What the tool takes; ``None`` if it is not listed.
        around: The line, the cell's names, and a way to read files.
        label: The tool's name, for messages.

    Raises:
        LineError: A key lacks its value, or a variable or file cannot be read.
    """
    return list(_Reader(parameters, around, label).all(tokens))


@dataclass(slots=True)
class _Reader:
    parameters: Parameters | None
    around: Surroundings
    label: str

    def fail(self, message: str, column: int) -> NoReturn:
        raise LineError(message, self.around.source, column)

    def all(self, tokens: tuple[Token, ...]) -> Iterator[Pair]:
        """Yield what the tokens give; a key may take the token after it."""
        at, loose = 0, False
        while at < len(tokens):
            token = tokens[at]
            following = tokens[at + 1] if at + 1 < len(tokens) else None
            at += 1
            if loose:
                yield self._positional(token)
            elif token.text == "--":
                loose = True
            else:
                dashed = token.text.startswith("--")
                read = self._dashed if dashed else self._plain
                pair, taken = read(token, following)
                at += taken
                yield pair

    def _plain(self, token: Token, following: Token | None) -> tuple[Pair, int]:
        key = None if token.whole else self._key(token)
        if key is None:
            return self._positional(token), 0
        if key.mark == ":" and key.at == len(token.text):
            if following is None:
                self.fail(
                    f'{key.name}: needs a value after it; {key.name}="" is an empty'
                    f' text, and "{key.name}:" in quotes is a value itself.',
                    token.start + len(token.text),
                )
            return self._named(key.name, ":", following, 0, token), 1
        return self._named(key.name, key.mark, token, key.at, token), 0

    def _positional(self, token: Token) -> Pair:
        return Pair(None, term(token, 0, self.around, files=False), token.start)

    def _named(self, name: str, mark: str, token: Token, at: int, first: Token) -> Pair:
        if mark == ":=":
            return Pair(name, json_term(token, at, self.around), first.start)
        return Pair(name, term(token, at, self.around, files=True), first.start)

    # -- keys

    def _key(self, token: Token) -> _Key | None:
        """Find the key of a token that does not start with dashes (rules 29, 30)."""
        if token.quoted:
            mark = _MARK.match(token.text, token.quoted)
            name = unquote(token.text[: token.quoted])
            return _Key(name, mark.group(), mark.end()) if mark else None
        if _VALUE.match(token.text):
            return None
        marks = _marks(token.text)
        known = [key for key in marks if self._is_parameter(key.name)]
        if known:
            # A key before "=" is plain; of several before ":" the longest counts.
            return known[-1]
        if marks and marks[-1].mark != ":":
            first = marks[0] if self._is_free() else marks[-1]
            return first if _is_word(first.name) else marks[-1]
        return self._colon(token, marks)

    def _is_parameter(self, name: str) -> bool:
        return self.parameters is not None and self.parameters.find(name) is not None

    def _is_free(self) -> bool:
        """Return whether no schema says which names there are."""
        return self.parameters is None or (
            self.parameters.open and not self.parameters.nodes
        )

    def _colon(self, token: Token, marks: list[_Key]) -> _Key | None:
        """Decide about ``word:`` and ``word:value`` where word is no parameter."""
        if not marks or not _is_word(marks[0].name):
            return None
        first = marks[0]
        ends = first.at == len(token.text)
        # A slip of the keyboard must not become the first parameter's value.
        return first if ends or self._is_free() or self._is_near(first.name) else None

    def _is_near(self, name: str) -> bool:
        return self.parameters is not None and bool(self.parameters.nearest(name, 0.75))

    def _dashed(self, token: Token, following: Token | None) -> tuple[Pair, int]:
        """Read ``--key value``, ``--key=value``, ``--key:=JSON`` (rules 29, 31, 32)."""
        name = token.text[2:]
        mark = None if self._is_parameter(name) else _MARK.search(name)
        if mark is not None:
            name = name[: mark.start()]
            self._our_option(name, token)
            return self._named(name, mark.group(), token, 2 + mark.end(), token), 0
        self._our_option(name, token)
        if self._is_switch(name) and not _is_boolean(following):
            return Pair(name, Written("true"), token.start), 0
        if following is None or following.text.startswith("--"):
            self.fail(
                f"--{name} needs a value after it; quote a value that begins with --.",
                token.start,
            )
        return self._named(name, "--", following, 0, token), 1

    def _our_option(self, name: str, token: Token) -> None:
        if name in OPTIONS and not self._is_parameter(name):
            tool = self.label or "the tool"
            self.fail(
                f"Our --{name} stands before {tool}; a parameter of that name is"
                f" written {name}=value.",
                token.start,
            )

    def _is_switch(self, name: str) -> bool:
        found = self.parameters.find(name) if self.parameters else None
        if found is None or self.parameters is None:
            return False
        return self.parameters.nodes[found].kinds - {"null"} == {"boolean"}


def _marks(text: str) -> list[_Key]:
    """Return the places where a key may end: colons up to the first ``=``."""
    found = []
    for match in _MARK.finditer(text):
        found.append(_Key(text[: match.start()], match.group(), match.end()))
        if match.group() != ":" or len(found) == _MARKS:
            break
    return found


def _is_word(name: str) -> bool:
    return _WORD_KEY.fullmatch(name) is not None


def _is_boolean(token: Token | None) -> bool:
    return token is not None and token.text.casefold() in ("true", "false")
