"""Answers a server's question in the cell that waits for the call.

In a notebook a form is shown below the cell; where nothing draws it within a few
seconds, and in a terminal, the question is asked line by line. Where no person is, it
is declined at once.
"""

from __future__ import annotations

import contextlib
import getpass
import queue
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from mcp_magic.client.caller import Asked, declined
from mcp_magic.display import html
from mcp_magic.errors import visible
from mcp_magic.model import Declined, Question, Reply, UrlQuestion
from mcp_magic.notebook import person
from mcp_magic.notebook.prompting import Prompts
from mcp_magic.notebook.pump import Pump
from mcp_magic.notebook.widgets.forms import told
from mcp_magic.notebook.widgets.inquiry import Inquiry, summary
from mcp_magic.notebook.widgets.views import view

__all__ = ["Cell", "refusal"]

_HANDSHAKE = 5.0  # seconds in which a front end that can draw the form says so
_RETURN = 30.0  # seconds in which a page that was loaded again draws it again
# Nothing that a browser reads differently (``\\``, ``%2e``), and no look-alike letters:
# other alphabets have to be written as ``xn--``.
_HOST = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?")
_LOST = (
    "The page was loaded again and shows the question no more, as it was not saved "
    "meanwhile; it was cancelled. Run the cell again."
)
_TURN = 0.5  # seconds; a bounded wait keeps Ctrl-C alive on every system


class Cell:
    """Asks the person whose cell waits.

    Args:
        say: Shows one line.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def ask(self, asked: Asked) -> Reply:
        """Return the answer to one question."""
        refused = refusal(asked.question)
        if refused or not person.is_here():
            self._say(refused or declined(asked.question))
            return Declined()
        kernel = person.kernel()
        reply = None if kernel is None else self._by_form(asked, kernel)
        return _by_line(asked) if reply is None else reply

    def _by_form(self, asked: Asked, kernel: Any) -> Reply | None:
        """Ask by a form below the cell; ``None``: nothing drew it."""
        try:
            pump = Pump(kernel)
        except LookupError:
            return None
        with pump, _shown(asked.question, pump.wake) as form:
            asked.over.add_done_callback(pump.wake)
            end = time.monotonic() + _HANDSHAKE
            while not asked.over.done():
                form.attend()
                if form.reply is not None:
                    return form.reply
                if not form.drawn and time.monotonic() > end:
                    return None
                if form.is_lost(len(pump.newcomers)):
                    self._say(_LOST)
                    break
                pump.wait(_TURN)
        # The call ended while the form was open, or nobody sees it: nobody answers.
        return Declined(dismissed=True)


def refusal(question: Question) -> str:
    """Return why a question is not even shown, or an empty text."""
    if not isinstance(question, UrlQuestion):
        return ""
    try:
        parts = urlsplit(question.url)
        usable = parts.scheme == "https" and _HOST.fullmatch(parts.netloc) is not None
    except ValueError:
        usable = False
    if usable and question.url.isprintable():
        return ""
    return (
        f"{question.server} asked to open an address that is no plain https address; "
        "it was declined."
    )


def _print(shown: str) -> None:
    print(shown)  # noqa: T201 - a question line by line


def _by_line(asked: Asked) -> Reply:
    def over(_: object) -> None:
        if not answered:
            _print("(nobody waits for the answer any more; press Enter)")

    answered: list[Reply] = []
    asked.over.add_done_callback(over)
    # IPython's kernel puts its own input and getpass in place of these.
    prompts = Prompts(_print, input, getpass.getpass)
    answered.append(prompts.answer(asked.question))
    return answered[0]


class _Form:
    """A form on the screen; its messages come from any thread."""

    def __init__(self, question: Question, wake: Callable[[], None]) -> None:
        # ipywidgets and anywidget take 50 ms to import: at the first form.
        from mcp_magic.notebook.widgets.front import QuestionForm  # noqa: PLC0415

        self.drawn = False
        self.reply: Reply | None = None
        self._inquiry = Inquiry(question)
        self._newcomers = 0
        self._deadline: float | None = None
        self._heard: queue.SimpleQueue[object] = queue.SimpleQueue()
        self.widget = QuestionForm()

        def receive(message: object) -> None:
            self._heard.put(message)
            wake()

        self.widget.attend(receive)

    def is_lost(self, newcomers: int) -> bool:
        """Whether other pages have come, and none shows the form any more.

        Args:
            newcomers: How many have come.
        """
        if newcomers > self._newcomers:
            self._newcomers = newcomers
            self._deadline = time.monotonic() + _RETURN
            self.widget.send({"kind": "there?"})
        return self._deadline is not None and time.monotonic() > self._deadline

    def attend(self) -> None:
        """Handle what was heard since."""
        while self.reply is None and not self._heard.empty():
            self._hear(self._heard.get())

    def _hear(self, message: object) -> None:
        self._deadline = None  # somebody is there
        if message == {"kind": "here"}:
            return
        if message == {"kind": "ready"}:
            self.drawn = True
            self.widget.send({"kind": "question", "drawn": self._inquiry.drawn})
            return
        found = self._inquiry.read(message)
        if isinstance(found, Sequence):
            view = message.get("view") if isinstance(message, Mapping) else None
            wrong = {"kind": "problems", "view": view, "problems": told(found)}
            self.widget.send(wrong)
            return
        self.reply = found


@contextlib.contextmanager
def _shown(question: Question, wake: Callable[[], None]) -> Iterator[_Form]:
    """Show a form, and put what became of it in its place at the end."""
    from IPython.display import display, update_display  # noqa: PLC0415 - as above

    form = _Form(question, wake)
    place = f"mcp-magic-question-{form.widget.model_id}"
    waiting = visible(f"{question.server} asks a question; the cell waits.")
    bundle = {"text/plain": waiting, **view(form.widget.model_id)}
    display(bundle, raw=True, display_id=place)  # type: ignore[no-untyped-call] # IPython's
    try:
        yield form
    finally:
        shown = "" if not form.drawn else summary(question, form.reply)
        update_display(  # type: ignore[no-untyped-call] # IPython's
            {"text/plain": shown, "text/html": html.paragraph(shown)},
            raw=True,
            display_id=place,
        )
        form.widget.close()
