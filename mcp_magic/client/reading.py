"""Read what servers list into this package's own words, one item at a time.

One odd item never hides the others: what can be understood is kept, and a note says
what was odd.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from mcp_magic.answer import Block, read_block
from mcp_magic.model import (
    Annotations,
    Json,
    LogLine,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    Schema,
    Tool,
)

__all__ = [
    "read_contents",
    "read_list",
    "read_log",
    "read_messages",
    "read_prompt",
    "read_resource",
    "read_template",
    "read_tool",
]

T = TypeVar("T")
Item = Mapping[str, Any]


def read_list(
    raw: Item, key: str, read: Callable[[Item, list[str]], T | None], notes: list[str]
) -> list[T]:
    """Read the items under *key* of a list result; odd ones leave a note.

    Args:
        raw: The result as received.
        key: Where its items are, such as ``tools``.
        read: Reads one item, or returns ``None`` for one that cannot be used.
        notes: Receives a sentence for everything odd.
    """
    items = raw.get(key)
    if not isinstance(items, list):
        if items is not None:
            notes.append(f"The server's {key} are no list.")
        return []
    found = []
    for item in items:
        one = read(item, notes) if isinstance(item, Mapping) else None
        if one is None:
            notes.append(f"One of the server's {key} cannot be used: {_short(item)}")
        else:
            found.append(one)
    return found


def read_tool(item: Item, notes: list[str]) -> Tool | None:
    """Read a tool; one without a usable schema takes any arguments."""
    name = item.get("name")
    if not isinstance(name, str) or not name:
        return None
    hints = item.get("annotations")
    hints = hints if isinstance(hints, Mapping) else {}
    return Tool(
        name=name,
        title=_text(item, "title") or _text(hints, "title"),
        description=_text(item, "description"),
        input_schema=_schema(item.get("inputSchema", {}), name, notes),
        output_schema=_output(item.get("outputSchema")),
        annotations=Annotations(
            *(
                _flag(hints, f"{word}Hint")
                for word in ("readOnly", "destructive", "idempotent", "openWorld")
            )
        ),
    )


def _schema(value: object, tool: str, notes: list[str]) -> Schema:
    if isinstance(value, Mapping | bool):
        return cast("Schema", value)
    if value is not None and value != []:  # PHP writes an empty object as []
        notes.append(f"{tool} has no usable input schema; any arguments are sent.")
    return {}


def _output(value: object) -> Schema | None:
    return cast("Schema", value) if isinstance(value, Mapping | bool) else None


def _flag(item: Item, key: str) -> bool | None:
    value = item.get(key)
    return value if isinstance(value, bool) else None


def _text(item: Item, key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"


def read_resource(item: Item, _notes: list[str]) -> Resource | None:
    """Read a resource; it needs an address."""
    if not isinstance(item.get("uri"), str):
        return None
    size = item.get("size")
    return Resource(
        uri=item["uri"],
        name=_text(item, "name"),
        title=_text(item, "title"),
        description=_text(item, "description"),
        mime=_text(item, "mimeType"),
        size=size if isinstance(size, int) else None,
    )


def read_template(item: Item, _notes: list[str]) -> ResourceTemplate | None:
    """Read a resource template; it needs its pattern."""
    if not isinstance(item.get("uriTemplate"), str):
        return None
    return ResourceTemplate(
        uri_template=item["uriTemplate"],
        name=_text(item, "name"),
        title=_text(item, "title"),
        description=_text(item, "description"),
        mime=_text(item, "mimeType"),
    )


def read_prompt(item: Item, notes: list[str]) -> Prompt | None:
    """Read a prompt; it needs a name."""
    name = item.get("name")
    if not isinstance(name, str) or not name:
        return None
    return Prompt(
        name=name,
        title=_text(item, "title"),
        description=_text(item, "description"),
        arguments=tuple(
            read_list({"arguments": item.get("arguments") or []}, "arguments",
                      _argument, notes)
        ),
    )  # fmt: skip


def _argument(item: Item, _notes: list[str]) -> PromptArgument | None:
    name = item.get("name")
    if not isinstance(name, str):
        return None
    required = item.get("required") is True
    return PromptArgument(name, _text(item, "description"), required)


def read_contents(raw: Item, warnings: list[str]) -> tuple[Block, ...]:
    """Read the contents of a resource as blocks."""
    items = raw.get("contents")
    wrapped = [
        {"type": "resource", "resource": one}
        for one in (items if isinstance(items, list) else ())
    ]
    return tuple(read_block(cast("Json", one), warnings) for one in wrapped)


def read_messages(raw: Item, warnings: list[str]) -> tuple[tuple[str, Block], ...]:
    """Read the messages of a prompt: who speaks, and what."""
    items = raw.get("messages")
    messages: list[tuple[str, Block]] = []
    for item in items if isinstance(items, list) else ():
        message = item if isinstance(item, Mapping) else {}
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        role = _text(message, "role")
        messages += [(role, read_block(one, warnings)) for one in blocks]
    return tuple(messages)


def read_log(level: object, logger: object, data: object) -> LogLine:
    """Read a log message, whose data may be any JSON value."""
    text = data if isinstance(data, str) else repr(data)
    return LogLine(str(level), text, logger if isinstance(logger, str) else "")
