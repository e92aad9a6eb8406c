"""Reads JSON5 literals, as people write them in examples, by way of strict JSON."""

from __future__ import annotations

import json
import re

from mcp_magic.language.jsontext import BadJson, read_json
from mcp_magic.model import Json

__all__ = ["read_literal"]

_PIECE = re.compile(
    r"""(?P<space>\s++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)
      | (?P<string>"(?:[^"\\\n]++|\\(?:\r\n|.))*+"|'(?:[^'\\\n]++|\\(?:\r\n|.))*+')
      | (?P<number>[+-]?(?:0[xX][0-9a-fA-F]++|(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)
                        (?:[eE][+-]?[0-9]++)?)(?![\w.$]))
      | (?P<word>[^\W\d][\w$]*+|\$[\w$]*+)
      | (?P<mark>[\[\]{},:])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_OPEN = ("", "[", "{", ",", ":")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def read_literal(text: str) -> Json:
    """Read a JSON5 value.

    Raises:
        BadJson: It is no JSON5 literal, such as a name or an expression.
    """
    try:
        return read_json(text)
    except BadJson:
        return read_json(_strict(text))


def _strict(text: str) -> str:
    """Translate JSON5 to JSON, piece by piece."""
    found: list[str] = []
    at = 0
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None:
            raise BadJson(f"{text[at : at + 20]!r} is no literal.", at)
        at = piece.end()
        if piece["space"] is None:
            _add(found, piece, text)
    return " ".join(found)


def _add(found: list[str], piece: re.Match[str], text: str) -> None:
    if piece["string"] is not None:
        found.append(json.dumps(_unescape(piece["string"][1:-1])))
    elif piece["number"] is not None:
        found.append(_number(piece["number"]))
    elif piece["word"] is not None:
        found.append(_word(piece, text))
    else:
        # One comma may trail, after an item.
        if (
            piece["mark"] in "]}"
            and found[-1:] == [","]
            and "".join(found[-2:-1]) not in _OPEN
        ):
            found.pop()
        found.append(piece["mark"])


def _word(piece: re.Match[str], text: str) -> str:
    word = piece["word"]
    if re.compile(r"\s*+:").match(text, piece.end()):
        return json.dumps(word)
    if word in ("true", "false", "null"):
        return word
    raise BadJson(
        f"{word[:40]} is a name; only literals can stand here.", piece.start()
    )


def _number(text: str) -> str:
    sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text.lstrip("+"))
    if digits[:2] in ("0x", "0X"):
        return f"{sign}{int(digits, 16)}"
    whole, dot, fraction = digits.partition(".")
    if not dot:
        return sign + digits
    fraction = fraction if fraction[:1].isdigit() else f"0{fraction}"
    return f"{sign}{whole or '0'}.{fraction}"


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16))
    if match[3] in ("\n", "\r\n", "\u2028", "\u2029"):
        return ""
    return _SHORT.get(match[3], match[3])
