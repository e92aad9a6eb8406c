"""Cuts a line into tokens: white space, quotes, brackets, comments (rules 1 to 10)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from mcp_magic.errors import LineError

__all__ = ["Scanner", "Token", "Word", "unquote"]

# Possessive repetition keeps every pattern linear: a failed match is not retried.
_DOUBLE = re.compile(r'"(?:[^"\\]++|\\\\(?=")|\\"|\\)*+"')
_SINGLE = re.compile(r"'[^']*+'")
_JSON_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_ESCAPE = re.compile(r'\\\\(?=")|\\"')
_PLAIN = re.compile(r"[^\s=:;]++")
_PLAIN_WORD = re.compile(r"[^\s(;]++")
_SPACE = re.compile(r"\s*+")
_COMMENT = re.compile(r"#[^\n]*+")
# The one ";" that ends a line: only white space or a comment may follow it.
_LAST = re.compile(r";(?:\s*+\Z|\s++#[^\n]*+\s*+\Z)")
# "$name" with subscripts in quotes, so that $row["first name"] is one token.
_VARIABLE = re.compile(
    r"\$[^\W\d_]\w*+(?:\.[^\W\d]\w*+|\[(?:'[^']*+'|\"[^\"]*+\"|-?\d++)\])*+"
)
_BRACKETS = {
    "{": re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}"]', re.DOTALL),
    "[": re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]"]', re.DOTALL),
}
_CLOSING = {"{": "}", "[": "]"}
# What can only be the start of the next argument, so that "a= b=3" gives a an
# empty text while "a= 3" is a slip (rules 9 and 28).
_NO_SPACES = (
    "Write no spaces around =, as in key=value; quote a value that begins with =."
)
_NEXT_KEY = re.compile(r"--.|[^\s=\"']++=|[^\W\d][\w.-]*+:", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a line between white space, as typed.

    Attributes:
        text: The text with its quotes.
        start: The column of its first character.
        quoted: How many characters a quoted part at its start takes, or 0.
    """

    text: str
    start: int
    quoted: int = 0

    @property
    def whole(self) -> bool:
        """Whether quotes enclose all of it."""
        return 0 < self.quoted == len(self.text)


@dataclass(frozen=True, slots=True)
class Word:
    """A name on the line, such as a verb, a target or a server.

    Attributes:
        text: The name without its quotes.
        column: Where it starts.
        end: Where the text after it starts.
        quoted: Whether it was written in quotes.
        server: The quoted server part of ``"my server".tool``.
    """

    text: str
    column: int
    end: int
    quoted: bool = False
    server: str | None = None


def unquote(text: str) -> str:
    """Return the text between quotes, with the escapes of rule 3."""
    if text[0] == "'":
        return text[1:-1]
    return _ESCAPE.sub(lambda match: match.group()[1], text[1:])[:-1]


class Scanner:
    """A place in a line, moving right.

    Attributes:
        source: The whole line.
        at: The column of the next character.
    """

    __slots__ = ("at", "source")

    def __init__(self, source: str, at: int = 0) -> None:
        self.source = source
        self.at = at

    def fail(self, message: str, column: int | None = None) -> NoReturn:
        """Raise a ``LineError`` at *column*, or at the next character."""
        raise LineError(message, self.source, self.at if column is None else column)

    def more(self) -> bool:
        """Move to the next token; return whether there is one (rules 1, 2, 10)."""
        while True:
            self.at = _match(_SPACE, self.source, self.at)
            comment = _COMMENT.match(self.source, self.at)
            if comment is None:
                break
            self.at = comment.end()
        if self.at < len(self.source) and self._last():
            self.at = len(self.source)
        return self.at < len(self.source)

    def ends(self) -> bool:
        """Return whether a token ends here."""
        if self.at >= len(self.source):
            return True
        return self.source[self.at].isspace() or self._last()

    def _last(self) -> bool:
        return self.source[self.at] == ";" and bool(_LAST.match(self.source, self.at))

    def token(self) -> Token:
        """Read one token; call it only after ``more``."""
        start, quoted, opens = self.at, 0, True
        while not self.ends():
            char = self.source[self.at]
            if opens and char in "\"'":
                self._quotes(start)
                if not quoted and self.source[start] in "\"'":
                    quoted = self.at - start
            elif opens and char in _BRACKETS:
                self._bracket(char)
            elif char in "=:":
                self.at += 1
            else:
                self._plain(variable=opens)
            opens = char in "=:"
        return Token(self.source[start : self.at], start, quoted)

    def _plain(self, *, variable: bool) -> None:
        match = _VARIABLE.match(self.source, self.at) if variable else None
        match = match or _PLAIN.match(self.source, self.at)
        # A ";" that does not end the line is an ordinary character.
        self.at = match.end() if match else self.at + 1

    def _quotes(self, start: int) -> None:
        """Skip a quoted text (rules 3 to 5)."""
        opening = self.at
        is_json = self.source[max(start, opening - 2) : opening] == ":="
        self._close(json_string=is_json)
        if self.ends() or (opening == start and self.source[self.at] in "=:"):
            return
        self.fail(
            "Text touches the closing quote: quote the whole value, or put a space"
            " between."
        )

    def _close(self, *, json_string: bool = False) -> None:
        quote = self.source[self.at]
        pattern = _SINGLE
        if quote == '"':
            pattern = _JSON_STRING if json_string else _DOUBLE
        match = pattern.match(self.source, self.at)
        if match is None:
            hint = ""
            if quote == '"' and '\\"' in self.source[self.at :]:
                hint = r' (\" is a quote inside the text; end a folder with \\")'
            self.fail(f"This {quote} is never closed{hint}.")
        self.at = match.end()

    def _bracket(self, opening: str) -> None:
        """Skip to the matching bracket, JSON strings respected (rule 8)."""
        start, depth, closing = self.at, 0, _CLOSING[opening]
        for match in _BRACKETS[opening].finditer(self.source, start):
            found = match.group()
            if found == '"':
                self.fail(
                    f'The text from this {opening} on has a " that is never closed;'
                    " quote the whole value if it is a text.",
                    start,
                )
            depth += (found == opening) - (found == closing)
            if depth == 0:
                self.at = match.end()
                return
        self.fail(
            f"This {opening} has no matching {closing}; quote the value if it is a"
            " text.",
            start,
        )

    def word(self, *, stop: str = "(") -> Word:
        """Read a name up to white space or *stop*; call it only after ``more``."""
        start = self.at
        if self.source[start] in "\"'":
            return self._quoted_word(start, stop)
        self._bare(stop)
        return Word(self.source[start : self.at], start, self.at)

    def _quoted_word(self, start: int, stop: str) -> Word:
        self._close()
        text = unquote(self.source[start : self.at])
        if self.ends() or self.source[self.at] == stop:
            return Word(text, start, self.at, quoted=True)
        if self.source[self.at] != ".":
            self.fail(
                'Text touches the closing quote: write "server".tool or quote the'
                " whole name."
            )
        after = self.at + 1
        self._bare(stop)
        whole = f"{text}.{self.source[after : self.at]}"
        return Word(whole, start, self.at, quoted=True, server=text)

    def _bare(self, stop: str) -> None:
        while not self.ends() and self.source[self.at] != stop:
            match = _PLAIN_WORD.match(self.source, self.at)
            self.at = match.end() if match else self.at + 1

    def tokens(self) -> tuple[Token, ...]:
        """Read all tokens up to the end of the line.

        Raises:
            LineError: A quote or bracket is not closed, or white space stands
                around ``=`` (rule 9).
        """
        found: list[Token] = []
        loose = False
        while self.more():
            token = self.token()
            if not loose:
                self._spaces_around(found[-1] if found else None, token)
            loose = loose or token.text == "--"
            found.append(token)
        if found and not loose and _is_open(found[-1]) and self._commented(found[-1]):
            self.fail(_NO_SPACES, found[-1].start + len(found[-1].text))
        return tuple(found)

    def _spaces_around(self, before: Token | None, token: Token) -> None:
        slip = (
            before is not None
            and _is_open(before)
            and not _NEXT_KEY.match(token.text)
            and not (token.quoted and not token.whole)
        )
        if slip or token.text.startswith(("=", ":=")):
            self.fail(_NO_SPACES, token.start)

    def _commented(self, token: Token) -> bool:
        """Return whether a comment stands where a value could have been meant."""
        at = _match(_SPACE, self.source, token.start + len(token.text))
        return self.source.startswith("#", at)


def _is_open(token: Token) -> bool:
    """Return whether a token ends with the ``=`` of its key."""
    return token.text.find("=", token.quoted) + 1 == len(token.text)


def _match(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
