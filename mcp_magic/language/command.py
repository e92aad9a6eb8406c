"""Splits a typed command into its program and arguments, alike on every system."""

from __future__ import annotations

import re

from mcp_magic.language.scan import Scanner, Token, unquote
from mcp_magic.language.typed import quoted_from

__all__ = ["split_command"]

_QUOTE = re.compile(r"[=:](?=[\"'])")


def split_command(text: str) -> tuple[str, ...]:
    r"""Return the words of a command line, as a process would receive them.

    The rules are those of the line (rules 1 to 8): white space separates, quotes hold
    together and may stand after ``=``, and a backslash is a backslash, so that
    ``C:\new\server.exe`` stays what it is.

    Raises:
        LineError: A quote or bracket is not closed.
    """
    scanner = Scanner(text)
    words: list[str] = []
    while scanner.more():
        words.append(_word(scanner.token()))
    return tuple(words)


def _word(token: Token) -> str:
    if token.whole:
        return unquote(token.text)
    quote = _QUOTE.search(token.text, token.quoted)
    at = quote.end() if quote else 0
    if at and quoted_from(token, at) and token.text[-1] == token.text[at]:
        return token.text[:at] + unquote(token.text[at:])
    return token.text
