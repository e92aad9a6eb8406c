"""A small server over stdio: one tool of the SDK's own, and one that always fails."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

server = MCPServer("small")


@server.tool()
def shout(text: str) -> str:
    """Say it louder."""
    return text.upper()


@server.tool()
def whisper(text: str) -> str:
    """Say it softly."""
    return text.lower()


if __name__ == "__main__":
    server.run()
