"""A tool's schema as the fields of a form.

The widget, the terminal prompt and the checker share this model: what kind of control
a parameter needs, what it is called, what it may hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast

from mcp_magic.errors import visible
from mcp_magic.language.check import pointer
from mcp_magic.language.describe import limits, shown, type_word
from mcp_magic.language.joining import Alternative
from mcp_magic.language.schema import Document, Node, read_schema
from mcp_magic.language.secrecy import is_secret
from mcp_magic.model import Json, Schema

__all__ = ["Choice", "Field", "Form", "Kind", "fields"]

Kind: TypeAlias = Literal[
    "text",
    "date",
    "date-time",
    "integer",
    "number",
    "boolean",
    "fixed",
    "choice",
    "choices",
    "group",
    "list",
    "tuple",
    "map",
    "union",
    "json",
    "never",
]
"""What control a field needs.

``fixed`` holds one value, ``choices`` any number of the given ones, ``group`` named
fields, ``list`` rows alike, ``tuple`` rows that differ, ``map`` rows with keys,
``union`` one of several variants. ``json`` is a box for anything, and ``never`` cannot
be given.
"""

LEVELS = 5
"""How deep groups and lists are drawn; below that a place is one JSON box."""

_DATES: dict[str, Kind] = {"date": "date", "date-time": "date-time"}
_SIMPLE: dict[str, Kind] = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the values that a field may hold.

    Attributes:
        value: The value with its JSON type.
        label: What a person reads.
    """

    value: Json
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """One place of a form.

    Attributes:
        name: The exact name of the parameter; empty for rows and for the whole form.
        pointer: The place in the arguments as a JSON pointer; ``-`` stands for a row.
        kind: What control it needs.
        node: The place in the schema, by which entries are read.
        label: What to call it; safe to show, as are the next three.
        title: Its name for people, if the server gives one.
        help: What the server says about it.
        hint: Its type and limits in a line.
        required: Whether it must be given.
        nullable: Whether null is a choice.
        default: What the server does when it is not sent, as JSON text; shown only.
        choices: The values to choose from.
        fields: The members of a group, or the places of a tuple.
        item: The rows of a list or a map.
        variants: The alternatives of a union.
        keys: The keys that a map may have, if they are fixed.
        open: Whether adding members with other names is offered.
        closed: Whether no member may have another name.
        secret: Whether what is typed must not be shown or kept.
    """

    name: str
    pointer: str
    kind: Kind
    node: Node = field(repr=False, compare=False)
    label: str = ""
    title: str = ""
    help: str = ""
    hint: str = ""
    required: bool = False
    nullable: bool = False
    default: str = ""
    choices: tuple[Choice, ...] = ()
    fields: tuple[Field, ...] = ()
    item: Field | None = None
    variants: tuple[Field, ...] = ()
    keys: tuple[str, ...] = ()
    open: bool = False
    closed: bool = False
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a tool.

    Attributes:
        root: All arguments: a group, or a union of groups.
        warnings: What could not be read of the schema.
    """

    root: Field
    warnings: tuple[str, ...] = ()


def fields(schema: Schema) -> Form:
    """Return the form for a tool's input schema.

    Whatever the schema, there is a form: what cannot be drawn is a JSON box.
    """
    document = read_schema(schema)
    maker = _Maker(document)
    return Form(maker.root(), document.warnings)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a field is to be made."""

    name: str
    pointer: str
    required: bool = False
    levels: int = LEVELS

    def inside(self, name: str, step: str, *, required: bool = False) -> _Place:
        return _Place(name, self.pointer + pointer(step), required, self.levels - 1)


@dataclass(frozen=True, slots=True)
class _Maker:
    document: Document

    def root(self) -> Field:
        """Return the field of all arguments."""
        node = Node(self.document, self.document.root)
        place = _Place("", "", required=True, levels=LEVELS + 1)
        groups = [one for one in node.alternatives if one.get("type") != "null"]
        if len(groups) == 1:
            return self.group(groups[0], node, place)
        return self.union(groups, node, place)

    def field(self, node: Node, place: _Place) -> Field:
        """Return the field of one place, whatever its schema says."""
        found = [one for one in node.alternatives if one.get("type") != "null"]
        if not found:
            if not node.nullable:
                return self.make("never", node, place)
            made = self.make("fixed", node, place)
            return replace(made, choices=(Choice(None, "null"),))
        choices = tuple(self.choices(found))
        if choices:
            kind: Kind = (
                "fixed" if len(choices) == 1 and not node.nullable else "choice"
            )
            return replace(self.make(kind, node, place), choices=choices)
        if len(found) > 1:
            return self.union(found, node, place)
        return self.single(found[0], node, place)

    def single(self, one: Alternative, node: Node, place: _Place) -> Field:
        """Return the field of a place with one type."""
        kind = str(one.get("type", ""))
        if kind in _SIMPLE:
            return self.make(_SIMPLE[kind], node, place)
        if kind == "string":
            return self.make(_DATES.get(str(one.get("format")), "text"), node, place)
        if kind and place.levels > 0:
            make = self.group if kind == "object" else self.rows
            return make(one, node, place)
        return self.make("json", node, place)

    def group(self, one: Alternative, node: Node, place: _Place) -> Field:
        """Return named fields, or a map where the schema names none."""
        members = _mapping(one.get("properties"))
        others = one.get("additionalProperties")
        patterns = _mapping(one.get("patternProperties"))
        if not members and place.pointer and (_is_schema(others) or patterns):
            return self.map(one, node, place)
        needed = cast("list[str]", one.get("required", []))
        made = tuple(
            self.field(
                Node(self.document, schema),
                place.inside(name, name, required=name in needed),
            )
            for name, schema in members.items()
        )
        is_open = others is not False and (not members or others is not None)
        group = replace(self.make("group", node, place), fields=made)
        is_closed = others is False and not patterns
        return replace(group, open=is_open or bool(patterns), closed=is_closed)

    def map(self, one: Alternative, node: Node, place: _Place) -> Field:
        keys = Node(self.document, one.get("propertyNames", True))
        named = (_values(way) for way in keys.alternatives)
        values = [value for ways in named for value in ways if isinstance(value, str)]
        value = next(
            iter(_mapping(one.get("patternProperties")).values()),
            one.get("additionalProperties", True),
        )
        item = self.field(Node(self.document, value), place.inside("", "-"))
        is_open = one.get("additionalProperties") is not False
        made = self.make("map", node, place)
        return replace(made, item=item, keys=tuple(values), open=is_open)

    def rows(self, one: Alternative, node: Node, place: _Place) -> Field:
        tuples = one.get("prefixItems")
        if isinstance(tuples, list):
            made = tuple(
                self.field(Node(self.document, item), place.inside("", str(at)))
                for at, item in enumerate(tuples)
            )
            return replace(self.make("tuple", node, place), fields=made)
        item = self.field(node.item(0), place.inside("", "-"))
        if item.kind in ("choice", "fixed"):
            return replace(self.make("choices", node, place), choices=item.choices)
        return replace(self.make("list", node, place), item=item)

    def union(self, found: list[Alternative], node: Node, place: _Place) -> Field:
        if place.levels <= 0:
            return self.make("json", node, place)
        inner = _Place("", place.pointer, place.required, place.levels - 1)
        variants = []
        for one in found:
            way = Node(self.document, cast("Json", one))
            # The root's variants are groups even where they name no members.
            made = self.group(one, way, inner) if not place.pointer else None
            made = made or self.field(way, inner)
            variants.append(replace(made, label=_variant(one, way)))
        return replace(self.make("union", node, place), variants=tuple(variants))

    def make(self, kind: Kind, node: Node, place: _Place) -> Field:
        """Return a field without what only some kinds have."""
        default = node.annotation("default")
        return Field(
            name=place.name,
            pointer=place.pointer,
            kind=kind,
            node=node,
            label=visible(place.name) or ("(empty name)" if place.pointer else ""),
            title=visible(str(_said(node, "title") or "")),
            help=visible(str(_said(node, "description") or "")),
            hint=", ".join([type_word(node), *limits(node)]),
            required=place.required,
            nullable=node.nullable,
            default="" if "default" not in node.whole else shown(default),
            secret=is_secret(place.name, node),
        )

    def choices(self, found: list[Alternative]) -> Iterator[Choice]:
        """Yield the values to choose from, if nothing else fits."""
        if not all("const" in one or "enum" in one for one in found):
            return
        for one in found:
            names = one.get("enumNames")
            titles = names if isinstance(names, list) else [one.get("title")]
            for at, value in enumerate(_values(one)):
                if value is None:
                    continue
                title = titles[at] if at < len(titles) and _named(one) else None
                label = visible(str(title)) if title is not None else _label(value)
                yield Choice(value, label)


def _said(node: Node, key: str) -> Json:
    """Return what is said of a place, and not of one of several alternatives."""
    ways = [one for one in node.alternatives if one.get("type") != "null"]
    return node.annotation(key) if len(ways) < 2 else node.whole.get(key)


def _named(one: Alternative) -> bool:
    """Return whether a title belongs to the value rather than to the field."""
    return "const" in one or isinstance(one.get("enumNames"), list)


def _values(one: Alternative) -> list[Json]:
    if "const" in one:
        return [one["const"]]
    return cast("list[Json]", one.get("enum", []))


def _label(value: Json) -> str:
    return visible(value) if isinstance(value, str) else shown(value)


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _is_schema(value: Json) -> bool:
    return value is True or bool(_mapping(value))


def _variant(one: Alternative, node: Node) -> str:
    """Return what tells one variant from the others."""
    if isinstance(one.get("title"), str):
        return visible(str(one["title"]))
    for schema in _mapping(one.get("properties")).values():
        if "const" in _mapping(schema):
            return _label(_mapping(schema)["const"])
    needed = cast("list[str]", one.get("required", []))
    return ", ".join(map(visible, needed)) if needed else type_word(node)
