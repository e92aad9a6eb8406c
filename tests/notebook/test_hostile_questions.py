"""Hostile texts in questions: in the form, and in what is left of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from mcp_magic.display import html
from mcp_magic.language import Problem
from mcp_magic.model import (
    Accepted,
    Declined,
    FormQuestion,
    Json,
    Question,
    Reply,
    SamplingQuestion,
    UrlQuestion,
)
from mcp_magic.notebook.widgets.inquiry import Inquiry, summary
from tests.hostile import VECTORS, faults_in_page, faults_in_text


def _form(text: str) -> FormQuestion:
    value: Json = {
        "type": "string",
        "title": text,
        "description": text,
        "default": text,
    }
    choice: Json = {"enum": [text, "b"], "title": text, "description": text}
    number: Json = {"type": "integer", "title": text, "description": text}
    fields: dict[str, Json] = {text: value, "c": choice, "n": number}
    schema: dict[str, Json] = {
        "type": "object",
        "title": text,
        "required": ["n"],
        "properties": fields,
    }
    return FormQuestion("srv", text, schema)


def _questions(text: str) -> list[Question]:
    message: Json = {"role": text, "content": {"type": "text", "text": text}}
    odd: Json = {"role": "user", "content": {"type": text}}
    asked: dict[str, Json] = {
        "systemPrompt": text,
        "messages": [message, odd, {"role": text}],
    }
    return [
        _form(text),
        UrlQuestion("srv", text, "https://a.example/x"),
        SamplingQuestion("srv", asked),
    ]


def _replies(question: Question, text: str) -> list[Reply | None]:
    given = Accepted({text: text, "c": text, "n": 1})
    return [None, Declined(), Declined(dismissed=True), given]


def _texts(value: object) -> Iterator[str]:
    """Yield every text that is drawn; names and pointers only go back."""
    match value:
        case str():
            yield value
        case dict():
            for key, inner in value.items():
                if key not in ("name", "pointer", "keys", "mark"):
                    yield from _texts(inner)
        case list() | tuple():
            for inner in value:
                yield from _texts(inner)
        case Problem():
            yield value.message


@pytest.mark.parametrize("vector", VECTORS)
def test_a_form_draws_them_as_text_to_be_read(vector: str) -> None:
    text = VECTORS[vector]
    for question in _questions(text):
        inquiry = Inquiry(question)
        wrong = inquiry.read({"kind": "answer", "text": " ", "mark": {"members": []}})
        assert isinstance(wrong, Sequence) or isinstance(question, UrlQuestion)
        shown = [*_texts(inquiry.drawn), *_texts(wrong)]
        assert [fault for one in shown for fault in faults_in_text(one)] == []


@pytest.mark.parametrize("vector", VECTORS)
def test_what_is_left_of_a_question_is_to_be_read(vector: str) -> None:
    text = VECTORS[vector]
    for question in _questions(text):
        for reply in _replies(question, text):
            left = summary(question, reply)
            assert faults_in_text(left) == []
            assert faults_in_page(html.paragraph(left)) == []
