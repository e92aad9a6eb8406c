"""Whatever a server says, and wherever it is shown: nothing hides, loads or runs."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from mcp_magic.answer import Answer
from mcp_magic.config import ServerEntry, Stdio
from mcp_magic.display import progress
from mcp_magic.display.limits import Limits
from mcp_magic.errors import McpMagicError
from mcp_magic.language import bind, values
from mcp_magic.model import (
    FormQuestion,
    LogLine,
    Progress,
    Question,
    SamplingQuestion,
    UrlQuestion,
)
from mcp_magic.notebook.pages import Listing, Page
from mcp_magic.notebook.prompting import Prompts
from mcp_magic.notebook.widgets.inquiry import summary
from mcp_magic.session import CallResult, Server, Session, call, protocol
from mcp_magic.session.protocol import Log
from mcp_magic.session.status import LongServers, Servers, ServerStatus
from tests.hostile import LURE, VECTORS, WORD, faults_in_page, faults_in_text
from tests.servers.hostile import KINDS

_TOUCHED: list[str] = []


def _note_access(event: str, given: tuple[object, ...]) -> None:
    if event == "open" and str(given[0]) == str(LURE):
        _TOUCHED.append(event)
    if event == "socket.connect" and ("127.0.0.1", 9) in given:
        _TOUCHED.append(event)


sys.addaudithook(_note_access)


@pytest.fixture(autouse=True)
def _nothing_touched() -> None:
    """Forget what other tests connected to on purpose: the port is a popular one."""
    _TOUCHED.clear()


@pytest.fixture(name="srv", scope="module")
def _srv(servers: Path, python: str) -> Iterator[Session]:
    """A session with the hostile server, connected."""
    session = Session()
    command = Stdio(python, (str(servers / "hostile.py"),))
    session.add(ServerEntry("srv", command))
    session.run(session.connections.connected("srv"))
    yield session
    session.shut_down()


def _call(session: Session, tool: str, **given: str) -> CallResult:
    typed = values((), given)
    return session.run(
        call(session, "srv", tool, lambda s, label: bind(typed, s, label=label))
    )


def _faults(shown: object) -> list[str]:
    """Return what is wrong with how a value shows itself, as text and as HTML."""
    bundle: dict[str, Any] = getattr(shown, "_repr_mimebundle_", dict)()
    pages = {"text/plain": repr(shown), **bundle}
    assert pages.keys() <= {"text/plain", "text/html", "image/png", "image/jpeg"}
    page = str(pages.get("text/html", ""))
    lines = ["more than a line of HTML"] if "\n" in page else []
    size = ["too long"] if max(len(page), len(repr(shown))) > 600_000 else []
    return [
        *faults_in_text(str(pages["text/plain"])),
        *faults_in_page(page),
        *lines,
        *size,
    ]


def _outcome(session: Session, tool: str, **given: str) -> object:
    try:
        return _call(session, tool, **given)
    except McpMagicError as error:
        return error


@pytest.mark.parametrize("vector", VECTORS)
def test_a_result_of_any_kind_is_safe_to_show(srv: Session, vector: str) -> None:
    for kind in KINDS:
        outcome = _outcome(srv, "show", kind=kind, vector=vector)
        result = getattr(outcome, "result", outcome)
        assert isinstance(result, CallResult), kind
        assert _faults(result) == [], kind
    assert _TOUCHED == []


@pytest.mark.parametrize("vector", [n for n, t in VECTORS.items() if WORD in t])
def test_what_is_said_is_still_to_be_read(srv: Session, vector: str) -> None:
    for kind in ("text", "structured", "unknown"):
        assert WORD in repr(_call(srv, "show", kind=kind, vector=vector)), kind


@pytest.mark.parametrize("vector", VECTORS)
def test_lone_surrogates_and_all_else_are_safe_in_a_block(vector: str) -> None:
    text = VECTORS[vector]
    for make in KINDS.values():
        answer = Answer.read(make(text))
        for limits in (Limits(), Limits(1, 1, 1), Limits(9, 10**6, 10**6)):
            result = CallResult(answer, "srv", "t", "t", 0, str, lambda: limits)  # noqa: B023 - used at once
            assert faults_in_text(repr(result)) == []
            page = str(result._repr_mimebundle_().get("text/html", ""))
            assert faults_in_page(page) == []


@pytest.mark.parametrize("vector", VECTORS)
def test_an_error_is_one_safe_line(srv: Session, vector: str) -> None:
    for kind in ("error", "refusal"):
        error = _outcome(srv, "show", kind=kind, vector=vector)
        assert isinstance(error, McpMagicError)
        (line,) = error._render_traceback_()
        shown = re.sub(r"^\x1b\[31m(\w+)\x1b\[0m", r"\1", line)
        assert faults_in_text(shown) == []
        assert faults_in_text(str(error)) == []
        assert "\n" not in shown
        assert len(shown) < 3000


def test_the_list_of_tools_is_safe(srv: Session) -> None:
    server = Server(srv, srv.find("srv"))
    assert _faults(server) == []
    assert _faults(Listing([server, Page("\x1b[2J"), server])) == []


def test_every_tool_as_a_function_is_safe_to_look_at(srv: Session) -> None:
    server = Server(srv, srv.find("srv"))
    for name in server:
        function = server[name]
        shown = f"{inspect.signature(function)}\n{function.__doc__}\n{function!r}"
        assert faults_in_text(shown) == [], name
        assert len(shown) < 20_000


@pytest.mark.parametrize("vector", [n for n, t in VECTORS.items() if 0 < len(t) < 999])
def test_a_correction_and_a_hint_are_one_safe_line(
    srv: Session, vector: str, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = VECTORS[vector].replace(WORD, "shown-wrod") + "q"
    assert isinstance(_outcome(srv, typed, value="x"), McpMagicError)
    said = capsys.readouterr().out
    assert faults_in_text(said) == []
    assert said.count("\n") == len(said.splitlines())
    assert all(
        line.startswith(("Auto-corrected ", "Did you mean ", "srv."))
        for line in said.splitlines()
    )


def test_tables_of_resources_and_prompts_are_safe(srv: Session) -> None:
    assert _faults(srv.run(protocol.resources(srv, "srv"))) == []
    assert _faults(srv.run(protocol.prompts(srv, "srv"))) == []


@pytest.mark.parametrize("vector", VECTORS)
def test_a_prompt_filled_in_and_a_resource_are_safe(srv: Session, vector: str) -> None:
    assert (
        _faults(srv.run(protocol.fill_in(srv, "srv", "fill", {"vector": vector}))) == []
    )
    assert _faults(srv.run(protocol.read(srv, "srv", f"vector:{vector}"))) == []


@pytest.mark.parametrize("vector", VECTORS)
def test_logs_and_the_table_of_servers_are_safe(vector: str) -> None:
    text = VECTORS[vector]
    assert _faults(Log([LogLine(text, text, text)] * 3)) == []
    cells: Any = [text] * len(fields(ServerStatus))
    for kind in (Servers, LongServers):
        assert _faults(kind([ServerStatus(*cells)])) == []


def test_what_a_server_really_logged_is_safe(srv: Session) -> None:
    for vector in VECTORS:
        _outcome(srv, "report", vector=vector)
    log = protocol.log(srv, "srv")
    assert WORD in repr(log)
    assert _faults(log) == []


@pytest.mark.parametrize("vector", VECTORS)
def test_a_question_asked_line_by_line_is_safe(vector: str) -> None:
    text = VECTORS[vector]
    choice = {"type": "string", "title": text, "description": text, "enum": [text, "x"]}
    plain = {"type": "string", "title": text, "description": text, "default": text}
    schema: Any = {"type": "object", "properties": {text: plain, "choice": choice}}
    shown: list[str] = []

    def read(prompt: str) -> str:
        shown.append(prompt)
        if len(shown) > 30:
            raise EOFError
        return "y"

    prompts = Prompts(shown.append, read, read)
    messages: Any = [{"role": text, "content": {"type": "text", "text": text}}]
    questions: list[Question] = [
        SamplingQuestion("srv", {"messages": messages, "systemPrompt": text}),
        UrlQuestion("srv", text, f"https://h.test/{text}"),
        FormQuestion("srv", text, schema),
    ]
    shown.extend([summary(one, prompts.answer(one)) for one in questions])
    assert [faults_in_text(one) for one in shown] == [[]] * len(shown)


@pytest.mark.parametrize("vector", VECTORS)
def test_progress_is_one_safe_line(vector: str) -> None:
    report = Progress(1, 3, VECTORS[vector])
    words = progress.words(VECTORS[vector], report, 1.0, None)
    assert faults_in_text(words) == []
    assert "\n" not in words
    assert len(words) < 400
    assert faults_in_page(progress.page(VECTORS[vector], report, words)) == []
