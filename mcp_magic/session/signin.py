"""Signing in as a job of the background: begun by a call or a person, shown by whoever
is there, ended by the browser, a pasted address, Cancel or the clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mcp_magic.client.loop import OnLoop
from mcp_magic.config import Http, ServerEntry, expand, read_text
from mcp_magic.display import redact
from mcp_magic.errors import (
    AnswerRefused,
    ArgumentError,
    AuthorizationRequired,
    McpMagicError,
    SignInFailed,
)

if TYPE_CHECKING:
    from mcp_magic.client.auth.account import Account
    from mcp_magic.client.auth.attempt import Attempt, Prompt
    from mcp_magic.client.auth.flow import Wish
    from mcp_magic.client.auth.store import Store
    from mcp_magic.client.connection import Connection

__all__ = ["PATIENCE", "Prompter", "SignIn", "SignIns", "Stage"]

PATIENCE = 300.0  # seconds that a person has to sign in
_ROUNDS = 2  # sign-ins for the same further rights, before a server is not believed

Stage: TypeAlias = Literal["starting", "waiting", "signed in", "failed"]


class SignIn:
    """A sign-in to one server, which goes on in the background.

    Attributes:
        server: The server's name.
        target: Its address, as it may be shown.
        stage: How far it is.
        prompt: What a person must see; ``None`` before there is anything to see.
        error: Why it failed, if it did.
    """

    def __init__(self, server: str, target: str, prompter: Prompter | None) -> None:
        self.server = server
        self.target = target
        self.stage: Stage = "starting"
        self.prompt: Prompt | None = None
        self.error: McpMagicError | None = None
        self._prompter = prompter
        self._attempt: Attempt | None = None
        self._observers: list[Callable[[SignIn], None]] = []
        self._seen = asyncio.Event()
        self._ended = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<SignIn {self.server}: {self.stage}>"

    def _ipython_display_(self) -> None:
        if self._prompter is None:
            print(self.text())  # noqa: T201 - as IPython would
        else:
            self._prompter.show(self)

    # -- for people, from any thread

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.stage in ("signed in", "failed")

    @property
    def url(self) -> str:
        """The page to visit, or an empty text."""
        return "" if self.prompt is None or self.is_over else self.prompt.url

    @property
    def seconds_left(self) -> int:
        """How long there is still time."""
        prompt = self.prompt
        return 0 if prompt is None else max(0, round(prompt.deadline - time.time()))

    @property
    def problem(self) -> str:
        """Why the last answer of a browser did not fit, or an empty text."""
        return "" if self._attempt is None else self._attempt.problem

    def submit(self, text: str) -> None:
        """Take the address of the page that a browser could not open.

        Raises:
            AnswerRefused: It does not fit; another may be given.
        """
        if self.is_over or self._attempt is None:
            raise AnswerRefused("this sign-in is over; start it again")
        self._attempt.submit(text)

    def cancel(self) -> None:
        """End it."""
        if self._attempt is not None:
            self._attempt.cancel()

    def observe(self, hear: Callable[[SignIn], None]) -> None:
        """Have *hear* called whenever the stage changes, on the background thread."""
        self._observers.append(hear)

    def text(self) -> str:
        """Return it as plain text: what to do, or how it ended."""
        match self.stage:
            case "signed in":
                return f"Signed in to {self.server}."
            case "failed":
                return f"Not signed in to {self.server}: {self.error}"
        prompt = self.prompt
        if prompt is None:
            return f"Signing in to {self.server} …"
        asks = " ".join(prompt.scopes) or "(nothing in particular)"
        minutes = max(1, round(self.seconds_left / 60))
        return (
            f"{self.server} ({self.target}) wants you to sign in at {prompt.host}.\n"
            f"It asks for: {asks}\n"
            f"Open this page within {minutes} min:\n"
            f"  {prompt.url}\n"
            "If the page after it cannot be opened, copy its address and run\n"
            f"  %mcp auth --paste {self.server}"
        )

    # -- on the loop

    async def ready(self) -> None:
        """Wait until there is something to see, or nothing more to come."""
        await self._seen.wait()

    async def ended(self) -> None:
        """Wait for the end."""
        await self._ended.wait()

    def begin(self, work: Callable[[Attempt], Coroutine[None, None, None]],
              limit: float, is_settled: Callable[[], bool]) -> None:  # fmt: skip
        """Start *work*, which has a person sign in; it goes on by itself."""
        from mcp_magic.client.auth.attempt import Attempt  # noqa: PLC0415 - imports mcp

        self._attempt = Attempt(limit, self._show, is_settled)
        # An empty context: it outlives the call that began it.
        self._task = asyncio.get_running_loop().create_task(
            self._run(work(self._attempt)), context=contextvars.Context()
        )

    def settle(self) -> None:
        """Say that nobody need sign in: a token is there and good."""
        self._change("signed in")

    async def stop(self) -> None:
        """End it at once, for whatever reason."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except McpMagicError as error:
            self.error = error.with_traceback(None)
        except asyncio.CancelledError:
            self.error = SignInFailed("the sign-in was ended")
        except Exception as error:  # noqa: BLE001 - what it holds must not be shown
            kind = type(error).__name__
            self.error = SignInFailed(f"the sign-in ended unexpectedly ({kind})")
        self._change("signed in" if self.error is None else "failed")

    def _show(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self._change("waiting")

    def _change(self, stage: Stage) -> None:
        self.stage = stage
        self._seen.set()
        if self.is_over:
            self._ended.set()
        for hear in list(self._observers):
            with contextlib.suppress(Exception):  # a display is no reason to fail
                hear(self)


@dataclass(frozen=True, slots=True)
class Prompter:
    """Whoever can be asked to sign in.

    Attributes:
        is_there: Whether a person is.
        show: Shows them a sign-in, and how it goes on; called in a caller's thread.
    """

    is_there: Callable[[], bool]
    show: Callable[[SignIn], None]


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

    async def forget(self, connection: Connection) -> bool:
        """Sign out of a server; a flow.

        Returns:
            Whether the sign-in service took note.
        """
        account = _account(connection)
        return await OnLoop(lambda _: self._forget(connection, account))

    async def offer(
        self, connection: Connection | None, refused: AuthorizationRequired
    ) -> McpMagicError:
        """Show whoever is there how to sign in; a flow.

        Args:
            connection: The server's; ``None`` if it is gone.
            refused: How a call ended.

        Returns:
            The error to raise instead.
        """
        if connection is None or not _takes_people(connection):
            return refused
        prompter = self.prompter
        if prompter is None or not prompter.is_there():
            return _told(
                refused,
                f"nobody is here to do so; run %mcp auth {refused.server} in a "
                "notebook, which keeps the token for later runs",
            )
        job, is_new = await OnLoop(lambda _: self._offered(connection, refused))
        if job.error is not None:
            return _told(refused, str(job.error))
        if is_new:
            prompter.show(job)
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

    async def _forget(self, connection: Connection, account: Account) -> bool:
        job = self._jobs.pop(account.url, None)
        if job is not None:
            await job.stop()
        await connection.down()
        return await account.sign_out()

    async def _probe(
        self, connection: Connection, account: Account, scope: str, limit: float
    ) -> SignIn:
        """Find out how the server refuses, and begin with that."""
        from mcp_magic.client.auth.discovery import Challenge  # noqa: PLC0415
        from mcp_magic.client.auth.flow import Wish  # noqa: PLC0415

        refused: McpMagicError | None = None
        try:
            await connection.up()
            refused = connection.listing_error
        except AuthorizationRequired as error:
            refused = error
        if isinstance(refused, AuthorizationRequired):
            challenge = Challenge(refused.status or 401, refused.challenge)
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
    ) -> tuple[SignIn, bool]:
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
            return job, False
        job, is_new = await self._started(connection, Wish(challenge), PATIENCE)
        if is_new:
            self._rounds[wanted] = self._rounds.get(wanted, 0) + 1
        return job, is_new

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
            job.begin(
                lambda attempt: account.sign_in(wish, attempt),
                limit,
                lambda: account.is_settled(wish, before),
            )
        await job.ready()
        return job, is_new

    def _job(self, entry: ServerEntry) -> SignIn:
        shown = redact.url(str(entry.target))
        return SignIn(entry.name, shown, self.prompter)


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
        raise ArgumentError(f"{entry.name} is not reached over HTTP: no sign-in")
    account = account_for(entry, target, settings)
    if account is None:
        raise ArgumentError(
            f"{entry.name} is sent the {own_token(target)}; remove it there to sign in"
        )
    return account


def _takes_people(connection: Connection) -> bool:
    """Whether a person can sign in to a server at all."""
    try:
        return _account(connection).settings.grant == "person"
    except McpMagicError:
        return False
