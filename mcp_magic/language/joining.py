"""Joins schemas that hold at once, and splits those that name several types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, cast

from mcp_magic.model import Json

__all__ = ["Alternative", "both", "single_types"]

Alternative: TypeAlias = Mapping[str, Json]
"""One way to fit a schema: no references, no unions, at most one type."""


def single_types(schema: Alternative) -> Iterator[Alternative]:
    """Yield a schema once for each type that it names or plainly means."""
    kind = schema.get("type")
    if isinstance(kind, list):
        for one in kind:
            yield {**schema, "type": one}
    elif kind is None and (implied := _implied(schema)):
        yield {**schema, "type": implied}
    else:
        yield schema


def _implied(schema: Alternative) -> str:
    """Return the type that a schema without one plainly means."""
    if schema.keys() & {"enum", "const"}:
        return ""
    if schema.keys() & {"properties", "additionalProperties", "patternProperties"}:
        return "object"
    return "array" if schema.keys() & {"items", "prefixItems"} else ""


def both(first: Alternative, second: Alternative) -> Alternative:
    """Join two schemas that hold at once; only for reading, not for checking."""
    joined: dict[str, Json] = {**first, **second}
    one, two = first.get("properties"), second.get("properties")
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        shared = {
            name: {"allOf": [one[name], two[name]]} for name in one if name in two
        }
        joined["properties"] = {**one, **two, **shared}
    needed = [
        *cast("Iterable[Json]", first.get("required", ())),
        *cast("Iterable[Json]", second.get("required", ())),
    ]
    if needed:
        joined["required"] = list(dict.fromkeys(cast("list[str]", needed)))
    for key in ("anyOf", "oneOf"):
        if key in first and key in second and first[key] != second[key]:
            joined[key] = first[key]
            joined["anyOf" if key == "oneOf" else "oneOf"] = second[key]
    kinds = _common_types(first.get("type"), second.get("type"))
    if kinds is not None:
        joined["type"] = kinds
    return joined


def _common_types(first: Json, second: Json) -> Json:
    if first is None or second is None:
        return None
    one, two = _listed(first), _listed(second)
    common = [kind for kind in one if kind in two or _is_whole(kind, two)]
    common += [kind for kind in two if _is_whole(kind, one) and kind not in common]
    return common[0] if len(common) == 1 else common or [*two]


def _listed(kind: Json) -> list[Json]:
    return list(kind) if isinstance(kind, list) else [kind]


def _is_whole(kind: Json, others: list[Json]) -> bool:
    return kind == "integer" and "number" in others
