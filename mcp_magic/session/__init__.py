"""The shared core: known servers, live connections, and the one way of every call."""

from mcp_magic.session.call import CallOptions, call
from mcp_magic.session.result import CallResult
from mcp_magic.session.server import Server, close, connect, servers, tools
from mcp_magic.session.session import Session, current

__all__ = [
    "CallOptions",
    "CallResult",
    "Server",
    "Session",
    "call",
    "close",
    "connect",
    "current",
    "servers",
    "tools",
]
