"""The shape that most products give an entry, in all its spellings."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mcp_magic.config import syntax
from mcp_magic.config.dialects.fields import Fields, Unusable, kind
from mcp_magic.config.dialects.signin import read_oauth
from mcp_magic.config.entries import (
    Http,
    Input,
    ServerEntry,
    Source,
    Stdio,
    Target,
    is_url,
)
from mcp_magic.model import Json, Secret

__all__ = ["Habits", "Place", "Spot", "build"]

_KINDS = {
    "stdio": "stdio", "local": "stdio", "command": "stdio", "custom": "stdio",
    "http": "http", "https": "http", "remote": "http", "sse": "http",
    "streamable-http": "http", "streamablehttp": "http", "streamable_http": "http",
}  # fmt: skip
_URLS = (
    "url",
    "serverUrl",
    "httpUrl",
    "uri",
    "baseUrl",
    "base_url",
    "server_url",
    "endpoint",
)
_ENVS = ("env", "environment", "envs")
_HEADERS = ("headers", "httpHeaders", "http_headers")
_ALLOWED = (
    "allowedTools", "allowed_tools", "includeTools", "enabledTools", "enabled_tools",
)  # fmt: skip
_BLOCKED = (
    "blockedTools", "blocked_tools", "excludeTools", "disabledTools", "disabled_tools",
)  # fmt: skip
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BROKEN_PATH = re.compile(r"[A-Za-z]:[^\x00-\x1f]*[\x07-\x0d]")
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_LIMITS = (
    "timeout", "startup_timeout_sec", "startup_timeout_ms", "connectionTimeout",
    "tool_timeout_sec",
)  # fmt: skip
_LEAST, _MOST = 1.0, 1e7  # seconds; another limit is one in another unit


@dataclass(frozen=True, slots=True)
class Place:
    """A file, before it is read.

    Attributes:
        product: Whose file it is.
        scope: Whose entries it holds, as in ``Source``.
        file: The file.
        folder: What ``${workspaceFolder}`` means in it.
        mixed: Whether it holds other settings too, so that it may name no servers.
        folders: The folders of the project: that of the notebook, and those above it
            up to the root of the repository.
    """

    product: str
    scope: Literal["own", "project", "user"]
    file: Path
    folder: Path
    mixed: bool = False
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Habits:
    """How a product writes what others write otherwise.

    Attributes:
        urls: Its names for a URL; others are noted.
        unit: How many seconds one of its ``timeout`` is.
        limits: What its ``timeout`` limits.
    """

    urls: tuple[str, ...] = ("url",)
    unit: float = 0.001
    limits: Literal["call", "connect"] = "call"


@dataclass(frozen=True, slots=True)
class Spot:
    """An entry, before it is read.

    Attributes:
        name: Its name.
        raw: The entry as written.
        key: Where it stands in its file.
        line: In which line.
        inputs: What its file asks a person for.
        disabled: Why it is not to be used, if its file says so elsewhere.
    """

    name: str
    raw: Json
    key: str
    line: int
    inputs: Mapping[str, Input] = field(default_factory=dict)
    disabled: str = ""


def build(
    spot: Spot, raw: Mapping[str, Json], place: Place, habits: Habits
) -> tuple[ServerEntry, list[str]]:
    """Return an entry, and what was odd about it in sentences.

    Args:
        spot: The entry as written.
        raw: The same in the spellings that are known here.
        place: Its file.
        habits: Those of the product.

    Raises:
        Unusable: It cannot be used.
    """
    fields = Fields(_unfolded(raw))
    target = _target(fields, place, habits)
    connect, call = _limits(fields, habits)
    allowed = fields.tools(*_ALLOWED)
    disabled = _why_disabled(fields)
    entry = ServerEntry(
        spot.name,
        target,
        origin=_origin(place),
        allowed=None if allowed == ("*",) else allowed,
        blocked=fields.tools(*_BLOCKED) or (),
        disabled=spot.disabled or disabled,
        connect_timeout=connect,
        call_timeout=call,
        inputs=spot.inputs,
        oauth=read_oauth(fields),
        # The last one: by now all that means something here was read.
        source=_source(spot, place, tuple(fields.rest())),
    )
    return entry, [*fields.notes, *_oddities(target, place)]


def _unfolded(raw: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return an entry with what older versions put into ``transport``."""
    inner = raw.get("transport")
    if not isinstance(inner, Mapping):
        return raw
    return {**inner, **{key: one for key, one in raw.items() if key != "transport"}}


# -- how it is reached


def _target(fields: Fields, place: Place, habits: Habits) -> Target:
    written = fields.text("type", "transportType", "transport")
    way = _KINDS.get((written or "").lower(), "")
    if written and not way:
        raise Unusable(f"type {written!r} is not known here; write stdio or http")
    key, url = fields.first(*habits.urls, *_URLS)
    _, command = fields.first("command", "cmd")
    if url is None and command is None:
        missing = {"stdio": "no command", "http": "no url"}
        raise Unusable(
            f"has {missing.get(way, 'neither a command nor a url')}; add one"
        )
    if url is None or (way == "stdio" and command is not None):
        return _stdio(fields, place)
    if way == "stdio":
        fields.notes.append("has a url, which is used although its type is stdio")
    elif command is not None and not way:
        fields.notes.append("has a url and a command; the url is used")
    if key not in habits.urls:
        fields.notes.append(f"{key} is read as {habits.urls[0]}")
    return _http(fields, key, place.product)


def _http(fields: Fields, key: str, product: str) -> Http:
    url = (fields.text(key) or "").strip()
    filled_in = any(syntax.find(url, product, in_value=True))
    if not filled_in and not is_url(url):
        raise Unusable(f"its {key} is no http or https URL of a server")
    headers = fields.pairs(*_HEADERS)
    for name in headers:
        if not _HEADER.fullmatch(name):
            raise Unusable(f"{name!r} cannot be the name of a header")
    return Http(url, {name: Secret(value) for name, value in headers.items()})


def _stdio(fields: Fields, place: Place) -> Stdio:
    command, args, inner = _words(fields)
    env = {**inner, **fields.pairs(*_ENVS)}
    for name in env:
        if not name or "=" in name or "\0" in name:
            raise Unusable(f"{name!r} cannot be the name of a variable")
    return Stdio(
        command,
        args,
        {name: Secret(value) for name, value in env.items()},
        _folder(fields.text("cwd", "workingDirectory", "working_directory"), place),
        fields.text("envFile", "env_file"),
    )


def _words(fields: Fields) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """Return program, arguments and the variables that stand beside them."""
    key, command = fields.first("command", "cmd")
    args = fields.texts("args", "arguments")
    env: dict[str, str] = {}
    match command:
        case Mapping():
            deeper = Fields(command)
            program = deeper.text("path", "command") or ""
            args = (*deeper.texts("args", "arguments"), *args)
            env = deeper.pairs(*_ENVS)
            fields.notes += deeper.notes
        case str():
            program = fields.text(key) or ""
        case list():
            program, *rest = fields.texts(key) or ("",)
            args = (*rest, *args)
        case _:
            raise Unusable(f"{key} is {kind(command)}; write a text")
    if not program.strip():
        raise Unusable(f"its {key} is empty; write a program")
    return program, args, env


def _folder(cwd: str | None, place: Place) -> str | None:
    """Return the working folder; what a project brings runs in its folder."""
    if not cwd:
        return str(place.folder) if place.scope == "project" else None
    if cwd[0] in "~$%{" or re.match(r"[A-Za-z]:[\\/]|\\\\", cwd):
        return cwd
    return str(place.folder / cwd)


# -- what else is said of it


def _origin(place: Place) -> str:
    return (
        "your mcp.json" if place.scope == "own" else f"{place.product} ({place.scope})"
    )


def _source(spot: Spot, place: Place, unread: tuple[str, ...]) -> Source:
    written = _CANONICAL.encode({"name": spot.name, "entry": spot.raw})
    digest = hashlib.sha256(written.encode()).hexdigest()
    return Source(
        place.product,
        place.scope,
        place.file,
        spot.key,
        spot.line,
        place.folder,
        digest,
        unread,
    )


def _why_disabled(fields: Fields) -> str:
    """Return why an entry is off; what cannot be read is no yes."""
    before = len(fields.notes)
    off, on = fields.flag("disabled"), fields.flag("enabled")
    if off or on is False:
        return "disabled in its file"
    return "disabled, perhaps: see its file" if len(fields.notes) > before else ""


def _limits(fields: Fields, habits: Habits) -> tuple[float | None, float | None]:
    """Return the seconds for connecting and for a call."""
    if fields.first(*_LIMITS)[1] is None:
        return None, None
    _, plain = fields.first("timeout")
    split = Fields(plain) if isinstance(plain, Mapping) else Fields({})
    usual = (
        None if isinstance(plain, Mapping) else _seconds(fields, "timeout", habits.unit)
    )
    connect = (
        _seconds(fields, "startup_timeout_sec", 1.0)
        or _seconds(fields, "startup_timeout_ms", 0.001)
        or _seconds(fields, "connectionTimeout", 0.001)
        or _seconds(split, "startup", 0.001)
    )
    call = _seconds(fields, "tool_timeout_sec", 1.0) or _seconds(
        split, "request", 0.001
    )
    fields.notes += split.notes
    if habits.limits == "connect":
        return connect or usual, call
    return connect, call or usual


def _seconds(fields: Fields, name: str, unit: float) -> float | None:
    _, value = fields.first(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        fields.notes.append(f"{name} is {kind(value)}; the usual limit is used")
        return None
    try:
        seconds = float(value) * unit
    except OverflowError:
        seconds = math.inf
    if not _LEAST <= seconds <= _MOST:
        fields.notes.append(
            f"{name} means {seconds:g} s here, which is odd; the usual limit is used"
        )
        return None
    return seconds


# -- what a person should know


def _oddities(target: Target, place: Place) -> list[str]:
    match target:
        case Stdio():
            words = [target.command, *target.args, target.cwd or ""]
            values = [target.env_file or "", *_revealed(target.env)]
        case Http():
            words, values = [], [target.url, *_revealed(target.headers)]
        case _:
            return []
    notes = [
        "a path holds a line break or the like; write \\\\ or / for each \\ in it"
        for one in words[:1] + words[-1:]
        if _BROKEN_PATH.match(one)
    ]
    strange = {
        one: None
        for texts, in_value in ((words, False), (values, True))
        for text in texts
        for one in syntax.strangers(text, place.product, in_value=in_value)
    }
    said = "is plain text in a file of"
    return [*notes, *(f"{one} {said} {place.product}" for one in strange)]


def _revealed(secrets: Mapping[str, Secret]) -> list[str]:
    return [one.reveal() for one in secrets.values()]
