"""A bell that another process rings: a test waits for what happens, not for a time."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Self

__all__ = ["Bell"]

_LIMIT = 60.0  # seconds in which it must ring
_STUCK = Path(__file__).parent / "servers" / "stuck.py"


class Bell:
    """A listening socket; a context manager.

    Attributes:
        port: Where it is rung, on 127.0.0.1.
    """

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(_LIMIT)
        self.port: int = self._socket.getsockname()[1]
        self._held: list[socket.socket] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in (*self._held, self._socket):
            one.close()

    def heard(self) -> str:
        """Wait until it is rung, and return what was said."""
        line, _ = self._socket.accept()
        with line:
            line.settimeout(_LIMIT)
            return line.makefile(encoding="utf-8").read()

    def answered(self) -> None:
        """Wait until it is rung, and keep whoever rang waiting for a word."""
        self._held.append(self._socket.accept()[0])

    def stuck_at(self, method: str, *, later: bool = False) -> str:
        """Return the command of a server that rings and never answers a method.

        Args:
            method: Which; or ``start`` or ``end``: see the server.
            later: Whether it answers the first time.
        """
        words = f"{sys.executable} -S {_STUCK} {self.port} {method}"
        return f"{words} later" if later else words
