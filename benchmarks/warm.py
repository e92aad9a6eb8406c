"""A call over a connection that is up: ``%mcp`` against the SDK in its own loop."""

from __future__ import annotations

import asyncio
import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import TextContent

from benchmarks.clock import in_blocks
from benchmarks.registry import AtMost, Measured, NotMeasured, Scale, row
from benchmarks.shell import Magic, magics
from mcp_magic.config import Http, InProcess, Stdio
from mcp_magic.demo.server import build

__all__ = ["DEMO", "warm_http", "warm_in_process", "warm_stdio"]

DEMO = (sys.executable, "-P", "-m", "mcp_magic.demo")
_SDK = "the bare SDK in its own loop, same server"
_TEXT = "several words"
_LINE = f"speaker.echo text={_TEXT!r}"
_WARM_UP = 20  # calls


@row("%mcp demo.echo warm, stdio", _SDK, AtMost(1.3))
def warm_stdio(scale: Scale) -> Measured:
    """Each side has a process of its own."""
    command, *arguments = DEMO
    parameters = StdioServerParameters(command=command, args=arguments)
    with magics(speaker=Stdio(command, tuple(arguments))) as run:
        return asyncio.run(_compare(run, Client(stdio_client(parameters)), scale))


@row("%mcp demo.echo warm, HTTP", _SDK, AtMost(1.3))
def warm_http(scale: Scale) -> Measured:
    """Both sides share the server."""
    with _serving() as url, magics(speaker=Http(url)) as run:
        return asyncio.run(_compare(run, Client(url), scale))


@row("%mcp demo.echo warm, in this process", _SDK, AtMost(1.3))
def warm_in_process(scale: Scale) -> Measured:
    """Both sides share the server object."""
    server = build()
    with magics(speaker=InProcess(server)) as run:
        return asyncio.run(_compare(run, Client(server), scale))


async def _compare(run: Magic, client: Client, scale: Scale) -> Measured:
    async with client:
        await client.list_tools()

        async def theirs() -> str:
            result = await client.call_tool("echo", {"text": _TEXT})
            (block,) = result.content
            return block.text if isinstance(block, TextContent) else ""

        for _ in range(_WARM_UP):
            answers = {run(_LINE).text, await theirs(), _TEXT}
            if len(answers) > 1:
                raise NotMeasured(f"the answers differ: {answers}")
        return await in_blocks(
            lambda: run(_LINE), theirs, blocks=scale.blocks, calls=scale.calls
        )


@contextlib.contextmanager
def _serving() -> Iterator[str]:
    """Give the URL of the demo server over HTTP."""
    command = [*DEMO, "--http", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = process.stderr.readline() if process.stderr else ""
            url = re.search(r"http://\S+", said)
            if url is None:
                raise NotMeasured(f"the demo server did not start: {said.strip()}")
            yield url.group()
        finally:
            process.terminate()
