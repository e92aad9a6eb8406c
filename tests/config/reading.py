"""Reads texts as files of products, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from mcp_magic.config import Http, ServerEntry, Stdio
from mcp_magic.config.dialects import Place, Reading, read

__all__ = ["SAMPLES", "alone", "place", "read_sample", "read_value", "shown"]

SAMPLES = Path(__file__).parent.parent / "data" / "configs"

_NAMES = {"Codex": "config.toml", "Goose": "config.yaml"}


def place(
    product: str,
    name: str = "",
    scope: Literal["own", "project", "user"] = "user",
    **more: Any,
) -> Place:
    """Return a place for a file of *product*, by its name as the product has it."""
    file = Path("/home/me/work") / (name or _NAMES.get(product, "mcp.json"))
    return Place(product, scope, file, Path("/home/me/work"), **more)


def read_value(product: str, value: object, **more: Any) -> Reading:
    """Read a value, written as JSON, as a file of *product*."""
    return read(place(product, "mcp.json", **more), json.dumps(value).encode())


def read_sample(product: str, name: str, **more: Any) -> Reading:
    """Read a sample as a file of *product*."""
    return read(place(product, name, **more), (SAMPLES / name).read_bytes())


def alone(product: str, entry: object, **more: Any) -> ServerEntry:
    """Return the one entry that a product reads without a problem."""
    reading = read_value(product, {"mcpServers": {"s": entry}}, **more)
    assert reading.problems == ()
    return reading.entries[0]


def shown(entry: ServerEntry) -> dict[str, object]:
    """Return all that an entry says, secrets too, without what it does not say."""
    match entry.target:
        case Stdio() as target:
            said: dict[str, object] = {
                "command": [target.command, *target.args],
                "env": {key: one.reveal() for key, one in target.env.items()},
                "cwd": target.cwd,
                "env_file": target.env_file,
            }
        case Http() as target:
            headers = {key: one.reveal() for key, one in target.headers.items()}
            said = {"url": target.url, "headers": headers}
        case other:
            raise AssertionError(other)
    said |= {
        "allowed": None if entry.allowed is None else list(entry.allowed),
        "blocked": list(entry.blocked),
        "disabled": entry.disabled,
        "connect_timeout": entry.connect_timeout,
        "call_timeout": entry.call_timeout,
        "inputs": list(entry.inputs),
        "oauth": dict(entry.oauth),
    }
    return {key: one for key, one in said.items() if one not in (None, {}, [], "")}
