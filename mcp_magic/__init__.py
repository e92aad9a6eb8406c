"""`%mcp` and `%%mcp`: the tools of any MCP server, from a notebook or IPython.

``%load_ext mcp_magic`` registers the magics; ``connect("demo")`` gives a server as a
Python object. Names below are imported when they are first used, so that importing this
package costs next to nothing.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from mcp_magic import started as _started  # noqa: F401 - before a notebook's code runs

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from mcp_magic.errors import (
        AnswerRefused,
        ApprovalRequired,
        ArgumentError,
        AuthorizationRequired,
        CallStopped,
        CallTimedOut,
        LineError,
        McpMagicError,
        NamesNeeded,
        NoSuchAttribute,
        NotPortable,
        RequestRefused,
        ServerError,
        ServerExited,
        ServerUnreachable,
        SignInFailed,
        ToolFailed,
        ToolRefused,
        UnknownServer,
        UnknownTool,
    )
    from mcp_magic.session import (
        CallResult,
        Server,
        SignIn,
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

    __version__: str

__all__ = [
    "AnswerRefused",
    "ApprovalRequired",
    "ArgumentError",
    "AuthorizationRequired",
    "CallResult",
    "CallStopped",
    "CallTimedOut",
    "LineError",
    "McpMagicError",
    "NamesNeeded",
    "NoSuchAttribute",
    "NotPortable",
    "RequestRefused",
    "Server",
    "ServerError",
    "ServerExited",
    "ServerUnreachable",
    "SignIn",
    "SignInFailed",
    "ToolFailed",
    "ToolRefused",
    "UnknownServer",
    "UnknownTool",
    "__version__",
    "auth",
    "close",
    "connect",
    "doctor",
    "last",
    "load_ipython_extension",
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
    "unload_ipython_extension",
    "watch",
]

_EXTENSION = "mcp_magic.notebook.extension"
# The other classes are errors.
_OF_THE_SESSION = frozenset(("CallResult", "Server", "SignIn"))


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - seldom asked for

        return version("mcp-magic")
    if name not in __all__:
        raise _no_such(name)
    is_error = name[0].isupper() and name not in _OF_THE_SESSION
    room = "mcp_magic.errors" if is_error else "mcp_magic.session"
    value = getattr(importlib.import_module(room), name)
    globals()[name] = value
    if not is_error and (loaded := sys.modules.get(_EXTENSION)):
        loaded.connect_session()
    return value


def _no_such(name: str) -> AttributeError:
    if name.startswith("_"):  # what tools of Python look for, many at each import
        return AttributeError(f"module 'mcp_magic' has no attribute {name!r}")
    from difflib import get_close_matches  # noqa: PLC0415 - seldom asked for

    from mcp_magic.errors import NoSuchAttribute  # noqa: PLC0415 - the same

    near = get_close_matches(name, __all__, 1)
    what = f"Did you mean mcp_magic.{near[0]}?" if near else "Tab shows what it has."
    return NoSuchAttribute(f"mcp_magic has no {name!r}. {what}")


def __dir__() -> list[str]:
    return __all__


def load_ipython_extension(ipython: InteractiveShell) -> None:
    """Register ``%mcp`` and ``%%mcp``; what ``%load_ext mcp_magic`` calls."""
    from mcp_magic.notebook.extension import load  # noqa: PLC0415 - imports IPython

    load(ipython)


def unload_ipython_extension(ipython: InteractiveShell) -> None:
    """Take the magics out and end every server started here."""
    from mcp_magic.notebook.extension import unload  # noqa: PLC0415 - imports IPython

    unload(ipython)
