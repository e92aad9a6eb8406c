"""A port for a server that must listen at a known one, or at the same one again."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

__all__ = ["reserved"]


@contextlib.contextmanager
def reserved() -> Iterator[int]:
    """Give a port of 127.0.0.1 that the system gives to nobody else in the block.

    Whoever names it may listen there and reuses the address, as asyncio's servers do;
    until then a connection is refused.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]
