"""The two ways to serve the demo: over standard input and output, or over HTTP."""

import os
import socket
import sys

import uvicorn

from mcp_magic.demo.server import build

__all__ = ["http", "stdio"]

HOST = "127.0.0.1"


def stdio() -> None:
    """Serve until standard input ends."""
    try:
        build().run("stdio")
    except* BrokenPipeError:
        # The client died in the middle of a call, which is an end, too. A usual exit
        # would try once more to write what it was owed, and complain.
        os._exit(0)


def http(port: int) -> None:
    """Serve on *port* of the loopback until a signal comes; 0 picks a free port."""
    listener = _listen(port)
    config = uvicorn.Config(
        build().streamable_http_app(host=HOST),
        # Streams that a client keeps open must not hold up the end.
        timeout_graceful_shutdown=1,
        log_config=None,
        log_level="critical",
    )
    # Connections wait in the listener until the server takes them.
    url = f"http://{HOST}:{listener.getsockname()[1]}/mcp"
    sys.stderr.write(f"{url}\n")
    sys.stderr.flush()
    uvicorn.Server(config).run(sockets=[listener])


def _listen(port: int) -> socket.socket:
    try:
        listener = socket.create_server((HOST, port), backlog=128)
    except OSError as error:
        # The text of the error itself would name the address again.
        reason = os.strerror(error.errno) if error.errno else str(error)
        sys.exit(f"Cannot listen on {HOST}:{port}: {reason}.")
    # asyncio does this for sockets it makes itself; without it, an answer waits 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
