"""What a server answers, as blocks and as a value; nothing that arrives is lost."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from mcp_magic.model import Json, Schema

__all__ = [
    "Answer",
    "Audio",
    "Block",
    "Embedded",
    "Image",
    "Link",
    "Text",
    "UnknownBlock",
    "read_block",
]

_ABSENT = object()
_LONGEST = 60  # characters of a value that stand in a ``repr``


def _short(value: object) -> str:
    """Return the ``repr`` of a text, bytes or JSON value, cut with its size."""
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST] + '…'!r}, {len(value):,} characters"
    said = repr(value)
    return said if len(said) <= 2 * _LONGEST else f"{said[: 2 * _LONGEST]}…"


@dataclass(frozen=True, slots=True)
class Text:
    """A text block."""

    text: str

    def __repr__(self) -> str:
        return f"Text({_short(self.text)})"


@dataclass(frozen=True, slots=True)
class Image:
    """An image block; *data* are the decoded bytes."""

    mime: str
    data: bytes

    def __repr__(self) -> str:
        return f"Image(mime={self.mime!r}, {_short(self.data)})"


@dataclass(frozen=True, slots=True)
class Audio:
    """An audio block; *data* are the decoded bytes."""

    mime: str
    data: bytes

    def __repr__(self) -> str:
        return f"Audio(mime={self.mime!r}, {_short(self.data)})"


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a resource; it is never fetched by itself."""

    uri: str
    name: str = ""
    title: str = ""
    description: str = ""
    mime: str = ""

    def __repr__(self) -> str:
        said = ((one, getattr(self, one)) for one in self.__slots__)
        return f"Link({', '.join(f'{one}={_short(v)}' for one, v in said if v)})"


@dataclass(frozen=True, slots=True)
class Embedded:
    """A resource that came with the answer, as *text* or as *data*."""

    uri: str
    mime: str = ""
    text: str | None = None
    data: bytes | None = None

    def __repr__(self) -> str:
        inside = self.data if self.text is None else self.text
        return f"Embedded(uri={_short(self.uri)}, mime={self.mime!r}, {_short(inside)})"


@dataclass(frozen=True, slots=True)
class UnknownBlock:
    """A block of a kind that this version does not know, kept as received."""

    raw: Json

    def __repr__(self) -> str:
        return f"UnknownBlock({_short(self.raw)})"


Block: TypeAlias = Text | Image | Audio | Link | Embedded | UnknownBlock


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answered, read tolerantly: nothing that arrived is lost.

    Attributes:
        blocks: The content blocks in order.
        raw: The result as received.
        output_schema: What the tool declares, which decides about unwrapping.
        warnings: What was odd about the answer, one sentence each.
    """

    blocks: tuple[Block, ...]
    raw: Mapping[str, Json]
    output_schema: Schema | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        raw: Mapping[str, Json],
        output_schema: Schema | None = None,
        *,
        warnings: Sequence[str] = (),
    ) -> Answer:
        """Read the JSON of a ``tools/call`` result."""
        found = list(warnings)
        content = raw.get("content")
        if content is None and "structuredContent" in raw:
            found.append("The answer has no content, only structured content.")
        items = content if isinstance(content, list | tuple) else ()
        blocks = tuple(read_block(item, found) for item in items)
        return cls(blocks, raw, output_schema, tuple(found))

    def __repr__(self) -> str:
        facts = [f"{len(self.blocks):,} block{'' if len(self.blocks) == 1 else 's'}"]
        facts += ["structured content"] if "structuredContent" in self.raw else []
        facts += ["error"] if self.is_error else []
        return f"Answer({', '.join(facts)})"

    @property
    def is_error(self) -> bool:
        """Whether the server marked the result as an error."""
        return self.raw.get("isError") is True

    @property
    def structured(self) -> object:
        """The structured content as received, or ``None``."""
        return self.raw.get("structuredContent")

    @property
    def text(self) -> str:
        """All text of the answer, a line break between blocks."""
        parts = [
            block.text
            for block in self.blocks
            if isinstance(block, Text | Embedded) and block.text is not None
        ]
        return "\n".join(parts)

    @property
    def data(self) -> object:
        """The answer as a Python value.

        The structured content if there is some, without the wrapper that SDKs put
        around values that are no objects; else the JSON object or array in a single
        text block, or in a resource that says to be JSON; else the text; for several
        blocks a list of such values.
        """
        if "structuredContent" in self.raw:
            return self._unwrapped()
        values = [_value(block) for block in self.blocks]
        if len(values) > 1:
            return values
        return values[0] if values else None

    def _unwrapped(self) -> object:
        whole = self.structured
        if not isinstance(whole, Mapping) or list(whole) != ["result"]:
            return whole
        schema = self.output_schema
        if not isinstance(schema, Mapping):
            return whole
        if schema.get("x-fastmcp-wrap-result") is True:
            return whole["result"]
        # The SDK's own servers mark nothing: they title the schema "<tool>Output" and
        # repeat a real object as text, but a wrapped value bare (README, Results).
        properties = schema.get("properties")
        wrapper = (
            str(schema.get("title", "")).endswith("Output")
            and isinstance(properties, Mapping)
            and list(properties) == ["result"]
            and schema.get("required") == ["result"]
        )
        repeated = any(_parses_to(block, whole) for block in self.blocks)
        return whole["result"] if wrapper and not repeated else whole


def _parses_to(block: Block, whole: object) -> bool:
    return isinstance(block, Text) and _json(block.text) == whole


def _json(text: str) -> object:
    """Return the JSON object or array that *text* is, else ``_ABSENT``."""
    if text.lstrip()[:1] not in ("{", "["):
        return _ABSENT
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _ABSENT


def _is_json(mime: str) -> bool:
    kind = mime.partition(";")[0].strip().lower()
    return kind in ("application/json", "text/json") or kind.endswith("+json")


def _value(block: Block) -> object:
    match block:
        case Text(text):
            parsed = _json(text)
            return text if parsed is _ABSENT else parsed
        case Embedded(text=str(text), mime=mime):
            parsed = _json(text) if _is_json(mime) else _ABSENT
            return text if parsed is _ABSENT else parsed
        case Embedded(data=bytes(data)):
            return data
        case UnknownBlock(raw):
            return raw
    return block


def read_block(item: Json, warnings: list[str]) -> Block:
    """Read one content block; an odd one is kept as received, with a warning."""
    block = item if isinstance(item, Mapping) else {}
    kind = block.get("type")
    try:
        if kind == "text" and isinstance(block.get("text"), str):
            return Text(str(block["text"]))
        if kind in ("image", "audio"):
            made = Image if kind == "image" else Audio
            return made(_string(block, "mimeType"), _decoded(block["data"]))
        if kind == "resource_link" and isinstance(block.get("uri"), str):
            return Link(
                _string(block, "uri"),
                _string(block, "name"),
                _string(block, "title"),
                _string(block, "description"),
                _string(block, "mimeType"),
            )
        if kind == "resource" and isinstance(block.get("resource"), Mapping):
            return _embedded(cast("Mapping[str, Json]", block["resource"]))
        warnings.append(f"A block of unknown type {kind!r} is kept as received.")
    except (ValueError, KeyError) as error:
        warnings.append(f"A damaged {kind} block is kept as received ({error}).")
    return UnknownBlock(item)


def _embedded(resource: Mapping[str, Json]) -> Embedded:
    text, blob = resource.get("text"), resource.get("blob")
    return Embedded(
        _string(resource, "uri"),
        _string(resource, "mimeType"),
        text if isinstance(text, str) else None,
        None if blob is None else _decoded(blob),
    )


def _string(block: Mapping[str, Json], key: str) -> str:
    value = block.get(key)
    return value if isinstance(value, str) else ""


def _decoded(value: Json) -> bytes:
    if not isinstance(value, str):
        raise ValueError("its data is no base64 text")  # noqa: TRY004 - one kind of fault
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except binascii.Error as error:
        raise ValueError(f"base64: {error}") from None
