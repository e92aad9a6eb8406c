"""The seam between a server entry and what the SDK client talks over."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
from mcp.server import Server
from mcp.server.mcpserver import MCPServer

from mcp_magic.client.http import Heard, open_http
from mcp_magic.client.overheard import Overheard
from mcp_magic.client.stdio import open_stdio
from mcp_magic.config import Http, InProcess, Stdio, Target
from mcp_magic.errors import ServerUnreachable

__all__ = ["open_line", "server_inside"]


@contextlib.asynccontextmanager
async def open_line(
    target: Target,
    overheard: Overheard,
    heard: Heard,
    on_exit: Callable[[int | None], None],
    auth: httpx2.Auth | None = None,
) -> AsyncIterator[Any]:
    """Give what the SDK's ``Client`` takes: a transport, or a server in this process.

    Args:
        target: How the server is reached.
        overheard: Filled with what a command says besides messages.
        heard: What is known about a server over HTTP; filled with more.
        on_exit: Called when a command has ended by itself.
        auth: Signs requests over HTTP.
    """
    match target:
        case InProcess(server=server):
            yield server_inside(server)
        case Stdio():
            yield open_stdio(target, overheard, environ=os.environ, on_exit=on_exit)
        case Http():
            async with open_http(target, heard, auth=auth) as transport:
                yield transport


def server_inside(server: object) -> object:
    """Return the SDK server inside *server*; fastmcp's objects wrap one.

    Raises:
        ServerUnreachable: It is no server.
    """
    if isinstance(server, Server | MCPServer):
        return server
    inner = getattr(server, "_mcp_server", None)
    if isinstance(inner, Server):
        return inner
    kind = type(server).__name__
    raise ServerUnreachable(
        f"an object of type {kind} is no MCP server; give a name, a URL, a command, or "
        "a server that lives in this process"
    )
