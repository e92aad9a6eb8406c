"""Wait for a person to sign in: the browser's redirect, a pasted address, Cancel, or
the clock, whichever comes first.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

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

__all__ = ["Attempt", "Elsewhere", "Prompt"]

_LOOK = 1.0  # seconds between two looks whether another kernel was faster


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person must see to sign in.

    Attributes:
        url: The page to visit; it is checked, and must still be escaped.
        host: Whose page that is.
        scopes: What is asked for.
        redirect_uri: What the address of the page after it begins with.
        deadline: When it is too late, in seconds since the epoch.
    """

    url: str
    host: str
    scopes: tuple[str, ...]
    redirect_uri: str
    deadline: float


class Elsewhere(Exception):
    """Another kernel signed in meanwhile; its token is there to be used."""


class Attempt:
    """One wait for a person; made and used on the background loop.

    Args:
        limit: Seconds that a person has.
        show: Receives the prompt; called once or, if the service has forgotten this
            program, not at all.
        is_settled: Whether another kernel has signed in meanwhile.
        complain: Hears why an answer of the browser did not fit.
    """

    def __init__(
        self,
        limit: float,
        show: Callable[[Prompt], None],
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

    async def answer(
        self, url: str, host: str, scope: str, expected: Expected
    ) -> Secret:
        """Show the prompt, and return the code of the answer.

        Raises:
            Elsewhere: Another kernel signed in meanwhile.
            SignInFailed: It was refused or cancelled, or took too long.
        """
        self._expected = expected
        deadline = time.time() + self._limit
        scopes = tuple(scope.split())
        self._show(Prompt(url, host, scopes, expected.redirect_uri, deadline))
        watch = asyncio.create_task(self._watch())
        try:
            async with asyncio.timeout(self._limit):
                return (await asyncio.shield(self._outcome)).code
        except TimeoutError:
            pass
        finally:
            watch.cancel()
        raise SignInFailed(
            f"nobody signed in at {host} within {self._limit:g} s; start again"
        )

    # -- from any thread

    def submit(self, text: str) -> None:
        """Take an address that a person pasted.

        Raises:
            AnswerRefused: It does not fit; another may be pasted.
        """
        expected = self._expected
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
