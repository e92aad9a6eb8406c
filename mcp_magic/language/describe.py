"""Says in few words what a schema wants, for signatures, help and errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import cast

from mcp_magic.errors import visible
from mcp_magic.language.schema import Alternative, Node
from mcp_magic.model import Json

__all__ = ["counted", "limits", "meant", "name_word", "phrase", "shown", "type_word"]

_CHOICES = 6
_COMPARED = 1000  # choices that a mistyped one is compared with
_LONG = 100  # characters of one that are compared
_LEVELS = 3
_PHRASES = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "array": "a list",
    "object": "a JSON object",
    "null": "null",
}
_SINGLE = re.compile(r"(?<= 1 )(character|item|member)s")
_SIMPLE_NAME = re.compile(r"[\w$@.-]{1,60}")


def shown(value: object, limit: int = 40) -> str:
    """Return a value as JSON on one line, cut to *limit* characters."""
    if isinstance(value, str) and len(value) > limit:
        value = f"{value[:limit]}…"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"a value of type {type(value).__name__}"
    text = visible(text)
    return text if len(text) <= limit + 4 else f"{text[:limit]}…"


def name_word(name: str) -> str:
    """Return a parameter's name so that it reads as one word."""
    return visible(name) if _SIMPLE_NAME.fullmatch(name) else shown(name, 60)


def type_word(node: Node, levels: int = _LEVELS) -> str:
    """Return the type of a place, such as ``integer`` or ``"red" | "green"``."""
    words = dict.fromkeys(_type_word(one, node, levels) for one in node.alternatives)
    return " | ".join(words) if words else "never"


def _type_word(one: Alternative, node: Node, levels: int) -> str:
    if "const" in one:
        return shown(one["const"])
    if "enum" in one:
        return _choices(cast("list[Json]", one["enum"]))
    kind = str(one.get("type", "any"))
    if kind == "array":
        return _array(one, node, levels)
    if kind == "object" and not one.get("properties"):
        values = one.get("additionalProperties")
        if isinstance(values, Mapping) and values and levels:
            return f"{{string: {type_word(Node(node.document, values), levels - 1)}}}"
    return kind


def _choices(values: list[Json]) -> str:
    words = [shown(value) for value in values[:_CHOICES]]
    return " | ".join(words + ["…"] * (len(values) > _CHOICES))


def _array(one: Alternative, node: Node, levels: int) -> str:
    if not levels:
        return "array"
    tuples = one.get("prefixItems")
    if isinstance(tuples, list):
        inside = (type_word(Node(node.document, item), levels - 1) for item in tuples)
        return f"[{', '.join(inside)}]"
    items = one.get("items")
    if items is None or items is True or items == {}:
        return "array"
    word = type_word(Node(node.document, items), levels - 1)
    return f"({word})[]" if " | " in word else f"{word}[]"


def phrase(node: Node) -> str:
    """Return what a place takes as a person would say it."""
    return _one_of([_phrase(one) for one in node.alternatives])


def meant(typed: object, node: Node) -> str:
    """Return a question after the choice that comes nearest, or an empty text."""
    listed = [value for one in node.alternatives for value in _listed(one)]
    words = [one[:_LONG] for one in listed[:_COMPARED] if isinstance(one, str)]
    near = get_close_matches(typed[:_LONG], words, 1) if isinstance(typed, str) else []
    return f"; did you mean {shown(near[0])}?" if near else ""


def _listed(one: Alternative) -> list[Json]:
    values = one.get("enum")
    return values if isinstance(values, list) else []


def _phrase(one: Alternative) -> str:
    if "const" in one:
        return shown(one["const"])
    if "enum" in one:
        return f"one of {_choices(cast('list[Json]', one['enum']))}"
    return _PHRASES.get(str(one.get("type")), "anything")


def _one_of(words: Iterable[str]) -> str:
    found = list(dict.fromkeys(words))
    if len(found) < 2:
        return "".join(found) or "nothing"
    return f"{', '.join(found[:-1])} or {found[-1]}"


def limits(node: Node) -> list[str]:
    """Return the limits of a place, such as ``1 to 100`` or ``date-time``."""
    found = dict.fromkeys(word for one in node.alternatives for word in _limits(one))
    return list(found)


def _limits(one: Alternative) -> Iterator[str]:
    yield from _span(one, "minimum", "maximum", "")
    if "exclusiveMinimum" in one:
        yield f"more than {shown(one['exclusiveMinimum'])}"
    if "exclusiveMaximum" in one:
        yield f"less than {shown(one['exclusiveMaximum'])}"
    if "multipleOf" in one:
        yield f"a multiple of {shown(one['multipleOf'])}"
    yield from _span(one, "minLength", "maxLength", " characters")
    yield from _span(one, "minItems", "maxItems", " items")
    if one.get("uniqueItems") is True:
        yield "no repeats"
    if "pattern" in one:
        yield f"pattern {visible(str(one['pattern']))[:60]}"
    for key in ("format", "contentEncoding", "contentMediaType"):
        if isinstance(one.get(key), str):
            yield visible(str(one[key]))[:40]


def _span(one: Alternative, low: str, high: str, unit: str) -> Iterator[str]:
    if low in one and high in one:
        yield f"{shown(one[low])} to {shown(one[high])}{unit}"
    elif low in one:
        yield counted(f"at least {shown(one[low])}{unit}")
    elif high in one:
        yield counted(f"at most {shown(one[high])}{unit}")


def counted(words: str) -> str:
    """Return words of ours such as ``at least 1 items`` as they are said of one."""
    return _SINGLE.sub(r"\1", words)
