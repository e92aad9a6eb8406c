"""The seam between a server entry and the streams the SDK client talks over."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import IO, Any

from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server import Server
from mcp.server.mcpserver import MCPServer

from mcp_magic.client.http import Heard, open_http
from mcp_magic.config import Http, InProcess, Stdio, Target
from mcp_magic.errors import ServerUnreachable

__all__ = ["Line", "open_line"]

_TAIL = 4000  # bytes of a server's standard error that an error may quote


@dataclass(slots=True)
class Line:
    """What is noticed on the way to one server, for its error messages."""

    _stderr: IO[bytes] | None = field(default=None, repr=False)
    _kept: bytes = field(default=b"", repr=False)

    @contextlib.contextmanager
    def overhear(self) -> Iterator[IO[bytes]]:
        """Give a file for a command's standard error; its end is kept."""
        with tempfile.TemporaryFile() as stderr:
            self._stderr = stderr
            try:
                yield stderr
            finally:
                self._kept = self._tail()
                self._stderr = None

    def last_words(self) -> str:
        """Return the end of what the command wrote to its standard error."""
        return self._tail().decode("utf-8", "replace").strip()

    def _tail(self) -> bytes:
        if self._stderr is None:
            return self._kept
        # The command writes at the shared position of the file: do not move it.
        fileno = self._stderr.fileno()
        return os.pread(fileno, _TAIL, max(0, os.fstat(fileno).st_size - _TAIL))


@contextlib.asynccontextmanager
async def open_line(target: Target, line: Line, heard: Heard) -> AsyncIterator[Any]:
    """Give what the SDK's ``Client`` takes: a transport, or a server in this process.

    Args:
        target: How the server is reached.
        line: Filled with what is noticed on the way.
        heard: What is known about a server over HTTP; filled with more.
    """
    match target:
        case InProcess(server=server):
            yield _server(server)
        case Stdio():
            with line.overhear() as stderr:
                yield _stdio(target, stderr)
        case Http():
            async with open_http(target, heard) as transport:
                yield transport


def _server(server: object) -> object:
    """Return the SDK server inside *server*; fastmcp's objects wrap one."""
    if isinstance(server, Server | MCPServer):
        return server
    inner = getattr(server, "_mcp_server", None)
    if isinstance(inner, Server):
        return inner
    kind = type(server).__name__
    raise ServerUnreachable(f"a {kind} object is no MCP server of this process")


def _stdio(target: Stdio, stderr: IO[bytes]) -> AbstractAsyncContextManager[Any]:
    added = {name: value.reveal() for name, value in target.env.items()}
    parameters = StdioServerParameters(
        command=target.command,
        args=list(target.args),
        env={**os.environ, **added},
        cwd=target.cwd,
        # One invalid byte would otherwise end the reading for good.
        encoding_error_handler="replace",
    )
    return stdio_client(parameters, errlog=stderr)  # type: ignore[arg-type] # needs fileno() alone
