"""Checks finished arguments against the schema, and says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from mcp_magic import validation
from mcp_magic.errors import visible
from mcp_magic.language.describe import counted, meant, name_word, phrase, shown
from mcp_magic.language.ecma import compile_pattern
from mcp_magic.language.schema import Alternative, Document, Node
from mcp_magic.language.secrecy import HIDDEN, shown_unless_secret
from mcp_magic.model import Json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

__all__ = ["Problem", "fits", "pointer", "problems", "undeclared"]

_SEARCHED = 10_000
"""How much of a text a server's pattern is tried on; a hostile one may be slow."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the arguments.

    Attributes:
        pointer: Where, as a JSON pointer into the arguments.
        message: What, as a sentence.
    """

    pointer: str
    message: str


def problems(value: Json, document: Document, limit: int = 3) -> list[Problem]:
    """Return what is wrong with the arguments, at most *limit* things."""
    found: list[Problem] = []
    try:
        for error in _validator(document).iter_errors(value):
            said = f"{_place(error)} {_complaint(error, document)}"
            sentence = said if said.endswith("?") else f"{said}."
            problem = Problem(pointer(*error.absolute_path), sentence)
            # Each name that an object lacks is an error of its own.
            found += [problem] if problem not in found else []
            if len(found) == limit:
                break
    except RecursionError:
        return found
    return found


def undeclared(values: Json, document: Document) -> list[Problem]:
    """Return the names among the arguments that no call may have (rule 38)."""
    known = document.parameters
    return [
        Problem(pointer(name), f"There is no parameter {name_word(name)}.")
        for name in (values if isinstance(values, Mapping) else ())
        if known.find(name) is None and not known.allows(name)
    ]


def pointer(*steps: str | int) -> str:
    """Return the JSON pointer of a way into a value."""
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return "".join(f"/{step}" for step in escaped)


def fits(value: Json, alternative: Alternative, document: Document) -> bool:
    """Return whether *value* fits one alternative of a place in *document*."""
    try:
        return bool(_validator(document).evolve(schema=alternative).is_valid(value))
    except RecursionError:
        return True


@lru_cache(maxsize=256)
def _validator(document: Document) -> Validator:
    return _kind()(document.root)


@lru_cache(maxsize=1)
def _kind() -> type[Validator]:
    validation.load()
    from jsonschema import validators  # noqa: PLC0415

    kind = validators.extend(  # type: ignore[no-untyped-call]
        validators.Draft202012Validator,
        {"multipleOf": _multiple_of, "pattern": _pattern, "uniqueItems": _unique},
    )
    return cast("type[Validator]", kind)


def _multiple_of(
    _: Validator, step: float, value: object, __: object
) -> Iterator[ValidationError]:
    """Count in decimals, where 5.20 is a multiple of 0.01."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if isinstance(value, int) and isinstance(step, int):
            fails = bool(value % step)
        else:
            ratio = Decimal(repr(value)) / Decimal(repr(step))
            fails = ratio != ratio.to_integral_value()
        if fails:
            yield _error(f"{value} is not a multiple of {step}")


def _pattern(
    _: Validator, pattern: str, value: object, __: object
) -> Iterator[ValidationError]:
    compiled = compile_pattern(pattern)
    searched = isinstance(value, str) and len(value) <= _SEARCHED
    if compiled and searched and not compiled.search(str(value)):
        yield _error("pattern")


def _unique(
    _: Validator, wanted: object, value: object, __: object
) -> Iterator[ValidationError]:
    """Compare by canonical text, which takes linear time."""
    if wanted and isinstance(value, list):
        texts = {json.dumps(item, sort_keys=True) for item in value}
        if len(texts) < len(value):
            yield _error("items repeat")


def _error(message: str) -> ValidationError:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - see above

    return ValidationError(message)


def _place(error: ValidationError) -> str:
    words = ""
    for step in error.absolute_path:
        if isinstance(step, int):
            words += f"[{step}]"
        else:
            words += f".{name_word(step)}" if words else name_word(step)
    return words or "The arguments"


def _name(error: ValidationError) -> str:
    """Return the name of what is wrong, also of an item of it."""
    names = [step for step in error.absolute_path if isinstance(step, str)]
    return names[-1] if names else ""


def _complaint(error: ValidationError, document: Document) -> str:
    node = Node(document, cast("Json", error.schema))
    value = shown_unless_secret(error.instance, _name(error), node)
    limit = cast("Json", error.validator_value)
    match str(error.validator):
        case "type" | "anyOf" | "oneOf":
            return _kind_complaint(error, document, value)
        case "enum" | "const" as key:
            wanted = Node(document, {key: limit})
            near = meant(error.instance, wanted)
            return f"takes {phrase(wanted)}, not {value}{near}"
        case "required":
            given = cast("Mapping[str, Json]", error.instance)
            missing = [name for name in cast("list[str]", limit) if name not in given]
            return f"lacks {', '.join(map(name_word, missing))}"
        case "pattern":
            return f"does not match the pattern {shown(limit, 60)}: {value}"
        case "uniqueItems":
            return f"must not repeat an item: {value}"
        case "None":
            return "may not be given: the schema accepts no value"
        case key if key in _LIMITS:
            return f"{counted(_LIMITS[key].format(shown(limit)))}, not {value}"
    if value == HIDDEN:
        return "does not fit"
    message = visible(error.message)
    return f"does not fit: {message if len(message) < 200 else message[:200] + '…'}"


def _kind_complaint(error: ValidationError, document: Document, value: str) -> str:
    if error.validator != "type" and not error.absolute_path:
        return "fit none of the ways the tool can be called"
    return f"takes {phrase(Node(document, cast('Json', error.schema)))}, not {value}"


_LIMITS = {
    "minimum": "is at least {}",
    "maximum": "is at most {}",
    "exclusiveMinimum": "is more than {}",
    "exclusiveMaximum": "is less than {}",
    "multipleOf": "is a multiple of {}",
    "minLength": "has at least {} characters",
    "maxLength": "has at most {} characters",
    "minItems": "has at least {} items",
    "maxItems": "has at most {} items",
    "minProperties": "has at least {} members",
    "maxProperties": "has at most {} members",
}
