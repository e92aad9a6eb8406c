"""Large texts over stdio, where reading can cost the square of the size."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import TextContent

from benchmarks.clock import say, timed
from benchmarks.plain_server import text
from benchmarks.registry import AtLeast, AtMost, Measured, NotMeasured, Scale, row
from mcp_magic.config import ServerEntry, Stdio
from mcp_magic.session import Server, Session

__all__ = ["growth", "large_text"]

_SERVER = str(Path(__file__).with_name("plain_server.py"))
_PATIENCE = 20.0  # seconds; a side that took longer gets no larger text

Seconds = Mapping[int, float]


@row("50 MB text over stdio", "the bare SDK, same server", AtLeast(50))
def large_text(scale: Scale) -> Measured:
    """Without ``--full`` the bare SDK's time is estimated from smaller texts."""
    mine, theirs = _ours(scale), _theirs(scale)
    size = max(mine)
    notes = [f"bare SDK {_list(theirs)}"]
    if size not in theirs:
        notes.append(f"{size} MB estimated as its square")
    if size != max(scale.megabytes):
        notes.append(f"ours took too long for more than {size} MB")
    other = theirs.get(size) or _estimate(theirs, size)
    return Measured(mine[size], other, "; ".join(notes))


@row("a megabyte of a 50 MB text", "a megabyte of a 1 MB text", AtMost(1.5))
def growth(scale: Scale) -> Measured:
    """Below 1 the cost of a call itself shows; a square would be 50."""
    mine = _ours(scale)
    small, large = min(mine), max(mine)
    if small == large:
        raise NotMeasured(f"ours took {mine[small]:.1f} s for {small} MB")
    return Measured(mine[large] / large, mine[small] / small, _list(mine))


def _estimate(measured: Seconds, size: int) -> float:
    """Return what a square through the last measured size gives."""
    last = max(measured)
    return measured[last] * (size / last) ** 2


def _list(seconds: Seconds) -> str:
    return ", ".join(f"{size} MB {took:.2g} s" for size, took in seconds.items())


@cache
def _ours(scale: Scale) -> Seconds:
    session = Session()
    entry = session.add(ServerEntry("plain", Stdio(sys.executable, (_SERVER,))))
    server = Server(session, entry)
    taken: dict[int, float] = {}
    try:
        for size in scale.megabytes:
            took, result = timed(partial(server.text, megabytes=size))
            _check(result.text, size)
            taken[size] = took
            say(f"ours: {size} MB in {took:.2f} s")
            if took > _PATIENCE:
                break
    finally:
        session.shut_down()
    return taken


@cache
def _theirs(scale: Scale) -> Seconds:
    return asyncio.run(_bare(scale))


async def _bare(scale: Scale) -> Seconds:
    parameters = StdioServerParameters(command=sys.executable, args=[_SERVER])
    taken: dict[int, float] = {}
    async with Client(stdio_client(parameters)) as client:
        await client.list_tools()
        for size in scale.peer_megabytes:
            started = time.perf_counter()
            result = await client.call_tool("text", {"megabytes": size})
            taken[size] = time.perf_counter() - started
            (block,) = result.content
            _check(block.text if isinstance(block, TextContent) else "", size)
            say(f"bare SDK: {size} MB in {taken[size]:.2f} s")
    return taken


def _check(got: str, megabytes: int) -> None:
    if got != text(megabytes):
        raise NotMeasured(f"the text of {megabytes} MB arrived changed")
