"""The person at the keyboard: whether there is one, and a line of text from them."""

from __future__ import annotations

import getpass
import sys
import threading
from typing import Any

from mcp_magic.errors import visible

__all__ = ["ask", "cell", "is_here", "kernel"]


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
