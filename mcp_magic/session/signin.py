"""Signing in as a job of the background: begun by a call or a person, shown by whoever
is there, ended by the browser, a pasted address, Cancel or the clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mcp_magic.client.loop import OnLoop
from mcp_magic.errors import (
    AnswerRefused,
    CallStopped,
    McpMagicError,
    SignInFailed,
    visible,
)
from mcp_magic.model import Secret
from mcp_magic.session import given

if TYPE_CHECKING:
    from mcp_magic.client.auth.attempt import Attempt, Missing, Prompt, Shown

__all__ = [
    "PATIENCE",
    "Prompter",
    "SignIn",
    "Stage",
    "is_remote",
    "when_ended",
    "when_ready",
]

PATIENCE = 300.0  # seconds that a person has to sign in
_TURN = 0.2  # seconds

Stage: TypeAlias = Literal["starting", "registering", "waiting", "signed in", "failed"]

_ELSEWHERE = ("JUPYTERHUB_", "BINDER_", "COLAB_")  # beginnings of variables
_ELSEWHERE_TOO = ("SSH_CONNECTION", "CODESPACES")


def is_remote(environ: Mapping[str, str]) -> bool:
    """Whether this process likely runs elsewhere than the person's browser.

    A page on 127.0.0.1 is then a page of the browser's machine, where nobody listens.
    """
    return any(
        name in _ELSEWHERE_TOO or name.startswith(_ELSEWHERE) for name in environ
    )


class SignIn:
    """A sign-in to one server, which goes on in the background.

    Attributes:
        server: The server's name.
        target: Its address, as it may be shown.
        is_remote: Whether the browser is on another machine, as far as that is known.
        stage: How far it is.
        prompt: What a person must see; ``None`` before there is anything to see.
        missing: What a person must register first; ``None`` where nothing is missing.
        turn: Counts what was to be seen.
        error: Why it failed, if it did.
        problem: Why the last answer of a browser did not fit, or an empty text.
        note: What else is to be known at the end, or an empty text.
    """

    def __init__(
        self,
        server: str,
        target: str,
        prompter: Prompter | None,
        *,
        is_remote: bool = False,
    ) -> None:
        self.server = server
        self.target = target
        self.is_remote = is_remote
        self.stage: Stage = "starting"
        self.prompt: Prompt | None = None
        self.missing: Missing | None = None
        self.turn = 0
        self.note = ""
        self.error: McpMagicError | None = None
        self.problem = ""
        self._prompter = prompter
        self._seen_last: object = None
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
            self.show(self._prompter)

    def show(self, prompter: Prompter) -> None:
        """Have *prompter* show it, unless it stands like that where they are."""
        seen = prompter.place(), self.turn, self.is_over
        if seen != self._seen_last:
            self._seen_last = seen
            prompter.show(self)

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
        seen = self.missing or self.prompt
        return 0 if seen is None else max(0, round(seen.deadline - time.time()))

    def submit(self, text: str) -> None:
        """Take the address of the page that a browser could not open.

        Raises:
            AnswerRefused: It does not fit; another may be given.
            ArgumentError: It is no text.
        """
        given.only_text("submit", text)
        if self.is_over or self._attempt is None:
            raise AnswerRefused("this sign-in is over; start it again")
        self._attempt.submit(text)

    def use_client(self, client_id: str, secret: Secret | str | None = None) -> None:
        """Name the registration that was made by hand, where none is known.

        The name is kept with the tokens, for this server alone; the secret is held in
        memory until the kernel ends.

        Raises:
            AnswerRefused: None is wanted, or it cannot be one.
            ArgumentError: One of them is no text.
        """
        given.only_text("client_id", client_id)
        if secret is not None and not isinstance(secret, Secret):
            given.only_text("secret", secret)
        if self.is_over or self._attempt is None:
            raise AnswerRefused("this sign-in is over; start it again")
        password = Secret(secret.strip()) if isinstance(secret, str) else secret
        if password is not None and not password.reveal():
            password = None
        self._attempt.use_client(client_id.strip(), password, self._seen.clear)

    def cancel(self) -> None:
        """End it."""
        if self._attempt is not None:
            self._attempt.cancel()

    def wait(self, seconds: float = PATIENCE) -> SignIn:
        """Wait for the end, for programs; a notebook is better left free meanwhile.

        Args:
            seconds: How long to wait.

        Raises:
            ArgumentError: *seconds* is no number above 0.
            CallStopped: Stop or Ctrl-C; the sign-in goes on.
            SignInFailed: It did not work, is not over yet, or wants a client id first.
        """
        stopped = False
        try:
            self._wait_till(time.monotonic() + given.seconds("wait", seconds))
        except KeyboardInterrupt:
            stopped = True
        if stopped:
            raise CallStopped(
                "stopped waiting; the sign-in goes on, and .cancel() ends it"
            )
        if self.stage != "signed in":
            raise SignInFailed(self._unfinished(), self.server)
        return self

    def _wait_till(self, end: float) -> None:
        # Bounded waits keep Ctrl-C alive on every system.
        while not self._over.wait(_TURN) and time.monotonic() < end:
            if self._attempt is not None and self._attempt.wants_client:
                break

    def _unfinished(self) -> str:
        """Return in a line why ``wait`` has waited long enough."""
        if self.is_over:
            return self.text()
        if self.missing is None:
            return f"nobody has signed in to {self.server} yet; the sign-in goes on"
        return (
            f"{self.missing.place.host} {self.missing.why}: register a client there by "
            f"hand (redirect address {self.missing.redirect_uri}) and give its id with "
            "use_client"
        )

    def observe(self, hear: Callable[[SignIn], None]) -> None:
        """Have *hear* called whenever the stage changes, on the background thread."""
        self._observers.append(hear)

    def text(self) -> str:
        """Return it as plain text: what to do, or how it ended."""
        match self.stage:
            case "signed in":
                return f"Signed in to {self.server}. {self.note}".rstrip()
            case "failed":
                return f"Not signed in to {self.server}: {self.error}"
        if self.missing is not None:
            return self._registering(self.missing)
        if self.prompt is not None:
            return self._signing_in(self.prompt)
        return f"Signing in to {self.server} …"

    def _registering(self, missing: Missing) -> str:
        return (
            f"{self.server} ({self.target}) wants you to sign in at {missing.place}, "
            f"which {missing.why}.\n"
            "Register a client there by hand (a public or native one), with the "
            "redirect address\n"
            f"  {missing.redirect_uri}\n"
            f"and give its client id within {self._minutes} min:\n"
            f"  %mcp auth --paste {self.server}"
        )

    def _signing_in(self, prompt: Prompt) -> str:
        asks = " ".join(prompt.scopes) or "(nothing in particular)"
        after = (
            "The page after it will likely not open: your browser is on another "
            "machine than this kernel.\n"
            f"Copy its whole address ({prompt.redirect_uri}?…) out of the browser's "
            "address bar and run"
            if self.is_remote
            else "If the page after it cannot be opened, copy its address and run"
        )
        return (
            f"{self.server} ({self.target}) wants you to sign in at {prompt.place}.\n"
            f"It asks for: {asks}\n"
            f"Open this page within {self._minutes} min:\n"
            f"  {prompt.url}\n"
            f"{after}\n"
            f"  %mcp auth --paste {self.server}"
        )

    @property
    def _minutes(self) -> int:
        return max(1, round(self.seconds_left / 60))

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

    def _show(self, shown: Shown) -> None:
        from mcp_magic.client.auth.attempt import Prompt  # noqa: PLC0415 - imports mcp

        self.turn += 1
        self.prompt = shown if isinstance(shown, Prompt) else None
        self.missing = None if isinstance(shown, Prompt) else shown
        self._change("registering" if self.prompt is None else "waiting")

    def _change(self, stage: Stage) -> None:
        self.stage = stage
        self._seen.set()
        if self.is_over:
            self._over.set()
            self._ended.set()
        for hear in list(self._observers):
            with contextlib.suppress(Exception):  # a display is no reason to fail
                hear(self)


async def when_ready(job: SignIn) -> None:
    """Wait until there is something to see, or nothing more to come; a flow."""
    await OnLoop(lambda _: job.ready())


async def when_ended(job: SignIn) -> None:
    """Wait for the end; a flow."""
    await OnLoop(lambda _: job.ended())


@dataclass(frozen=True, slots=True)
class Prompter:
    """Whoever can be asked to sign in.

    Attributes:
        is_there: Whether a person is.
        show: Shows them a sign-in, and how it goes on; called in a caller's thread.
        place: Tells where that would be, such as the output of a cell: what was shown
            in one may not be seen from another. The same for all by default.
    """

    is_there: Callable[[], bool]
    show: Callable[[SignIn], None]
    place: Callable[[], object] = lambda: None
