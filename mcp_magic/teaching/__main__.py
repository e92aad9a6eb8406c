"""``python -m mcp_magic.teaching``: a server to sign in to, on this machine."""

import argparse
import contextlib
import sys
import threading

from mcp_magic.teaching.running import start


def main() -> None:
    """Serve until Ctrl-C; the first line says where."""
    parser = argparse.ArgumentParser(prog="python -m mcp_magic.teaching")
    for name in ("port", "service-port"):
        parser.add_argument(f"--{name}", type=int, default=0)
    options = parser.parse_args()
    both = start(ports=(options.port, options.service_port))
    sys.stdout.write(f"{both.url}\n")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    both.stop()


if __name__ == "__main__":
    main()
