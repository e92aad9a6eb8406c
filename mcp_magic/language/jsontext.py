"""Reads JSON strictly: no NaN, no infinities, no repeated keys, a limit to nesting."""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn, cast

from mcp_magic.model import Json

__all__ = ["DEPTH", "BadJson", "read_json"]

DEPTH = 100
"""How many levels of lists and objects a value may have."""

_PIECE = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


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
    except ValueError as error:
        if isinstance(error, BadJson):
            raise
        raise BadJson("a number has too many digits.") from None


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


def _constant(name: str) -> NoReturn:
    raise BadJson(f"JSON has no {name}.")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise BadJson(f"{text[:40]} is too large for a number.")
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise BadJson(f"the key {key[:40]!r} stands twice.")
            seen.add(key)
    return found


_DECODER = json.JSONDecoder(
    parse_constant=_constant, parse_float=_float, object_pairs_hook=_object
)
