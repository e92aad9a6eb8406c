"""Makes a server's JSON Schema safe to work with, keeping what it says.

Servers send several dialects and many slips. The repaired schema is JSON Schema
2020-12 whose references all lead to its own ``$defs``; what cannot be read becomes
"anything" with a warning. Nothing is ever fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast
from urllib.parse import unquote

from mcp_magic.language.ecma import compile_pattern, translate
from mcp_magic.model import Json, Schema

__all__ = ["Repaired", "repair"]

Plain: TypeAlias = "dict[str, Json] | bool"

_DEPTH = 100
_PARTS = 20_000
_TYPES = frozenset(
    {"string", "number", "integer", "boolean", "object", "array", "null"}
)
_SINGLE = frozenset(
    """items additionalProperties contains not if then else propertyNames
    unevaluatedProperties unevaluatedItems""".split()
)
_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
# References are followed by this module; the rest would change how they resolve.
_DROPPED = frozenset(
    """$schema $id id $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor
    $vocabulary $defs definitions $ref nullable additionalItems contentSchema""".split()
)


@dataclass(frozen=True, slots=True)
class Repaired:
    """A schema that every reader of this package can rely on.

    Attributes:
        root: The repaired schema.
        warnings: What could not be read, one sentence each.
    """

    root: dict[str, Json]
    warnings: tuple[str, ...] = ()


def repair(schema: Schema) -> Repaired:
    """Return *schema* as a JSON Schema 2020-12 of an object, without surprises."""
    return _Repair(schema).run()


@dataclass(slots=True)
class _Repair:
    source: object
    warnings: list[str] = field(default_factory=list)
    targets: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    parts: int = 0

    def run(self) -> Repaired:
        root = self._object()
        found: dict[str, Json] = {}
        for pointer in self.order:  # it grows while it is read
            found[self.targets[pointer]] = self.schema(self._target(pointer), 0)
        whole = {**root, "$defs": found} if found else root
        return Repaired(whole, tuple(dict.fromkeys(self.warnings)))

    def _object(self) -> dict[str, Json]:
        """Repair the root, which describes the object of arguments."""
        root: Plain = self.schema(self.source, 0)
        if root is True:
            return {"type": "object"}
        kind = root.get("type", "object") if isinstance(root, dict) else ""
        if isinstance(root, dict) and "object" in (
            kind if isinstance(kind, list) else [kind]
        ):
            return {**root, "type": "object"}
        self.warn("The schema describes no object; arguments go out unchecked.")
        return {"type": "object"}

    def warn(self, sentence: str) -> None:
        self.warnings.append(sentence)

    def schema(self, source: object, depth: int) -> Plain:
        """Repair one schema and those inside it."""
        if isinstance(source, bool):
            return source
        self.parts += 1
        if not isinstance(source, Mapping) or depth > _DEPTH or self.parts > _PARTS:
            self.warn(
                "A part of the schema cannot be read; anything is accepted there."
            )
            return True
        found: dict[str, Json] = {}
        for key, value in source.items():
            if key not in _DROPPED:
                kept = self.keyword(key, value, depth)
                if kept is not _UNREADABLE:
                    found[key] = cast("Json", kept)
        self._old_spellings(source, found, depth)
        return self._reference(source, found)

    def keyword(self, key: str, value: object, depth: int) -> object:
        """Repair the value of one keyword; ``_UNREADABLE`` leaves it out."""
        if key in _SINGLE and not (key == "items" and isinstance(value, list)):
            return self.schema(value, depth + 1)
        if key in _MAPS:
            return self._map(key, value, depth)
        if key in _LISTS:
            if not isinstance(value, list) or not value:
                return _UNREADABLE
            return [self.schema(item, depth + 1) for item in value]
        if key == "type":
            return _read_type(value)
        check = _CHECKS.get(key)
        if check is None:
            return value
        if check(value):
            return value
        if key == "pattern":
            self.warn(f"The pattern {str(value)[:60]!r} is not checked here.")
        return _UNREADABLE

    def _map(self, key: str, value: object, depth: int) -> object:
        if not isinstance(value, Mapping):
            return _UNREADABLE
        found: dict[str, Json] = {}
        for name, item in value.items():
            if key == "patternProperties" and not _is_pattern(name):
                self.warn(f"The pattern {str(name)[:60]!r} is not checked here.")
                # Names that it would have allowed must not be refused.
                found[""] = True
                continue
            if key == "patternProperties":
                name = translate(name)  # noqa: PLW2901 - the same in Python
            found[name] = self.schema(item, depth + 1)
        return found

    def _old_spellings(
        self, source: Mapping[str, object], found: dict[str, Json], depth: int
    ) -> None:
        """Translate what older dialects and OpenAPI write differently."""
        items = source.get("items")
        if isinstance(items, list):
            found["prefixItems"] = [self.schema(item, depth + 1) for item in items]
            found.pop("items", None)
            if "additionalItems" in source:
                found["items"] = self.schema(source["additionalItems"], depth + 1)
        for bound, edge in _EDGES.items():
            if source.get(bound) is True and edge in found:
                found[bound] = found.pop(edge)
        if source.get("nullable") is True:
            _allow_null(found)

    def _reference(self, source: Mapping[str, object], found: dict[str, Json]) -> Plain:
        reference = source.get("$ref")
        if not isinstance(reference, str):
            return found
        pointer = self._pointer(reference)
        if pointer is None:
            self.warn(
                f"The reference {reference[:80]!r} leads nowhere; anything is accepted"
                " there."
            )
            return found
        if pointer == "":
            return {**found, "$ref": "#"}
        if pointer not in self.targets:
            self.targets[pointer] = str(len(self.order))
            self.order.append(pointer)
        return {**found, "$ref": f"#/$defs/{self.targets[pointer]}"}

    def _pointer(self, reference: str) -> str | None:
        """Return the JSON pointer of a local reference that leads somewhere."""
        if not reference.startswith("#"):
            return None
        fragment = reference[1:]
        for pointer in (fragment, unquote(fragment)):
            if pointer in self.targets or self._target(pointer) is not _UNREADABLE:
                return pointer
        return None

    def _target(self, pointer: str) -> object:
        """Return what stands at *pointer* in the source."""
        if not pointer:
            return self.source
        if not pointer.startswith("/"):
            return _anchored(self.source, pointer)
        place: object = self.source
        for step in pointer[1:].split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(place, Mapping) and key in place:
                place = place[key]
            elif isinstance(place, list) and key.isdecimal() and int(key) < len(place):
                place = place[int(key)]
            else:
                return _UNREADABLE
        return place if isinstance(place, Mapping | bool) else _UNREADABLE


_UNREADABLE = object()


def _anchored(source: object, name: str) -> object:
    """Find the schema that calls itself *name*, looking only where definitions are."""
    if isinstance(source, Mapping):
        for place in ("$defs", "definitions"):
            definitions = source.get(place)
            for item in (
                definitions.values() if isinstance(definitions, Mapping) else ()
            ):
                if isinstance(item, Mapping) and (
                    item.get("$anchor") == name or item.get("$id") == f"#{name}"
                ):
                    return item
    return _UNREADABLE


def _allow_null(found: dict[str, Json]) -> None:
    """Say in today's words what OpenAPI calls ``nullable``."""
    kind = found.get("type")
    if isinstance(kind, str):
        found["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        found["type"] = [*kind, "null"]
    enum = found.get("enum")
    if isinstance(enum, list) and None not in enum:
        found["enum"] = [*enum, None]


def _read_type(value: object) -> object:
    if isinstance(value, str):
        return value if value in _TYPES else _UNREADABLE
    if isinstance(value, list):
        known = [item for item in value if isinstance(item, str) and item in _TYPES]
        return (
            list(dict.fromkeys(known)) if len(known) == len(value) > 0 else _UNREADABLE
        )
    return _UNREADABLE


def _is_pattern(value: object) -> bool:
    return isinstance(value, str) and compile_pattern(value) is not None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_positive(value: object) -> bool:
    return _is_number(value) and cast("float", value) > 0


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_names_by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_is_names, value.values()))


_EDGES = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_CHECKS: dict[str, Callable[[object], bool]] = {
    "required": _is_names,
    "enum": lambda value: isinstance(value, list) and bool(value),
    "dependentRequired": _is_names_by_name,
    "dependencies": lambda _: False,
    "pattern": _is_pattern,
    "multipleOf": _is_positive,
    "uniqueItems": lambda value: isinstance(value, bool),
    **dict.fromkeys(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number
    ),
    **dict.fromkeys(
        (
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties",
            "minContains",
            "maxContains",
        ),
        _is_count,
    ),
}
