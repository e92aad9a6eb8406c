"""Reads a line the whole way, as the magics do, for the tables of these tests."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mcp_magic.errors import ArgumentError, LineError, McpMagicError
from mcp_magic.language import (
    Arguments,
    Bound,
    Target,
    bind,
    evaluate,
    read_line,
    split_target,
    split_tool,
    with_body,
)
from mcp_magic.model import Schema

SCHEMAS = Path(__file__).parent.parent / "data" / "schemas"

SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "q": {"type": "string"},
        "n": {"type": "integer"},
        "x": {"type": "number"},
        "on": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "opts": {"type": "object"},
        "maybe": {"type": ["string", "null"]},
        "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "any": {},
        "with space": {"type": "string"},
        "maxResults": {"type": "integer"},
    },
}
"""The tool ``demo.f`` of the tables."""

ONE: Schema = {"type": "object", "properties": {"q": {"type": "string"}}}
"""A tool with a single text."""

SERVERS = ("demo", "gw", "gw.calendar", "google.mail", "my server", "chrome", "single")


def schema(number: str) -> Schema:
    """Return the schema file whose name begins with *number*."""
    (path,) = SCHEMAS.glob(f"{number}-*.json")
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Setting:
    """What a line is read against."""

    schema: Schema | None = field(default_factory=lambda: SCHEMA)
    names: Mapping[str, object] = field(default_factory=dict)
    tools: Collection[str] | None = ("f", "g")
    catalogue: Mapping[str, Collection[str]] = field(default_factory=dict)
    urls: Collection[str] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    body: str | None = None

    def read_file(self, path: str, limit: int) -> bytes:
        """Return one of the files."""
        if path not in self.files:
            raise FileNotFoundError(2, "No such file or directory")
        return self.files[path][:limit]


def find(line: str, setting: Setting) -> tuple[Target, str | None, Arguments]:
    """Read a line up to its arguments."""
    read = read_line(line, namespace=setting.names, cell=setting.body is not None)
    target = split_target(read, SERVERS, catalogue=setting.catalogue, urls=setting.urls)
    tool, arguments = split_tool(target, setting.tools)
    if setting.body is not None:
        arguments = with_body(arguments, setting.body, read.options.body)
    return target, tool, arguments


def read(line: str, setting: Setting | None = None) -> Bound:
    """Read a line to the values that are sent."""
    setting = setting or Setting()
    _, _, arguments = find(line, setting)
    return bind(
        evaluate(arguments, setting.names),
        setting.schema,
        label="demo.f",
        namespace=setting.names,
        read_file=setting.read_file,
    )


@dataclass(frozen=True)
class At:
    """A caret error: where it points, and a part of what it says."""

    column: int
    says: str
    line: int | None = None

    def check(self, error: McpMagicError) -> None:
        """Compare with the error that was raised."""
        assert isinstance(error, LineError), error
        assert self.says in error.message
        assert (error.column, error.line) == (self.column, self.line), error


@dataclass(frozen=True)
class No:
    """An error about the arguments, and a part of what it says."""

    says: str

    def check(self, error: McpMagicError) -> None:
        """Compare with the error that was raised."""
        assert isinstance(error, ArgumentError), error
        assert self.says in str(error)
