"""What happens when something is pressed, without a browser: messages in and out."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult
from mcp_types import Tool as McpTool

import mcp_magic
from mcp_magic.answer import Text
from mcp_magic.config import InProcess, ServerEntry, read_target
from mcp_magic.errors import McpMagicError
from mcp_magic.model import Annotations, Tool
from mcp_magic.notebook.widgets.catalogue import Listed, rows
from mcp_magic.notebook.widgets.desk import Desk
from mcp_magic.session import Session
from tests.hostile import VECTORS, faults_in_page, faults_in_text
from tests.noting import Noting
from tests.scripted import Scripted, says, tool

_LIMIT = 120  # seconds; only what fails takes so long
_VIEW = {"view": "v", "tool": 0}
_KEY: Any = {"type": "object", "properties": {"api_key": {"type": "string"}}}


class Desks:
    """A desk for the tools of one server, and what it sent."""

    def __init__(self, session: Session, server: Scripted) -> None:
        self.session = session
        self.sent: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.drafts: dict[tuple[str, str], object] = {}
        session.add(ServerEntry("srv", InProcess(server.server)))
        session.run(session.connections.connected("srv"))
        live = session.connections.live("srv")
        assert live is not None
        listed = [Listed("srv", one) for one in (live.tools or {}).values()]
        self.desk = Desk(session, listed, self.sent.put, self.drafts)

    def ask(self, kind: str, **message: Any) -> dict[str, Any]:
        """Send a message and return the first answer."""
        self.desk.receive({"kind": kind, **_VIEW, **message})
        return self.sent.get(timeout=_LIMIT)

    def ended(self) -> dict[str, Any]:
        """Return the state of the call that ends next."""
        while True:
            said = self.sent.get(timeout=_LIMIT)
            if said["kind"] == "call" and said["state"] != "running":
                return said


def _members(**marks: Any) -> dict[str, Any]:
    return {"members": [[name, mark] for name, mark in marks.items()]}


_TWO = _members(a={"typed": "2"}, b={"typed": "12345678901234567890"})


def test_run_goes_the_way_of_every_call(session: Session, said: list[str]) -> None:
    server = Scripted([tool("add", "a", "b")], {"add": lambda _: says("done")})
    desks = Desks(session, server)
    assert desks.ask("run", mark=_TWO) == {"kind": "started", **_VIEW, "call": 1}
    ended = desks.ended()
    assert (ended["state"], ended["text"]) == ("ok", "done")
    assert server.calls == [("add", {"a": 2, "b": 12345678901234567890})]
    assert [(one.called, one.outcome) for one in session.journal.calls] == [
        ("add", "ok")
    ]
    assert session.latest["srv"].content == (Text("done"),)
    assert said == []


def test_what_is_wrong_is_listed_and_nothing_is_called(session: Session) -> None:
    server = Scripted([tool("add", "a", "b")])
    desks = Desks(session, server)
    answer = desks.ask("run", mark=_members(a={"typed": "x"}))
    assert answer["kind"] == "problems"
    assert [one["pointer"] for one in answer["problems"]] == ["/a", "/b"]
    assert server.calls == []


def test_a_destructive_tool_is_called_once_the_person_says_so(session: Session) -> None:
    server = Scripted([tool("wipe", destructive=True)])
    desks = Desks(session, server)
    assert desks.ask("run", mark=_members())["kind"] == "confirm"
    assert server.calls == []
    assert desks.ask("run", mark=_members(), confirmed=True)["kind"] == "started"
    assert desks.ended()["state"] == "ok"
    assert server.calls == [("wipe", {})]


def test_a_failed_tool_keeps_what_it_said(session: Session) -> None:
    wrong = says("out of paper \x1b[2J", error=True)
    server = Scripted([tool("print")], {"print": lambda _: wrong})
    desks = Desks(session, server)
    desks.ask("run", mark=_members())
    ended = desks.ended()
    assert ended["state"] == "tool error"
    assert ended["text"] == "The tool reported an error.\nout of paper \\x1b[2J"
    assert session.latest["srv"].is_error


def test_a_refused_request_says_all_that_the_server_says(session: Session) -> None:
    def refuse(_: object) -> CallToolResult:
        raise MCPError(-32000, "not today", {"why": ["tired \x1b[2J"]})

    desks = Desks(session, Scripted([tool("print")], {"print": refuse}))
    desks.ask("run", mark=_members())
    ended = desks.ended()
    assert ended["error"] == "The server refused the request."
    assert "not today" in ended["text"]
    assert ended["text"].endswith('\n{"why": ["tired \\u001b[2J"]}')


def test_an_answer_unlike_its_schema_is_kept_with_a_warning(session: Session) -> None:
    schema: Any = {"type": "object", "required": ["n"]}
    one = McpTool(name="n", input_schema={"type": "object"}, output_schema=schema)
    desks = Desks(session, Scripted([one], {"n": lambda _: says("no n")}))
    desks.ask("run", mark=_members())
    ended = desks.ended()
    assert (ended["state"], ended["text"]) == ("ok", "no n")
    assert len(ended["warnings"]) == 1


def test_a_view_that_is_opened_later_sees_the_calls(session: Session) -> None:
    desks = Desks(session, Scripted([tool("echo")]))
    desks.ask("run", mark=_members())
    desks.ended()
    seen = desks.ask("ready", view="later")
    assert (seen["kind"], seen["state"], seen["view"]) == ("call", "ok", "later")
    assert desks.ask("forget", call=1) == {"kind": "forgotten", "call": 1}


def test_calls_are_kept_as_far_as_anybody_looks_back(session: Session) -> None:
    desks = Desks(session, Scripted([tool("echo")]))
    for _ in range(51):
        desks.ask("run", mark=_members())
        desks.ended()
    desks.desk.receive({"kind": "ready", "view": "later"})
    seen = [desks.sent.get(timeout=_LIMIT)["call"] for _ in range(50)]
    assert seen == list(range(2, 52))


def test_the_form_of_a_tool_that_the_server_has_changed_is_drawn_anew(
    session: Session,
) -> None:
    server = Scripted([tool("add", "a", "b")])
    desks = Desks(session, server)
    desks.ask("open")
    desks.ask("draft", mark=_TWO)
    server.tools = [tool("add", "a", "b", "c"), tool("more")]
    live = session.connections.live("srv")
    assert live is not None
    live.news.tool_changes += 1
    desks.ask("run", mark=_TWO)
    assert desks.ended()["error"] == "The arguments do not fit; nothing was sent."
    form, news, unsent = (desks.sent.get(timeout=_LIMIT) for _ in range(3))
    said = "The server has changed this tool: c is new and required."
    assert (form["kind"], form["changed"], form["draft"]) == ("form", said, _TWO)
    assert unsent == {"kind": "unsent", "tool": 0}
    assert [one["name"] for one in form["sheet"]["fields"]] == ["a", "b", "c"]
    assert news["text"].startswith("srv lists other tools by now")
    assert desks.ask("ready", view="later") == {**news, "view": "later"}
    # Run was pressed meanwhile in a view that still shows the form before.
    assert desks.sent.get(timeout=_LIMIT)["kind"] == "call"
    assert desks.ask("run", mark=_TWO, edition=1) == {"kind": "unsent", **_VIEW}
    assert server.calls == []


def test_a_draft_is_kept_and_written_as_code(session: Session) -> None:
    desks = Desks(session, Scripted([tool("add", "a", "b")]))
    checked = desks.ask("draft", mark=_TWO)
    assert checked["line"] == "%mcp srv.add a=2 b=12345678901234567890"
    assert checked["python"].endswith(".add(a=2, b=12345678901234567890)")
    assert desks.ask("open")["draft"] == _TWO


def test_a_secret_is_in_neither_drafts_nor_code_nor_states(session: Session) -> None:
    server = Scripted([McpTool(name="log_in", input_schema=_KEY)])
    desks = Desks(session, server)
    checked = desks.ask("draft", mark=_members(api_key={"hidden": True}))
    assert checked["line"] == "%mcp srv.log_in api_key=$api_key"
    desks.ask("run", mark=_members(api_key={"typed": "hunter2"}))
    ended = desks.ended()
    assert server.calls == [("log_in", {"api_key": "hunter2"})]
    ended["text"] = ""  # what the server answers is its own
    assert "hunter2" not in f"{ended} {desks.drafts} {session.journal.calls}"


_MAP: Any = {
    "type": "object",
    "properties": {
        "headers": {"type": "object", "additionalProperties": {"type": "string"}}
    },
    "additionalProperties": True,
}


@pytest.mark.parametrize("key", ["Authorization", "X-Api-Key", "PASSWORD", "cookie"])
def test_what_a_person_enters_under_the_name_of_a_secret_is_one(
    session: Session, key: str
) -> None:
    server = Scripted([McpTool(name="get", input_schema=_MAP)])
    desks = Desks(session, server)

    def marks(secret: Any) -> Any:
        inner = _members(**{"Accept": {"typed": "text"}, key: secret})
        return _members(headers=inner, **{key: secret})

    checked = desks.ask("draft", mark=marks({"hidden": True}))
    assert checked["line"].startswith("%mcp srv.get headers=$headers ")
    answer = desks.ask("as_text", mark=marks({"hidden": True}))
    assert json.loads(answer["text"]) == {"headers": {"Accept": "text"}}
    assert answer["kept"] == [f"headers.{key}", key]
    desks.ask("run", mark=marks({"typed": "hunter2"}))
    ended = desks.ended()
    given = {"headers": {"Accept": "text", key: "hunter2"}, key: "hunter2"}
    assert server.calls == [("get", given)]
    ended["text"] = ""  # what the server answers is its own
    # Nor is it kept when it is typed as JSON, also before that is whole.
    for text in (json.dumps(given), json.dumps(given)[:-1]):
        desks.desk.receive(
            {"kind": "draft", **_VIEW, "mark": marks(None), "json": text}
        )
    assert "hunter2" not in f"{ended} {desks.drafts} {session.journal.calls}"


class Demo:
    """A desk for one tool of the bundled server."""

    def __init__(self, session: Session, tool: str, **marks: Any) -> None:
        session.run(session.connections.connected("demo"))
        live = session.connections.live("demo")
        assert live is not None
        assert live.tools is not None
        self.sent: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.desk = Desk(session, [Listed("demo", live.tools[tool])], self.sent.put, {})
        self.desk.receive({"kind": "run", **_VIEW, "mark": _members(**marks)})

    def until(self, key: str, *values: Any) -> dict[str, Any]:
        """Return the first message in which *key* has one of these values."""
        while True:
            said = self.sent.get(timeout=_LIMIT)
            if (said.get(key) in values) if values else said.get(key):
                return said

    def answer(self, **answer: Any) -> None:
        """Answer the question of the call."""
        self.desk.receive({"kind": "reply", **_VIEW, "call": 1, "answer": answer})


def test_a_call_is_cancelled_from_another_thread(session: Session) -> None:
    demo = Demo(session, "slow", seconds={"typed": "60"}, steps={"typed": "600"})
    demo.until("words")
    demo.desk.receive({"kind": "stop", "call": 1})
    demo.until("state", "cancelled")
    assert [one.outcome for one in session.journal.calls] == ["cancelled"]


def test_a_question_is_asked_in_the_row_of_its_call(session: Session) -> None:
    demo = Demo(session, "book_table", restaurant={"typed": "Roma"})
    assert demo.until("question")["question"]["who"] == "demo"
    demo.answer(kind="answer", mark=_members())
    unfit = demo.until("kind", "unfit")
    assert unfit["view"] == "v"  # the focus of other views stays where it is
    assert "/guests" in [one["pointer"] for one in unfit["problems"]]
    marks = {"guests": {"typed": "4"}, "day": {"typed": "2027-05-01"}}
    demo.answer(kind="answer", mark=_members(**marks))
    ended = demo.until("state", "ok", "tool error", "failed")
    assert ended["state"] == "ok"
    assert ended["question"] is None
    assert "Answered: guests: 4" in ended["notes"][0]


@pytest.mark.parametrize("kind", ["decline", "cancel"])
def test_a_question_can_be_refused(session: Session, kind: str) -> None:
    demo = Demo(session, "book_table", restaurant={"typed": "Roma"})
    demo.until("question")
    demo.answer(kind=kind)
    assert demo.until("state", "ok")["notes"][0].endswith(("Declined.", "Cancelled."))


def test_cancelling_a_call_takes_its_question_away(session: Session) -> None:
    demo = Demo(session, "book_table", restaurant={"typed": "Roma"})
    demo.until("question")
    demo.desk.receive({"kind": "stop", "call": 1})
    assert demo.until("state", "cancelled")["question"] is None


def test_a_tool_that_went_or_never_was_is_said(session: Session) -> None:
    desks = Desks(session, Scripted([tool("echo")]))
    assert desks.ask("open", tool=7)["kind"] == "failed"


@pytest.mark.parametrize(
    ("hints", "marks"),
    [
        (Annotations(), ["effects not stated"]),
        (Annotations(read_only=True, destructive=True), ["read-only"]),
        (Annotations(destructive=True, open_world=True), ["destructive", "open world"]),
    ],
    ids=["nothing", "reads", "destroys"],
)
def test_what_a_server_declares_of_its_tools_is_said(
    hints: Annotations, marks: list[str]
) -> None:
    tool = Tool("t", input_schema={"type": "object"}, annotations=hints)
    assert rows([Listed("s", tool)], _meaning)[0]["marks"] == marks


def _group(*names: str, server: str = "s") -> list[object]:
    listed = [
        Listed(server, Tool(name, input_schema={"type": "object"})) for name in names
    ]
    return [row.get("group", "") for row in rows(listed, _meaning)]


def _meaning(name: str) -> str:
    return "chrome › shot" if name.startswith("bridge--") else ""


def test_tools_are_grouped_by_their_namespaces() -> None:
    """Ours: a decoded namespace, or what several names begin with before a dot."""
    names = ("bridge--chrome--shot", "repo.list", "repo.get", "one.off", "plain")
    assert _group(*names) == ["chrome", "repo", "repo", "", ""]


@pytest.mark.parametrize(
    ("schema", "says"),
    [({}, "lacks"), (True, "true"), ({"type": "string"}, "string")],
    ids=str,
)
def test_a_malformed_tool_stays_with_the_reason(schema: Any, says: str) -> None:
    (row,) = rows([Listed("s", Tool("t", input_schema=schema))], _meaning)
    assert says in str(row["problem"])


def test_hostile_names_are_made_visible() -> None:
    bad = Tool("a\u202eb", "t\x1b", "d\x07", {"type": "object"})
    (row,) = rows([Listed("s", bad)], _meaning)
    assert (row["name"], row["title"]) == ("a\\u202eb", "t\\x1b")


def test_last_tells_when_nothing_was_called() -> None:
    with pytest.raises(McpMagicError, match="no call to uncalled"):
        mcp_magic.last(mcp_magic.connect(MCPServer("uncalled")))


def _texts(value: object) -> Iterator[str]:
    """Yield every text in a message, but for the names and marks that go back."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("name", "pointer", "keys", "draft", "html"):
                yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


@pytest.mark.parametrize("vector", VECTORS)
def test_hostile_text_is_visible_in_every_message(
    session: Session, tmp_path: Path, vector: str
) -> None:
    text = VECTORS[vector]
    hostile = {
        "name": text or "t",
        "title": text,
        "description": text,
        "inputSchema": {
            "type": "object",
            "title": text,
            "properties": {
                text: {"type": "string", "title": text, "description": text},
                "e": {"enum": [text, "b"], "default": text},
                "p": {"type": "string", "pattern": text[:1000], "default": text},
            },
        },
    }
    done = {"content": [{"type": "text", "text": text}], "isError": True}
    noting = Noting(tmp_path)
    listing = noting.write([hostile], {text or "t": done}, {text or "t": text})
    session.add(ServerEntry("srv", read_target(listing, is_file=lambda _: False)))
    session.run(session.connections.connected("srv"))
    live = session.connections.live("srv")
    assert live is not None
    assert live.tools is not None
    listed = [Listed("srv", one) for one in live.tools.values()]
    sent: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    desk = Desk(session, listed, sent.put, {})
    named: Any = listed[0].tool.input_schema  # lone surrogates are replaced in it
    (name, *_) = named["properties"]
    marks = {"members": [[name, {"typed": "x"}], ["e", {"chosen": [0]}]]}
    wrong = {"members": [["e", {"typed": "c"}], ["p", {"rows": []}]]}
    desk.receive({"kind": "open", **_VIEW})
    desk.receive({"kind": "run", **_VIEW, "mark": wrong})
    desk.receive({"kind": "draft", **_VIEW, "mark": marks})
    desk.receive({"kind": "run", **_VIEW, "mark": marks})
    told = [sent.get(timeout=_LIMIT)]
    while told[-1].get("state") not in ("ok", "tool error", "failed"):
        told.append(sent.get(timeout=_LIMIT))
    shown = [*_texts(rows(listed, session.meanings.of)), *_texts(told)]
    assert [fault for one in shown for fault in faults_in_text(one)] == []
    assert [f for one in told for f in faults_in_page(str(one.get("html", "")))] == []
    # What UTF-8 cannot hold was replaced on the way, and names another tool.
    kept = vector != "lone surrogates"
    assert (told[-1]["state"] == "tool error", "words" in told[-1]) == (kept, kept)
    assert json.dumps(told, ensure_ascii=False).encode()
