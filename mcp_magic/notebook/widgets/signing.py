"""A sign-in below what wants it: a call that Run has started, or a server's row."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence

from mcp_magic.errors import visible
from mcp_magic.language import Problem
from mcp_magic.session.signin import Prompter, SignIn

__all__ = ["Signing"]


class Signing:
    """Shows a sign-in in whatever views there are of what wants it.

    Args:
        changed: Is called when there is something else to see, from any thread.

    Attributes:
        job: The sign-in that was shown last; ``None`` before the first.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self.job: SignIn | None = None

    @property
    def prompter(self) -> Prompter:
        """Who is asked to sign in: whoever pressed the button."""
        return Prompter(lambda: True, self._show, lambda: self)

    @property
    def drawn(self) -> dict[str, object] | None:
        """What ``signin.js`` draws; ``said`` is how it ended."""
        job = self.job
        if job is None:
            return None
        if job.is_over:
            return {"said": visible(job.text()), "done": job.stage == "signed in"}
        # ipywidgets and anywidget come along: not before a sign-in is shown.
        from mcp_magic.notebook.widgets.signin import drawn  # noqa: PLC0415

        return {**drawn(job), "problem": visible(job.problem)}

    def receive(self, message: object) -> Sequence[Problem]:
        """Take what a person did in the prompt; return why it cannot be taken."""
        if self.job is None:
            return ()
        from mcp_magic.notebook.widgets.signin import take  # noqa: PLC0415 - as above

        wrong = take(self.job, message)
        return [Problem("", visible(wrong))] if wrong else ()

    def _show(self, job: SignIn) -> None:
        self.job = job
        # See runs.py: ipykernel 7.0 must know for which message a thread sends.
        here = contextvars.copy_context()
        job.observe(lambda _: here.copy().run(self._changed))
