"""Signing in as a job of the background: begun by a call or a person, shown by whoever
is there, ended by the browser, a pasted address, Cancel or the clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mcp_magic.errors import (
    AnswerRefused,
    McpMagicError,
    SignInFailed,
    visible,
)

if TYPE_CHECKING:
    from mcp_magic.client.auth.attempt import Attempt, Prompt

__all__ = ["PATIENCE", "Prompter", "SignIn", "Stage"]

PATIENCE = 300.0  # seconds that a person has to sign in
_TURN = 0.2  # seconds

Stage: TypeAlias = Literal["starting", "waiting", "signed in", "failed"]


class SignIn:
    """A sign-in to one server, which goes on in the background.

    Attributes:
        server: The server's name.
        target: Its address, as it may be shown.
        stage: How far it is.
        prompt: What a person must see; ``None`` before there is anything to see.
        error: Why it failed, if it did.
        problem: Why the last answer of a browser did not fit, or an empty text.
    """

    def __init__(self, server: str, target: str, prompter: Prompter | None) -> None:
        self.server = server
        self.target = target
        self.stage: Stage = "starting"
        self.prompt: Prompt | None = None
        self.error: McpMagicError | None = None
        self.problem = ""
        self._prompter = prompter
        self._attempt: Attempt | None = None
        self._observers: list[Callable[[SignIn], None]] = []
        self._over = threading.Event()
        self._seen = asyncio.Event()
        self._ended = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<SignIn {self.server}: {self.stage}>"

    def _ipython_display_(self) -> None:
        if self._prompter is None:
            print(visible(self.text()))  # noqa: T201 - as IPython would
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

    def wait(self, seconds: float = PATIENCE) -> SignIn:
        """Wait for the end, for programs; a notebook is better left free meanwhile.

        Raises:
            SignInFailed: It did not work, or is not over yet.
        """
        end = time.monotonic() + seconds
        # Bounded waits keep Ctrl-C alive on every system.
        while not self._over.wait(_TURN) and time.monotonic() < end:
            pass
        if self.stage != "signed in":
            raise SignInFailed(self.text(), self.server)
        return self

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

        self._attempt = Attempt(limit, self._show, is_settled, self._complain)
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

    def _complain(self, why: str) -> None:
        self.problem = why
        self._change(self.stage)

    def _show(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self._change("waiting")

    def _change(self, stage: Stage) -> None:
        self.stage = stage
        self._seen.set()
        if self.is_over:
            self._over.set()
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
