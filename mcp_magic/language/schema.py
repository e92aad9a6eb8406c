"""A tool's JSON Schema as this package reads it: parameters and their alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import cast

from mcp_magic.language.joining import Alternative, both, single_types
from mcp_magic.language.repair import repair
from mcp_magic.model import Json, Schema

__all__ = [
    "Alternative",
    "Document",
    "Node",
    "Parameters",
    "kind_of",
    "read_schema",
    "spelling",
]

_BRANCHES = 50
_LONG_NAME = 80
_ANYTHING: Alternative = {}


class Document:
    """A repaired schema with everything that is read from it.

    Attributes:
        root: The repaired schema.
        warnings: What could not be read, one sentence each.
    """

    def __init__(self, schema: Schema) -> None:
        repaired = repair(schema)
        self.root = repaired.root
        self.warnings = repaired.warnings

    @cached_property
    def parameters(self) -> Parameters:
        """What the tool takes."""
        return _parameters(Node(self, self.root))

    def node(self, name: str) -> Node:
        """Return the place of a parameter, declared or not."""
        found = self.parameters.nodes.get(name)
        return found or Node(self, self.root).member(name)

    def resolve(self, schema: Json) -> Alternative | None:
        """Follow references and join ``allOf``; ``None`` accepts nothing."""
        return self._resolve(schema, frozenset())

    def _resolve(self, schema: Json, seen: frozenset[str]) -> Alternative | None:
        if schema is False:
            return None
        if not isinstance(schema, Mapping):
            return _ANYTHING
        parts: list[Json] = []
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            seen |= {reference}
            parts.append(self._target(reference))
        parts.extend(cast("Iterable[Json]", schema.get("allOf", ())))
        found: Alternative = {
            key: value for key, value in schema.items() if key not in ("$ref", "allOf")
        }
        for part in reversed(parts):
            other = self._resolve(part, seen) if len(seen) < _BRANCHES else _ANYTHING
            if other is None:
                return None
            found = both(other, found)
        return found

    def _target(self, reference: str) -> Json:
        if reference == "#":
            return self.root
        definitions = cast("Mapping[str, Json]", self.root["$defs"])
        return definitions[reference.rpartition("/")[2]]

    def alternatives(self, schema: Json) -> tuple[Alternative, ...]:
        """Return every way to fit *schema*; none if nothing does."""
        return tuple(_take(self._alternatives(schema, 0), _BRANCHES))

    def _alternatives(self, schema: Json, depth: int) -> Iterator[Alternative]:
        whole = self.resolve(schema)
        if whole is None:
            return
        for key in ("anyOf", "oneOf"):
            branches = whole.get(key)
            if isinstance(branches, list) and depth < _BRANCHES:
                rest = {name: value for name, value in whole.items() if name != key}
                for branch in branches:
                    other = self.resolve(branch)
                    if other is not None:
                        yield from self._alternatives(both(rest, other), depth + 1)
                return
        yield from single_types(whole)


def _take(items: Iterator[Alternative], limit: int) -> Iterator[Alternative]:
    for count, item in enumerate(items):
        if count == limit:
            yield _ANYTHING
            return
        yield item


@dataclass(frozen=True)
class Node:
    """A place in a schema: a parameter, an item, a member.

    Attributes:
        document: The schema it belongs to.
        schema: The repaired schema of this place.
    """

    document: Document
    schema: Json

    @cached_property
    def whole(self) -> Alternative:
        """The schema with references followed, for its annotations."""
        return self.document.resolve(self.schema) or _ANYTHING

    @cached_property
    def alternatives(self) -> tuple[Alternative, ...]:
        """Every way to fit; none if nothing does."""
        return self.document.alternatives(self.schema)

    @property
    def nullable(self) -> bool:
        """Whether null fits."""
        return any(_takes_null(one) for one in self.alternatives)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The JSON types that may fit; ``"any"`` stands for all of them."""
        return frozenset(kind for one in self.alternatives for kind in _kinds(one))

    def annotation(self, key: str) -> Json:
        """Return an annotation such as ``title``, from the outside in."""
        if key in self.whole:
            return self.whole[key]
        for one in self.alternatives:
            if key in one:
                return one[key]
        return None

    def member(self, name: str) -> Node:
        """Return the place of the member *name* of an object."""
        return self._join(_member(one, name) for one in self._of("object"))

    def item(self, index: int) -> Node:
        """Return the place of one item of an array."""
        return self._join(_item(one, index) for one in self._of("array"))

    def _of(self, kind: str) -> list[Alternative]:
        return [one for one in self.alternatives if one.get("type", kind) == kind]

    @cached_property
    def _places(self) -> dict[tuple[int, ...], Node]:
        """Places inside this one, so that a long list has one place for its items."""
        return {}

    def _join(self, schemas: Iterable[Json]) -> Node:
        """Return the place where any of *schemas* holds."""
        found = [schema for schema in schemas if schema is not False]
        key = tuple(map(id, found))
        if key not in self._places:
            whole = found[0] if len(found) == 1 else {"anyOf": found} if found else True
            self._places[key] = Node(self.document, whole)
        return self._places[key]


def _kinds(one: Alternative) -> Iterator[str]:
    if "type" in one:
        yield str(one["type"])
    elif "enum" in one or "const" in one:
        values = cast("list[Json]", one.get("enum") or [one.get("const")])
        yield from map(kind_of, values)
    else:
        yield "any"


def kind_of(value: object) -> str:
    """Return the JSON type of a value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) else "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"


def _takes_null(one: Alternative) -> bool:
    if "enum" in one:
        return None in cast("list[Json]", one["enum"])
    if "const" in one:
        return one["const"] is None
    return one.get("type", "null") == "null"


def _member(one: Alternative, name: str) -> Json:
    properties = cast("Mapping[str, Json]", one.get("properties", {}))
    if name in properties:
        return properties[name]
    patterns = cast("Mapping[str, Json]", one.get("patternProperties", {}))
    for pattern, schema in patterns.items():
        if re.search(pattern, name):
            return schema
    return one.get("additionalProperties", True)


def _item(one: Alternative, index: int) -> Json:
    first = cast("list[Json]", one.get("prefixItems", []))
    return first[index] if index < len(first) else one.get("items", True)


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a tool takes.

    Attributes:
        nodes: The declared parameters in the schema's order.
        required: The names that every call must give.
        open: Whether other names may be given too.
        patterns: Patterns of other names that may be given.
    """

    nodes: Mapping[str, Node]
    required: frozenset[str] = frozenset()
    open: bool = True
    patterns: tuple[str, ...] = ()
    _spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find(self, typed: str) -> str | None:
        """Return the parameter that *typed* spells.

        An exact name wins; else kebab, camel and snake spelling of one parameter are
        the same, if only one parameter has it (rule 38), and Python's ``from_`` is
        ``from``.
        """
        if typed in self.nodes:
            return typed
        found = self._spellings.get(spelling(typed), ())
        return found[0] if len(found) == 1 else None

    def nearest(self, typed: str, likeness: float = 0.6) -> str | None:
        """Return the parameter whose name comes nearest to *typed*, if one is near."""
        names = [name for name in self.nodes if len(name) <= _LONG_NAME]
        found = get_close_matches(typed[:_LONG_NAME], names, 1, likeness)
        return found[0] if found else None

    def allows(self, name: str) -> bool:
        """Return whether a name that is not declared may be sent (rule 38)."""
        return self.open or any(re.search(one, name) for one in self.patterns)


def spelling(name: str) -> str:
    """Return what kebab, camel and snake spelling of a name have in common."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name[:200])
    return "_".join(re.split(r"[-_]+", words.casefold())).rstrip("_")


def _parameters(root: Node) -> Parameters:
    found: dict[str, list[Json]] = {}
    needed: list[frozenset[str]] = []
    is_open, patterns, declares = False, dict[str, None](), False
    for one in root.alternatives:
        properties = {**_conditional(one), **_mapping(one.get("properties"))}
        declares = declares or "properties" in one or bool(properties)
        for name, schema in properties.items():
            found.setdefault(name, []).append(schema)
        needed.append(frozenset(cast("Iterable[str]", one.get("required", ()))))
        is_open = is_open or one.get("additionalProperties", False) is not False
        patterns |= dict.fromkeys(_mapping(one.get("patternProperties")))
    nodes = {
        name: Node(root.document, many[0] if _same(many) else {"anyOf": many})
        for name, many in found.items()
    }
    spellings: dict[str, tuple[str, ...]] = {}
    for name in nodes:
        key = spelling(name)
        spellings[key] = (*spellings.get(key, ()), name)
    return Parameters(
        nodes=nodes,
        required=frozenset.intersection(*needed) if needed else frozenset(),
        open=is_open or (not declares and not _closed(root)),
        patterns=tuple(patterns),
        _spellings=spellings,
    )


def _same(schemas: list[Json]) -> bool:
    return all(schema == schemas[0] for schema in schemas)


def _closed(root: Node) -> bool:
    return all(one.get("additionalProperties") is False for one in root.alternatives)


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _conditional(one: Alternative) -> dict[str, Json]:
    """Return parameters that only stand in conditional parts of a schema."""
    parts = [one.get("then"), one.get("else")]
    parts += _mapping(one.get("dependentSchemas")).values()
    found: dict[str, Json] = {}
    for part in parts:
        found |= _mapping(_mapping(part).get("properties"))
    return found


class _Same:
    """A schema as a cache key: the same object, not an equal one."""

    __slots__ = ("schema",)

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.schema is self.schema


def read_schema(schema: Schema) -> Document:
    """Read a tool's schema; the same object is read once."""
    return _read(_Same(schema))


@lru_cache(maxsize=256)
def _read(same: _Same) -> Document:
    return Document(same.schema)
