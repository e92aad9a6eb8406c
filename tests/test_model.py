"""Answers are read tolerantly, and secrets never print."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_magic.answer import Answer, Embedded, Image, Link, Text, UnknownBlock
from mcp_magic.model import Secret

_PIXEL = "iVBORw0KGgo="


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _schema(title: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "title": title,
        "properties": {"result": {"type": "integer"}},
        "required": ["result"],
        **more,
    }


_WRAPPED = {"structuredContent": {"result": 5}, "content": [_text("5")]}


@pytest.mark.parametrize(
    ("raw", "schema", "data"),
    [
        ({"content": [_text("hello")]}, None, "hello"),
        ({"content": [_text('{"a": 1}')]}, None, {"a": 1}),
        ({"content": [_text(" [1, 2]\n")]}, None, [1, 2]),
        ({"content": [_text("5")]}, None, "5"),
        ({"content": [_text("{not json")]}, None, "{not json"),
        ({"content": [_text("a"), _text('{"b": 2}')]}, None, ["a", {"b": 2}]),
        ({"content": []}, None, None),
        ({}, None, None),
        ({"structuredContent": {"rows": 3}}, None, {"rows": 3}),
        ({"structuredContent": None, "content": [_text("x")]}, None, None),
        ({"structuredContent": [1, 2]}, None, [1, 2]),
        (_WRAPPED, _schema("addOutput"), 5),
        (_WRAPPED, _schema("Sum", **{"x-fastmcp-wrap-result": True}), 5),
        (_WRAPPED, _schema("Sum"), {"result": 5}),
        (_WRAPPED, None, {"result": 5}),
        (_WRAPPED, {**_schema("addOutput"), "required": []}, {"result": 5}),
        (
            {"structuredContent": {"result": 5}, "content": [_text('{"result": 5}')]},
            _schema("addOutput"),
            {"result": 5},
        ),
        (
            {"structuredContent": {"data": [], "error": "quota", "next": "x"}},
            None,
            {"data": [], "error": "quota", "next": "x"},
        ),
        (
            {"content": [{"type": "resource", "resource": {"text": "t"}}]},
            None,
            "t",
        ),
    ],
    ids=["text", "object in text", "array in text", "a bare number stays text",
         "not JSON", "several blocks", "no blocks", "nothing", "structured",
         "null is a value", "a structured list", "the SDK's wrapper",
         "fastmcp's wrapper", "a real field", "no schema", "not required",
         "repeated as text", "no guessing at keys", "embedded text"],
)  # fmt: skip
def test_data_follow_the_rule(raw: dict[str, Any], schema: Any, data: object) -> None:
    assert Answer.read(raw, schema).data == data


def test_nan_and_infinity_in_a_text_become_numbers() -> None:
    data: Any = Answer.read({"content": [_text('{"m": NaN, "x": Infinity}')]}).data
    assert math.isnan(data["m"])
    assert data["x"] == math.inf


@pytest.mark.parametrize(
    ("item", "block"),
    [
        (_text("x"), Text("x")),
        (
            {"type": "image", "data": _PIXEL, "mimeType": "image/png"},
            Image("image/png", b"\x89PNG\r\n\x1a\n"),
        ),
        ({"type": "resource_link", "uri": "a:b", "name": "n"}, Link("a:b", "n")),
        (
            {"type": "resource", "resource": {"uri": "a:b", "blob": "aGk="}},
            Embedded("a:b", data=b"hi"),
        ),
    ],
    ids=["text", "image", "link", "embedded"],
)
def test_a_block_is_read(item: dict[str, Any], block: object) -> None:
    answer = Answer.read({"content": [item]})
    assert (answer.blocks, answer.warnings) == ((block,), ())


@pytest.mark.parametrize(
    "item",
    [
        {"type": "widget", "x": 1},
        {"type": "image", "data": "???", "mimeType": "image/png"},
        {"type": "image"},
        {"type": "text", "text": 7},
        {"type": "resource", "resource": None},
        {},
        None,
        "words",
    ],
    ids=str,
)
def test_an_odd_block_is_kept_with_a_warning(item: Any) -> None:
    answer = Answer.read({"content": [item, _text("kept")]})
    assert answer.blocks == (UnknownBlock(item), Text("kept"))
    assert len(answer.warnings) == 1


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(content=_JSON, structured=_JSON, schema=_JSON)
def test_whatever_arrives_can_be_read(
    content: Any, structured: Any, schema: Any
) -> None:
    raw = {"content": content, "structuredContent": structured}
    for given_raw in (raw, {"content": content}):
        answer = Answer.read(given_raw, schema)
        assert answer.raw == given_raw or answer.raw is given_raw
        _ = answer.data, answer.text, answer.is_error


def test_a_secret_shows_itself_to_nobody() -> None:
    secret = Secret("t0psecret")
    shown = f"{secret} {secret!r} {[secret]} {vars} {copy.copy}"
    assert "t0psecret" not in shown
    assert secret.reveal() == "t0psecret"
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(secret)


_LONG = "x" * 10_000_000


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Text("words"), "Text('words')"),
        (Text(_LONG), f"Text('{'x' * 60}…', 10,000,000 characters)"),
        (Image("image/png", b"1234"), "Image(mime='image/png', 4 bytes)"),
        (Link("a:b", name="n"), "Link(uri='a:b', name='n')"),
        (
            Embedded("a:b", "text/plain", text="words"),
            "Embedded(uri='a:b', mime='text/plain', 'words')",
        ),
        (Embedded("a:b", data=b"1234"), "Embedded(uri='a:b', mime='', 4 bytes)"),
        (
            UnknownBlock({"type": "odd", "x": _LONG}),
            f"UnknownBlock({{'type': 'odd', 'x': '{'x' * 98}…)",
        ),
        (Answer.read({"content": [_text(_LONG)]}), "Answer(1 block)"),
        (
            Answer.read({"structuredContent": 5, "content": [], "isError": True}),
            "Answer(0 blocks, structured content, error)",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_arrived_is_told_of_shortly(value: object, shown: str) -> None:
    assert repr(value) == shown
