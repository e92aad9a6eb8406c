"""The prompt of a sign-in as a widget: link, scopes, time left, a box to paste into.

All of it travels by message: no widget state holds the link, or what is pasted.
"""

from __future__ import annotations

from mcp_magic.errors import AnswerRefused, visible
from mcp_magic.model import Json
from mcp_magic.notebook.widgets.front import SignInForm
from mcp_magic.session.signin import SignIn

__all__ = ["SignInPrompt", "drawn"]


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
        self.widget.attend(self._receive)
        job.observe(self._changed)

    def _receive(self, message: object) -> None:
        match message:
            case {"kind": "ready"}:
                self.widget.send({"kind": "prompt", **drawn(self._job)})
            case {"kind": "paste", "text": str(pasted)}:
                try:
                    self._job.submit(pasted)
                except AnswerRefused as error:
                    self.widget.send(
                        {"kind": "problem", "message": visible(str(error))}
                    )
            case {"kind": "cancel"}:
                self._job.cancel()

    def _changed(self, job: SignIn) -> None:
        if job.problem and not job.is_over:
            self._tell(job.problem)

    def _tell(self, problem: str) -> None:
        self.widget.send({"kind": "problem", "message": visible(problem)})


def drawn(job: SignIn) -> dict[str, Json]:
    """Return what ``signin.js`` draws; the texts are safe as text."""
    prompt = job.prompt
    if prompt is None:
        return {}
    return {
        "server": visible(job.server),
        "target": visible(job.target),
        "host": visible(prompt.host),
        "url": prompt.url,
        "scopes": [visible(one) for one in prompt.scopes],
        "seconds": job.seconds_left,
        "redirect": prompt.redirect_uri,
    }
