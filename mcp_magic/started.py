"""What this process was started with, whatever a notebook has changed since.

Imported with the package, so that as little as can be ran before.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["trust"]

_TRUST = "MCP_MAGIC_TRUST"
_AT_IMPORT = os.environ.get(_TRUST, "")


def trust() -> str:
    """Return ``MCP_MAGIC_TRUST`` as whoever started this process set it.

    Linux keeps the first environment of a process; elsewhere it is the one in which
    this package was first imported.
    """
    try:
        first = Path("/proc/self/environ").read_bytes()
    except OSError:
        return _AT_IMPORT
    start = os.fsencode(_TRUST) + b"="
    found = (one for one in first.split(b"\0") if one.startswith(start))
    return os.fsdecode(next(found, start)[len(start) :])
