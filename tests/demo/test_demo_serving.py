"""The demo as a process: over stdio and HTTP, its work stopped, its end."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult

from mcp_magic.demo.server import build

Era: TypeAlias = Literal["auto", "legacy"]

COMMAND = [sys.executable, "-W", "error", "-m", "mcp_magic.demo"]
_LIMIT = 120  # seconds; only what fails takes so long

SIGNALS = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


@contextmanager
def _started(*options: str) -> Iterator[subprocess.Popen[str]]:
    """Start the demo; whatever the test did, it is gone afterwards."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*COMMAND, *options], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _send(process: subprocess.Popen[str], method: str, **rest: object) -> None:
    assert process.stdin
    message = {"jsonrpc": "2.0", "method": method, **rest}
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def _shake_hands(process: subprocess.Popen[str]) -> None:
    client = {"name": "test", "version": "1"}
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": client,
    }
    _send(process, "initialize", id=1, params=params)
    assert process.stdout
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]
    _send(process, "notifications/initialized")


async def _stop_slow(client: Client) -> str:
    """Cancel `slow` after its first report; return the note that it left."""
    started = asyncio.Event()
    before = await _notes(client)

    async def reported(
        progress: float, total: float | None, message: str | None
    ) -> None:
        assert (total, message) == (1000, f"Step {progress:g} of 1000")
        started.set()

    work = client.call_tool(
        "slow", {"seconds": 60, "steps": 1000}, progress_callback=reported
    )
    task = asyncio.create_task(work)
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # Over HTTP the server sees the end of the request a moment later.
    while len(notes := await _notes(client)) == len(before):
        pass
    return notes[-1]


async def _notes(client: Client) -> list[str]:
    result = await client.call_tool("list_notes")
    return [row["text"] for row in (result.structured_content or {})["result"]]


def test_progress_is_reported_after_each_step(era: Era) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def reported(
        progress: float, total: float | None, message: str | None
    ) -> None:
        seen.append((progress, total, message))

    async def talk() -> CallToolResult:
        async with Client(build(), mode=era) as client:
            arguments = {"seconds": 0.01, "steps": 3}
            return await client.call_tool("slow", arguments, progress_callback=reported)

    result = asyncio.run(talk())
    assert result.structured_content == {"result": "Took 0.01 seconds in 3 steps."}
    assert sorted(seen) == [(n, 3, f"Step {n} of 3") for n in (1, 2, 3)]


def test_cancelling_slow_reaches_the_server(era: Era) -> None:
    async def talk() -> str:
        async with asyncio.timeout(_LIMIT), Client(build(), mode=era) as client:
            return await _stop_slow(client)

    assert asyncio.run(talk()).startswith("slow was stopped after ")


def test_it_talks_over_stdio_and_says_nothing_else(era: Era, tmp_path: Path) -> None:
    log = tmp_path / "stderr"

    async def talk() -> str:
        server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
        with log.open("w", encoding="utf-8") as errors:
            transport = stdio_client(server, errlog=errors)
            async with asyncio.timeout(_LIMIT), Client(transport, mode=era) as client:
                result = await client.call_tool("add", {"a": 2, "b": 3})
                assert result.structured_content == {"result": 5}
                assert (await client.call_tool("fail")).is_error
                assert (await client.call_tool("nothing")).is_error
                return await _stop_slow(client)

    assert asyncio.run(talk()).startswith("slow was stopped after ")
    assert log.read_text(encoding="utf-8") == ""


def test_the_end_of_input_ends_it_cleanly() -> None:
    with _started() as process:
        assert process.communicate("", timeout=_LIMIT) == ("", "")
        assert process.returncode == 0


def test_a_client_that_dies_in_the_middle_of_a_call_ends_it_cleanly() -> None:
    with _started() as process:
        _shake_hands(process)
        params = {
            "name": "slow",
            "arguments": {"seconds": 60, "steps": 1000},
            "_meta": {"progressToken": 1},
        }
        _send(process, "tools/call", id=2, params=params)
        assert process.stdout
        assert process.stdin
        assert process.stderr
        assert "notifications/progress" in process.stdout.readline()
        process.stdout.close()
        process.stdin.close()
        assert (process.wait(_LIMIT), process.stderr.read()) == (0, "")


@SIGNALS
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_ends_it_at_once_without_a_traceback(name: str) -> None:
    number = signal.Signals[name]
    with _started() as process:
        _shake_hands(process)
        process.send_signal(number)
        assert (process.wait(_LIMIT), process.communicate()) == (-number, ("", ""))


@SIGNALS
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_over_http_it_serves_both_eras_until_a_signal_comes(name: str) -> None:
    async def talk(url: str, era: Era) -> None:
        async with asyncio.timeout(_LIMIT), Client(url, mode=era) as client:
            result = await client.call_tool("add", {"a": 2, "b": 3})
            assert result.structured_content == {"result": 5}
            assert (await _stop_slow(client)).startswith("slow was stopped after ")

    with _started("--http", "0") as process:
        assert process.stderr
        url = process.stderr.readline().removesuffix("\n")
        assert url.startswith("http://127.0.0.1:")
        assert url.endswith("/mcp")
        asyncio.run(talk(url, "auto"))
        asyncio.run(talk(url, "legacy"))
        number = signal.Signals[name]
        process.send_signal(number)
        assert (process.wait(_LIMIT), process.communicate()) == (-number, ("", ""))


def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with _started("--http", str(port)) as process:
            _, errors = process.communicate(timeout=_LIMIT)
    assert errors.startswith(f"Cannot listen on 127.0.0.1:{port}: ")
    assert errors.count("\n") == 1
    assert process.returncode == 1


@pytest.mark.parametrize("port", ["65536", "-1", "http"])
def test_a_port_must_be_a_number_that_ports_have(port: str) -> None:
    with _started("--http", port) as process:
        _, errors = process.communicate(timeout=_LIMIT)
    assert "a port is a number from 0 to 65535" in errors
    assert process.returncode == 2


def test_help_explains_the_two_ways() -> None:
    with _started("--help") as process:
        said, errors = process.communicate(timeout=_LIMIT)
    assert "--http PORT" in said
    assert (errors, process.returncode) == ("", 0)
