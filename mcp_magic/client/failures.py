"""Translate what the SDK and the system raise into this package's errors."""

from __future__ import annotations

import asyncio

import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

from mcp_magic.client.transport import Line
from mcp_magic.config import Http, ServerEntry, Stdio
from mcp_magic.errors import (
    AuthorizationRequired,
    CallTimedOut,
    McpMagicError,
    RequestRefused,
    ServerExited,
    ServerUnreachable,
)

__all__ = ["is_lost", "leaf", "translate"]

_BARE = ("Server returned an error response", "Not Found", "Session terminated")


def leaf(error: BaseException) -> BaseException:
    """Return the cause inside nested exception groups, cancellations last."""
    while isinstance(error, BaseExceptionGroup):
        kinds = sorted(
            error.exceptions, key=lambda one: isinstance(one, asyncio.CancelledError)
        )
        error = kinds[0]
    return error


def is_lost(error: BaseException) -> bool:
    """Whether *error* means that the connection is gone, not only the request."""
    return isinstance(error, MCPError) and (
        (error.code, error.message) == (CONNECTION_CLOSED, "Connection closed")
        or error.message == "Session terminated"
    )


def translate(error: BaseException, entry: ServerEntry, line: Line) -> McpMagicError:
    """Return the error to show for *error*; never raises.

    Args:
        error: What was raised; exception groups are unwrapped.
        entry: The server it concerns.
        line: What was noticed on the way to it.
    """
    error = leaf(error)
    match error:
        case McpMagicError():
            return error
        case MCPError():
            return _protocol(error, entry, line)
        case FileNotFoundError() | PermissionError() if isinstance(entry.target, Stdio):
            return _not_started(error, entry, entry.target)
        case httpx2.HTTPError():
            return ServerUnreachable(
                f"{entry.name} cannot be reached at {_host(entry)}: "
                f"{str(error) or type(error).__name__}",
                entry.name,
            )
    said = str(error) or type(error).__name__
    return ServerUnreachable(f"{entry.name}: {_first_line(said)}", entry.name)


def _protocol(error: MCPError, entry: ServerEntry, line: Line) -> McpMagicError:
    name = entry.name
    if error.code == REQUEST_TIMEOUT and "timed out" in error.message.lower():
        return CallTimedOut(f"{name} did not answer in time", name)
    if error.code == CONNECTION_CLOSED and isinstance(entry.target, Stdio):
        words = line.last_words().splitlines()
        tail = f"; its last words: {words[-1].strip()}" if words else ""
        return ServerExited(f"the server {name} ended{tail}", name)
    if error.message in _BARE and (line.status or 0) >= 400:
        return _refused(entry, line)
    said = _first_line(error.message)
    return RequestRefused(f"{name} answered {error.code}: {said}", name, error.code)


def _refused(entry: ServerEntry, line: Line) -> McpMagicError:
    name = entry.name
    if line.status == 401 or "insufficient_scope" in line.challenge:
        return AuthorizationRequired(
            f"{name} wants you to sign in (HTTP {line.status}); "
            "give a token with --header 'Authorization=Bearer …'",
            name,
        )
    return ServerUnreachable(
        f"{name} answered HTTP {line.status} at {_host(entry)}", name
    )


def _not_started(
    error: OSError, entry: ServerEntry, target: Stdio
) -> ServerUnreachable:
    if target.cwd is not None and error.filename == target.cwd:
        why = f"its folder {target.cwd} does not exist"
    elif isinstance(error, PermissionError):
        why = f"{target.command} may not be run"
    else:
        why = f"the command {target.command} is not on PATH"
    return ServerUnreachable(f"{entry.name} cannot be started: {why}", entry.name)


def _host(entry: ServerEntry) -> str:
    match entry.target:
        case Http(url=url):
            return str(httpx2.URL(url).copy_with(userinfo=b"", query=None))
    return str(entry.target)


def _first_line(text: str) -> str:
    head, _, rest = text.strip().partition("\n")
    return f"{head} …" if rest.strip() else head
