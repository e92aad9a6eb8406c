"""The sign-in prompt where a person is, and what ``%mcp auth`` does."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mcp_magic.config import ServerEntry
from mcp_magic.display.html import escape, paragraph
from mcp_magic.errors import AnswerRefused, AuthorizationRequired, visible
from mcp_magic.model import Secret
from mcp_magic.notebook import configuring, person, targets
from mcp_magic.notebook.job import Job
from mcp_magic.notebook.pages import Page
from mcp_magic.notebook.widgets.views import view
from mcp_magic.session import Session
from mcp_magic.session.signin import (
    PATIENCE,
    Prompter,
    SignIn,
    is_remote,
    when_ended,
    when_ready,
)

if TYPE_CHECKING:
    from mcp_magic.notebook.widgets.signin import SignInPrompt

__all__ = ["PROMPTER", "auth", "may_open_browser", "page"]

_NOTHING = "(nothing: later)"
_WITH = "Client secret, if it has one (held until this kernel ends): "
_LATER = "The sign-in goes on; %mcp auth --paste {} asks again."
_FORGOTTEN = {
    "nothing kept": "Nobody was signed in to {}: no token was kept.",
    "forgotten": "Signed out of {}; its service did not take note of it.",
    "revoked": "Signed out of {}; its service revoked the tokens.",
}
_TEXT_BROWSERS = ("lynx", "links", "elinks", "w3m", "www-browser")


def auth(job: Job) -> object:
    """Sign in to a server, or out of it.

    Args:
        job: Names the server; its options are ``--forget``, ``--reset``, ``--paste``,
            ``--scope`` and ``--timeout``.

    Raises:
        AuthorizationRequired: Nobody is here to sign in.
        SignInFailed: Nobody can sign in there.
    """
    session, options = job.session, job.line.options
    entry = _server(job)
    connection = session.connections.of(entry.name)
    if "forget" in options.flags:
        done = session.run(session.sign_ins.forget(connection))
        return Page(_FORGOTTEN[done].format(entry.name))
    session.sign_ins.check(connection)
    if not person.is_here():
        if options.scope or "reset" in options.flags:
            raise AuthorizationRequired(
                f"nobody is here to sign in to {entry.name} anew; do so in a notebook, "
                "which keeps the token for later runs",
                entry.name,
            )
        # A token that is kept serves; without one this says what to do.
        session.run(session.connections.connected(entry.name))
        return Page(f"{entry.name} can be used without a person.")
    begun = session.run(
        session.sign_ins.begin(
            connection,
            scope=options.scope or "",
            reset="reset" in options.flags,
            limit=options.timeout or PATIENCE,
        )
    )
    asks = "paste" in options.flags or _asks_by_itself(begun)
    if asks and not begun.is_over:
        return _in_cell(session, begun)
    if person.kernel() is not None:
        # It may not be the cell's value, and is wanted all the same.
        begun.show(PROMPTER)
    return begun


def _server(job: Job) -> ServerEntry:
    """Return the server of the line: a known one, or one that stands there itself."""
    options = job.line.options
    if options.url is not None:
        job.exactly("auth")
        return configuring.adopt(job, options.url)
    (word,) = job.exactly("auth", "SERVER")
    if "://" in word:
        return configuring.adopt(job, word)
    entry = job.server(word)
    targets.refuse_anew(job, entry)
    return entry


def _asks_by_itself(job: SignIn) -> bool:
    """Whether a terminal has to ask: it has no box, and no browser comes back to it."""
    return person.kernel() is None and (job.is_remote or job.missing is not None)


def _in_cell(session: Session, job: SignIn) -> object:
    """Ask for what the prompt's boxes are for, in the cell or terminal."""
    if person.kernel() is not None:
        # No widget: its messages are not heard before the cell has ended.
        _Output(job, is_live=False).show()
    while job.missing is not None and not job.is_over:
        _print(job)
        if not _named(session, job):
            return Page(_LATER.format(job.server))
    return _by_paste(session, job)


def _named(session: Session, job: SignIn) -> bool:
    """Ask for a client id and its secret; whether one was given, or none is wanted."""
    while job.missing is not None and not job.is_over:
        name = person.ask(f"Client id {_NOTHING}: ")
        if not name or not name.strip():
            return False
        secret = _asked(_WITH)
        try:
            job.use_client(name, secret)
        except AnswerRefused as error:
            session.person.say(str(error))
        else:
            session.run(when_ready(job))
            return True
    return True


def _by_paste(session: Session, job: SignIn) -> object:
    """Ask for the address of the page that the browser could not open."""
    _print(job)
    while not job.is_over:
        typed = _asked(f"Paste the address here {_NOTHING}: ")
        if not typed.reveal().strip():
            break
        try:
            job.submit(typed.reveal())
        except AnswerRefused as error:
            session.person.say(str(error))
        else:
            session.run(when_ended(job))
    if not job.is_over:
        return Page(_LATER.format(job.server))
    return None if person.kernel() is not None else Page(job.text())


def _print(job: SignIn) -> None:
    """Print what to do in a terminal; a notebook has it in an output of its own."""
    if person.kernel() is None:
        print(visible(job.text()))  # noqa: T201 - the question needs it


def _asked(question: str) -> Secret:
    """Ask for something secret: tracebacks show what those who wait have in hand."""
    return Secret(person.ask(question, masked=True) or "")


def _show(job: SignIn) -> None:
    if person.kernel() is not None:
        _Output(job).show()
        return
    _print(job)
    if job.url and may_open_browser(os.environ, sys.platform):
        _open_browser(job.url)


PROMPTER = Prompter(person.is_here, _show, person.cell)
"""The person at this notebook or terminal."""


def page(job: SignIn) -> str:
    """Return a sign-in as HTML that needs no widget; every text in it is escaped."""
    prompt = job.prompt
    if job.is_over or prompt is None:
        return paragraph(job.text())
    before, _, after = job.text().partition(prompt.url)
    link = (
        f'<a href="{escape(prompt.url)}" target="_blank" rel="noopener noreferrer">'
        f"Sign in at {escape(prompt.place.host)}</a>"
    )
    return f"{paragraph(before.rstrip())}<p>{link}</p>{paragraph(after.strip())}"


class _Output:
    """A sign-in in a notebook: a prompt that is replaced by what became of it.

    Args:
        job: The sign-in.
        is_live: Whether it can be answered there; else it only shows the page.
    """

    def __init__(self, job: SignIn, *, is_live: bool = True) -> None:
        self._job = job
        self._place = f"mcp-magic-sign-in-{secrets.token_hex(8)}"
        self._turn = job.turn
        self._has_ended = job.is_over
        self._widget = _widget(job) if is_live and not job.is_over else None

    def show(self) -> None:
        """Display it, and keep it up to date."""
        self._put(update=False)
        self._job.observe(self._hear)
        if self._job.is_over and not self._has_ended:
            self._hear(self._job)  # it ended just before it was observed

    def _hear(self, job: SignIn) -> None:
        if not job.is_over:
            if job.turn != self._turn:
                # For front ends without widgets; the widget draws itself.
                self._turn = job.turn
                self._put(update=True)
            return
        self._has_ended = True
        self._put(update=True)
        widget, self._widget = self._widget, None
        if widget is not None:
            widget.widget.close()

    def _put(self, *, update: bool) -> None:
        from IPython.display import display, update_display  # noqa: PLC0415 - in use

        job = self._job
        bundle: dict[str, object] = {
            "text/plain": visible(job.text()),
            "text/html": page(job),
        }
        if self._widget is not None and not job.is_over:
            bundle |= view(self._widget.widget.model_id)
        put: Callable[..., object] = update_display if update else display
        put(bundle, raw=True, display_id=self._place)


def _widget(job: SignIn) -> SignInPrompt:
    # ipywidgets and anywidget take 50 ms to import: at the first prompt.
    from mcp_magic.notebook.widgets.signin import SignInPrompt  # noqa: PLC0415

    return SignInPrompt(job)


def may_open_browser(environ: Mapping[str, str], platform: str) -> bool:
    """Whether a browser of this machine is likely the person's own."""
    if is_remote(environ):
        return False
    if platform in ("darwin", "win32"):
        return True
    return "DISPLAY" in environ or "WAYLAND_DISPLAY" in environ


def _open_browser(url: str) -> None:
    import webbrowser  # noqa: PLC0415 - seldom needed

    with contextlib.suppress(webbrowser.Error):
        browser = webbrowser.get()  # runs programs without a shell
        if getattr(browser, "basename", "") not in _TEXT_BROWSERS:
            browser.open(url)
