"""Calls from the command line by mcporter, with its daemon and without."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks import npm
from benchmarks.clock import say, timed
from benchmarks.registry import AtLeast, Measured, NotMeasured, Scale, row
from benchmarks.shell import Magic, magics
from benchmarks.warm import DEMO
from mcp_magic.config import Stdio

__all__ = ["mcporter_cold", "mcporter_warm"]

_TEXT = "several words"
_CALLS = 200  # of ours after each of theirs
_LIMIT = 60  # seconds


@row("%mcp demo.echo warm, stdio", "mcporter with warm daemon", AtLeast(200))
def mcporter_warm(scale: Scale) -> Measured:
    """The daemon keeps the server; each call is a process of mcporter."""
    return _compare("warm", scale)


@row("%mcp demo.echo warm, stdio", "mcporter without daemon", AtLeast(200))
def mcporter_cold(scale: Scale) -> Measured:
    """Each call starts mcporter and the server."""
    return _compare("cold", scale)


def _compare(server: str, scale: Scale) -> Measured:
    demo = Stdio(DEMO[0], DEMO[1:])
    with _mcporter(scale) as call, magics(speaker=demo) as run:
        for answer in (_text(call(server)), _ours(run)):
            if answer != _TEXT:
                raise NotMeasured(f"the answers differ: {answer!r}")
        mine: list[float] = []
        theirs: list[float] = []
        for _ in range(scale.repeats):
            theirs.append(timed(lambda: call(server))[0])
            mine += [timed(lambda: _ours(run))[0] for _ in range(_CALLS)]
            say(f"mcporter, {server}: {theirs[-1] * 1000:.0f} ms")
    return Measured(
        statistics.median(mine),
        statistics.median(theirs),
        f"{scale.repeats} calls of mcporter",
    )


def _ours(run: Magic) -> str:
    return run(f"speaker.echo text={_TEXT!r}").text


def _text(printed: str) -> str:
    """Return the text in what mcporter printed as JSON."""
    whole = json.loads(printed)
    return str(whole.get("result", whole) if isinstance(whole, Mapping) else whole)


@contextlib.contextmanager
def _mcporter(scale: Scale) -> Iterator[Callable[[str], str]]:
    """Give a function that calls ``echo`` of a server by name, ``warm`` or ``cold``."""
    program = npm.mcporter(allowed=scale.npm)
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "mcporter.json")
        config.write_text(json.dumps(_config()), encoding="utf-8")
        env = {**os.environ, "HOME": folder, "MCPORTER_DAEMON_DIR": folder}

        def mcporter(*words: str) -> str:
            command = [*program, "--config", str(config), *words]
            done = subprocess.run(
                command,
                capture_output=True,
                encoding="utf-8",
                check=False,
                env=env,
                cwd=folder,
                timeout=_LIMIT,
            )
            if done.returncode:
                last = (done.stderr.strip().splitlines() or ["no reason"])[-1]
                raise NotMeasured(f"mcporter failed: {last}")
            return done.stdout

        def call(server: str) -> str:
            target = f"{server}.echo"
            return mcporter("call", target, f"text={_TEXT}", "--output", "json")

        try:
            yield call
        finally:
            with contextlib.suppress(NotMeasured):
                mcporter("daemon", "stop")


def _config() -> dict[str, object]:
    server = {"command": sys.executable, "args": list(DEMO[1:])}
    return {
        "mcpServers": {
            "warm": {**server, "lifecycle": "keep-alive"},
            "cold": {**server, "lifecycle": "ephemeral"},
        },
        "imports": [],
    }
