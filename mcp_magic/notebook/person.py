"""The person at the keyboard: whether there is one, types a line, or only looks."""

from __future__ import annotations

import getpass
import sys
import threading
from typing import Any

from mcp_magic.errors import visible

__all__ = ["ask", "cell", "is_here", "kernel", "only_looks"]

# What asks objects for their attributes while a person types.
_LOOKERS = ("IPython.core.completer", "IPython.core.oinspect", "jedi.")


def _shell() -> Any:
    # Only once IPython is in use; by its own module, which a call need not search for.
    from IPython.core.getipython import get_ipython  # noqa: PLC0415

    return get_ipython()


def kernel() -> Any:
    """Return the Jupyter kernel that runs this cell; ``None`` in a terminal."""
    return getattr(_shell(), "kernel", None)


def cell() -> object:
    """Return what tells the cell that runs from those before it."""
    return getattr(_shell(), "execution_count", None)


def is_here() -> bool:
    """Whether somebody can be asked now: nbclient, papermill and cron take no input."""
    if threading.current_thread() is not threading.main_thread():
        return False
    running = kernel()
    if running is not None:
        return bool(getattr(running, "_allow_stdin", False))
    return sys.stdin is not None and sys.stdin.isatty()


def ask(question: str, *, masked: bool = False) -> str | None:
    """Ask the person who runs this cell, and wait for the answer.

    Args:
        question: What to ask; it may hold the words of a file.
        masked: Whether what is typed is not shown.

    Returns:
        The answer; ``None`` if nobody is there to give one.
    """
    if not is_here():
        return None
    # A kernel puts its own functions in these two places.
    read = getpass.getpass if masked else input
    try:
        return read(visible(question))
    except EOFError:
        return None


def only_looks() -> bool:
    """Whether Tab, or help at the cursor, asks in this thread, rather than a cell."""
    frame = sys._getframe()  # noqa: SLF001 - the traceback module would read files
    while found := frame.f_back:
        frame = found
        name = str(frame.f_globals.get("__name__"))
        # A kernel looks names up by itself before it asks the rest for help.
        is_help = name.startswith("ipykernel.") and frame.f_code.co_name == "do_inspect"
        if is_help or name.startswith(_LOOKERS):
            return True
    return False
