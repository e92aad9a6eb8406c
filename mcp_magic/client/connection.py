"""One connection to one server, over all the times that it is opened and lost.

Everything here runs on the background loop. Each opening is a ``Life``; this says when
one begins, in which era of the protocol, and which requests are sent once more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from mcp import Client

from mcp_magic.client.auth.opening import own_token
from mcp_magic.client.failures import is_expired
from mcp_magic.client.http import Heard
from mcp_magic.client.life import Life, State, is_older
from mcp_magic.client.listing import ToolListing
from mcp_magic.client.mending import Raw
from mcp_magic.client.news import News
from mcp_magic.client.outputs import Outputs
from mcp_magic.client.overheard import Overheard
from mcp_magic.client.questions import Questions
from mcp_magic.client.settings import Settings
from mcp_magic.config import ServerEntry, Stdio
from mcp_magic.errors import (
    CallTimedOut,
    McpMagicError,
    ServerExited,
    ServerUnreachable,
)
from mcp_magic.model import Prompt, Resource, ResourceTemplate, Tool

__all__ = ["Connection"]


class Connection:
    """A server and, while it is up, the SDK client that talks to it.

    Args:
        entry: How the server is reached.
        settings: How it is connected to.

    Attributes:
        listing: Its tools as last listed.
        news: What came of it unasked: its log, what changed, and its end.
        questions: Answers what it asks.
        outputs: Checks what its tools answer.
        instructions: What the server says about itself; untrusted text.
        protocol: The protocol version that was agreed on, or an empty text.
        resources: Its resources as last listed.
        templates: Its resource templates as last listed.
        prompts: Its prompts as last listed.
    """

    def __init__(self, entry: ServerEntry, settings: Settings | None = None) -> None:
        self.entry = entry
        self.settings = settings = settings or Settings()
        self.listing = ToolListing()
        self.news = News()
        self.questions = Questions(
            entry.name, settings.sampler, settings.roots, people=settings.people
        )
        self.outputs = Outputs()
        self.instructions = ""
        self.protocol = ""
        self.resources: tuple[Resource, ...] = ()
        self.templates: tuple[ResourceTemplate, ...] = ()
        self.prompts: tuple[Prompt, ...] = ()
        self._over_http = Heard()
        self._life = self._another_life()
        self._changing = asyncio.Lock()

    def _another_life(self) -> Life:
        return Life(
            self.entry,
            self.settings,
            questions=self.questions,
            news=self.news,
            over_http=self._over_http,
        )

    # -- how it is

    @property
    def client(self) -> Client | None:
        """The SDK client, while it is open."""
        return self._life.client

    @property
    def is_up(self) -> bool:
        """Whether requests can be sent without connecting first."""
        return self._life.is_up

    @property
    def is_fresh(self) -> bool:
        """Whether it is up and its tools are as last announced."""
        return self.is_up and self.listing.changes == self.news.tool_changes

    @property
    def is_older(self) -> bool:
        """Whether the protocol from before 2026-07-28 is spoken."""
        return is_older(self.protocol)

    @property
    def brings_token(self) -> bool:
        """Whether its configuration has a token, so that nobody signs in."""
        return bool(own_token(self.entry.target))

    @property
    def current_state(self) -> State:
        """What it is doing, in words; a loss that went unnoticed counts."""
        state = self._life.state
        return "not connected" if state == "connected" and not self.is_up else state

    @property
    def error(self) -> McpMagicError | None:
        """Why it is not connected, if it failed."""
        return self._life.error

    @property
    def overheard(self) -> Overheard:
        """What its command says besides messages."""
        return self._life.overheard

    @property
    def tools(self) -> Mapping[str, Tool] | None:
        """Its tools by name as last listed; ``None`` if they could not be listed."""
        return self.listing.tools

    @property
    def listing_error(self) -> McpMagicError | None:
        """Why its tools could not be listed."""
        return self.listing.error

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
                if not self.is_fresh:
                    await self.refresh()
                if self.is_up:
                    break

    async def down(self) -> None:
        """Close the connection and end the server that it started."""
        async with self._changing:
            await self._life.end()
            self._life.state, self._life.error = "not connected", None

    async def speak_older(self) -> None:
        """Reconnect in the older protocol, and remember that the server needs it."""
        self.settings.eras.remember(self.entry.target, older=True)
        await self.down()
        await self.up()

    async def refresh(self) -> None:
        """List the tools again; a failure is kept in ``listing_error``, not raised."""
        await self.listing.refresh(self)

    async def _connect_in_some_era(self) -> None:
        """Connect; the tools are to be listed anew."""
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
        self.listing.changes = None

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
        await self._life.end()
        self._life = life = self._another_life()
        await life.start(older=older)
        self.instructions, self.protocol = life.instructions, life.protocol

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
        life = self._life
        raw, failure = await life.attempt(work)
        if failure is not None and renew and is_expired(failure):
            # Refused before anything ran: once more, with a new session.
            await self._renew(life)
            life = self._life
            raw, failure = await life.attempt(work)
        # IPython prints native tracebacks for errors with a group in their context, so
        # ours is raised outside the ``except`` block.
        if failure is not None:
            raise await life.why(failure)
        return raw

    async def _renew(self, life: Life) -> None:
        """Connect anew, unless another request already has; list at the next use."""
        async with self._changing:
            if self._life is life:
                # Others in the old session are about to hear the same.
                await life.answered()
                life.stopped.set()
            if not self.is_up:
                await self._connect_in_some_era()
