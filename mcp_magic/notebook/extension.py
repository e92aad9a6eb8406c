"""Load the extension into an IPython shell, and take it out again without a trace."""

from __future__ import annotations

import contextlib
import importlib
import threading
from typing import TYPE_CHECKING

from mcp_magic.notebook.magics import McpMagics
from mcp_magic.notebook.waiting import say, watch
from mcp_magic.session import current

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["load", "unload"]

_PAUSE = 1.0  # seconds after loading, so that the next cell starts without delay


def load(shell: InteractiveShell) -> None:
    """Register the magics with *shell*."""
    session = current()
    session.say, session.watch = say, watch
    shell.register_magics(McpMagics(shell, session))
    # mcp takes most of a second to import: have it ready before the first server.
    warm = threading.Timer(_PAUSE, _warm)
    warm.daemon = True
    warm.start()


def unload(shell: InteractiveShell) -> None:
    """Take the magics out of *shell* and end every server started here."""
    session = current()
    session.shut_down()
    session.say = print
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("mcp", None)
    magics = shell.magics_manager.registry.pop(McpMagics.__name__, None)
    if magics in shell.configurables:
        shell.configurables.remove(magics)


def _warm() -> None:
    with contextlib.suppress(Exception):  # whoever needs it will see the error
        importlib.import_module("mcp_magic.client.connection")
