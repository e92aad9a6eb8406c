"""The server `demo`, put together."""

from importlib.metadata import version

from mcp.server.mcpserver import MCPServer

from mcp_magic.demo import (
    asking,
    basics,
    notes,
    ordering,
    pictures,
    reading,
    rows,
    waiting,
)

__all__ = ["build"]

INSTRUCTIONS = """\
A small server to try MCP with. It needs no network and forgets everything at its end.
list_rows and search_rows give tables to explore, draw an image, echo what arrived.
slow reports progress and can be stopped, fail always fails; ask_name and book_table
ask the person. Notes are added, listed and deleted; order shows how nested
arguments are understood.
"""


def build() -> MCPServer:
    """Make a server of its own, with its own notes; connect it or run it."""
    server: MCPServer = MCPServer(
        "demo",
        title="mcp-magic demo",
        instructions=INSTRUCTIONS,
        version=version("mcp-magic"),
        # Lower levels would tell of every request on standard error.
        log_level="WARNING",
    )
    kept = notes.Notes()
    basics.install(server)
    rows.install(server)
    pictures.install(server)
    waiting.install(server, kept)
    notes.install(server, kept)
    ordering.install(server)
    asking.install(server)
    reading.install(server)
    return server
