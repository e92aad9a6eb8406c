"""One call that a widget makes: in a thread of its own, told in messages."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcp_magic.answer import Answer
from mcp_magic.client.caller import Waiting
from mcp_magic.display import answers, progress, text
from mcp_magic.errors import (
    ArgumentError,
    CallStopped,
    McpMagicError,
    RequestRefused,
    ToolFailed,
    visible,
)
from mcp_magic.language import Bound, Problem, bind, values
from mcp_magic.model import Event, Json, Progress, Schema
from mcp_magic.notebook.widgets.panel import Panel
from mcp_magic.notebook.widgets.signing import Signing
from mcp_magic.session import CallResult, Session, call

__all__ = ["Order", "Run"]

_EVERY = 0.1  # seconds between two messages about progress
_NOTES = 20  # notes of one call that are kept
_DATA = 2000  # characters of what a server says besides an error's message


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be called.

    Attributes:
        server: The exact name of a known server.
        tool: The tool's exact name.
        values: The arguments as they are sent.
        code: A line that makes this call, without its secrets; shown.
    """

    server: str
    tool: str
    values: Mapping[str, Json] = field(repr=False)
    code: str


class Run:
    """A call that was started by pressing Run.

    Args:
        session: Knows the servers.
        order: What is to be called.
        told: Receives the state of the call whenever it changes, from any thread.
    """

    def __init__(
        self,
        session: Session,
        order: Order,
        told: Callable[[dict[str, object]], None],
    ) -> None:
        self._session = session
        self._order = order
        self._told = told
        self._stop = threading.Event()
        self.panel = Panel(self._stop, self._tell, self._note)
        self._signing = Signing(self._tell)
        self._waiting = Waiting(self._hear, self.panel.ask, self._stop)
        self._notes: list[object] = []
        self._progress: dict[str, object] = {}
        self._outcome: dict[str, object] = {"state": "running"}
        self._started = time.monotonic()
        self._drawn = 0.0
        # What the kernel knows of the message that started it goes along: ipykernel
        # 7.0 sends nothing from a thread that it cannot place.
        target = contextvars.copy_context().run
        self._thread = threading.Thread(
            target=target, args=(self._work,), name="mcp-magic-run", daemon=True
        )

    def start(self) -> None:
        """Begin, and return at once."""
        self._told(self.state)
        self._thread.start()

    def stop(self) -> None:
        """Cancel the call; the server is told."""
        self._stop.set()

    def join(self) -> None:
        """Wait for its end."""
        self._thread.join()

    @property
    def state(self) -> dict[str, object]:
        """How the call is, in texts that are safe to show."""
        notes: object = list(self._notes)
        shown = visible(self._order.code)
        asked = self.panel.drawn
        passed = round(time.monotonic() - self._started, 1)
        told = {"code": shown, "notes": notes, "question": asked, "passed": passed}
        told["sign_in"] = self._signing.drawn
        return {**told, **self._progress, **self._outcome}

    def receive(self, message: object) -> Sequence[Problem]:
        """Take what a view sends to a question or a sign-in of the call.

        Returns:
            What is wrong with it, if anything is.
        """
        if self.panel.drawn is not None:
            return self.panel.receive(message)
        return self._signing.receive(message)

    def _tell(self) -> None:
        self._told(self.state)

    def _note(self, said: str) -> None:
        if len(self._notes) < _NOTES:
            self._notes.append(visible(said))

    def _work(self) -> None:
        order = self._order
        given = values(kwargs=order.values)

        def binder(schema: Schema | None, label: str) -> Bound:
            return bind(given, schema, label=label)

        flow = call(self._session, order.server, order.tool, binder)
        try:
            result = self._session.crossing.run_apart(
                flow, self._waiting, self._signing.prompter
            )
            outcome = {"state": "ok", **_shown(self._session, result.answer)}
        except CallStopped:
            outcome = {"state": "cancelled"}
        except ToolFailed as error:
            outcome = {"state": "tool error", **self._failed(error)}
        except McpMagicError as error:
            outcome = {"state": "failed", **_said(error)}
        except Exception as error:  # noqa: BLE001 - else the row would never end
            said = visible(f"{type(error).__name__}: {error}")
            outcome = {"state": "failed", "error": "Something broke.", "text": said}
        seconds = time.monotonic() - self._started
        self._outcome = {**outcome, "seconds": f"{seconds:.1f} s"}
        self._told(self.state)

    def _failed(self, error: ToolFailed) -> dict[str, object]:
        result = error.result
        if not isinstance(result, CallResult):
            return {"text": visible(str(error))}
        return _shown(self._session, result.answer)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Progress):
            self._progress = _measured(event, time.monotonic() - self._started)
            if time.monotonic() - self._drawn < _EVERY:
                return
            self._drawn = time.monotonic()
        else:
            self._note(event.text)
        self._told(self.state)


def _measured(told: Progress, seconds: float) -> dict[str, object]:
    words = progress.words("", told, seconds, None)
    return {"share": progress.share(told), "words": words}


def _shown(session: Session, answer: Answer) -> dict[str, object]:
    """Return an answer as escaped HTML, or as text where there is no more to it."""
    plain = replace(answer, warnings=())
    page = answers.as_page(plain, session.limits, session.meanings.reveal)
    if page is None:
        shown = session.meanings.reveal(answers.as_text(plain, session.limits))
        part: dict[str, object] = {"text": shown}
    else:
        part = {"html": page}
    if answer.warnings:
        part["warnings"] = [text.cell(one, 300) for one in answer.warnings[:10]]
    return part


def _said(error: McpMagicError) -> dict[str, object]:
    more, unsent = "", False
    match error:
        case ArgumentError():
            kind, unsent = "The arguments do not fit; nothing was sent.", True
        case RequestRefused(data=data):
            kind = "The server refused the request."
            more = "" if data is None else f"\n{text.cell(data, _DATA)}"
        case _:
            kind = "The call did not come through."
    return {"error": kind, "text": visible(f"{error}{more}"), "unsent": unsent}
