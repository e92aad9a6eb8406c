"""Gives what was typed the type that the schema asks for (rules 33, 37, 45, 46)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import cast

from mcp_magic.language.check import fits
from mcp_magic.language.describe import meant, phrase, shown
from mcp_magic.language.jsontext import BadJson, read_json
from mcp_magic.language.pythonic import NotJson, Pending, pythonic
from mcp_magic.language.schema import Alternative, Node
from mcp_magic.language.secrecy import shown_unless_secret
from mcp_magic.language.terms import (
    Items,
    Members,
    Style,
    Term,
    Value,
    Woven,
    Written,
)
from mcp_magic.model import Json

__all__ = ["Unfit", "settle"]

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*+)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_NONE = object()
# What means null where null may stand (rules 37 and 46).
_NULLS: dict[Style, tuple[str, ...]] = {
    "line": ("null",),
    "plain": ("null", "~", ""),
    "quoted": (),
    "cell": (),
}


class Unfit(Exception):
    """A value does not fit its place.

    Attributes:
        place: The parameter, with the way to the value inside it.
    """

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place} {message}")
        self.place = place


def settle(term: Term, node: Node, place: str, notes: list[str]) -> Json:
    """Return the JSON value that *term* stands for at *node*.

    Args:
        term: What was given.
        node: The schema of the place.
        place: How to call the place in messages.
        notes: Takes sentences about what a reader might not expect.

    Raises:
        Unfit: The term cannot be read as the schema asks.
    """
    if not node.alternatives:
        raise Unfit(place, "may not be given: the schema accepts no value.")
    match term:
        case Written():
            return _written(term, node, place, notes)
        case Value(value):
            return _value(value, node, place)
        case Woven():
            raise TypeError("fill the holes before typing")
        case Items(items):
            return [
                settle(item, node.item(at), f"{place}[{at}]", notes)
                for at, item in enumerate(items)
            ]
        case Members(members):
            return {
                name: settle(item, node.member(name), f"{place}.{name}", notes)
                for name, item in members.items()
            }


def _written(term: Written, node: Node, place: str, notes: list[str]) -> Json:
    text = term.text
    if term.style == "cell":
        style: Style = "quoted" if node.kinds & {"string", "any"} else "line"
        term = Written(text, style)
    if node.nullable and text in _NULLS[term.style]:
        return None
    readings = _readings(term, node)
    if len(readings) > 1:
        readings = _distinct(
            [(one, value) for one, value in readings if fits(value, one, node.document)]
        ) or _distinct(readings)
    if len(readings) > 1:
        raise _ambiguous(text, place, [value for _, value in readings])
    if readings:
        one, value = readings[0]
        if "type" not in one and isinstance(value, dict | list):
            notes.append(f"{place} was read as JSON; {place}:=… says so plainly.")
        return value
    if "array" in node.kinds:
        if term.style != "quoted" and text.startswith("[") and text.endswith("]"):
            raise Unfit(
                place,
                f'takes a list, and {shown(text)} is no JSON: write ["a", "b"], or'
                f" repeat {place}=a {place}=b.",
            )
        return [settle(term, node.item(0), f"{place}[0]", notes)]
    raise Unfit(place, _explain(term, node, place))


def _ambiguous(text: str, place: str, values: list[Json]) -> Unfit:
    ways = " or ".join(f"{place}:={shown(value)}" for value in values[:3])
    return Unfit(place, f"can be {shown(text)} in more than one way: write {ways}.")


def _readings(term: Written, node: Node) -> list[tuple[Alternative, Json]]:
    found = []
    for one in node.alternatives:
        value = (
            _text(term.text, one)
            if term.style == "quoted"
            else _reading(term.text, one)
        )
        if value is not _NONE:
            found.append((one, cast("Json", value)))
    return found


def _distinct(
    readings: list[tuple[Alternative, Json]],
) -> list[tuple[Alternative, Json]]:
    found: list[tuple[Alternative, Json]] = []
    for one, value in readings:
        if not any(_equal(value, other) for _, other in found):
            found.append((one, value))
    return found


def _equal(one: Json, other: Json) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _text(text: str, one: Alternative) -> object:
    """Return a text that is surely text, where one may stand."""
    if "const" in one or "enum" in one:
        choices = cast("list[Json]", one.get("enum", [one.get("const")]))
        return text if text in choices else _NONE
    return text if one.get("type", "string") == "string" else _NONE


def _reading(text: str, one: Alternative) -> object:
    """Return the value *text* has by one alternative, or ``_NONE``."""
    if "const" in one:
        return _chosen(text, [one["const"]])
    if "enum" in one:
        return _chosen(text, cast("list[Json]", one["enum"]))
    match one.get("type"):
        case "string":
            return text
        case "integer":
            return _integer(text)
        case "number":
            return _number(text)
        case "boolean":
            return {"true": True, "false": False}.get(text.casefold(), _NONE)
        case "array":
            return _json(text, "[", list)
        case "object":
            return _json(text, "{", dict)
        case None:
            return _guess(text)
    return _NONE


def _chosen(text: str, choices: list[Json]) -> object:
    if text in [choice for choice in choices if isinstance(choice, str)]:
        return text
    try:
        value = read_json(text.casefold() if len(text) < 6 else text)
    except BadJson:
        return _NONE
    same = [one for one in choices if not isinstance(one, str) and _equal(one, value)]
    return same[0] if same else _NONE


def _integer(text: str) -> object:
    value = _number(text)
    if isinstance(value, float):
        return int(value) if value.is_integer() else _NONE
    return value


def _number(text: str) -> object:
    if not _NUMBER.fullmatch(text):
        return _NONE
    try:
        if _INTEGER.fullmatch(text):
            return int(text)
    except ValueError:  # Python reads at most some thousand digits
        return _NONE
    value = float(text)
    return value if math.isfinite(value) else _NONE


def _json(text: str, opening: str, kind: type) -> object:
    if not text.lstrip().startswith(opening):
        return _NONE
    try:
        value = read_json(text)
    except BadJson:
        return _NONE
    return value if isinstance(value, kind) else _NONE


def _guess(text: str) -> object:
    """Return the value a text has where no type is known.

    A number, ``true``, ``false`` or ``null`` only if JSON writes it exactly so:
    ``007`` and ``1.10`` stay text. An object or a list if it is valid JSON.
    """
    if text in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[text]
    value = _number(text)
    if value is not _NONE:
        return value if repr(value) == text else text
    for opening, kind in (("{", dict), ("[", list)):
        found = _json(text, opening, kind)
        if found is not _NONE:
            return found
    return text


def _explain(term: Written, node: Node, place: str) -> str:
    """Return why no alternative reads a text."""
    text = term.text
    told = shown_unless_secret(text, place, node)
    message = f"takes {phrase(node)}, not {told}{meant(text, node) or '.'}"
    if term.style == "quoted":
        return f"{message} In quotes it is a text."
    if "object" in node.kinds and text.lstrip().startswith("{"):
        try:
            read_json(text)
        except BadJson as bad:
            return f"{message} As JSON: {bad}"
    if node.kinds & {"integer", "number"} and _number(text.lstrip("+0")) is not _NONE:
        return f"{message} Write it without leading zeros or +."
    return message


def _value(value: object, node: Node, place: str) -> Json:
    try:
        plain, pending = pythonic(value)
    except NotJson as fault:
        raise Unfit(place, f"cannot be sent: {fault}.") from None
    if pending or isinstance(plain, float):
        return _decide(plain, node, place)
    return cast("Json", plain)


def _decide(value: Pending, node: Node, place: str) -> Json:
    """Settle what only the schema can decide: Decimals, and floats that are none."""
    if isinstance(value, Decimal):
        return _decimal(value, node, place)
    if isinstance(value, float):
        return _float(value, node, place)
    if isinstance(value, list):
        return [
            _decide(item, node.item(at), f"{place}[{at}]")
            for at, item in enumerate(value)
        ]
    if isinstance(value, Mapping):
        return {
            name: _decide(item, node.member(name), f"{place}.{name}")
            for name, item in value.items()
        }
    return cast("Json", value)


def _float(value: float, node: Node, place: str) -> Json:
    if not math.isfinite(value):
        if node.nullable:
            return None
        raise Unfit(place, f"is {value}, which JSON cannot say, and may not be null.")
    whole = "number" not in node.kinds and "any" not in node.kinds
    return int(value) if whole and value.is_integer() else value


def _decimal(value: Decimal, node: Node, place: str) -> Json:
    if not value.is_finite():
        return _float(float("nan"), node, place)
    if node.kinds & {"number", "integer", "any"}:
        if value == value.to_integral_value() and abs(value) < 10**30:
            return int(value)
        if Decimal(repr(float(value))) == value:
            return float(value)
    if node.kinds & {"string", "any"}:
        return str(value)
    raise Unfit(place, f"is {value}, which no JSON number holds exactly.")
