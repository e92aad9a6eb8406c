"""The shared core: known servers, live connections, and the one way of every call."""

from mcp_magic.session.call import CallOptions, call
from mcp_magic.session.functions import (
    auth,
    close,
    connect,
    doctor,
    last,
    logs,
    prompt,
    prompts,
    read,
    resources,
    roots,
    sampling,
    servers,
    skill,
    skills,
    tools,
    watch,
)
from mcp_magic.session.result import CallResult
from mcp_magic.session.server import Server
from mcp_magic.session.session import Session, current
from mcp_magic.session.signin import SignIn

__all__ = [
    "CallOptions",
    "CallResult",
    "Server",
    "Session",
    "SignIn",
    "auth",
    "call",
    "close",
    "connect",
    "current",
    "doctor",
    "last",
    "logs",
    "prompt",
    "prompts",
    "read",
    "resources",
    "roots",
    "sampling",
    "servers",
    "skill",
    "skills",
    "tools",
    "watch",
]
