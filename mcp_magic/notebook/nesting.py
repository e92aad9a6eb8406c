"""Let ``asyncio.run(...)`` work in a cell, for those who ask for it.

A running kernel refuses it, because its own event loop is turning already. Our own
calls never nest loops; this is for pasted examples alone, and off unless asked for.
"""

from __future__ import annotations

import asyncio
import importlib
import sys

__all__ = ["settle"]

_LASTS = (
    "asyncio.run works in cells until the kernel restarts: "
    "nest-asyncio2 cannot be taken back."
)
_MISSING = 'nest-asyncio2 is missing; %pip install "mcp-magic[nest]", then set it again'
_OLDER = (
    "nest_asyncio was applied already, which may leave queued cells waiting for ever; "
    "restart the kernel and set this instead of applying it"
)
_FOREIGN = "this kernel's event loop is not asyncio's own; use await main() instead"


def settle(wanted: bool) -> bool:  # noqa: FBT001 - the value of a setting
    """Do what the setting ``nest_asyncio`` says, and return what it then is.

    Where that cannot be done, one line says why, and nothing is changed: a setting in
    a person's configuration is no reason to load nothing at all.
    """
    if not wanted:
        if hasattr(asyncio, "_nest_patched"):
            print(_LASTS)  # noqa: T201 - a person must know
        return False
    hindrance = _hindrance()
    if hindrance:
        print(f"McpMagics.nest_asyncio stays off: {hindrance}.", file=sys.stderr)  # noqa: T201 - the same
        return False
    importlib.import_module("nest_asyncio2").apply()
    return True


def _hindrance() -> str:
    """Tell why loops cannot be nested here; an empty text if they can."""
    if not _installed():
        return _MISSING
    # Both packages leave this mark, and only the newer one its own.
    if hasattr(asyncio, "_nest_patched") and not hasattr(asyncio, "_nest_asyncio2"):
        return _OLDER
    if not isinstance(_running(), asyncio.BaseEventLoop | None):
        return _FOREIGN
    return ""


def _installed() -> bool:
    try:
        importlib.import_module("nest_asyncio2")
    except ImportError:
        return False
    return True


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:  # a terminal, or a kernel that is just starting
        return None
