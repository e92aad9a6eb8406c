"""The sign-ins of a session: one for each server's address, begun by a call that was
refused, or by a person.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from mcp_magic.client.loop import OnLoop
from mcp_magic.config import Http, ServerEntry, expand, read_text
from mcp_magic.display import redact
from mcp_magic.errors import (
    ArgumentError,
    AuthorizationRequired,
    McpMagicError,
    SignInFailed,
)
from mcp_magic.language import spell_verb
from mcp_magic.session.several import relist_all
from mcp_magic.session.signin import PATIENCE, Prompter, SignIn, is_remote

if TYPE_CHECKING:
    from mcp_magic.client.auth.account import Account, SignedOut
    from mcp_magic.client.auth.attempt import Attempt
    from mcp_magic.client.auth.flow import Wish
    from mcp_magic.client.auth.store import Store
    from mcp_magic.client.connection import Connection

__all__ = ["SignIns"]

_ROUNDS = 2  # sign-ins for the same further rights, before a server is not believed


class SignIns:
    """The sign-ins of a session: at most one for each server's address.

    Attributes:
        prompter: Whoever can be asked; ``None``: nobody.
    """

    def __init__(self) -> None:
        self.prompter: Prompter | None = None
        self._store: Store | None = None
        self._news: list[str] = []
        self._jobs: dict[str, SignIn] = {}
        self._rounds: dict[tuple[str, str], int] = {}

    @property
    def store(self) -> Store:
        """Where tokens are kept."""
        if self._store is None:
            # Costs at import what few calls need.
            from mcp_magic.client.auth import store  # noqa: PLC0415

            folder = store.folder_for(os.environ)
            self._store = store.Store(folder, self._news.append)
        return self._store

    def news(self) -> list[str]:
        """Return what a person should know about the files of tokens, once."""
        said, self._news[:] = list(self._news), []
        return said

    def check(self, connection: Connection) -> None:
        """Raise ``ArgumentError`` where a person cannot sign in at all."""
        _account(connection)

    async def begin(
        self,
        connection: Connection,
        *,
        scope: str = "",
        reset: bool = False,
        limit: float = PATIENCE,
    ) -> SignIn:
        """Sign in to a server because a person said so; a flow.

        Args:
            connection: The server's.
            scope: What to ask for, instead of what the server names.
            reset: Whether to forget first what is kept of it.
            limit: Seconds that the person has.

        Returns:
            The sign-in, with something to see, or over.

        Raises:
            ArgumentError: Its configuration brings a token.
            ServerError: The server cannot be reached, or nobody can sign in there.
        """
        account = _account(connection)
        if reset:
            await OnLoop(lambda _: self._forget(connection, account))
        self._rounds.clear()
        job = await OnLoop(lambda _: self._probe(connection, account, scope, limit))
        if job.error is not None:
            raise SignInFailed(f"{job.server}: {job.error}", job.server)
        return job

    async def forget(self, connection: Connection) -> SignedOut:
        """Sign out of a server; a flow.

        Raises:
            ArgumentError: Nobody can sign in there.
            SignInFailed: A file cannot be deleted.
        """
        account = _account(connection)
        return await OnLoop(lambda _: self._forget(connection, account))

    async def offer(
        self,
        connection: Connection | None,
        refused: AuthorizationRequired,
        apart: Prompter | None = None,
    ) -> McpMagicError:
        """Show whoever is there how to sign in; a flow.

        Args:
            connection: The server's; ``None`` if it is gone.
            refused: How a call ended.
            apart: Whoever is there, if the call was made away from the session's.

        Returns:
            The error to raise instead.
        """
        if connection is None or not _takes_people(connection):
            return refused
        prompter = apart or self.prompter
        if prompter is None or not prompter.is_there():
            return _told(
                refused,
                f"nobody is here to do so; run {spell_verb('auth', refused.server)} in "
                "a notebook, which keeps the token for later runs",
            )
        job = await OnLoop(lambda _: self._offered(connection, refused))
        if job.error is not None:
            return _told(refused, str(job.error))
        job.show(prompter)
        return _told(refused, "do so where it is shown, then run this again")

    async def settled(self, name: str) -> None:
        """Wait for the end of a sign-in to a server, if there is one; a flow."""
        jobs = [job for job in self._jobs.values() if job.server == name]

        async def all_ended(_: object) -> None:
            await asyncio.gather(*(job.ended() for job in jobs))

        await OnLoop(all_ended)

    async def close(self) -> None:
        """End every sign-in."""
        for job in list(self._jobs.values()):
            await job.stop()
        self._jobs.clear()

    # -- inside

    async def _forget(self, connection: Connection, account: Account) -> SignedOut:
        job = self._jobs.pop(account.url, None)
        if job is not None:
            await job.stop()
        await connection.down()
        return await account.sign_out()

    async def _probe(
        self, connection: Connection, account: Account, scope: str, limit: float
    ) -> SignIn:
        """Find out how the server refuses, and begin with that.

        A prompt that is open is the answer already, whatever the server allows.
        """
        from mcp_magic.client.auth.discovery import Challenge  # noqa: PLC0415
        from mcp_magic.client.auth.flow import Wish  # noqa: PLC0415

        open_now = self._jobs.get(account.url)
        if open_now is not None and not open_now.is_over and not scope:
            await open_now.ready()
            return open_now
        # Anew, also where it is connected: the token may be refused by now.
        (refused,) = await relist_all([connection])
        if isinstance(refused, AuthorizationRequired):
            challenge = Challenge(refused.status or 401, refused.challenge)
        elif refused is not None:
            raise refused
        else:
            challenge = Challenge()
            if account.tokens() is not None and not scope:
                job = self._job(connection.entry)
                job.settle()
                return job
        if scope:
            await self._end(account.url)
        return (await self._started(connection, Wish(challenge, scope), limit))[0]

    async def _end(self, url: str) -> None:
        job = self._jobs.pop(url, None)
        if job is not None:
            await job.stop()

    async def _offered(
        self, connection: Connection, refused: AuthorizationRequired
    ) -> SignIn:
        from mcp_magic.client.auth.discovery import Challenge  # noqa: PLC0415
        from mcp_magic.client.auth.flow import Wish  # noqa: PLC0415

        challenge = Challenge(refused.status or 401, refused.challenge)
        entry = connection.entry
        wanted = (entry.name, challenge.field("scope"))
        if challenge.wants_more and self._rounds.get(wanted, 0) >= _ROUNDS:
            job = self._job(entry)
            job.error = SignInFailed(
                f"that was done {_ROUNDS} times and did not help; tell whoever runs it"
            )
            return job
        job, is_new = await self._started(connection, Wish(challenge), PATIENCE)
        if is_new:
            self._rounds[wanted] = self._rounds.get(wanted, 0) + 1
        return job

    async def _started(
        self, connection: Connection, wish: Wish, limit: float
    ) -> tuple[SignIn, bool]:
        """Return the sign-in to a server, and whether it was begun just now."""
        account = _account(connection)
        job = self._jobs.get(account.url)
        is_new = job is None or job.is_over
        if job is None or job.is_over:
            job = self._jobs[account.url] = self._job(connection.entry)
            before = account.tokens()

            async def work(attempt: Attempt) -> None:
                await account.sign_in(wish, attempt)
                job.note = " ".join(self.news())

            job.begin(work, limit, lambda: account.is_settled(wish, before))
        await job.ready()
        return job, is_new

    def _job(self, entry: ServerEntry) -> SignIn:
        shown = redact.url(str(entry.target))
        remote = is_remote(os.environ)
        return SignIn(entry.name, shown, self.prompter, is_remote=remote)


def _told(refused: AuthorizationRequired, more: str) -> AuthorizationRequired:
    """Return a refusal that says what to do now."""
    said = str(refused).partition(": %mcp auth")[0]
    told = AuthorizationRequired(f"{said}: {more}", refused.server, refused.challenge)
    told.status, told.retry_after = refused.status, refused.retry_after
    return told


def _account(connection: Connection) -> Account:
    """Return a server's account as it is configured now.

    Raises:
        ArgumentError: It has none.
    """
    from mcp_magic.client.auth.opening import (  # noqa: PLC0415 - imports mcp
        account_for,
        own_token,
    )

    entry, settings = connection.entry, connection.settings
    target = expand(entry, os.environ, ask=settings.ask, read=read_text)
    if not isinstance(target, Http):
        raise ArgumentError(
            f"{entry.name} needs no sign-in: it is not reached over HTTP"
        )
    account = account_for(entry, target, settings)
    if account is None:
        brought = own_token(target)
        raise ArgumentError(
            f"{entry.name} is sent the {brought}; remove it there to sign in"
            if brought
            else f"signing in to {entry.name} is switched off where it is configured"
        )
    return account


def _takes_people(connection: Connection) -> bool:
    """Whether a person can sign in to a server at all."""
    try:
        return _account(connection).settings.grant == "person"
    except McpMagicError:
        return False
