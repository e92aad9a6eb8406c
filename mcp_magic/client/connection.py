"""One connection to one server: a single task owns it, calls run in tasks of their own.

Everything here runs on the background loop. The owner task alone enters and leaves the
SDK client, because its cancel scopes belong to the task that opened them.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import math
import os
from collections.abc import Callable, Mapping
from typing import Any, Literal

import anyio
from mcp import Client, MCPError
from mcp_types import METHOD_NOT_FOUND, CallToolResult, ToolListChangedNotification
from mcp_types import Tool as ListedTool

from mcp_magic.answer import Answer
from mcp_magic.client.failures import is_lost, leaf, translate
from mcp_magic.client.outputs import Outputs
from mcp_magic.client.transport import Line, open_line
from mcp_magic.config import ServerEntry, expand
from mcp_magic.errors import CallTimedOut, McpMagicError, ServerUnreachable
from mcp_magic.model import Annotations, Progress, Tool

__all__ = ["Connection", "State"]

State = Literal["not connected", "connecting", "connected", "failed"]

_PAGES = 1000  # a paginator that never ends must not hang a listing
_CLOSING = 10.0  # seconds a transport may take to close, its own grace times included

# The SDK logs tracebacks for what it also raises, and a server in this process logs
# every call: neither belongs into a cell, unless somebody asked for it.
for _name, _level in (
    ("mcp", logging.WARNING),
    ("mcp.client", logging.CRITICAL),
    ("client", logging.CRITICAL),
):
    _logger = logging.getLogger(_name)
    _logger.addHandler(logging.NullHandler())
    if _logger.level == logging.NOTSET:
        _logger.setLevel(_level)


class Connection:
    """A server and, while it is up, the SDK client that talks to it.

    Args:
        entry: How the server is reached.
        connect_timeout: Seconds it may take to start and shake hands.

    Attributes:
        state: What it is doing, in words.
        error: Why it is not connected, if it failed.
        tools: Its tools by name as last listed; ``None`` if they could not be listed.
        listing_error: Why not.
        instructions: What the server says about itself; untrusted text.
    """

    def __init__(self, entry: ServerEntry, connect_timeout: float = 60.0) -> None:
        self.entry = entry
        self.state: State = "not connected"
        self.error: McpMagicError | None = None
        self.tools: Mapping[str, Tool] | None = None
        self.listing_error: McpMagicError | None = None
        self.instructions = ""
        self._connect_timeout = connect_timeout
        self._client: Client | None = None
        self._owner: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._changing = asyncio.Lock()
        self._line = Line()
        self._outputs = Outputs()
        self._stale = False

    @property
    def is_up(self) -> bool:
        """Whether calls can be sent without connecting first."""
        return self._client is not None and not self._stop.is_set()

    @property
    def is_fresh(self) -> bool:
        """Whether it is up and its tools are as last announced."""
        return self.is_up and not self._stale

    @property
    def current_state(self) -> State:
        """Its state, a connection that was lost unnoticed included."""
        lost = self.state == "connected" and not self.is_up
        return "not connected" if lost else self.state

    async def up(self) -> None:
        """Connect unless connected, and list the tools.

        Raises:
            ServerError: The server cannot be started, reached or talked to.
        """
        async with self._changing:
            if not self.is_up:
                await self._connect()
                self._stale = True
        if self._stale:
            await self.refresh()

    async def refresh(self) -> None:
        """List the tools again; a failure is kept in ``listing_error``, not raised."""
        self._stale = False
        listed: list[ListedTool] = []
        failure: BaseException | None = None
        try:
            listed = await self._list()
        except Exception as error:  # noqa: BLE001 - translated outside the block
            failure = error
        if failure is not None and not self._offers_none(failure):
            self._note_loss(failure)
            self.tools = None
            self.listing_error = translate(failure, self.entry, self._line)
            return
        self.tools = {tool.name: _tool(tool) for tool in listed}
        self.listing_error = None

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """Send one ``tools/call``; cancelling the task cancels it at the server.

        Args:
            tool: The exact name to send.
            arguments: JSON values by parameter.
            timeout: Seconds to wait; ``None`` waits as long as it takes.
            on_progress: Receives the server's progress.

        Raises:
            ServerError: No answer came, or a JSON-RPC error.
        """
        if self._client is None:
            raise ServerUnreachable(f"{self.entry.name} is not connected")
        failure: BaseException | None = None
        try:
            result = await self._client.call_tool(
                tool,
                dict(arguments),
                read_timeout_seconds=timeout,
                progress_callback=None if on_progress is None else _teller(on_progress),
            )
        except Exception as error:  # noqa: BLE001 - translated outside the block
            failure = error
        # IPython prints native tracebacks for errors with a group in their context, so
        # ours is raised outside the ``except`` block.
        if failure is not None:
            raise await self._failure(failure, timeout)
        return await self._answer(tool, result)

    async def down(self) -> None:
        """Close the connection and end the server that it started."""
        async with self._changing:
            await self._retire()
            self.state, self.error = "not connected", None

    async def _connect(self) -> None:
        await self._retire()
        self._stop, self._line, self.state = asyncio.Event(), Line(), "connecting"
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # An empty context: the owner outlives this call, and so must not carry its
        # context variables into every later callback.
        self._owner = contextvars.Context().run(
            asyncio.get_running_loop().create_task, self._own(ready)
        )
        try:
            await asyncio.shield(ready)
        except BaseException:
            await self._retire()
            raise
        self.state, self.error = "connected", None

    async def _own(self, ready: asyncio.Future[None]) -> None:
        stop, line = self._stop, self._line
        failure: BaseException | None = None
        try:
            deadline = anyio.current_time() + self._connect_timeout
            with anyio.CancelScope(deadline=deadline) as scope:
                async with open_line(expand(self.entry, os.environ), line) as target:
                    client = Client(target, message_handler=self._heard)
                    async with client:
                        scope.deadline = math.inf
                        self._welcome(client)
                        ready.set_result(None)
                        await stop.wait()
            if scope.cancelled_caught:
                failure = self._too_slow(line)
        except BaseException as error:  # noqa: BLE001 - kept for whoever asks
            failure = error
        finally:
            self._client = None
            stop.set()
        if failure is not None and not isinstance(failure, asyncio.CancelledError):
            self.state, self.error = "failed", translate(failure, self.entry, line)
        if not ready.done():
            closed = ServerUnreachable(f"{self.entry.name} was closed", self.entry.name)
            ready.set_exception(self.error or closed)
            ready.exception()  # retrieved, also when nobody waits any more

    def _welcome(self, client: Client) -> None:
        # Answers are checked by ``Outputs``, which keeps those that do not fit; the
        # SDK's own check raises a bare RuntimeError and the answer is lost.
        client.session.validate_tool_result = _accept  # type: ignore[assignment,method-assign] # one instance
        self._client = client
        self.instructions = client.instructions or ""

    def _too_slow(self, line: Line) -> CallTimedOut:
        words = line.last_words().splitlines()
        tail = f"; it wrote: {words[-1].strip()}" if words else ""
        name = self.entry.name
        return CallTimedOut(
            f"{name} did not start within {self._connect_timeout:g} s{tail}", name
        )

    async def _retire(self) -> None:
        owner, self._owner = self._owner, None
        if owner is None:
            return
        self._stop.set()
        if self._client is None and not owner.done():
            owner.cancel()  # still connecting: it does not look at _stop yet
        _, pending = await asyncio.wait([owner], timeout=_CLOSING)
        if pending:
            owner.cancel()
            await asyncio.wait([owner], timeout=_CLOSING)

    async def _heard(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._stale = True

    async def _list(self) -> list[ListedTool]:
        if self._client is None:
            raise ServerUnreachable(f"{self.entry.name} is not connected")
        found: list[ListedTool] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(_PAGES):
            page = await self._client.list_tools(cursor=cursor, cache_mode="refresh")
            found += page.tools
            cursor = page.next_cursor
            if not cursor or cursor in seen:
                break
            seen.add(cursor)
        return found

    def _offers_none(self, error: BaseException) -> bool:
        """Whether the listing failed because the server has no tools, only the rest."""
        return (
            isinstance(error, MCPError)
            and error.code == METHOD_NOT_FOUND
            and self._client is not None
            and self._client.server_capabilities.tools is None
        )

    async def _answer(self, tool: str, result: CallToolResult) -> Answer:
        raw: dict[str, Any] = result.model_dump(
            mode="json", by_alias=True, exclude_unset=True
        )
        listed = (self.tools or {}).get(tool)
        schema = None if listed is None else listed.output_schema
        warnings: tuple[str, ...] = ()
        if schema is not None and not result.is_error:
            warnings = await self._outputs.check(tool, schema, raw)
        return Answer.read(raw, schema, warnings=warnings)

    async def _failure(
        self, error: BaseException, timeout: float | None
    ) -> McpMagicError:
        if self._note_loss(error) and self._owner is not None:
            # The owner learns what really happened, such as an HTTP error.
            await asyncio.wait([self._owner], timeout=_CLOSING)
            if self.error is not None and self.state == "failed":
                return self.error
            self.state = "not connected"
        shown = translate(error, self.entry, self._line)
        if isinstance(shown, CallTimedOut) and timeout is not None:
            name = self.entry.name
            return CallTimedOut(
                f"{name} did not answer within {timeout:g} s; the call was cancelled",
                name,
            )
        return shown

    def _note_loss(self, error: BaseException) -> bool:
        lost = is_lost(leaf(error))
        if lost:
            self._stop.set()
        return lost


def _teller(tell: Callable[[Progress], None]) -> Any:
    async def told(done: float, total: float | None, message: str | None) -> None:
        with contextlib.suppress(Exception):
            tell(Progress(done, total, message or ""))

    return told


async def _accept(_name: str, _result: CallToolResult) -> None:
    """Take every answer; ``Outputs`` says what is odd about it."""


def _tool(listed: ListedTool) -> Tool:
    hints = listed.annotations
    title = listed.title or (hints.title if hints else None) or ""
    annotations = Annotations()
    if hints is not None:
        annotations = Annotations(
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        )
    return Tool(
        name=listed.name,
        title=title,
        description=listed.description or "",
        input_schema=listed.input_schema,
        output_schema=listed.output_schema,
        annotations=annotations,
    )
