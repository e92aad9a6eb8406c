"""Reads JSON strictly: no NaN, no infinities, no repeated keys, a limit to nesting."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import cast

from mcp_magic.model import Json

__all__ = ["DEPTH", "BadJson", "read_json"]

DEPTH = 100
"""How many levels of lists and objects a value may have."""

_PIECE = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_WORD = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\w.+-]++', re.DOTALL)
_KEY = re.compile(r'("(?:[^"\\]++|\\.)*+")(\s*+:)?|[{}\[\]]', re.DOTALL)


class BadJson(ValueError):
    """A text is no JSON.

    Attributes:
        position: Where in the text the fault is.
    """

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


def read_json(text: str) -> Json:
    """Read a JSON text.

    Raises:
        BadJson: It is none, or it holds what JSON cannot say exactly.
    """
    if "[" in text or "{" in text:
        _measure(text)
    try:
        return cast("Json", _DECODER.decode(text))
    except json.JSONDecodeError as error:
        raise BadJson(f"{error.msg}.", error.pos) from None
    except RecursionError:
        raise BadJson("it is nested too deeply.") from None
    except _Odd as odd:
        raise BadJson(odd.message, odd.find(text)) from None
    except ValueError:
        raise BadJson("a number has too many digits.") from None


class _Odd(ValueError):
    """What a decoder found odd; where that stands has to be looked for."""

    def __init__(self, message: str, find: Callable[[str], int]) -> None:
        super().__init__(message)
        self.message = message
        self.find = find


def _place_of(word: str) -> Callable[[str], int]:
    """Return what finds a word that stands outside of texts."""

    def find(text: str) -> int:
        found = (one.start() for one in _WORD.finditer(text) if one.group() == word)
        return next(found, 0)

    return find


def _second(key: str) -> Callable[[str], int]:
    """Return what finds where a key stands for the second time in one object."""

    def find(text: str) -> int:
        inside: list[bool] = []  # by level: whether the key was there
        for match in _KEY.finditer(text):
            if match.group() in ("{", "["):
                inside.append(False)
            elif match.group() in ("}", "]"):
                inside.pop()
            elif match[2] and json.loads(match[1]) == key:
                if inside[-1]:
                    return match.start()
                inside[-1] = True
        return 0

    return find


def _measure(text: str) -> None:
    depth = 0
    for match in _PIECE.finditer(text):
        mark = match.group()[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        if depth > DEPTH:
            raise BadJson(f"it is nested more than {DEPTH} levels deep.", match.start())


def _constant(name: str) -> Json:
    raise _Odd(f"JSON has no {name}.", _place_of(name))


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _Odd(f"{text[:40]} is too large for a number.", _place_of(text))
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Odd(f"the key {key[:40]!r} stands twice.", _second(key))
            seen.add(key)
    return found


_DECODER = json.JSONDecoder(
    parse_constant=_constant, parse_float=_float, object_pairs_hook=_object
)
