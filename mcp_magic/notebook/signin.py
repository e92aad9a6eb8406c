"""The sign-in prompt where a person is, and what ``%mcp auth`` does."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping

from mcp_magic.client.loop import OnLoop
from mcp_magic.display.html import escape, paragraph
from mcp_magic.errors import AnswerRefused, visible
from mcp_magic.model import Secret
from mcp_magic.notebook import person
from mcp_magic.notebook.job import Job, given
from mcp_magic.notebook.pages import Page
from mcp_magic.notebook.widgets.views import view
from mcp_magic.session import Session
from mcp_magic.session.signin import PATIENCE, Prompter, SignIn, is_remote

__all__ = ["PROMPTER", "auth", "may_open_browser", "page"]

_NOTHING = "(nothing: later)"
_WITH = "Client secret, if it has one (held until this kernel ends): "
_LATER = "The sign-in goes on; %mcp auth --paste {} asks again."
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
    (word,) = job.exactly("auth", "SERVER")
    is_url = "://" in word
    entry = (
        session.adopt(given(job, word), options.name) if is_url else job.server(word)
    )
    connection = session.connections.of(entry.name)
    if "forget" in options.flags:
        told = session.run(session.sign_ins.forget(connection))
        revoked = "; its service revoked the tokens" if told else ""
        return Page(f"Signed out of {entry.name}{revoked}.")
    session.sign_ins.check(connection)
    if not person.is_here():
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
    return _in_cell(session, begun) if asks and not begun.is_over else begun


def _asks_by_itself(job: SignIn) -> bool:
    """Whether a terminal has to ask: it has no box, and no browser comes back to it."""
    return person.kernel() is None and (job.is_remote or job.missing is not None)


def _in_cell(session: Session, job: SignIn) -> object:
    """Ask for what the prompt's boxes are for, in the cell or terminal."""
    while job.missing is not None and not job.is_over:
        print(visible(job.text()))  # noqa: T201 - the question needs the cell
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
            session.run(_ready(job))
            return True
    return True


def _by_paste(session: Session, job: SignIn) -> object:
    """Ask for the address of the page that the browser could not open."""
    print(visible(job.text()))  # noqa: T201 - the question needs the cell
    while not job.is_over:
        typed = _asked(f"Paste the address here {_NOTHING}: ")
        if not typed.reveal():
            break
        try:
            job.submit(typed.reveal())
        except AnswerRefused as error:
            session.person.say(str(error))
        else:
            session.run(_ended(job))
    return Page(job.text() if job.is_over else _LATER.format(job.server))


def _asked(question: str) -> Secret:
    """Ask for something secret: tracebacks show what those who wait have in hand."""
    return Secret(person.ask(question, masked=True) or "")


async def _ended(job: SignIn) -> None:
    await OnLoop(lambda _: job.ended())


async def _ready(job: SignIn) -> None:
    await OnLoop(lambda _: job.ready())


def _show(job: SignIn) -> None:
    if person.kernel() is not None:
        _Output(job).show()
        return
    print(visible(job.text()))  # noqa: T201 - in a terminal
    if job.url and may_open_browser(os.environ, sys.platform):
        _open_browser(job.url)


PROMPTER = Prompter(person.is_here, _show)
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
    """A sign-in in a notebook: a prompt that is replaced by what became of it."""

    def __init__(self, job: SignIn) -> None:
        # ipywidgets and anywidget take 50 ms to import: at the first prompt.
        from mcp_magic.notebook.widgets.signin import SignInPrompt  # noqa: PLC0415

        self._job = job
        self._place = f"mcp-magic-sign-in-{id(self)}-{job.seconds_left}"
        self._turn = job.turn
        self._widget = None if job.is_over else SignInPrompt(job)

    def show(self) -> None:
        """Display it, and keep it up to date."""
        self._put(update=False)
        self._job.observe(self._hear)
        if self._job.is_over and self._widget is not None:
            self._hear(self._job)  # it ended just before it was observed

    def _hear(self, job: SignIn) -> None:
        if not job.is_over:
            if job.turn != self._turn:
                # For front ends without widgets; the widget draws itself.
                self._turn = job.turn
                self._put(update=True)
            return
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
