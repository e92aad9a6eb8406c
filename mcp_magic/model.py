"""The words that every room uses: tool, question, progress, call, secret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = [
    "Accepted",
    "Annotations",
    "Call",
    "Declined",
    "Event",
    "FormQuestion",
    "Json",
    "LogLine",
    "Notice",
    "Outcome",
    "Progress",
    "Prompt",
    "PromptArgument",
    "Question",
    "Reply",
    "Resource",
    "ResourceTemplate",
    "SamplingQuestion",
    "Schema",
    "Secret",
    "Skill",
    "SkillFile",
    "Tool",
    "UrlQuestion",
]

Json: TypeAlias = (
    "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
)
"""A value that JSON can hold."""

Schema: TypeAlias = Mapping[str, Json] | bool
"""A JSON Schema as a server wrote it; ``True`` accepts everything."""


class Secret:
    """A text that never prints: passwords, tokens, header values.

    Only ``reveal()`` gives it back, at the moment it is sent.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text itself."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not pickled; use ${VARIABLE} instead")


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a server says about a tool's effects; hints, never promises.

    ``None`` means that the server says nothing; the protocol then reads a tool as
    destructive and not read-only (MCP specification, ``ToolAnnotations``).
    """

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as its server lists it.

    Attributes:
        name: The exact name, as sent in calls.
        title: The name for people, or an empty text.
        description: What it does, in the server's words; untrusted text.
        input_schema: JSON Schema of the arguments.
        output_schema: JSON Schema of the structured content, if declared.
        annotations: The server's hints about effects.
    """

    name: str
    title: str = ""
    description: str = ""
    input_schema: Schema = field(default_factory=dict)
    output_schema: Schema | None = None
    annotations: Annotations = Annotations()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a running call is, as its server reports it.

    Attributes:
        done: The amount done, in the server's unit.
        total: The amount that completes the call, if known.
        message: What is going on, or an empty text; untrusted.
    """

    done: float
    total: float | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the person should read while or after a call, one sentence."""

    text: str


Event: TypeAlias = Progress | Notice
"""What a running call tells whoever waits for it."""


@dataclass(frozen=True, slots=True)
class FormQuestion:
    """A server asks the person to fill in a form (``elicitation/create``).

    Attributes:
        server: The configured name of the server that asks.
        message: What it asks, in its words; untrusted.
        schema: The JSON Schema of the answer.
    """

    server: str
    message: str
    schema: Schema = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UrlQuestion:
    """A server asks the person to visit a page (``elicitation/create``, URL mode).

    Attributes:
        server: The configured name of the server that asks.
        message: Why, in its words; untrusted.
        url: The page; never opened by itself.
    """

    server: str
    message: str
    url: str


@dataclass(frozen=True, slots=True)
class SamplingQuestion:
    """A server asks for a model's answer (``sampling/createMessage``).

    Attributes:
        server: The configured name of the server that asks.
        params: The request as received: messages, preferences, limits.
    """

    server: str
    params: Mapping[str, Json]


Question: TypeAlias = FormQuestion | UrlQuestion | SamplingQuestion


@dataclass(frozen=True, slots=True)
class Accepted:
    """The person, or a function, answered.

    Attributes:
        content: The form's values, or the result of a sampling request.
    """

    content: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Declined:
    """The answer is no.

    Attributes:
        dismissed: Whether the question was left without a decision
            (``cancel`` in the protocol) rather than refused (``decline``).
    """

    dismissed: bool = False


Reply: TypeAlias = Accepted | Declined


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource as its server lists it; texts are untrusted."""

    uri: str
    name: str = ""
    title: str = ""
    description: str = ""
    mime: str = ""
    size: int | None = None


@dataclass(frozen=True, slots=True)
class ResourceTemplate:
    """A family of resources, such as ``demo://worlds/{name}``; texts are untrusted."""

    uri_template: str
    name: str = ""
    title: str = ""
    description: str = ""
    mime: str = ""


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """An argument of a prompt; prompts take texts alone."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as its server lists it; texts are untrusted."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file of a skill, as listed: its address, its size in bytes and its digest."""

    uri: str
    size: int | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as its server lists it (SEP-2640); texts are untrusted.

    Attributes:
        uri: Where its text is.
        name: Its name.
        description: What it is good for.
        front: The front matter that its text must have.
        files: Its files.
    """

    uri: str
    name: str = ""
    description: str = ""
    front: Mapping[str, Json] = field(default_factory=dict)
    files: tuple[SkillFile, ...] = ()


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of a server's log (``notifications/message``); untrusted.

    Attributes:
        level: ``debug`` to ``emergency`` (RFC 5424), or ``stderr`` for a command's
            standard error.
        text: What it says.
        logger: Which part of the server says so, if it tells.
    """

    level: str
    text: str
    logger: str = ""


Outcome: TypeAlias = Literal["ok", "tool error", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Call:
    """One finished call, as the journal keeps it.

    Attributes:
        server: The configured name of the server.
        requested: The tool name as typed.
        called: The tool name that ran last.
        outcome: How it ended.
        seconds: How long it took, connecting included.
        error: The error's text unless it went well.
    """

    server: str
    requested: str
    called: str
    outcome: Outcome
    seconds: float
    error: str = ""
