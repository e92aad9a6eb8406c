"""One connection to one server: a single task owns it, calls run in tasks of their own.

Everything here runs on the background loop. The owner task alone enters and leaves the
SDK client, because its cancel scopes belong to the task that opened them.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import math
import os
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Literal

import anyio
from mcp import Client
from mcp_types import (
    METHOD_NOT_FOUND,
    LoggingMessageNotificationParams,
    ResourceUpdatedNotification,
    ToolListChangedNotification,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from mcp_magic.client import sdk
from mcp_magic.client.auth.opening import bearer_for, own_token
from mcp_magic.client.failures import is_expired, is_lost, leaf, translate
from mcp_magic.client.http import Heard
from mcp_magic.client.mending import Raw, collect
from mcp_magic.client.outputs import Outputs
from mcp_magic.client.overheard import Overheard
from mcp_magic.client.questions import Questions
from mcp_magic.client.reading import read_list, read_log, read_tool
from mcp_magic.client.settings import Settings
from mcp_magic.client.transport import open_line
from mcp_magic.config import (
    Http,
    InProcess,
    ServerEntry,
    Stdio,
    Target,
    expand,
    permits,
    read_text,
)
from mcp_magic.display import redact
from mcp_magic.errors import (
    AuthorizationRequired,
    CallTimedOut,
    McpMagicError,
    ServerExited,
    ServerUnreachable,
)
from mcp_magic.model import (
    LogLine,
    Prompt,
    Resource,
    ResourceTemplate,
    Secret,
    Tool,
)

__all__ = ["Connection", "State"]

State = Literal["not connected", "connecting", "connected", "failed"]

_PAGES = 1000  # a paginator that never ends must not hang a listing
_CLOSING = 10.0  # seconds a transport may take to close, its own grace times included
_LOG = 1000  # lines of a server's log that are kept


class Connection:
    """A server and, while it is up, the SDK client that talks to it.

    Args:
        entry: How the server is reached.
        settings: How it is connected to.

    Attributes:
        state: What it is doing, in words.
        error: Why it is not connected, if it failed.
        tools: Its tools by name as last listed; ``None`` if they could not be listed.
        listing_error: Why not.
        notes: What was odd about the listing, one sentence each.
        instructions: What the server says about itself; untrusted text.
        protocol: The protocol version that was agreed on, or an empty text.
        overheard: What its command says besides messages.
        obituary: That its command ended unnoticed, in a sentence; cleared once said.
        log: The latest lines of its log; untrusted text.
        resources: Its resources as last listed.
        templates: Its resource templates as last listed.
        prompts: Its prompts as last listed.
    """

    def __init__(self, entry: ServerEntry, settings: Settings | None = None) -> None:
        self.entry = entry
        self.settings = settings = settings or Settings()
        self.state: State = "not connected"
        self.error: McpMagicError | None = None
        self.tools: Mapping[str, Tool] | None = None
        self.listing_error: McpMagicError | None = None
        self.notes: tuple[str, ...] = ()
        self.instructions = ""
        self.protocol = ""
        self.log: deque[LogLine] = deque(maxlen=_LOG)
        self.overheard = Overheard()
        self.obituary = ""
        self._over_http = Heard()
        self._hidden: frozenset[Secret] = frozenset()
        self.questions = Questions(
            entry.name, settings.sampler, settings.roots, people=settings.people
        )
        self._client: Client | None = None
        self._owner: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._changing = asyncio.Lock()
        # Changes of the tools that were announced, and how many the listing knows of.
        self._announced = 0
        self._listed: int | None = None
        self._asking: set[asyncio.Future[None]] = set()
        self.outputs = Outputs()
        self.resources: tuple[Resource, ...] = ()
        self.templates: tuple[ResourceTemplate, ...] = ()
        self.prompts: tuple[Prompt, ...] = ()
        self._updated: dict[str, asyncio.Event] = {}

    # -- how it is

    @property
    def is_up(self) -> bool:
        """Whether requests can be sent without connecting first."""
        return self._client is not None and not self._stop.is_set()

    @property
    def brings_token(self) -> bool:
        """Whether its configuration has a token, so that nobody signs in."""
        return bool(own_token(self.entry.target))

    @property
    def is_fresh(self) -> bool:
        """Whether it is up and its tools are as last announced."""
        return self.is_up and self._listed == self._announced

    @property
    def is_older(self) -> bool:
        """Whether the protocol from before 2026-07-28 is spoken."""
        return self.protocol in HANDSHAKE_PROTOCOL_VERSIONS

    @property
    def current_state(self) -> State:
        """Its state, a connection that was lost unnoticed included."""
        lost = self.state == "connected" and not self.is_up
        return "not connected" if lost else self.state

    # -- up and down

    async def up(self) -> None:
        """Connect unless connected, and list the tools.

        Raises:
            ServerError: The server cannot be started, reached or talked to.
        """
        async with self._changing:
            for _ in range(2):  # the listing may find that the session is forgotten
                if not self.is_up:
                    await self._connect_in_some_era()
                    self._listed = None
                if self._listed != self._announced:
                    await self.refresh()
                if self.is_up:
                    break

    async def down(self) -> None:
        """Close the connection and end the server that it started."""
        async with self._changing:
            await self._retire()
            self.state, self.error = "not connected", None

    async def speak_older(self) -> None:
        """Reconnect in the older protocol, and remember that the server needs it."""
        self.settings.eras.remember(self.entry.target, older=True)
        await self.down()
        await self.up()

    async def _connect_in_some_era(self) -> None:
        target, eras = self.entry.target, self.settings.eras
        older = self.settings.era == "older" or eras.is_older(target)
        failure: McpMagicError | None = None
        try:
            await self._connect(older=older)
        except McpMagicError as error:
            failure = error
        if failure is not None:
            if not self._worth_another_era(failure, older=older):
                raise failure
            await self._connect(older=not older)
        if self.settings.era is None:
            eras.remember(target, older=self.is_older)

    def _worth_another_era(self, failure: McpMagicError, *, older: bool) -> bool:
        """Whether the handshake may have failed for the era alone.

        An old command may end when its first message is the newer probe; a remembered
        era may be out of date.
        """
        if self.settings.era is not None or isinstance(failure, CallTimedOut):
            return False
        if older:
            return not isinstance(failure, ServerUnreachable)
        return isinstance(self.entry.target, Stdio) and isinstance(
            failure, ServerExited
        )

    async def _connect(self, *, older: bool) -> None:
        await self._retire()
        self._stop, self.state = asyncio.Event(), "connecting"
        self.overheard = Overheard()
        self._asking = set()
        self.error = None
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # An empty context: the owner outlives this call, and so must not carry its
        # context variables into every later callback.
        self._owner = contextvars.Context().run(
            asyncio.get_running_loop().create_task, self._own(ready, older=older)
        )
        try:
            await asyncio.shield(ready)
        except BaseException:
            await self._retire()
            raise
        self.state, self.error = "connected", None

    async def _own(self, ready: asyncio.Future[None], *, older: bool) -> None:
        stop, overheard = self._stop, self.overheard
        failure: BaseException | None = None
        try:
            deadline = anyio.current_time() + self.settings.connect_timeout
            with anyio.CancelScope(deadline=deadline) as scope:
                target = self._expanded()
                async with open_line(
                    target,
                    overheard,
                    self._over_http,
                    partial(self._mourn, stop, overheard),
                    bearer_for(self.entry, target, self.settings),
                ) as line:
                    client = sdk.make_client(line, self, older=older)
                    async with client:
                        scope.deadline = math.inf
                        self._welcome(client)
                        ready.set_result(None)
                        await self._attend(client, stop)
            if scope.cancelled_caught:
                failure = self._too_slow(overheard)
        except BaseException as error:  # noqa: BLE001 - kept for whoever asks
            failure = error
        finally:
            self._client = None
            stop.set()
        if failure is not None and not isinstance(failure, asyncio.CancelledError):
            self.state, self.error = "failed", self._explained(failure, overheard)
        if not ready.done():
            closed = ServerUnreachable(f"{self.entry.name} was closed", self.entry.name)
            ready.set_exception(self.error or closed)
            ready.exception()  # retrieved, also when nobody waits any more

    def _expanded(self) -> Target:
        ask = self.settings.ask
        target = expand(self.entry, os.environ, ask=ask, read=read_text)
        if not isinstance(target, InProcess):
            self._hidden = target.hidden
        return target

    def _explained(self, error: BaseException, overheard: Overheard) -> McpMagicError:
        """Return the error to show, without any secret that was filled in."""
        shown = translate(error, self.entry, overheard)
        hidden = [one.reveal() for one in self._hidden]
        shown.args = (redact.without(str(shown), hidden),)
        return shown

    def _welcome(self, client: Client) -> None:
        sdk.keep_answers(client)
        self._client = client
        self.instructions = client.instructions or ""
        self.protocol = client.protocol_version

    async def _attend(self, client: Client, stop: asyncio.Event) -> None:
        """Hear of changes until the connection is to end."""
        capabilities = client.server_capabilities
        changes = capabilities.tools is not None and capabilities.tools.list_changed
        async with anyio.create_task_group() as group:
            if changes and not self.is_older:
                group.start_soon(self._listen, client)
            if capabilities.logging is not None and self.is_older:
                group.start_soon(sdk.ask_for_logs, client)
            await stop.wait()
            group.cancel_scope.cancel()

    async def _listen(self, client: Client) -> None:
        # A stream that the server will not keep open is no reason to end anything.
        with contextlib.suppress(Exception):
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self._announced += 1

    def _mourn(
        self, stop: asyncio.Event, overheard: Overheard, _code: int | None
    ) -> None:
        """Note that the command ended by itself, while nothing was asked of it."""
        if self.is_up and not self._asking:
            how = overheard.how_it_ended() or "closed its output"
            self.obituary = f"{self.entry.name} {how}; it is started again."
        stop.set()

    def _too_slow(self, overheard: Overheard) -> CallTimedOut:
        words = overheard.last_words().splitlines()
        tail = f"; it wrote: {words[-1].strip()}" if words else ""
        name, limit = self.entry.name, self.settings.connect_timeout
        return CallTimedOut(f"{name} did not start within {limit:g} s{tail}", name)

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

    # -- what the server says by itself

    async def heard(self, message: object) -> None:
        """Take note of what changed at the server."""
        match message:
            case ToolListChangedNotification():
                self._announced += 1
            case ResourceUpdatedNotification(params=params):
                self.note_update(str(params.uri))

    async def logged(self, params: LoggingMessageNotificationParams) -> None:
        """Keep a line of the server's log."""
        self.log.append(read_log(params.level, params.logger, params.data))

    def updates(self, uri: str) -> asyncio.Event:
        """Return the event that is set when the server says that *uri* changed."""
        return self._updated.setdefault(uri, asyncio.Event())

    def note_update(self, uri: str) -> None:
        """Wake those who watch *uri*."""
        if uri in self._updated:
            self._updated[uri].set()

    # -- requests

    async def send(
        self, work: Callable[[Client], Awaitable[object]], *, renew: bool = True
    ) -> Raw:
        """Send one request; cancelling the task cancels it at the server.

        Args:
            work: Makes the request with the SDK client.
            renew: Whether a session that the server forgot is opened anew.

        Returns:
            The result as received.

        Raises:
            ServerError: No answer came, or a JSON-RPC error.
        """
        client = self._client
        raw, failure = await self._attempt(client, work)
        if failure is not None and renew and is_expired(failure):
            # Refused before anything ran: once more, with a new session.
            await self._renew(client)
            client = self._client
            raw, failure = await self._attempt(client, work)
        # IPython prints native tracebacks for errors with a group in their context, so
        # ours is raised outside the ``except`` block.
        if failure is not None:
            raise await self._failure(failure, client)
        return raw

    async def _attempt(
        self, client: Client | None, work: Callable[[Client], Awaitable[object]]
    ) -> tuple[Raw, Exception | None]:
        if client is None:
            raise ServerUnreachable(f"{self.entry.name} is not connected")
        asking, done = self._asking, asyncio.get_running_loop().create_future()
        asking.add(done)
        try:
            raw, _ = await collect(work(client))
        except Exception as error:  # noqa: BLE001 - translated by the caller
            return {}, error
        finally:
            asking.discard(done)
            done.set_result(None)
        return raw, None

    async def _renew(self, client: Client | None) -> None:
        """Connect anew, unless another request already has; list at the next use."""
        async with self._changing:
            if self._client is client:
                if self._asking:
                    # Others in the old session are about to hear the same.
                    await asyncio.wait([*self._asking], timeout=_CLOSING)
                self._stop.set()
            if not self.is_up:
                await self._connect_in_some_era()
                self._listed = None

    async def pages(
        self, list_page: Callable[..., Awaitable[object]], *, renew: bool = True
    ) -> list[Raw]:
        """Return all pages of a listing; one that never ends is cut off."""
        found: list[Raw] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(_PAGES):
            page = partial(list_page, cursor=cursor)
            found.append(await self.send(page, renew=renew))
            following = found[-1].get("nextCursor")
            if not isinstance(following, str) or following in ("", *seen):
                break
            seen.add(following)
            cursor = following
        return found

    async def refresh(self) -> None:
        """List the tools again; a failure is kept in ``listing_error``, not raised."""
        announced = self._announced
        notes: list[str] = []
        try:
            # Whoever lists holds the lock that a renewal needs.
            pages = await self.pages(Client.list_tools, renew=False)
        except McpMagicError as error:
            none = self.offers_none(error, "tools")
            self.tools, self.listing_error = ({}, None) if none else (None, error)
            if not isinstance(error, AuthorizationRequired):  # else: once signed in
                self._listed = announced
            return
        tools = [
            t for page in pages for t in read_list(page, "tools", read_tool, notes)
        ]
        dropped: set[str] = set()
        if self._client is not None and isinstance(self.entry.target, Http):
            dropped = {t.name for t in tools} - sdk.callable_over_http(
                self._client, tools
            )
        notes += [f"{one} is left out: its x-mcp-header is invalid." for one in dropped]
        self.tools = {
            one.name: one
            for one in tools
            if one.name not in dropped and permits(self.entry, one.name)
        }
        self.listing_error, self.notes = None, tuple(notes)
        self._listed = announced

    def offers_none(self, error: McpMagicError, kind: str) -> bool:
        """Whether a listing failed because the server does not offer *kind* at all."""
        client = self._client
        return (
            client is not None
            and getattr(error, "code", 0) == METHOD_NOT_FOUND
            and getattr(client.server_capabilities, kind) is None
        )

    async def _failure(
        self, error: BaseException, client: Client | None
    ) -> McpMagicError:
        # Another request may have connected anew since.
        if is_lost(leaf(error)) and self._client in (client, None):
            self._stop.set()
            if self._owner is not None:
                # The owner learns what really happened, such as an HTTP error.
                await asyncio.wait([self._owner], timeout=_CLOSING)
            if self.error is not None and self.state == "failed":
                return self.error
            self.state = "not connected"
        return self._explained(error, self.overheard)
