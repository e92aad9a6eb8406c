"""Asks a server's question line by line, where there is no form: in a terminal, or in a
front end that draws no widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from mcp_magic.errors import McpMagicError, visible
from mcp_magic.language import (
    Chosen,
    Entry,
    Field,
    Filled,
    Known,
    Problem,
    Reading,
    Typed,
    fields,
    read_form,
)
from mcp_magic.language.check import pointer
from mcp_magic.language.jsontext import BadJson, read_json
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
from mcp_magic.notebook.widgets.inquiry import request_text

__all__ = ["Prompts"]

_TYPED = frozenset({"text", "date", "date-time", "integer", "number"})
_YES = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}


class _Left(Exception):
    """The person left the question; what it means is in the reply."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


@dataclass(frozen=True, slots=True)
class Prompts:
    """How lines reach a person and come back.

    Attributes:
        say: Shows a text.
        read: Shows a prompt and returns the line that was typed.
        read_hidden: The same without showing what is typed.
    """

    say: Callable[[str], None]
    read: Callable[[str], str]
    read_hidden: Callable[[str], str]

    def answer(self, question: Question) -> Reply:
        """Ask one question; an end of input (Ctrl-D) cancels it."""
        try:
            match question:
                case FormQuestion():
                    return self._form(question)
                case UrlQuestion():
                    return self._url(question)
                case SamplingQuestion():
                    return self._sampling(question)
        except _Left as left:
            return left.reply
        except EOFError:
            return Declined(dismissed=True)

    def _form(self, question: FormQuestion) -> Reply:
        self.say(visible(f"{question.server} asks: {question.message}"))
        form = fields(question.schema)
        self._agree("Answer? Enter or y: yes, n: decline, c: cancel: ")
        if form.root.kind != "group":
            return Accepted(_object(self._json(form.root)))
        entries: dict[str, Entry] = {}
        wanted = list(form.root.fields)
        while wanted:
            self._fill(wanted, entries)
            reading = read_form(form, Filled(entries))
            wanted = list(self._wrong(form.root, reading))
        return Accepted(_object(read_form(form, Filled(entries)).values))

    def _fill(self, wanted: list[Field], entries: dict[str, Entry]) -> None:
        for one in wanted:
            entry = self._field(one)
            entries.pop(one.name, None)
            if entry is not None:
                entries[one.name] = entry

    def _wrong(self, root: Field, reading: Reading) -> Iterator[Field]:
        """Say what is wrong, and yield the fields that have to be asked again."""
        for problem in reading.problems:
            self.say(visible(problem.message))
        known = {pointer(one.name): one for one in root.fields}
        found = [known.get(_head(problem)) for problem in reading.problems]
        named = [one for one in found if one is not None]
        # What concerns all of them together is asked from the beginning.
        yield from dict.fromkeys(named) if len(named) == len(found) else root.fields

    def _field(self, one: Field) -> Entry | None:
        """Ask for one value until it can be read; ``None``: it is not sent."""
        if one.help:
            self.say(f"{one.label}: {one.help}")
        for at, choice in enumerate(one.choices, 1):
            self.say(f"  {at}  {choice.label}")
        read = self.read_hidden if one.secret else self.read
        while True:
            typed = read(f"{_prompt(one)}: ")
            if not typed.strip():
                if "default" in one.node.whole:
                    return Known(one.node.annotation("default"))
                if not one.required:
                    return None
                if one.kind == "text":
                    return Typed(typed)
            entry = self._read(one, typed)
            if entry is not None:
                return entry

    def _read(self, one: Field, typed: str) -> Entry | None:
        """Read one value; ``None``: it does not fit, and why was said."""
        try:
            entry = _entry(one, typed)
        except McpMagicError as error:
            self.say(str(error))
            return None
        problems = read_form(one, entry).problems
        for problem in problems:
            self.say(visible(problem.message))
        return None if problems else entry

    def _json(self, root: Field) -> Json:
        """Ask for all values at once, where the form is no plain list of fields."""
        while True:
            entry = _entry(root, self.read(f"the values as JSON ({root.hint}): "))
            reading = read_form(root, entry)
            if not reading.problems:
                return reading.values
            for problem in reading.problems:
                self.say(visible(problem.message))

    def _url(self, question: UrlQuestion) -> Reply:
        host = urlsplit(question.url).netloc
        said = f"{question.server} asks you to open a page of {host}:"
        self.say(visible(f"{said} {question.message}\n{question.url}"))
        self._agree("Agreed? y: yes, n: decline, c: cancel: ", default=None)
        return Accepted()

    def _sampling(self, question: SamplingQuestion) -> Reply:
        self.say(f"{visible(question.server)}: {request_text(question.params)}")
        typed = self.read("The answer (Enter declines): ")
        return Accepted({"text": typed}) if typed.strip() else Declined()

    def _agree(self, prompt: str, default: str | None = "y") -> None:
        while True:
            match self.read(prompt).strip().lower() or default:
                case "y" | "yes":
                    return
                case "n" | "no" | "decline":
                    raise _Left(Declined())
                case "c" | "cancel":
                    raise _Left(Declined(dismissed=True))


def _head(problem: Problem) -> str:
    return "/" + problem.pointer.split("/")[1] if "/" in problem.pointer else ""


def _prompt(one: Field) -> str:
    words = [f"1 to {len(one.choices)}" if one.choices else one.hint]
    if one.kind == "choices":
        words = ["numbers with commas"]
    if one.kind == "boolean":
        words = ["y or n"]
    if one.default:
        words.append(f"Enter: {one.default}")
    elif not one.required:
        words.append("Enter: not sent")
    return f"{one.label} ({', '.join(words)})"


def _entry(one: Field, typed: str) -> Entry:
    """Read one line.

    Raises:
        McpMagicError: It cannot be read; says how to write it.
    """
    if one.kind in _TYPED:
        return Typed(typed if one.kind == "text" else typed.strip())
    if one.kind == "boolean":
        return _boolean(typed)
    if one.choices:
        return Chosen(tuple(_places(one, typed)))
    try:
        return Known(read_json(typed))
    except BadJson:
        raise McpMagicError('This is read as JSON, such as {"a": 1} or [1, 2].') from (
            None
        )


def _boolean(typed: str) -> Entry:
    value = _YES.get(typed.strip().lower())
    if value is None:
        raise McpMagicError("Type y or n.")
    return Known(value)


def _places(one: Field, typed: str) -> Iterator[int]:
    labels = {choice.label: at for at, choice in enumerate(one.choices)}
    words = [typed] if one.kind != "choices" else typed.split(",")
    for word in map(str.strip, words):
        if word in labels:
            yield labels[word]
        elif word.isdecimal() and 1 <= int(word) <= len(labels):
            yield int(word) - 1
        else:
            raise McpMagicError(f"Type a number from 1 to {len(labels)}.")


def _object(values: Json) -> dict[str, Json]:
    return dict(values) if isinstance(values, dict) else {}
