"""Many servers that start slowly, at once."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.clock import in_turns, timed
from benchmarks.registry import AtMost, Measured, NotMeasured, Scale, row
from mcp_magic.config import ServerEntry, Stdio
from mcp_magic.session import Session

__all__ = ["sleeping_servers"]

_SERVER = str(Path(__file__).with_name("plain_server.py"))


@row("20 servers that sleep 1 s at start, listed", "one of them", AtMost(1.5))
def sleeping_servers(scale: Scale) -> Measured:
    """Processes of the standard library; each run starts new ones."""
    return in_turns(
        lambda: _listing(20, scale.sleep),
        lambda: _listing(1, scale.sleep),
        scale.repeats,
    )


def _listing(count: int, sleep: float) -> float:
    session = Session()
    command = Stdio(sys.executable, ("-I", "-S", _SERVER, str(sleep)))
    names = [f"sleeper-{number}" for number in range(count)]
    for name in names:
        session.add(ServerEntry(name, command))
    try:
        seconds, listed = timed(
            lambda: session.run(session.connections.relisted(*names))
        )
        for name, outcome in listed.items():
            if isinstance(outcome, Exception):
                raise NotMeasured(f"{name}: {outcome}")
            if list(outcome.tools or {}) != ["text"]:
                raise NotMeasured(f"{name} lists {outcome.tools}")
    finally:
        session.shut_down()
    return seconds
