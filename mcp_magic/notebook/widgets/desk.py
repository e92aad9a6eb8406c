"""What happens when something is pressed in the list of tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mcp_magic.display import redact
from mcp_magic.errors import McpMagicError, visible
from mcp_magic.language import Form, fields, spell, spell_python
from mcp_magic.model import Json, Schema
from mcp_magic.notebook.widgets.catalogue import Listed
from mcp_magic.notebook.widgets.forms import sheet, told
from mcp_magic.notebook.widgets.keeping import is_secretive
from mcp_magic.notebook.widgets.renewed import renewed
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
        edition: Which form of that tool it is; ``None`` if it does not say.
        mark: What its boxes hold.
        text: The JSON text that is edited in their place.
        confirmed: Whether the person agreed to what may destroy something.
    """

    view: str
    tool: int
    edition: object
    mark: object
    text: str | None
    confirmed: bool

    @property
    def reply(self) -> dict[str, object]:
        """How every answer to it begins."""
        return {"view": self.view, "tool": self.tool}


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A form as the views show it.

    Attributes:
        schema: What it was made of.
        form: The form.
        edition: How many forms of its tool were drawn before, and it.
    """

    schema: Schema
    form: Form
    edition: int = 1


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
        self._forms: dict[int, _Drawn] = {}
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
                edition = rest.get("edition")
                self._take(kind, _Filled(view, at, edition, mark, text, confirmed))
            case {"kind": "stop", "call": int(number)} if number in self._runs:
                self._runs[number][1].stop()
            case {"kind": "reply", "view": str(view), "call": int(number)}:
                self._reply(view, number, message)
            case {"kind": "forget", "call": int(number)} if number in self._runs:
                self._forget(number)

    def _now(self, at: int) -> Listed:
        """Return a tool as its server lists it now."""
        if not 0 <= at < len(self._listed):
            raise McpMagicError("the list has no such tool; run its cell again")
        known = self._listed[at]
        live = self._session.connections.live(known.server)
        tools = {} if live is None else live.tools or {}
        return Listed(known.server, tools.get(known.tool.name, known.tool))

    def _form(self, at: int) -> Form:
        """Return the form of a tool; one whose tool has changed is drawn anew."""
        listed = self._now(at)
        schema = listed.tool.input_schema
        drawn = self._forms.get(at)
        if drawn is None:
            self._forms[at] = _Drawn(schema, fields(schema))
        elif drawn.schema != schema:
            self._renew(at, listed, drawn)
        return self._forms[at].form

    def _renew(self, at: int, listed: Listed, before: _Drawn) -> None:
        """Show another form in all views, with what fits of what was entered."""
        schema = listed.tool.input_schema
        form, key = fields(schema), _key(listed)
        self._forms[at] = _Drawn(schema, form, before.edition + 1)
        draft = self._drafts.get(key)
        is_text = isinstance(draft, Mapping) and "json" in draft
        kept, said = renewed(before.form.root, form.root, None if is_text else draft)
        if not is_text:
            self._drafts[key] = kept
        self._send({**self._drawn(at, listed), "changed": said})

    def _drawn(self, at: int, listed: Listed) -> dict[str, object]:
        drawn, draft = self._forms[at], self._drafts.get(_key(listed))
        said = {"kind": "form", "tool": at, "edition": drawn.edition}
        return {**said, "sheet": sheet(drawn.form), "draft": draft}

    def _open(self, view: str, at: int) -> None:
        self._form(at)
        self._send({**self._drawn(at, self._now(at)), "view": view})

    def _look(self, at: int) -> None:
        """Tell what the server of a tool lists otherwise than the views show it."""
        self._form(at)
        server = self._listed[at].server
        live = self._session.connections.live(server)
        names = {one.tool.name for one in self._listed if one.server == server}
        if live is None or live.tools is None or names == set(live.tools):
            return
        name = visible(server)
        said = f"{name} lists other tools by now; run this cell again to see them."
        if server not in self._news:
            self._news[server] = said
            self._send({"kind": "news", "text": said})

    def _take(self, kind: str, filled: _Filled) -> None:
        """Do with a form that is filled in what a view asks."""
        form, listed = self._form(filled.tool), self._now(filled.tool)
        if filled.edition not in (None, self._forms[filled.tool].edition):
            if kind == "run":
                self._send({"kind": "unsent", **filled.reply})
            return  # it belongs to a form that is not shown any more
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
        elif not (is_secretive(form.root) or found.secrets or _tells(filled.text)):
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
            before = self._forms[at].edition
            self._look(at)
            if state.get("unsent") and self._forms[at].edition != before:
                self._send({"kind": "unsent", "tool": at})
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


def _tells(text: str) -> bool:
    """Whether a text, which need not be JSON yet, looks as if it held a secret."""
    return redact.prose(text) != text


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
