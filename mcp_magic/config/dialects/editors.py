"""Editors, and what extends them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcp_magic.config.dialects.fields import Unusable
from mcp_magic.config.dialects.shape import Habits, Place
from mcp_magic.config.dialects.tables import Dialect, Raw, Table, at, usual
from mcp_magic.config.entries import Input
from mcp_magic.model import Json

__all__ = ["CLINE", "CONTINUE", "CURSOR", "ROO_CODE", "VS_CODE", "WINDSURF", "ZED"]


def _vs_code(root: Raw, place: Place) -> Iterable[Table]:
    """Return the tables of ``mcp.json`` or, one level deeper, of ``settings.json``."""
    path = ("mcp", "servers") if place.mixed else ("servers",)
    above = at(root, path[:-1])
    inputs = _inputs(above.get("inputs") if isinstance(above, Mapping) else None)
    return [replace(one, inputs=inputs) for one in usual(path)(root, place)]


def _inputs(raw: Json) -> dict[str, Input]:
    found = map(_input, raw if isinstance(raw, list) else ())
    return {one.id: one for one in found if one is not None}


def _input(raw: Json) -> Input | None:
    name = raw.get("id") if isinstance(raw, Mapping) else None
    if not isinstance(raw, Mapping) or not isinstance(name, str):
        return None
    how, options = raw.get("type", "promptString"), raw.get("options")
    known = how in ("promptString", "pickString")
    return Input(
        name,
        description=_text(raw.get("description")),
        secret=raw.get("password") is True,
        options=tuple(map(_option, options)) if isinstance(options, list) else (),
        default=_text(raw.get("default")),
        unsupported="" if known else "only VS Code can find out",
    )


def _option(raw: Json) -> str:
    """Return the value of an option, which may have a label beside it."""
    return _text(raw.get("value") if isinstance(raw, Mapping) else raw)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _zed(raw: Raw) -> Raw:
    # Without either it is an extension's, whether it has a ``source`` or not.
    if raw.get("command") is None and raw.get("url") is None:
        raise Unusable("comes with an extension of Zed, and only Zed can start it")
    return {key: one for key, one in raw.items() if key != "source"}


def _continue(raw: Raw) -> Raw:
    """Return an entry with the headers that stand in ``requestOptions``."""
    options = raw.get("requestOptions")
    if not isinstance(options, Mapping) or raw.get("headers") is not None:
        return raw
    inner = {f"requestOptions.{name}": one for name, one in options.items()}
    headers = inner.pop("requestOptions.headers", None)
    kept = {key: one for key, one in raw.items() if key != "requestOptions"}
    return {**kept, "headers": headers, **inner}


CURSOR = Dialect(usual(("mcpServers",)))
VS_CODE = Dialect(_vs_code)
WINDSURF = Dialect(usual(("mcpServers",)), Habits(("serverUrl", "url")))
CLINE = Dialect(usual(("mcpServers",)), Habits(unit=1.0))
ROO_CODE = Dialect(usual(("mcpServers",)), Habits(unit=1.0))
ZED = Dialect(usual(("context_servers",)), Habits(unit=1.0), _zed)
# A ``timeout`` of Continue ends its attempt to connect (its MCPConnection).
CONTINUE = Dialect(
    usual(("mcpServers",), ("experimental", "modelContextProtocolServers")),
    Habits(limits="connect"),
    amend=_continue,
)
