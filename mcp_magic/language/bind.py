"""Fits what was given to a tool's schema: names, types, checks (rules 25 to 39)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import NoReturn

from mcp_magic.errors import ArgumentError, LineError, NamesNeeded
from mcp_magic.language.arguments import Arguments
from mcp_magic.language.check import problems
from mcp_magic.language.coerce import Unfit, settle
from mcp_magic.language.describe import name_word, type_word
from mcp_magic.language.pairs import Given, ReadFile, read_pairs
from mcp_magic.language.schema import Document, Node, Parameters, read_schema
from mcp_magic.language.signature import signature_of
from mcp_magic.language.templates import fill
from mcp_magic.language.terms import Items, Term, Value
from mcp_magic.model import Json, Schema

__all__ = ["Bound", "bind"]

_NO_NAMES: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Bound:
    """Arguments ready to be sent.

    Attributes:
        values: The JSON object.
        notes: What a reader might not expect, one sentence each.
    """

    values: dict[str, Json]
    notes: tuple[str, ...] = ()


def bind(
    arguments: Arguments,
    schema: Schema | None,
    *,
    label: str = "",
    namespace: Mapping[str, object] = _NO_NAMES,
    read_file: ReadFile | None = None,
) -> Bound:
    """Return the JSON arguments that fit *schema*.

    Binding runs no code of the user's: a call form must have been evaluated.

    Args:
        arguments: What was given.
        schema: The tool's input schema; ``None`` if the tool is not listed, when
            named values go out as they were typed.
        label: The tool as messages should call it, such as ``demo.add``.
        namespace: The cell's names, for ``$name``.
        read_file: Reads the file of ``@path``.

    Raises:
        ArgumentError: The arguments do not fit; nothing is ever renamed to fit.
        NamesNeeded: Values stand without names and no schema can name them.
        LineError: A key lacks its value, or a variable or file cannot be read.
    """
    if arguments.code is not None:
        raise TypeError("evaluate the arguments before binding them")
    document = read_schema({} if schema is None else schema)
    binder = _Binder(label or "the tool", document, listed=schema is not None)
    binder.notes.extend(document.warnings)
    given = read_pairs(
        arguments.tokens,
        arguments.source,
        document.parameters if schema is not None else None,
        label=label,
        namespace=namespace,
        read_file=read_file,
        notes=binder.notes,
    )
    binder.line(given, arguments)
    binder.python(arguments)
    binder.whole(arguments.whole)
    binder.body(arguments, namespace)
    return binder.finish()


@dataclass(slots=True)
class _Binder:
    label: str
    document: Document
    listed: bool
    notes: list[str] = field(default_factory=list)
    terms: dict[str, Term] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> Parameters:
        return self.document.parameters

    def fail(self, message: str) -> NoReturn:
        """Raise an ``ArgumentError`` that shows the signature."""
        raise ArgumentError(f"{message}\n  {signature_of(self.label, self.document)}")

    # -- collecting

    def line(self, given: list[Given], arguments: Arguments) -> None:
        """Take what the line gives: named values, then positional ones."""
        repeated: dict[str, list[Term]] = {}
        for one in given:
            if one.name is not None:
                repeated.setdefault(self.name(one.name), []).append(one.term)
        for name, terms in repeated.items():
            self.put(name, self.repeats(name, terms), "the line")
        loose = [one for one in given if one.name is None]
        if loose:
            self.in_order([one.term for one in loose], arguments, loose)

    def python(self, arguments: Arguments) -> None:
        """Take the values of a call form or a Python call."""
        for name, value in arguments.named.items():
            self.put(self.name(name), Value(value), "the call")
        if arguments.positional:
            self.in_order([Value(one) for one in arguments.positional], arguments, [])

    def whole(self, values: Mapping[str, object]) -> None:
        """Take the object of ``--args``."""
        for name, value in values.items():
            self.put(self.name(name), Value(value), "--args")

    def body(self, arguments: Arguments, namespace: Mapping[str, object]) -> None:
        """Take the cell's body."""
        body = arguments.body
        if body is None:
            return
        if body.members is None:
            self.no_mapping()
        for name, term in body.members.items():
            self.put(self.name(name), fill(term, namespace), "the cell")

    def no_mapping(self) -> NoReturn:
        texts = [
            name
            for name, node in self.parameters.nodes.items()
            if node.kinds & {"string", "any"}
        ]
        name = name_word(texts[0]) if texts else "PARAM"
        raise ArgumentError(
            "The cell holds no names and values: write name: value lines or a JSON"
            f" object, or give the whole text to one parameter with --body {name}."
        )

    def name(self, typed: str) -> str:
        """Return the parameter that *typed* names, or *typed* where that may be sent."""
        if not self.listed:
            return typed
        found = self.parameters.find(typed)
        if found is None and typed.endswith("_"):
            found = self.parameters.find(typed[:-1])
        if found is not None:
            return found
        if not self.parameters.allows(typed):
            self.fail(self.unknown(typed))
        self.notes.append(
            f"{name_word(typed)} is not declared by the tool and was sent as it is."
        )
        return typed

    def unknown(self, typed: str) -> str:
        names = list(self.parameters.nodes)
        near = get_close_matches(typed[:80], names, 1) if names else []
        hint = f"; did you mean {name_word(near[0])}?" if near else "."
        if not names:
            hint = "; it takes no arguments."
        return f"There is no parameter {name_word(typed)}{hint}"

    def put(self, name: str, term: Term, place: str) -> None:
        """Keep a term; the same parameter from two places is an error (rule 34)."""
        if name in self.terms:
            here = self.places[name]
            where = (
                f"twice in {place}" if here == place else f"in {here} and in {place}"
            )
            self.fail(f"{name_word(name)} is given {where}.")
        self.terms[name] = term
        self.places[name] = place

    def repeats(self, name: str, terms: list[Term]) -> Term:
        """Join the values of a repeated parameter (rule 33)."""
        if len(terms) == 1:
            return terms[0]
        if "array" not in self.node(name).kinds:
            self.fail(
                f"{name_word(name)} is given {len(terms)} times and takes no list."
            )
        return Items(tuple(terms))

    def node(self, name: str) -> Node:
        return self.document.node(name)

    def in_order(
        self, terms: list[Term], arguments: Arguments, loose: list[Given]
    ) -> None:
        """Give values without names to the parameters in order (rules 35, 36)."""
        if not self.listed:
            raise NamesNeeded(
                f"{self.label} is not listed, so values need names: name=value."
            )
        free = [
            name
            for name, node in self.parameters.nodes.items()
            if name not in self.terms and node.alternatives
        ]
        if len(terms) > len(free):
            self.too_many(len(terms), len(free), arguments, loose)
        for name, term in zip(free, terms, strict=False):
            self.object_for(name, term)
            self.put(name, term, "the line" if loose else "the call")

    def too_many(
        self, count: int, free: int, arguments: Arguments, loose: list[Given]
    ) -> NoReturn:
        left = "" if free == len(self.parameters.nodes) else " that is left"
        message = (
            f"{count} value{'s' * (count != 1)} for"
            f" {free or 'no'} parameter{'s' * (free != 1)}{left}; quote the text."
        )
        if loose:
            if any(char in one.text for one in loose for char in "“”„‟‘’‚‛«»"):
                message += " Curly quotes do not quote; use \" or '."
            raise LineError(message, arguments.source, loose[free].column)
        self.fail(message.replace("; quote the text", ""))

    def object_for(self, name: str, term: Term) -> None:
        """Say how to pass all arguments at once, when an object cannot stand here."""
        if not isinstance(term, Value) or not isinstance(term.value, Mapping):
            return
        if not self.node(name).kinds & {"object", "any"}:
            self.fail(
                f"The first value is for {name_word(name)}, which takes no object; pass"
                " all arguments at once with **{…} or --args."
            )

    # -- finishing

    def finish(self) -> Bound:
        """Type, complete and check what was collected."""
        found: dict[str, Json] = {}
        for name, term in self.terms.items():
            try:
                found[name] = settle(term, self.node(name), name_word(name), self.notes)
            except Unfit as unfit:
                self.fail(str(unfit))
        self.missing(found)
        if self.listed:
            wrong = problems(found, self.document)
            if wrong:
                self.fail("\n".join(wrong))
        return Bound(found, tuple(dict.fromkeys(self.notes)))

    def missing(self, found: Mapping[str, Json]) -> None:
        """Name the parameters that every call must give (rule 39)."""
        lacking = [
            name
            for name in (*self.parameters.nodes, *sorted(self.parameters.required))
            if name in self.parameters.required and name not in found
        ]
        if lacking:
            words = [
                f"{name_word(name)} ({type_word(self.node(name))})"
                for name in dict.fromkeys(lacking)
            ]
            self.fail(f"{self.label} needs {', '.join(words)}.")
