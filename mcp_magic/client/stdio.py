"""Start a command as a server, talk to it over its standard streams, and end it.

The SDK's own transport reads long lines in quadratic time, hangs on one invalid byte,
and loses standard error and exit code. This one yields the same two streams.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage
from pydantic_core import PydanticSerializationError

from mcp_magic.client.launch import prepare
from mcp_magic.client.overheard import Overheard, paired, read_line, secret_texts
from mcp_magic.client.process import Process, start, surely
from mcp_magic.config import Stdio

__all__ = ["open_stdio"]

ReadStream: TypeAlias = MemoryObjectReceiveStream[SessionMessage | Exception]
WriteStream: TypeAlias = MemoryObjectSendStream[SessionMessage]

_FLUSH = 0.5  # seconds in which a request under way is still written


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
    filled_in = {one.reveal() for one in target.hidden}
    heard.conceal(filled_in | secret_texts(added, target.args, environ))
    command = prepare(target, added, environ)
    if command.note:
        heard.notes.append(command.note)
    process = await start(command, heard, grace)
    talk = _Talk(process, heard, on_exit)
    try:
        yield talk.reading, talk.writing
    finally:
        # The shield keeps out cancel scopes, ``surely`` plain cancellation.
        with anyio.CancelScope(shield=True):
            await surely(talk.close(grace))


class _Talk:
    """The streams of a running server, and the tasks between them and its pipes."""

    def __init__(
        self,
        process: Process,
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
