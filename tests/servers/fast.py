"""A fastmcp server: stdio, or with ``--http`` HTTP at the address that it prints."""

from __future__ import annotations

import socket
import sys

import uvicorn
from fastmcp import FastMCP

server = FastMCP("fast")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@server.tool()
def rows() -> list[dict[str, int]]:
    """Return two rows."""
    return [{"n": 1}, {"n": 2}]


@server.tool()
def boom() -> str:
    """Raise an error."""
    raise ValueError("kaboom")


def _http() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)  # noqa: T201 - it is a program
    config = uvicorn.Config(server.http_app(), log_level="critical")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    if sys.argv[1:] == ["--http"]:
        _http()
    else:
        server.run(show_banner=False)
