"""The prompt of a sign-in as a widget: link, scopes, time left, a box to paste into; or
boxes for a client id and its secret, where none is known.

All of it travels by message: no widget state holds the link, or what is typed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_magic.errors import AnswerRefused, visible
from mcp_magic.model import Json
from mcp_magic.notebook.widgets.front import SignInForm
from mcp_magic.session.signin import SignIn

if TYPE_CHECKING:
    from mcp_magic.client.auth.attempt import Missing

__all__ = ["SignInPrompt", "drawn", "take"]


class SignInPrompt:
    """A sign-in that a person may finish by pasting, or cancel.

    Args:
        job: The sign-in.

    Attributes:
        widget: What a front end draws.
    """

    def __init__(self, job: SignIn) -> None:
        self.widget = SignInForm()
        self._job = job
        self._turn = job.turn
        self.widget.attend(self._receive)
        job.observe(self._changed)

    def _receive(self, message: object) -> None:
        match message:
            case {"kind": "ready"}:
                self.widget.send({"kind": "prompt", **drawn(self._job)})
            case _:
                problem = take(self._job, message)
                if problem:
                    self._tell(problem)

    def _changed(self, job: SignIn) -> None:
        if job.is_over:
            return
        if job.turn != self._turn:
            self._turn = job.turn
            self.widget.send({"kind": "prompt", **drawn(job)})
        elif job.problem:
            self._tell(job.problem)

    def _tell(self, problem: str) -> None:
        self.widget.send({"kind": "problem", "message": visible(problem)})


def take(job: SignIn, message: object) -> str:
    """Do what a person did in a prompt that ``signin.js`` drew.

    Returns:
        Why it cannot be taken, or an empty text.
    """
    try:
        match message:
            case {"kind": "paste", "text": str(pasted)}:
                job.submit(pasted)
            case {"kind": "client", "id": str(name), "secret": str(secret)}:
                job.use_client(name, secret)
            case {"kind": "cancel"}:
                job.cancel()
    except AnswerRefused as error:
        return str(error)
    return ""


def drawn(job: SignIn) -> dict[str, Json]:
    """Return what ``signin.js`` draws; the texts are safe as text.

    ``turn`` tells one thing to be seen from the next; ``way`` is what it is.
    """
    seen = job.missing or job.prompt
    if seen is None:
        return {}
    common: dict[str, Json] = {
        "turn": job.turn,
        "server": visible(job.server),
        "target": visible(job.target),
        "host": visible(seen.place.host),
        "receiver": visible(seen.place.receiver),
        "seconds": job.seconds_left,
        "redirect": seen.redirect_uri,
    }
    return common | (_missing(job.missing) if job.missing else _prompt(job))


def _missing(missing: Missing) -> dict[str, Json]:
    why, known = visible(missing.why), visible(missing.known)
    return {"way": "register", "why": why, "known": known}


def _prompt(job: SignIn) -> dict[str, Json]:
    prompt = job.prompt
    assert prompt is not None, "drawn"  # noqa: S101 - looked at by the caller
    scopes = [visible(one) for one in prompt.scopes]
    shown: dict[str, Json] = {"url": prompt.url, "scopes": scopes}
    return {"way": "sign in", "remote": job.is_remote, **shown}
