"""Fits what was given to a tool's schema: names, types, checks (rules 25 to 39)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NoReturn

from mcp_magic.errors import ArgumentError, LineError, NamesNeeded, visible
from mcp_magic.language.arguments import Arguments
from mcp_magic.language.check import problems
from mcp_magic.language.coerce import Unfit, settle
from mcp_magic.language.describe import name_word, type_word
from mcp_magic.language.formats import format_note
from mcp_magic.language.pairs import Pair, read_pairs
from mcp_magic.language.schema import Document, Node, Parameters, read_schema
from mcp_magic.language.signatures import signature_of
from mcp_magic.language.templates import fill
from mcp_magic.language.terms import Items, Term, Value, Written
from mcp_magic.language.typed import ReadFile, Surroundings
from mcp_magic.model import Json, Schema

__all__ = ["Bound", "bind"]

_CURLY = frozenset("\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\xab\xbb")
_NO_NAMES: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Bound:
    """Arguments ready to be sent.

    Attributes:
        values: The JSON object.
        notes: What a reader might not expect of this call, one sentence each.
        warnings: What could not be read of the schema; the same for every call.
    """

    values: dict[str, Json]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


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
    shown = visible(label).replace("\n", "\\n") or "tool"
    binder = _Binder(shown, document, arguments, schema is not None)
    around = Surroundings(arguments.source, namespace, read_file, binder.notes)
    known = document.parameters if schema is not None else None
    pairs = read_pairs(arguments.tokens, known, around, label=shown)
    binder.collect(pairs, namespace)
    return binder.finish()


@dataclass(slots=True)
class _Binder:
    label: str
    document: Document
    arguments: Arguments
    listed: bool
    notes: list[str] = field(default_factory=list)
    terms: dict[str, Term] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> Parameters:
        return self.document.parameters

    def fail(self, message: str) -> NoReturn:
        """Raise an ``ArgumentError`` that shows the signature."""
        shown = signature_of(self.label, self.document) if self.listed else self.label
        raise ArgumentError(f"{message}{self.curly()}\n  {shown}")

    def curly(self) -> str:
        """Return a sentence about curly quotes, which are letters (rule 7)."""
        typed = "".join(token.text for token in self.arguments.tokens)
        if _CURLY.isdisjoint(typed):
            return ""
        return " Curly quotes do not quote; use \" or '."

    # -- collecting

    def collect(self, pairs: list[Pair], namespace: Mapping[str, object]) -> None:
        """Take all that was given: first what has a name, then the rest in order."""
        self.line([pair for pair in pairs if pair.name is not None])
        for name, value in self.arguments.named.items():
            self.put(self.name(name), Value(value), "the call")
        for name, value in self.arguments.whole.items():
            self.put(self.name(name), Value(value), "--args")
        self.body(namespace)
        self.in_order(
            [pair.term for pair in pairs if pair.name is None]
            + [Value(value) for value in self.arguments.positional],
            [pair.column for pair in pairs if pair.name is None],
        )

    def line(self, pairs: list[Pair]) -> None:
        """Take the named values of the line; a repeated one is a list (rule 33)."""
        repeated: dict[str, list[Term]] = {}
        for pair in pairs:
            name = self.name(pair.name or "")
            repeated.setdefault(name, []).append(pair.term)
        for name, terms in repeated.items():
            self.put(name, self.repeats(name, terms), "the line")

    def body(self, namespace: Mapping[str, object]) -> None:
        """Take the cell's body."""
        body = self.arguments.body
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
        """Return the parameter meant, or *typed* where any name may be sent."""
        if not self.listed:
            return typed
        found = self.parameters.find(typed)
        if found is not None:
            return found
        if not self.parameters.allows(typed):
            self.fail(self.unknown(typed))
        self.notes.append(
            f"{name_word(typed)} is not declared by the tool and was sent as it is."
        )
        return typed

    def unknown(self, typed: str) -> str:
        near = self.parameters.nearest(typed)
        hint = "." if near is None else f"; did you mean {name_word(near)}?"
        if not self.parameters.nodes:
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

    def kinds(self, name: str) -> frozenset[str]:
        return self.node(name).kinds

    def in_order(self, terms: list[Term], columns: list[int]) -> None:
        """Give values without names to the parameters in order (rules 35, 36)."""
        if not terms:
            return
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
            self.too_many(len(terms), len(free), columns)
        for name, term in zip(free, terms, strict=False):
            self.object_for(name, term)
            self.put(name, term, "the line" if columns else "the call")

    def too_many(self, count: int, free: int, columns: list[int]) -> NoReturn:
        left = "" if free == len(self.parameters.nodes) else " that is left"
        message = f"{_count(count, 'value')} for {_count(free, 'parameter')}{left}"
        if not columns:
            self.fail(f"{message}.")
        hint = "; quote the text" if self.parameters.nodes else ""
        raise LineError(
            f"{message}{hint}.{self.curly()}", self.arguments.source, columns[free]
        )

    def object_for(self, name: str, term: Term) -> None:
        """Say how to pass all arguments at once, when an object cannot stand here."""
        match term:
            case Value(value):
                is_object = isinstance(value, Mapping)
            case Written(text):
                is_object = text.startswith("{") and "string" not in self.kinds(name)
            case _:
                is_object = False
        if is_object and not self.kinds(name) & {"object", "any"}:
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
                self.fail("\n".join(problem.message for problem in wrong))
        self.formats(found)
        notes = tuple(dict.fromkeys(self.notes))
        return Bound(found, notes, self.document.warnings)

    def formats(self, found: Mapping[str, Json]) -> None:
        """Note the texts that are not in the format which the schema names."""
        for name, value in found.items():
            wanted = self.node(name).annotation("format")
            if isinstance(value, str) and isinstance(wanted, str):
                note = format_note(name_word(name), value, wanted)
                self.notes.extend([note] if note else [])

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


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'s' * (number > 1)}"
