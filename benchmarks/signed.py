"""Calls at once to a server that wants a sign-in: none waits for another's token."""

from __future__ import annotations

import asyncio
import os
from unittest.mock import patch

from benchmarks.clock import in_turns, timed
from benchmarks.registry import AtMost, Measured, Scale, row
from mcp_magic.config import Http
from mcp_magic.session import Server, Session
from mcp_magic.teaching.running import running, visit

__all__ = ["signed_in_calls"]

_CALLS = 8
_SECONDS = 0.5


@row("8 calls of 0.5 s at once, signed in", "one of them", AtMost(1.3))
def signed_in_calls(scale: Scale) -> Measured:
    """Over HTTP to the bundled server with its sign-in service; tokens in memory."""
    session = Session()
    with patch.dict(os.environ, MCP_MAGIC_TOKENS="memory"), running() as acme:
        try:
            server = _signed_in(session, acme.url)
            return in_turns(
                lambda: _at_once(server, _CALLS, _SECONDS * scale.sleep),
                lambda: _at_once(server, 1, _SECONDS * scale.sleep),
                scale.repeats,
            )
        finally:
            session.shut_down()


def _signed_in(session: Session, url: str) -> Server:
    server = Server(session, session.adopt(Http(url), "acme"))
    connection = session.connections.of("acme")
    job = session.run(session.sign_ins.begin(connection))
    visit(job.url)
    job.wait()
    server.slow(seconds=0)
    return server


def _at_once(server: Server, count: int, seconds: float) -> float:
    async def go() -> None:
        await asyncio.gather(*(server.slow.aio(seconds=seconds) for _ in range(count)))

    return timed(lambda: asyncio.run(go()))[0]
