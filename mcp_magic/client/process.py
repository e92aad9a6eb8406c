"""A running server: the lines it writes, its standard input, its end."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, cast

import anyio

from mcp_magic.client.launch import Command, NotStarted, batch_line, why
from mcp_magic.client.overheard import Overheard

__all__ = ["Process", "kill_all", "start", "surely"]

_LINGER = 0.25  # seconds in which pipes end after their process, unless shared
_FAREWELL = 0.5  # seconds between the two signals at interpreter exit
_ORPHANED = 0.5  # seconds for what a process started, once it is gone itself
_REAPED = 1.0  # seconds until the loop notices that a killed process is gone
_POLL = 0.02  # seconds
_ENOUGH = 1 << 20  # bytes of unread lines at which reading pauses
_LONGEST = 1 << 29  # bytes of a line that never ends

_groups: dict[int, int] = {}  # process group of a running server: process it belongs to


def kill_all() -> None:
    """End every server that this process started and that still runs; needs no loop.

    The last resort at interpreter exit: safe to call again, and without effect in a
    forked child.
    """
    mine = [group for group, parent in _groups.items() if parent == os.getpid()]
    _groups.clear()
    for hard in (False, True):
        for group in mine:
            _signal(group, hard=hard)
        deadline = time.monotonic() + _FAREWELL
        while (mine := [g for g in mine if _lives(g)]) and time.monotonic() < deadline:
            time.sleep(_POLL)


atexit.register(kill_all)


class Process(asyncio.SubprocessProtocol):
    """A running server: the lines it writes, its standard input, its end.

    Attributes:
        exited: Set at once when the process ends.
        closing: Whether it was told to end; what it says then is not kept.
    """

    def __init__(self, heard: Overheard) -> None:
        self.exited = asyncio.Event()
        self.closing = False
        self._heard = heard
        self._released = asyncio.Event()  # process and pipes are gone
        self._lines: deque[bytes] = deque()
        self._waiting = 0  # bytes in these lines
        self._begun = io.BytesIO()  # a line whose end has not come
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._open = {0, 1, 2}
        self._paused = self._draining = self._over = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take note that it runs (asyncio's protocol)."""
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self._group = self._transport.get_pid()
        _groups[self._group] = os.getpid()

    # -- what it writes

    async def next_line(self) -> bytes | None:
        """Return its next line of standard output; ``None`` after the last."""
        while not self._lines:
            if self._over:
                return None
            self._news.clear()
            await self._news.wait()
        line = self._lines.popleft()
        self._waiting -= len(line)
        self._pace()
        return line

    def drain(self) -> None:
        """From now on read and forget: a process that cannot write cannot end."""
        self._draining = True
        self._begun = io.BytesIO()
        self._pace()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take what it wrote (asyncio's protocol)."""
        if fd == 2:
            if not self.closing:
                self._heard.stderr(data)
        elif not self._draining:
            self._take(data)

    def _take(self, data: bytes) -> None:
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._begun.write(data[start:end])
            self._end_line()
            start = end + 1
        # A long line is copied here alone: the buffer grows in place, and gives its
        # content away as it is.
        self._begun.write(data[start:])
        if self._begun.tell() > _LONGEST:
            self.drain()
            self._heard.stray(f"a line of more than {_LONGEST >> 20} MB without end")
            self._end()
        self._pace()

    def _end_line(self) -> None:
        line = self._begun.getvalue()
        self._begun = io.BytesIO()
        if line and not line.isspace():
            self._lines.append(line)
            self._waiting += len(line)
            self._news.set()

    def _pace(self) -> None:
        """Read no more than is taken."""
        pipe = cast("asyncio.ReadTransport", self._transport.get_pipe_transport(1))
        pause = self._waiting > _ENOUGH and not self._draining
        if pause and not self._paused:
            pipe.pause_reading()
        elif self._paused and not pause:
            pipe.resume_reading()
        self._paused = pause

    # -- what it reads

    async def write(self, data: bytes) -> None:
        """Write to its standard input; returns when there is room for more.

        Raises:
            BrokenPipeError: It reads no more.
        """
        pipe = self._stdin()
        if 0 not in self._open or pipe.is_closing():
            raise BrokenPipeError
        pipe.write(data)
        await self._room.wait()

    def pause_writing(self) -> None:
        """Wait until it has read what was sent (asyncio's protocol)."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Send on (asyncio's protocol)."""
        self._room.set()

    def _stdin(self) -> asyncio.WriteTransport:
        pipe = self._transport.get_pipe_transport(0)
        return cast("asyncio.WriteTransport", pipe)

    # -- its end

    def process_exited(self) -> None:
        """Take note of its exit code (asyncio's protocol)."""
        if not self.closing:
            self._heard.exit_code = self._transport.get_returncode()
        self.exited.set()
        self._wind_up()

    def pipe_connection_lost(self, fd: int, _exc: Exception | None) -> None:
        """Take note that it closed a stream (asyncio's protocol)."""
        self._open.discard(fd)
        self._room.set()
        if fd != 2 or self.exited.is_set():
            self._wind_up()

    def connection_lost(self, _exc: Exception | None) -> None:
        """Take note that nothing of it is left here (asyncio's protocol)."""
        self._released.set()

    def _wind_up(self) -> None:
        """End the lines when all was said, or soon if somebody else has the pipes."""
        if self.exited.is_set() and not self._open & {1, 2}:
            self._end()
        elif self._timer is None and not self._over:
            self._timer = asyncio.get_running_loop().call_later(_LINGER, self._late)

    def _late(self) -> None:
        self._timer = None
        if self._paused:  # there is more to read, only not yet
            self._wind_up()
        else:
            self._end()

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._over:
            self._end_line()
            self._over = True
            self._news.set()

    def let_go(self) -> None:
        """Listen no more; a line that was begun, such as a prompt, is overheard."""
        if not self.exited.is_set():
            begun = self._begun.getvalue()[:_ENOUGH]
            self._heard.stray(begun.decode("utf-8", "replace"))
            self.closing = True
        self.drain()

    async def stop(self, grace: float) -> None:
        """End the process and its whole group, and close the pipes."""
        gone = False
        try:
            self._stdin().close()
            gone = await self._gone(grace)
            for hard in (False, True):
                if not gone:
                    _signal(self._group, hard=hard)
                    gone = await self._gone(grace)
        finally:
            if not gone:  # cancelled with the whole loop
                _signal(self._group, hard=True)
                await self._gone(_REAPED)
            _groups.pop(self._group, None)
            # Also ends the reading where a process that left the group has the pipes.
            self._transport.close()
            self._end()
            await _within(_REAPED, self._released.wait())

    async def _gone(self, limit: float) -> bool:
        """Wait for the end of the process and of all that it started."""
        deadline = time.monotonic() + limit
        if not await _within(limit, self.exited.wait()):
            return False
        deadline = min(deadline, time.monotonic() + _ORPHANED)
        pause = _POLL / 8
        while _lives(self._group):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(pause)
            pause = min(2 * pause, _POLL)
        return True


async def start(command: Command, heard: Overheard, grace: float) -> Process:
    """Start the command; a cancelled start leaves nothing behind."""
    process = Process(heard)
    # A task of its own: cancelling asyncio's start kills one process, not its group.
    starting = asyncio.ensure_future(_spawn(command, process))
    error: OSError | ValueError
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True):
            await surely(_abandon(starting, process, grace))
        raise
    except (OSError, ValueError) as failure:
        error = failure
    else:
        return process
    raise NotStarted(why(error, command))


async def _spawn(command: Command, process: Process) -> None:
    loop = asyncio.get_running_loop()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    options: dict[str, Any] = {**pipes, "env": command.env, "cwd": command.cwd}
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NO_WINDOW
        program, *args = (command.program or command.words[0], *command.words[1:])
        if program.lower().endswith((".cmd", ".bat")):
            line = batch_line(program, args)
            await loop.subprocess_shell(lambda: process, line, **options)
            return
        await loop.subprocess_exec(lambda: process, program, *args, **options)
    else:
        # A session of its own: Ctrl-C in the terminal is no signal to servers, and
        # its process group is the whole tree.
        options["start_new_session"] = True
        await loop.subprocess_exec(lambda: process, *command.words, **options)


async def _abandon(
    starting: asyncio.Future[None], process: Process, grace: float
) -> None:
    await asyncio.wait([starting])
    if starting.cancelled() or starting.exception() is not None:
        return
    process.let_go()
    await process.stop(grace)


def _signal(group: int, *, hard: bool) -> None:
    """Ask a process group to end, or force it; one that is gone is no error."""
    if sys.platform == "win32":
        # There is no gentle signal without a console.
        kill = ["taskkill", "/F", "/T", "/PID", str(group)]
        subprocess.run(kill, capture_output=True, check=False)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL if hard else signal.SIGTERM)


def _lives(group: int) -> bool:
    """Whether a process group has a member that can still do something."""
    if sys.platform == "win32":
        return False
    else:  # noqa: RET505 - mypy needs it on each system
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return False
        # In a container often nobody collects orphans: they stay members for good.
        return not sys.platform.startswith("linux") or _has_undead(group)


def _has_undead(group: int) -> bool:
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            stat = (folder / "stat").read_bytes()
            state, _, owner = stat.rpartition(b")")[2].split()[:3]
            if int(owner) == group and state not in (b"Z", b"X"):
                return True
    return False


async def surely(work: Coroutine[Any, Any, None]) -> None:
    """Await *work* to its end, also when this task is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


async def _within(limit: float, work: Coroutine[Any, Any, Any]) -> bool:
    """Await *work* for some seconds; return whether it came to its end."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(limit):
            await work
            return True
    return False
