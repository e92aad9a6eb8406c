"""A fastmcp server: stdio, or HTTP on the port given as the only argument."""

from __future__ import annotations

import sys

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


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
    else:
        server.run(show_banner=False)
