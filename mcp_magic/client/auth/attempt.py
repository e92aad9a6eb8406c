"""Wait for a person to sign in: the browser's redirect, a pasted address, Cancel, or
the clock, whichever comes first. Where this program has no name at the service, the
person is asked for one before.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from mcp_magic.client.auth.answer import (
    Answer,
    Code,
    Expected,
    Refusal,
    Unfit,
    judge,
    read_pasted,
)
from mcp_magic.client.auth.listener import Listener
from mcp_magic.client.auth.settings import Redirect
from mcp_magic.errors import AnswerRefused, McpMagicError, SignInFailed
from mcp_magic.model import Secret

__all__ = ["Attempt", "Elsewhere", "Given", "Missing", "Prompt", "Shown"]

T = TypeVar("T")
_SLOWER = 3  # times as long as a sign-in takes a registration by hand
_NAME = re.compile(r"[\x20-\x7e]{1,500}")  # RFC 6749, A.1 and A.2
_LOOK = 1.0  # seconds between two looks whether another kernel was faster


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person signs in.

    Attributes:
        host: Whose page it is.
        receiver: Who gets the answer and gives the token, if that is another host: a
            server may name the page of one service and collect its answers itself.
    """

    host: str
    receiver: str = ""

    def __str__(self) -> str:
        if not self.receiver:
            return self.host
        return f"{self.host} (the answer goes to {self.receiver})"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person must see to sign in.

    Attributes:
        url: The page to visit; it is checked, and must still be escaped.
        place: Whose page that is.
        scopes: What is asked for.
        redirect_uri: What the address of the page after it begins with.
        deadline: When it is too late, in seconds since the epoch.
    """

    url: str
    place: Place
    scopes: tuple[str, ...]
    redirect_uri: str
    deadline: float


@dataclass(frozen=True, slots=True)
class Missing:
    """What a person must see to register this program by hand.

    Attributes:
        place: Whose service it is.
        why: What it did instead of registering this program; it begins with a verb.
        redirect_uri: The redirect address to register.
        known: The name of an earlier registration, or an empty text.
        deadline: When it is too late, in seconds since the epoch.
    """

    place: Place
    why: str
    redirect_uri: str
    known: str
    deadline: float


Shown: TypeAlias = Prompt | Missing


@dataclass(frozen=True, slots=True)
class Given:
    """A registration that a person made by hand: this program's name and password."""

    client_id: str
    secret: Secret | None = None


class Elsewhere(Exception):
    """Another kernel signed in meanwhile; its token is there to be used."""


class Attempt:
    """One wait for a person; made and used on the background loop.

    Args:
        limit: Seconds that a person has.
        show: Receives what a person must see; the last one counts.
        is_settled: Whether another kernel has signed in meanwhile.
        complain: Hears why an answer of the browser did not fit.
    """

    def __init__(
        self,
        limit: float,
        show: Callable[[Shown], None],
        is_settled: Callable[[], bool],
        complain: Callable[[str], None],
    ) -> None:
        self._limit = limit
        self._show = show
        self._is_settled = is_settled
        self._complain = complain
        self._loop = asyncio.get_running_loop()
        self._expected: Expected | None = None
        self._outcome: asyncio.Future[Code] = self._loop.create_future()
        self._given: asyncio.Future[Given] | None = None

    @contextlib.asynccontextmanager
    async def listening(
        self, redirect: Redirect, before: int | None
    ) -> AsyncIterator[str]:
        """Listen for the browser meanwhile; gives the redirect address.

        Args:
            redirect: Where the browser is to be sent.
            before: The port of the last time.
        """
        listener = Listener(redirect, self._heard)
        await listener.open(before)
        try:
            yield listener.redirect_uri
        finally:
            listener.close()
            self._outcome.cancel()

    async def client(
        self, place: Place, why: str, redirect_uri: str, known: str
    ) -> Given:
        """Show what is missing, and return the registration that a person gives.

        Args are those of ``Missing``; errors are those of ``answer``.
        """
        limit = self._limit * _SLOWER
        given = self._given = self._loop.create_future()
        self._show(Missing(place, why, redirect_uri, known, time.time() + limit))
        late = (
            f"nobody gave a client id of {place.host} within {limit:g} s; start again"
        )
        return await self._first(given, limit, late)

    async def answer(
        self, url: str, place: Place, scope: str, expected: Expected
    ) -> Secret:
        """Show the prompt, and return the code of the answer.

        Raises:
            Elsewhere: Another kernel signed in meanwhile.
            SignInFailed: It was refused or cancelled, or took too long.
        """
        self._expected = expected
        deadline = time.time() + self._limit
        scopes = tuple(scope.split())
        self._show(Prompt(url, place, scopes, expected.redirect_uri, deadline))
        late = f"nobody signed in at {place.host} within {self._limit:g} s; start again"
        return (await self._first(self._outcome, self._limit, late)).code

    async def _first(self, wanted: asyncio.Future[T], limit: float, late: str) -> T:
        """Return what *wanted* brings, unless the sign-in ends before it."""
        ends: set[asyncio.Future[T] | asyncio.Future[Code]] = {wanted, self._outcome}
        watch = asyncio.create_task(self._watch())
        try:
            done, _ = await asyncio.wait(
                ends, timeout=limit, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            watch.cancel()
        if self._outcome in done:
            self._outcome.result()
        if wanted not in done:
            raise SignInFailed(late)
        return wanted.result()

    # -- from any thread

    @property
    def wants_client(self) -> bool:
        """Whether a registration is waited for, and none was given yet."""
        return self._given is not None

    def use_client(
        self, client_id: str, secret: Secret | None, taken: Callable[[], None]
    ) -> None:
        """Take the registration that a person made by hand.

        Args:
            client_id: This program's name.
            secret: Its password, if it has one.
            taken: Called on the loop before the sign-in goes on.

        Raises:
            AnswerRefused: Nobody asks for it, or it cannot be one.
        """
        given = self._given
        if given is None or self._outcome.done():
            raise AnswerRefused("no client id is asked for now")
        if not _NAME.fullmatch(client_id):
            raise AnswerRefused(
                "this is no client id; copy the one that was registered"
            )
        if secret is not None and not _NAME.fullmatch(secret.reveal()):
            raise AnswerRefused("this is no client secret; copy it again")
        self._given = None
        self._loop.call_soon_threadsafe(taken)
        self._loop.call_soon_threadsafe(self._take, given, Given(client_id, secret))

    def submit(self, text: str) -> None:
        """Take an address that a person pasted.

        Raises:
            AnswerRefused: It does not fit; another may be pasted.
        """
        expected = self._expected
        if self.wants_client and not self._outcome.done():
            raise AnswerRefused("a client id is wanted first; see the prompt")
        if expected is None or self._outcome.done():
            raise AnswerRefused("this sign-in is over or has not begun; start it again")
        answer = read_pasted(text, expected)
        if isinstance(answer, Unfit):
            raise AnswerRefused(answer.why)
        self._loop.call_soon_threadsafe(self._settle, answer)

    def cancel(self) -> None:
        """End the wait."""
        failure = SignInFailed("the sign-in was cancelled")
        self._loop.call_soon_threadsafe(self._fail, failure)

    # -- on the loop

    @staticmethod
    def _take(given: asyncio.Future[Given], answer: Given) -> None:
        if not given.done():
            given.set_result(answer)

    def _heard(self, query: dict[str, str]) -> Answer | None:
        """Judge what the browser brought."""
        if self._expected is None or self._outcome.done():
            return None
        answer = judge(query, self._expected)
        self._settle(answer)
        return answer

    def _settle(self, answer: Answer) -> None:
        match answer:
            case Code() if not self._outcome.done():
                self._outcome.set_result(answer)
            case Refusal(why):
                self._fail(SignInFailed(why))
            case Unfit(why):
                self._complain(why)

    def _fail(self, failure: McpMagicError | Elsewhere) -> None:
        if not self._outcome.done():
            self._outcome.set_exception(failure)
            self._outcome.exception()  # retrieved, also when nobody waits yet

    async def _watch(self) -> None:
        while not self._is_settled():  # noqa: ASYNC110 - another process tells nobody
            await asyncio.sleep(_LOOK)
        self._fail(Elsewhere())
