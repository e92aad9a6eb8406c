"""What stays of a form when its tool has changed: it fits, and means what it meant."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_magic.language import Field, fields
from mcp_magic.notebook.widgets.renewed import renewed

_TEXT: Any = {"type": "string"}
_WHOLE: Any = {"type": "integer"}
_KEY: Any = {"type": "string", "format": "password"}


def _form(**properties: Any) -> Field:
    return fields({"type": "object", "properties": properties}).root


def _group(**properties: Any) -> Any:
    return {"type": "object", "properties": properties}


def _members(**marks: Any) -> dict[str, Any]:
    return {"members": [[name, mark] for name, mark in marks.items()]}


def _typed(text: str) -> dict[str, str]:
    return {"typed": text}


def _list(item: Any) -> Any:
    return {"type": "array", "items": item}


def _rows(*marks: Any) -> dict[str, Any]:
    return {"rows": list(marks)}


_UNION: Any = {"anyOf": [_TEXT, _list(_WHOLE)]}
_HIDDEN = {"hidden": True}

_KEPT: dict[str, tuple[Any, Any, Any, Any]] = {
    "what was half typed": (_WHOLE, _TEXT, _typed("1x"), _typed("1x")),
    "typed for another type": (_TEXT, _WHOLE, _typed("5"), _typed("5")),
    "what is no date": (_TEXT, {**_TEXT, "format": "date"}, _typed("soon"), None),
    "a choice by its value": (
        {"enum": ["a", "b"]},
        {"enum": ["c", "b", "a"]},
        {"chosen": [0]},
        {"chosen": [2]},
    ),
    "a choice that went": (
        {"enum": ["a", "b"]},
        {"enum": ["b", "c"]},
        {"chosen": [0]},
        None,
    ),
    "a choice that is typed now": (
        {"enum": ["a", "b"]},
        _TEXT,
        {"chosen": [1]},
        _typed("b"),
    ),
    "null": ({"type": ["string", "null"]}, _TEXT, {"null": True}, None),
    "a default that went": (
        {**_TEXT, "default": "x"},
        _TEXT,
        {"default": True},
        _typed("x"),
    ),
    "a tick": ({"type": "boolean"}, _TEXT, _typed("true"), None),
    "members one by one": (
        _group(a=_TEXT, b={"enum": ["x", "y"]}),
        _group(a=_TEXT, b={"enum": ["y"]}),
        _members(a=_typed("1"), b={"chosen": [0]}),
        _members(a=_typed("1")),
    ),
    "rows": (_list(_TEXT), _list(_WHOLE), _rows(_typed("1")), _rows(_typed("1"))),
    "rows of which one is unfit": (
        _list({"enum": [1, 2]}),
        _list({"enum": [2, 3]}),
        {"chosen": [0, 1]},
        None,
    ),
    "another way of a union": (
        _UNION,
        {"anyOf": [_WHOLE, *_UNION["anyOf"]]},
        {"variant": 1, "mark": _rows(_typed("7"))},
        {"variant": 2, "mark": _rows(_typed("7"))},
    ),
    "a secret": (_KEY, {**_KEY, "minLength": 3}, _HIDDEN, _HIDDEN),
    "a secret that would be shown": (_KEY, _TEXT, _HIDDEN, None),
}


@pytest.mark.parametrize("case", _KEPT)
def test_what_fits_stays_and_what_does_not_is_said(case: str) -> None:
    old, new, mark, kept = _KEPT[case]
    found, said = renewed(_form(p=old), _form(p=new), _members(p=mark))
    assert found == (_members() if kept is None else _members(p=kept))
    assert said.startswith("The server has changed this tool: p is different.")
    is_whole = kept is not None and case != "members one by one"
    assert ("Taken out, as it fits no more: p" in said) != is_whole


def test_a_sentence_says_what_is_new_and_what_is_gone() -> None:
    new = fields({"type": "object", "properties": {"b": _WHOLE}, "required": ["b"]})
    entered = _members(a=_typed("x"))
    assert renewed(_form(a=_TEXT), new.root, entered) == (
        _members(),
        "The server has changed this tool: b is new and required, a is gone.",
    )


def test_a_form_of_another_build_takes_what_it_can() -> None:
    ways = [{**_group(a=_TEXT), "required": ["a"]}, _group(b=_WHOLE)]
    new = fields({"type": "object", "anyOf": ways}).root
    found, said = renewed(_form(b=_WHOLE), new, _members(b=_typed("3")))
    assert found == {"variant": 1, "mark": _members(b=_typed("3"))}
    assert said == "The server has changed this tool: b is gone."
