"""Reads the body of a ``%%mcp`` cell: JSON, YAML, or one text (rules 46 to 50)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mcp_magic.language.jsontext import BadJson, read_json
from mcp_magic.language.templates import Marked, fail_at, mark
from mcp_magic.language.terms import Items, Members, Term, Value, Woven, Written
from mcp_magic.language.yamlbody import read_yaml
from mcp_magic.model import Json

__all__ = ["Body", "read_body"]


@dataclass(frozen=True, slots=True)
class Body:
    """A cell body as it was read.

    Attributes:
        members: The terms by name; ``None`` if the body holds no names.
    """

    members: Mapping[str, Term] | None = field(default_factory=dict)


def read_body(text: str, param: str | None = None) -> Body:
    """Read a cell body.

    Args:
        text: The cell below its first line.
        param: The parameter that takes the text as it is (rule 50).

    Raises:
        LineError: It is neither JSON nor YAML.
    """
    if param is not None:
        return Body({param: Written(text, "cell")})
    text = text.removeprefix("\ufeff")
    if re.match(r"\s*+\{(?!\{)", text):
        return Body(_json(text))
    match read_yaml(mark(text)):
        case Members(members):
            return Body(members)
        case Written("", "plain"):
            return Body()
    return Body(None)


def _json(text: str) -> Mapping[str, Term]:
    marked = mark(text, json=True)
    try:
        whole = read_json(marked.text)
    except BadJson as bad:
        fail_at(
            f"The cell begins with {{ and is no JSON: {bad}",
            text,
            marked.index(bad.position),
        )
    members = whole if isinstance(whole, Mapping) else {}
    if not marked.holes:
        return {name: Value(item) for name, item in members.items()}
    return {_name(name, marked): _term(item, marked) for name, item in members.items()}


def _name(name: str, marked: Marked) -> str:
    found = marked.term(name)
    if isinstance(found, Woven):
        fail_at(
            "A name cannot come from a variable.",
            marked.body,
            next(piece.index for piece in found.pieces if not isinstance(piece, str)),
        )
    return found


def _term(value: Json, marked: Marked) -> Term:
    if isinstance(value, str):
        found = marked.term(value)
        return found if isinstance(found, Woven) else Value(found)
    if isinstance(value, Mapping):
        return Members(
            {_name(k, marked): _term(one, marked) for k, one in value.items()}
        )
    if isinstance(value, list):
        return Items(tuple(_term(item, marked) for item in value))
    return Value(value)
