"""Connect, crash and interrupt servers many times, and look for what is left.

``python -m tests.faults.soak`` runs the full numbers and prints a table.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Callable

import psutil

from mcp_magic.client.caller import Nobody
from mcp_magic.client.connection import Connection
from mcp_magic.client.process import Process
from mcp_magic.client.requests import call_tool
from mcp_magic.client.settings import Settings
from mcp_magic.config import ServerEntry
from mcp_magic.errors import CallStopped, ServerExited
from mcp_magic.session import Server, Session
from tests.faults.servers import Held, faulty

__all__ = ["connects", "crashes", "interrupts", "left"]

_SERVERS = (
    ("banner",),
    ("glued", "flood=100000"),
    ("modern",),
    ("crlf",),
    ("garbage",),
)


def left(work: Callable[[int], None], times: int) -> list[str]:
    """Do *work* so many times over five servers; return what is left afterwards."""
    work(len(_SERVERS))  # what is loaded and started once is no leak
    before = Held.now()
    work(times)
    found = before.left()
    gc.collect()
    kept = sum(isinstance(one, Process) for one in gc.get_objects())
    return [*found, f"servers in memory: {kept}"] if kept else found


def connects(times: int) -> None:
    """Connect, call and close."""

    async def once(at: Connection) -> None:
        await at.up()
        await call_tool(at, "echo", {"text": "x"}, Nobody())
        await at.down()

    _on_one_loop(once, times)


def crashes(times: int) -> None:
    """Connect, and call what ends the server, with another call under way."""

    async def once(at: Connection) -> None:
        await at.up()
        calls = [call_tool(at, tool, {}, Nobody()) for tool in ("never", "dies")]
        for end in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(end, ServerExited), end

    _on_one_loop(once, times)


def _on_one_loop(once: Callable[[Connection], object], times: int) -> None:
    async def go() -> None:
        entries = [ServerEntry(f[0], faulty(*f)) for f in _SERVERS]
        servers = [Connection(entry, Settings(30)) for entry in entries]

        async def several(server: Connection, count: int) -> None:
            for _ in range(count):
                await once(server)  # type: ignore[misc] # it is a coroutine
            await server.down()

        count = -(-times // len(servers))
        await asyncio.gather(*(several(server, count) for server in servers))
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not others, others

    asyncio.run(go())


def interrupts(times: int) -> None:
    """Press Ctrl-C while a server starts, and while a call runs."""
    session = Session()
    servers = [
        Server(session, session.add(ServerEntry(f[0], faulty(*f)))) for f in _SERVERS
    ]
    hanging = session.add(ServerEntry("hanging", faulty("interrupts")))
    for turn in range(times):
        server = servers[turn % len(servers)]
        assert server["echo"](text="usable").text == "usable"
        try:
            if turn % 3:
                server["interrupt"]()
            else:
                session.run(session.connections.connected(hanging.name))
        except CallStopped:
            continue
        raise AssertionError("it was not interrupted")
    session.shut_down()


def _main() -> None:
    process = psutil.Process()
    failed = False
    for work, times in ((connects, 300), (crashes, 50), (interrupts, 20)):
        work(len(_SERVERS))
        memory, started = process.memory_info().rss, time.perf_counter()
        found = left(work, times)
        grown = (process.memory_info().rss - memory) / 1e6
        seconds = time.perf_counter() - started
        what = ", ".join(found) or "nothing left"
        line = f"{times:4} {work.__name__:10} {seconds:6.1f} s {grown:+6.1f} MB  {what}"
        sys.stdout.write(line + "\n")
        failed = failed or bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    _main()
