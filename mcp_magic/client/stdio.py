"""Start a command as a server, talk to it over its standard streams, and end it.

The SDK's own transport reads long lines in quadratic time, hangs on one invalid byte,
and loses standard error and exit code. This one yields the same two streams.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import errno
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, TypeAlias, cast

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage
from pydantic_core import PydanticSerializationError

from mcp_magic.client.overheard import Overheard, paired, read_line, secret_texts
from mcp_magic.config import Stdio

__all__ = ["NotStarted", "kill_all", "open_stdio"]

ReadStream: TypeAlias = MemoryObjectReceiveStream[SessionMessage | Exception]
WriteStream: TypeAlias = MemoryObjectSendStream[SessionMessage]

_LINGER = 0.25  # seconds in which pipes end after their process, unless shared
_FLUSH = 0.5  # seconds in which a request under way is still written
_FAREWELL = 0.5  # seconds between the two signals at interpreter exit
_ORPHANED = 0.5  # seconds for what a process started, once it is gone itself
_REAPED = 1.0  # seconds until the loop notices that a killed process is gone
_POLL = 0.02  # seconds
_ENOUGH = 1 << 20  # bytes of unread lines at which reading pauses
_LONGEST = 1 << 29  # bytes of a line that never ends
_WINDOWS = sys.platform == "win32"

# Said for the command unless the user's environment or the entry says otherwise.
_DEFAULTS = {
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8",
    "npm_config_yes": "true",  # npx asks on a terminal that nobody sees
    "npm_config_update_notifier": "false",
    "npm_config_color": "false",
    "NO_UPDATE_NOTIFIER": "1",
    "NO_COLOR": "1",
}
# A kernel sets these for what its cells print.
_KERNEL_COLOURS = ("CLICOLOR_FORCE", "FORCE_COLOR")

# Where programs are that a login shell would find, and a kernel often does not.
_LIKELY = (
    "~/.nvm/versions/node/*/bin", "~/.volta/bin", "~/.asdf/shims", "~/.bun/bin",
    "~/.deno/bin", "~/.local/bin", "~/.cargo/bin", "~/.pyenv/shims", "~/go/bin",
    "~/miniconda3/bin", "~/anaconda3/bin", "~/miniforge3/bin", "~/.pixi/bin",
    "/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin",
    "/opt/conda/bin", "/snap/bin",
)  # fmt: skip
_BROUGHT_BY = {
    "node": "Node.js brings it",
    "npm": "Node.js brings it",
    "npx": "Node.js brings it",
    "uv": "pip install uv brings it",
    "uvx": "pip install uv brings it",
    "bunx": "Bun brings it",
}

_groups: dict[int, int] = {}  # process group of a running server: process it belongs to


class NotStarted(Exception):
    """The command cannot be started; the text says why, in one line without a name."""


@contextlib.asynccontextmanager
async def open_stdio(
    target: Stdio,
    heard: Overheard,
    *,
    environ: Mapping[str, str],
    on_exit: Callable[[int | None], None] | None = None,
    grace: float = 2.0,
) -> AsyncIterator[tuple[ReadStream, WriteStream]]:
    """Run a command as a server; give the streams that the SDK's ``Client`` takes.

    When the process ends, the read stream ends after its last message. On leaving,
    its standard input is closed, and what then still runs of its process group is
    ended by signals; nothing survives, in whatever order tasks are cancelled.

    Args:
        target: The command, its placeholders filled in.
        heard: Filled with what the process says besides messages, and its exit code.
        environ: The environment that the command inherits.
        on_exit: Called on the loop when no message can come any more, with the exit
            code, or ``None`` if the process only closed its output; not called when
            the context is left first.
        grace: Seconds to wait for the end after each of: closing its input, SIGTERM,
            SIGKILL.

    Raises:
        NotStarted: The command cannot be run.
    """
    added = {name: value.reveal() for name, value in target.env.items()}
    heard.conceal(secret_texts(added, target.args, environ))
    command = _prepare(target, added, environ)
    if command.note:
        heard.notes.append(command.note)
    process = await _start(command, heard, grace)
    talk = _Talk(process, heard, on_exit)
    try:
        yield talk.reading, talk.writing
    finally:
        # The shield keeps out cancel scopes, ``_surely`` plain cancellation.
        with anyio.CancelScope(shield=True):
            await _surely(talk.close(grace))


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


# -- what to run


@dataclass(frozen=True, slots=True)
class _Command:
    """What is run, and what was changed about it."""

    words: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None
    note: str = ""

    @property
    def path(self) -> str:
        return self.env.get("PATH", os.defpath)

    @property
    def program(self) -> str | None:
        """The file that the first word means, if there is one."""
        return shutil.which(self.file or self.words[0], path=self.path)

    @property
    def file(self) -> str:
        """The path that the first word is; empty if it is a name to look for."""
        name = self.words[0]
        is_path = PurePath(name).name != name
        return str(Path(self.cwd or "", name)) if is_path else ""


def _prepare(
    target: Stdio, added: Mapping[str, str], environ: Mapping[str, str]
) -> _Command:
    inherited = {k: v for k, v in environ.items() if k not in _KERNEL_COLOURS}
    env = {**_DEFAULTS, **inherited, **added}
    words = (target.command, *target.args)
    command = _Command(words, env, target.cwd)
    inner = _inside_cmd(words)
    if inner and not _WINDOWS and command.program is None:
        note = f"{words[0]} {words[1]} is for Windows; {inner[0]} was run without it"
        return _Command(inner, env, target.cwd, note)
    return command


def _inside_cmd(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what ``cmd /c …`` would run; empty for other commands."""
    name, *rest = words
    if PurePath(name).name.lower() not in ("cmd", "cmd.exe"):
        return ()
    while rest and rest[0].startswith("/"):
        if rest.pop(0).lower() in ("/c", "/k"):
            return tuple(shlex.split(rest[0]) if len(rest) == 1 else rest)
    return ()


def _why(error: OSError | ValueError, command: _Command) -> str:
    """Explain in words why a command could not be started."""
    name, cwd = command.words[0], command.cwd
    if cwd is not None and not Path(cwd).is_dir():
        return f"its folder {cwd} " + (
            "is a file" if Path(cwd).exists() else "does not exist"
        )
    if cwd is not None and getattr(error, "filename", None) == cwd:
        return f"its folder {cwd} may not be entered"
    match error:
        case FileNotFoundError():
            return _missing(name, command)
        case PermissionError():
            return f"{name} may not be run; is it a program, and executable?"
        case OSError(errno=errno.ENOEXEC):
            return f"{name} is no program for this system, or has no #! line"
        case OSError(strerror=str(said)):
            return f"{name}: {said}"
    return f"{name}: {error}"


def _missing(name: str, command: _Command) -> str:
    program = command.program
    if program is not None:
        return f"{name} names an interpreter that is not there: {_first_line(program)}"
    if command.file:
        return f"there is no file {command.file}"
    folders = list(dict.fromkeys(command.path.split(os.pathsep)))
    shown = os.pathsep.join(folders[:8]) + (" …" if len(folders) > 8 else "")
    said = f"the command {name} is not on PATH ({shown})"
    for place in _likely_places(command.env):
        if shutil.which(name, path=place):
            more = f"{os.pathsep}{place}"
            return f"{said}, but in {place}; import os; os.environ['PATH'] += {more!r}"
    return f"{said}; {_BROUGHT_BY.get(name, 'install it, or give its whole path')}"


def _likely_places(env: Mapping[str, str]) -> Iterator[str]:
    if bin_folder := env.get("NVM_BIN"):
        yield bin_folder
    yield str(Path(sys.executable).parent)
    if prefix := env.get("CONDA_PREFIX"):
        yield str(Path(prefix, "bin"))
    home = env.get("HOME", "")
    for pattern in _LIKELY:
        root, _, rest = pattern.partition("*")
        place = Path(home + root[1:]) if root.startswith("~") else Path(root)
        if rest:
            yield from map(str, sorted(place.glob("*" + rest), reverse=True))
        else:
            yield str(place)


def _first_line(program: str) -> str:
    with contextlib.suppress(OSError), Path(program).open("rb") as file:
        return file.readline(200).decode("utf-8", "replace").strip()
    return program


# -- the process


class _Process(asyncio.SubprocessProtocol):
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
        self._parts: list[bytes] = []  # of a line whose end has not come
        self._size = 0  # bytes in these parts
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._open = {0, 1, 2}
        self._paused = self._draining = self._over = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
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
        self._parts, self._size = [], 0
        self._pace()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            if not self.closing:
                self._heard.stderr(data)
        elif not self._draining:
            self._take(data)

    def _take(self, data: bytes) -> None:
        head, *rest = data.split(b"\n")
        self._parts.append(head)
        self._size += len(head)
        for part in rest:
            self._end_line()
            self._parts, self._size = [part], len(part)
        if self._size > _LONGEST:
            self.drain()
            self._heard.stray(f"a line of more than {_LONGEST >> 20} MB without end")
            self._end()
        self._pace()

    def _end_line(self) -> None:
        line = b"".join(self._parts)
        self._parts, self._size = [], 0
        if line.strip():
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
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    def _stdin(self) -> asyncio.WriteTransport:
        pipe = self._transport.get_pipe_transport(0)
        return cast("asyncio.WriteTransport", pipe)

    # -- its end

    def process_exited(self) -> None:
        if not self.closing:
            self._heard.exit_code = self._transport.get_returncode()
        self.exited.set()
        self._wind_up()

    def pipe_connection_lost(self, fd: int, _exc: Exception | None) -> None:
        self._open.discard(fd)
        self._room.set()
        if fd != 2 or self.exited.is_set():
            self._wind_up()

    def connection_lost(self, _exc: Exception | None) -> None:
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
            begun = b"".join(self._parts)[:_ENOUGH]
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


async def _start(command: _Command, heard: Overheard, grace: float) -> _Process:
    """Start the command; a cancelled start leaves nothing behind."""
    process = _Process(heard)
    # A task of its own: cancelling asyncio's start kills one process, not its group.
    starting = asyncio.ensure_future(_spawn(command, process))
    error: OSError | ValueError
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True):
            await _surely(_abandon(starting, process, grace))
        raise
    except (OSError, ValueError) as failure:
        error = failure
    else:
        return process
    raise NotStarted(_why(error, command))


async def _spawn(command: _Command, process: _Process) -> None:
    loop = asyncio.get_running_loop()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    options: dict[str, Any] = {**pipes, "env": command.env, "cwd": command.cwd}
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NO_WINDOW
        program, *args = (command.program or command.words[0], *command.words[1:])
        if program.lower().endswith((".cmd", ".bat")):
            line = _batch_line(program, args)
            await loop.subprocess_shell(lambda: process, line, **options)
            return
        await loop.subprocess_exec(lambda: process, program, *args, **options)
    else:
        # A session of its own: Ctrl-C in the terminal is no signal to servers, and
        # its process group is the whole tree.
        options["start_new_session"] = True
        await loop.subprocess_exec(lambda: process, *command.words, **options)


async def _abandon(
    starting: asyncio.Future[None], process: _Process, grace: float
) -> None:
    await asyncio.wait([starting])
    if starting.cancelled() or starting.exception() is not None:
        return
    process.let_go()
    await process.stop(grace)


def _batch_line(program: str, args: list[str]) -> str:
    """Return a command line for ``cmd.exe`` that gives a batch file exactly *args*.

    Quotes alone do not keep ``%NAME%`` from being replaced in a batch file; an empty
    part of another variable in front does.
    """
    return " ".join(map(_batch_word, (program, *args)))


def _batch_word(word: str) -> str:
    word = re.sub(r'(\\*)"', r'\1\1""', word).replace("%", "%%cd:~,%")
    return '"' + re.sub(r"(\\+)$", r"\1\1", word) + '"'


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


# -- the talk


class _Talk:
    """The streams of a running server, and the tasks between them and its pipes."""

    def __init__(
        self,
        process: _Process,
        heard: Overheard,
        on_exit: Callable[[int | None], None] | None,
    ) -> None:
        self._process = process
        self._heard = heard
        self._on_exit = on_exit
        self._heard_end, self.reading = anyio.create_memory_object_stream[
            SessionMessage | Exception
        ](0)
        self.writing, self._to_send = anyio.create_memory_object_stream[SessionMessage](
            0
        )
        self._reader = asyncio.ensure_future(self._read())
        self._writer = asyncio.ensure_future(self._write())

    async def _read(self) -> None:
        try:
            # The stream ends with this block, and every call that waits.
            async with self._heard_end:
                while (line := await self._process.next_line()) is not None:
                    await self._hand_over(line)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # nobody listens any more
        finally:
            self._process.drain()
        if self._on_exit is not None and not self._process.closing:
            self._on_exit(self._heard.exit_code)

    async def _hand_over(self, line: bytes) -> None:
        heard = read_line(line)
        self._heard.stray(heard.noise)
        for message in heard.messages:
            if isinstance(message, JSONRPCError) and message.id is None:
                self._heard.stray(message.error.message)  # an answer to nobody
            await self._heard_end.send(SessionMessage(message))

    async def _write(self) -> None:
        # Leaving closes the stream, so that nobody waits to send for ever.
        with contextlib.suppress(OSError):
            async with self._to_send:
                async for item in self._to_send:
                    await self._process.write(_wire(item.message))

    async def close(self, grace: float) -> None:
        """End the server, then the tasks."""
        try:
            self._process.let_go()
            self.writing.close()
            await asyncio.wait([self._writer], timeout=_FLUSH)
        finally:
            try:
                await self._process.stop(grace)
            finally:
                self._reader.cancel()
                self._writer.cancel()
                await asyncio.gather(self._reader, self._writer, return_exceptions=True)
                self.reading.close()


def _wire(message: JSONRPCMessage) -> bytes:
    """Return a message as a line of ASCII, which every code page reads alike."""
    try:
        text = message.model_dump_json(
            by_alias=True, exclude_unset=True, ensure_ascii=True
        )
    except PydanticSerializationError:  # half a surrogate pair
        text = json.dumps(paired(message.model_dump(by_alias=True, exclude_unset=True)))
    return text.encode("ascii") + b"\n"


async def _surely(work: Coroutine[Any, Any, None]) -> None:
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
