"""``python -m mcp_magic.demo``: the demo server over stdio, or HTTP on loopback."""

import argparse
import gc
import signal
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until standard input ends or a signal comes."""
    port = _parser().parse_args(argv).http
    # There is nothing to save: Ctrl-C ends the process at once, without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What is imported stays; looking for garbage meanwhile takes a quarter of the time.
    gc.disable()
    from mcp_magic.demo import serving  # noqa: PLC0415 - a second; --help needs it not

    gc.freeze()
    gc.enable()
    if port is None:
        serving.stdio()
    else:
        serving.http(port)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mcp_magic.demo",
        description="A small MCP server to try things with, over standard input and "
        "output. It needs no network and keeps nothing.",
    )
    parser.add_argument(
        "--http",
        metavar="PORT",
        type=_port,
        help="serve over HTTP on 127.0.0.1 instead; 0 picks a free port",
    )
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


if __name__ == "__main__":
    main()
