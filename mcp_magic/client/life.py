"""One life of a connection: a single task owns the SDK client from start to end.

The owner task alone enters and leaves the client, because its cancel scopes belong to
the task that opened them. A server that is connected anew begins another life.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import math
import os
from collections.abc import Awaitable, Callable
from typing import Literal

import anyio
from mcp import Client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from mcp_magic.client import sdk
from mcp_magic.client.auth.opening import bearer_for
from mcp_magic.client.failures import is_lost, leaf, translate
from mcp_magic.client.http import Heard
from mcp_magic.client.mending import Raw, collect
from mcp_magic.client.news import News
from mcp_magic.client.overheard import Overheard
from mcp_magic.client.questions import Questions
from mcp_magic.client.settings import Settings
from mcp_magic.client.transport import open_line
from mcp_magic.config import InProcess, ServerEntry, Target, expand, read_text
from mcp_magic.display import redact
from mcp_magic.errors import (
    CallTimedOut,
    McpMagicError,
    ServerExited,
    ServerUnreachable,
)
from mcp_magic.model import Secret

__all__ = ["Life", "State", "is_older"]

State = Literal["not connected", "connecting", "connected", "failed"]

_CLOSING = 10.0  # seconds a transport may take to close, its own grace times included


def is_older(protocol: str) -> bool:
    """Whether a protocol version is from before 2026-07-28."""
    return protocol in HANDSHAKE_PROTOCOL_VERSIONS


class Life:
    """One opening of a server; it is started once, and ends once.

    Args:
        entry: How the server is reached.
        settings: How it is connected to.
        questions: Answers what the server asks.
        news: Hears what it says by itself.
        over_http: What is known about a server over HTTP; filled with more.

    Attributes:
        client: The SDK client, while it is open.
        state: What it is doing, in words.
        error: Why it failed, if it did.
        instructions: What the server says about itself; untrusted text.
        protocol: The protocol version that was agreed on, or an empty text.
        overheard: What its command says besides messages.
        stopped: Set once it is over, or is to end.
    """

    def __init__(
        self,
        entry: ServerEntry,
        settings: Settings,
        *,
        questions: Questions,
        news: News,
        over_http: Heard,
    ) -> None:
        self._entry = entry
        self._settings = settings
        self._questions = questions
        self._news = news
        self._over_http = over_http
        self.client: Client | None = None
        self.state: State = "not connected"
        self.error: McpMagicError | None = None
        self.instructions = ""
        self.protocol = ""
        self.overheard = Overheard()
        self.stopped = asyncio.Event()
        self._hidden: frozenset[Secret] = frozenset()
        self._owner: asyncio.Task[None] | None = None
        self._asking: set[asyncio.Future[None]] = set()

    @property
    def is_up(self) -> bool:
        """Whether requests can be sent."""
        return self.client is not None and not self.stopped.is_set()

    # -- its begin and its end

    async def start(self, *, older: bool) -> None:
        """Connect to the server.

        Args:
            older: Speak the protocol from before 2026-07-28, without probing.

        Raises:
            ServerError: The server cannot be started, reached or talked to.
        """
        self.state = "connecting"
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        # An empty context: the owner outlives this call, and so must not carry its
        # context variables into every later callback.
        self._owner = contextvars.Context().run(
            loop.create_task, self._own(ready, older=older)
        )
        try:
            await asyncio.shield(ready)
        except BaseException:
            await self.end()
            if self.error is None:  # nobody waits for it any more
                self.state = "not connected"
            raise
        self.state, self.error = "connected", None

    async def end(self) -> None:
        """Close the client and end the server that it started."""
        owner, self._owner = self._owner, None
        if owner is None:
            return
        self.stopped.set()
        if self.client is None and not owner.done():
            owner.cancel()  # still connecting: it does not look at ``stopped`` yet
        _, pending = await asyncio.wait([owner], timeout=_CLOSING)
        if pending:
            owner.cancel()
            await asyncio.wait([owner], timeout=_CLOSING)

    async def _own(self, ready: asyncio.Future[None], *, older: bool) -> None:
        failure: BaseException | None = None
        try:
            deadline = anyio.current_time() + self._settings.connect_timeout
            with anyio.CancelScope(deadline=deadline) as scope:
                async with self._line() as line:
                    client = sdk.make_client(
                        line, self._questions, self._news, older=older
                    )
                    async with client:
                        scope.deadline = math.inf
                        self._welcome(client)
                        ready.set_result(None)
                        await self._attend(client)
            if scope.cancelled_caught:
                failure = self._too_slow()
        except BaseException as error:  # noqa: BLE001 - kept for whoever asks
            failure = error
        finally:
            self.client = None
            self.stopped.set()
        if failure is not None and not isinstance(failure, asyncio.CancelledError):
            self.state, self.error = "failed", self._explained(failure)
        if not ready.done():
            name = self._entry.name
            closed = ServerUnreachable(f"{name} was closed; run this again", name)
            ready.set_exception(self.error or closed)
            ready.exception()  # retrieved, also when nobody waits any more

    def _line(self) -> contextlib.AbstractAsyncContextManager[object]:
        """Return the way to the server, not yet open."""
        target = self._expanded()
        auth = bearer_for(self._entry, target, self._settings)
        return open_line(target, self.overheard, self._over_http, self._mourn, auth)

    def _expanded(self) -> Target:
        ask = self._settings.ask
        target = expand(self._entry, os.environ, ask=ask, read=read_text)
        if not isinstance(target, InProcess):
            self._hidden = target.hidden
        return target

    def _welcome(self, client: Client) -> None:
        sdk.keep_answers(client)
        self.client = client
        self.instructions = client.instructions or ""
        self.protocol = client.protocol_version

    async def _attend(self, client: Client) -> None:
        """Hear of changes until the connection is to end."""
        capabilities = client.server_capabilities
        changes = capabilities.tools is not None and capabilities.tools.list_changed
        older = is_older(self.protocol)
        async with anyio.create_task_group() as group:
            if changes and not older:
                group.start_soon(self._listen, client)
            if capabilities.logging is not None and older:
                group.start_soon(sdk.ask_for_logs, client)
            await self.stopped.wait()
            group.cancel_scope.cancel()

    async def _listen(self, client: Client) -> None:
        # A stream that the server will not keep open is no reason to end anything.
        with contextlib.suppress(Exception):
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self._news.tool_changes += 1

    def _mourn(self, _code: int | None) -> None:
        """Note that the command ended by itself, while nothing was asked of it."""
        if self.is_up and not self._asking:
            how = self.overheard.how_it_ended() or "closed its output"
            name = self._entry.name
            self._news.obituary = f"{name} {how}; it is started again."
            self.error = ServerExited(f"the server {name} {how}", name)
        self.stopped.set()

    # -- requests

    async def attempt(
        self, work: Callable[[Client], Awaitable[object]]
    ) -> tuple[Raw, Exception | None]:
        """Send one request; return its result, or what went wrong.

        Raises:
            ServerUnreachable: It is not connected.
        """
        if self.client is None:
            name = self._entry.name
            raise ServerUnreachable(f"{name} is not connected; run this again", name)
        done = asyncio.get_running_loop().create_future()
        self._asking.add(done)
        try:
            raw, _ = await collect(work(self.client))
        except Exception as error:  # noqa: BLE001 - translated by the caller
            return {}, error
        finally:
            self._asking.discard(done)
            done.set_result(None)
        return raw, None

    async def answered(self) -> None:
        """Wait until nothing is asked any more, as long as closing may take."""
        if self._asking:
            await asyncio.wait([*self._asking], timeout=_CLOSING)

    # -- what went wrong

    async def why(self, failure: BaseException) -> McpMagicError:
        """Return the error to show for a request that went wrong."""
        if is_lost(leaf(failure)):
            self.stopped.set()
            if self._owner is not None:
                # The owner learns what really happened, such as an HTTP error.
                await asyncio.wait([self._owner], timeout=_CLOSING)
            if self.error is not None and self.state == "failed":
                return self.error
            self.state = "not connected"
            self.error = self._explained(failure)
            return self.error
        return self._explained(failure)

    def _explained(self, error: BaseException) -> McpMagicError:
        """Return the error to show, without any secret that was filled in."""
        shown = translate(error, self._entry, self.overheard)
        hidden = [one.reveal() for one in self._hidden]
        shown.args = (redact.without(str(shown), hidden),)
        return shown

    def _too_slow(self) -> CallTimedOut:
        words = self.overheard.last_words().splitlines()
        tail = f"; it wrote: {words[-1].strip()}" if words else ""
        name, limit = self._entry.name, self._settings.connect_timeout
        more = "a longer connect_timeout gives it more time"
        text = f"{name} did not start within {limit:g} s; {more}{tail}"
        return CallTimedOut(text, name)
