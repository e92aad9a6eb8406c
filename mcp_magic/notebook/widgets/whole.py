"""A whole form as one JSON text, and a JSON text as a whole form.

Secrets that were typed in the form are not in the text. They stay with the form, and
are put back where their places are, unless the text says something else there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from mcp_magic.errors import visible
from mcp_magic.language import Form, filled, read_form
from mcp_magic.language.check import pointer, problems, undeclared
from mcp_magic.language.jsontext import BadJson, read_json
from mcp_magic.model import Json
from mcp_magic.notebook.widgets.forms import (
    entered,
    entry_of,
    mark_of,
    told,
)
from mcp_magic.notebook.widgets.keeping import (
    Way,
    bare,
    hidden_at,
    joined,
    secret_names,
    secrets,
    secrets_in,
)

__all__ = ["Contents", "as_form", "as_text", "contents"]

_PROBLEMS = 50  # that are told at once
_SURROGATES = frozenset(map(chr, range(0xD800, 0xE000)))  # no message can hold them


@dataclass(frozen=True, slots=True)
class Contents:
    """What a form holds, or the JSON text that is edited in its place.

    Attributes:
        values: The arguments; complete only if there are no problems.
        problems: What has to be put right, as ``pane.js`` shows it.
        secrets: The parameters with a secret in them.
    """

    values: Json
    problems: list[object]
    secrets: tuple[str, ...]


def contents(
    form: Form, mark: object, text: str | None = None, *, draft: bool = False
) -> Contents:
    """Return what was entered.

    Args:
        form: The form.
        mark: What its boxes hold.
        text: The JSON text that counts instead; secrets of the form join it.
        draft: Secrets may have stayed in the browser; they are not checked.
    """
    if text is None:
        reading = entered(form, mark, draft=draft)
        found = told(reading.problems)
        return Contents(reading.values, found, secrets_in(form.root, mark))
    values = _parsed(text)
    if isinstance(values, _Fault):
        return Contents(None, values.told, ())
    values, kept = joined(form.root, values, mark)
    unread = tuple(f"{pointer(*one.way)}/" for one in kept if one.is_hidden)
    document = form.root.node.document
    wrong = [*problems(values, document, _PROBLEMS), *undeclared(values, document)]
    found = told([one for one in wrong if not f"{one.pointer}/".startswith(unread)])
    return Contents(values, found, secret_names(form.root, values))


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a text is no JSON object, and where: in UTF-16 units as a browser counts."""

    message: str
    at: int

    @property
    def told(self) -> list[object]:
        return [{"pointer": "", "message": self.message, "at": self.at}]


def as_text(form: Form, mark: object) -> dict[str, object]:
    """Return what was entered as JSON text for ``whole.js``, or what is wrong with it.

    Args:
        form: The form.
        mark: What was entered; secrets are hidden.
    """
    entry, wrong = entry_of(form.root, bare(form.root, mark))
    reading = read_form(form, entry, half=True)
    if wrong or reading.problems:
        return {"kind": "problems", "problems": told([*wrong, *reading.problems])}
    kept = [_said(way) for way in secrets(form.root, mark)]
    return {"kind": "whole", "text": _written(reading.values), "kept": kept}


def as_form(form: Form, text: str, mark: object) -> dict[str, object]:
    """Return the mark of a JSON text for ``form.js``, or what is wrong with it.

    Args:
        form: The form.
        text: The text.
        mark: What was entered in the form before, secrets included.
    """
    values = _parsed(text)
    if isinstance(values, _Fault):
        return {"kind": "problems", "problems": values.told}
    values, kept = joined(form.root, values, mark)
    entry, wrong = filled(form, values)
    if wrong:
        return {"kind": "problems", "problems": told(wrong[:_PROBLEMS])}
    made = mark_of(entry)
    for one in kept:
        made = hidden_at(made, one.way, one.old)
    return {"kind": "fill", "mark": made}


def _parsed(text: str) -> Json | _Fault:
    try:
        values = read_json(text)
    except BadJson as bad:
        return _fault(text, str(bad), bad.position)
    if not isinstance(values, dict):
        start = len(text) - len(text.lstrip())
        return _fault(text, "The arguments are an object: { … }.", start)
    return values


def _fault(text: str, says: str, at: int) -> _Fault:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    says = visible(f"{says[:1].upper()}{says[1:]}")
    units = len(text[:at].encode("utf-16-le", "surrogatepass")) // 2
    return _Fault(f"Line {line}, column {column}: {says}", units)


def _written(values: Json) -> str:
    """Return JSON on several lines, in which every hidden character is spelled out."""
    text = json.dumps(values, ensure_ascii=False, indent=2)
    return "".join(
        one if visible(one) == one and one not in _SURROGATES else json.dumps(one)[1:-1]
        for one in text
    )


def _said(way: Way) -> str:
    return visible(".".join(map(str, way)))
