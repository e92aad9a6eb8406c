"""What is known about servers before anything starts: their entries."""

from mcp_magic.config.entries import (
    Http,
    InProcess,
    ServerEntry,
    Stdio,
    Target,
    demo_entry,
    name_for,
    read_target,
)
from mcp_magic.config.eras import Eras
from mcp_magic.config.expand import expand

__all__ = [
    "Eras",
    "Http",
    "InProcess",
    "ServerEntry",
    "Stdio",
    "Target",
    "demo_entry",
    "expand",
    "name_for",
    "read_target",
]
