"""A server's question on its way to the browser, and the answer on its way back.

``question.js`` draws what ``drawn`` gives; the same form serves a cell that waits and
the panel of a call that was started by pressing Run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from mcp_magic.display import text
from mcp_magic.errors import McpMagicError, visible
from mcp_magic.language import Field, Form, Problem, fields
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
from mcp_magic.notebook.widgets.forms import entered, sheet
from mcp_magic.notebook.widgets.keeping import secret_names

__all__ = ["Inquiry", "request_text", "summary"]

_LONGEST = 60  # characters of a value in a summary
_REQUEST = 20_000  # characters of a sampling request that are shown
_ASKED = ("maxTokens", "temperature", "stopSequences", "modelPreferences", "tools")


class Inquiry:
    """One question for the browser.

    Args:
        question: What is asked.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.form: Form | None = None
        if isinstance(question, FormQuestion):
            self.form = fields(question.schema)

    @property
    def drawn(self) -> dict[str, Json]:
        """What ``makeQuestion`` in ``question.js`` needs; texts are safe as text."""
        made: dict[str, Json] = {"who": visible(self.question.server)}
        match self.question:
            case FormQuestion(message=message):
                made |= {"way": "form", "message": visible(message)}
            case UrlQuestion(message=message, url=url):
                host = visible(urlsplit(url).netloc)
                made |= {"way": "url", "message": visible(message)}
                made |= {"url": url, "host": host}
            case SamplingQuestion(params=params):
                made |= {"way": "sampling", "message": request_text(params)}
        if self.form is not None:
            made |= {"sheet": sheet(self.form), "mark": _defaults(self.form.root)}
        return made

    def read(self, message: object) -> Reply | Sequence[Problem]:
        """Return the answer in a message of the browser, or what is wrong with it."""
        try:
            return self._answer(message)
        except McpMagicError as error:
            return [Problem("", visible(str(error)))]

    def _answer(self, message: object) -> Reply | Sequence[Problem]:
        match message:
            case {"kind": "decline"}:
                return Declined()
            case {"kind": "cancel"}:
                return Declined(dismissed=True)
            case {"kind": "answer", "mark": mark} if self.form is not None:
                reading = entered(self.form, mark)
                if reading.problems:
                    return reading.problems
                return Accepted(_object(reading.values))
            case {"kind": "answer", "text": str(said)}:
                if not said.strip():
                    return [Problem("", "An empty answer cannot be sent.")]
                return Accepted({"text": said})
            case {"kind": "answer"} if isinstance(self.question, UrlQuestion):
                return Accepted()
        raise McpMagicError("the form sent what is no answer; run its cell again")


def _defaults(root: Field) -> Json:
    """Return the mark of a form whose defaults are filled in (SEP-1034)."""
    members: list[Json] = [
        [one.name, {"default": True}]
        for one in root.fields
        if "default" in one.node.whole
    ]
    return {"members": members} if members else None


def _object(values: Json) -> Mapping[str, Json]:
    return values if isinstance(values, Mapping) else {}


def request_text(params: Mapping[str, Json]) -> str:
    """Return what a sampling request asks of a model, for a person to read."""
    parts = ["Asks for a model's answer to this:"]
    if params.get("systemPrompt"):
        parts.append(f"[system] {params['systemPrompt']}")
    messages = params.get("messages")
    parts += [
        f"[{one.get('role', '?')}] {_content(one.get('content'))}"
        for one in (messages if isinstance(messages, list) else [])
        if isinstance(one, Mapping)
    ]
    limits = [key for key in _ASKED if key in params]
    parts += [f"[{key}] {text.cell(params[key], 300)}" for key in limits]
    whole = visible("\n\n".join(map(str, parts)))
    return whole if len(whole) <= _REQUEST else f"{whole[:_REQUEST]}…"


def _content(content: Json) -> str:
    match content:
        case {"type": "text", "text": str(said)}:
            return said
        case [*blocks]:
            return "\n".join(map(_content, blocks))
        case {"type": kind}:
            return f"({kind})"
    return text.cell(content)


def summary(question: Question, reply: Reply | None) -> str:
    """Return what was asked and what became of it; secrets are left out.

    Args:
        question: What was asked.
        reply: The answer; ``None`` if the question was withdrawn or stopped.
    """
    match question:
        case FormQuestion(message=message) | UrlQuestion(message=message):
            asked = " ".join(message.split())
        case SamplingQuestion():
            asked = "for a model's answer"
    return visible(f"{question.server} asked: {asked}\n{_outcome(question, reply)}")


def _outcome(question: Question, reply: Reply | None) -> str:
    match reply:
        case None:
            return "The question was withdrawn."
        case Declined(dismissed):
            return "Cancelled." if dismissed else "Declined."
    match question:
        case FormQuestion(schema=schema):
            secret = secret_names(fields(schema).root, reply.content)
            shown = [
                f"{name}: {'•••' if name in secret else text.cell(value, _LONGEST)}"
                for name, value in reply.content.items()
            ]
            return "Answered: " + (", ".join(shown) or "nothing filled in") + "."
        case UrlQuestion(url=url):
            return f"Agreed to {urlsplit(url).netloc}."
        case SamplingQuestion():
            return "Answered."
