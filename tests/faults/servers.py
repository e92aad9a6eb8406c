"""Faulty servers, and what a process holds before and after it had them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from mcp_magic.config import Stdio
from mcp_magic.model import Secret
from tests.waiting import until

__all__ = ["FAULTY", "Held", "faulty", "is_running"]

FAULTY = Path(__file__).parents[1] / "servers" / "faulty.py"


def faulty(
    *faults: str, env: Mapping[str, str] | None = None, cwd: str | None = None
) -> Stdio:
    """Return a command for the fault server."""
    secrets = {name: Secret(value) for name, value in (env or {}).items()}
    return Stdio(sys.executable, ("-S", str(FAULTY), *faults), secrets, cwd)


def is_running(pid: int) -> bool:
    """Whether a process can still do something."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@dataclass(frozen=True)
class Held:
    """What this process holds.

    Attributes:
        processes: Its children and theirs.
        files: The number of its file descriptors.
        threads: The names of its threads.
    """

    processes: frozenset[int]
    files: int
    threads: frozenset[str]

    @classmethod
    def now(cls) -> Held:
        """Count."""
        children = psutil.Process().children(recursive=True)
        return cls(
            frozenset(one.pid for one in children if is_running(one.pid)),
            len(os.listdir("/dev/fd")),  # noqa: PTH208 - names are enough
            frozenset(one.name for one in threading.enumerate()),
        )

    def left(self) -> list[str]:
        """Tell what is held now, and was not then.

        What ends takes its time: asyncio has a thread that waits for each process.
        """
        until(lambda: not self._left())
        return self._left()

    def _left(self) -> list[str]:
        now = Held.now()
        found = [
            ("processes", now.processes - self.processes),
            ("files", max(now.files - self.files, 0)),
            ("threads", now.threads - self.threads),
        ]
        return [f"{name}: {amount}" for name, amount in found if amount]
