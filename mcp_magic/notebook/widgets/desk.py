"""What happens when something is pressed in the list of tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mcp_magic.errors import McpMagicError, visible
from mcp_magic.language import Form, fields, spell, spell_python
from mcp_magic.model import Json, Tool
from mcp_magic.notebook.widgets.catalogue import Listed
from mcp_magic.notebook.widgets.forms import sheet, told
from mcp_magic.notebook.widgets.keeping import is_secretive
from mcp_magic.notebook.widgets.runs import Order, Run
from mcp_magic.notebook.widgets.whole import as_form, as_text, contents
from mcp_magic.session import Session

__all__ = ["Desk", "Drafts"]

Drafts: TypeAlias = MutableMapping[tuple[str, str], object]
"""What was entered last in the form of a tool, by server and tool; no secrets."""

Send: TypeAlias = Callable[[dict[str, object]], None]

_KEPT = 50  # calls of one list; older ones go when they have ended


@dataclass(frozen=True, slots=True)
class _Filled:
    """A form as a view sends it.

    Attributes:
        view: Who sends it.
        tool: The place of its tool in the list.
        mark: What its boxes hold.
        text: The JSON text that is edited in their place.
        confirmed: Whether the person agreed to what may destroy something.
    """

    view: str
    tool: int
    mark: object
    text: str | None
    confirmed: bool

    @property
    def reply(self) -> dict[str, object]:
        """How every answer to it begins."""
        return {"view": self.view, "tool": self.tool}


class Desk:
    """Answers the messages of all views of one list.

    Args:
        session: Knows the servers.
        listed: The tools; views name them by their place here.
        send: Sends a message to all views, from any thread.
        drafts: Where half-filled forms are kept.
        after: Is called when a call has ended.
    """

    def __init__(
        self,
        session: Session,
        listed: Sequence[Listed],
        send: Send,
        drafts: Drafts,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        self._session = session
        self._listed = listed
        self._send = send
        self._drafts = drafts
        self._after = after
        self._news: dict[str, str] = {}
        self._forms: dict[int, tuple[Tool, Form]] = {}
        self._runs: dict[int, tuple[int, Run]] = {}
        self._count = 0

    def receive(self, message: object) -> None:
        """Carry out one message of a view, and return soon."""
        try:
            self._carry_out(message)
        except McpMagicError as error:
            view = message.get("view") if isinstance(message, Mapping) else None
            said = visible(str(error))
            self._send({"kind": "failed", "view": str(view), "text": said})

    def _carry_out(self, message: object) -> None:
        match message:
            case {"kind": "ready", "view": str(view)}:
                for said in self._news.values():
                    self._send({"kind": "news", "view": view, "text": said})
                for number, (at, run) in self._runs.items():
                    self._tell(number, at, run.state, view)
            case {"kind": "open", "view": str(view), "tool": int(at)}:
                self._open(view, at)
            case {"kind": str(kind), "view": str(view), "tool": int(at), "mark": mark,
                  **rest}:  # fmt: skip
                text = rest.get("json")
                text = text if isinstance(text, str) else None
                confirmed = rest.get("confirmed") is True
                self._take(kind, _Filled(view, at, mark, text, confirmed))
            case {"kind": "stop", "call": int(number)} if number in self._runs:
                self._runs[number][1].stop()
            case {"kind": "reply", "view": str(view), "call": int(number)}:
                self._reply(view, number, message)
            case {"kind": "forget", "call": int(number)} if number in self._runs:
                self._forget(number)

    def _form(self, at: int) -> tuple[Listed, Form]:
        """Return a tool as its server lists it now, with its form.

        A form that was drawn for another listing is drawn anew, in all views.
        """
        if not 0 <= at < len(self._listed):
            raise McpMagicError("the list has no such tool; run its cell again")
        known = self._listed[at]
        live = self._session.connections.live(known.server)
        tools = {} if live is None else live.tools or {}
        tool = tools.get(known.tool.name, known.tool)
        drawn = self._forms.get(at)
        if drawn is None or drawn[0] != tool:
            self._forms[at] = tool, fields(tool.input_schema)
        listed, form = Listed(known.server, tool), self._forms[at][1]
        if drawn is not None and drawn[1] is not form:
            self._send({**self._drawn(at, listed, form), "changed": True})
        return listed, form

    def _drawn(self, at: int, listed: Listed, form: Form) -> dict[str, object]:
        draft = self._drafts.get(_key(listed))
        return {"kind": "form", "tool": at, "sheet": sheet(form), "draft": draft}

    def _open(self, view: str, at: int) -> None:
        self._send({**self._drawn(at, *self._form(at)), "view": view})

    def _look(self, at: int) -> None:
        """Tell what the server of a tool lists otherwise than the views show it."""
        listed, _ = self._form(at)
        live = self._session.connections.live(listed.server)
        names = {one.tool.name for one in self._listed if one.server == listed.server}
        if live is None or live.tools is None or names == set(live.tools):
            return
        name = visible(listed.server)
        said = f"{name} lists other tools by now; run this cell again to see them."
        if listed.server not in self._news:
            self._news[listed.server] = said
            self._send({"kind": "news", "text": said})

    def _take(self, kind: str, filled: _Filled) -> None:
        """Do with a form that is filled in what a view asks."""
        listed, form = self._form(filled.tool)
        match kind, filled.text:
            case "draft", _:
                self._draft(listed, form, filled)
            case "run", _:
                self._run(listed, form, filled)
            case "as_text", _:
                self._send({**filled.reply, **as_text(form, filled.mark)})
            case "as_form", str(text):
                self._send({**filled.reply, **as_form(form, text, filled.mark)})

    def _draft(self, listed: Listed, form: Form, filled: _Filled) -> None:
        found = contents(form, filled.mark, filled.text, draft=True)
        if filled.text is None:
            self._drafts[_key(listed)] = filled.mark
        elif not is_secretive(form.root):
            self._drafts[_key(listed)] = {"json": filled.text}
        reply: dict[str, object] = {"kind": "checked", **filled.reply}
        if found.problems:
            self._send({**reply, "problems": found.problems})
            return
        code = _code(listed, found.values, found.secrets)
        self._send({**reply, "problems": [], **code})

    def _run(self, listed: Listed, form: Form, filled: _Filled) -> None:
        found = contents(form, filled.mark, filled.text)
        reply = filled.reply
        if found.problems:
            self._send({"kind": "problems", **reply, "problems": found.problems})
            return
        hints = listed.tool.annotations
        if hints.destructive and not hints.read_only and not filled.confirmed:
            self._send({"kind": "confirm", **reply})
            return
        code = _code(listed, found.values, found.secrets)["line"]
        values = _object(found.values)
        order = Order(listed.server, listed.tool.name, values, str(code))
        self._count += 1
        number = self._count
        at = filled.tool
        run = Run(self._session, order, lambda state: self._tell(number, at, state))
        self._runs[number] = at, run
        self._clear()
        self._send({"kind": "started", **reply, "call": number})
        run.start()

    def _tell(
        self, number: int, at: int, state: dict[str, object], view: str | None = None
    ) -> None:
        said: dict[str, object] = {"kind": "call", "call": number, "tool": at, **state}
        self._send(said if view is None else {**said, "view": view})
        if view is None and state["state"] != "running":
            self._look(at)
            self._after()

    def _reply(self, view: str, number: int, message: object) -> None:
        """Take the answer to a call's question; tell its view what is wrong with it."""
        if number not in self._runs or not isinstance(message, Mapping):
            return
        wrong = self._runs[number][1].receive(message.get("answer"))
        if wrong:
            said = {"kind": "unfit", "view": view, "call": number}
            self._send({**said, "problems": told(wrong)})

    def _clear(self) -> None:
        """Take the oldest calls away when there are too many to be looked at."""
        for number in list(self._runs)[:-_KEPT]:
            self._forget(number)

    def _forget(self, number: int) -> None:
        """Take a finished call away; a running one stays."""
        if self._runs[number][1].state["state"] != "running":
            del self._runs[number]
            self._send({"kind": "forgotten", "call": number})


def _key(listed: Listed) -> tuple[str, str]:
    return listed.server, listed.tool.name


def _code(listed: Listed, values: Json, secrets: Sequence[str]) -> dict[str, object]:
    """Return the call as a line and as Python; variables stand for secrets."""
    server, tool, given = listed.server, listed.tool, _object(values)
    line = spell(server, tool.name, given, schema=tool.input_schema, secrets=secrets)
    return {
        "line": line,
        "python": spell_python(server, tool.name, given, secrets=secrets),
    }


def _object(values: Json) -> Mapping[str, Json]:
    return values if isinstance(values, Mapping) else {}
