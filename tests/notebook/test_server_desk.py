"""The table of servers without a browser: messages in, rows and sentences out."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_magic.config import Http, ServerEntry, Stdio
from mcp_magic.errors import ServerExited
from mcp_magic.language import Bound
from mcp_magic.notebook.widgets.servers import ServerDesk
from mcp_magic.session import Session, call
from mcp_magic.teaching.running import Running, running, visit
from tests.faults.servers import faulty

_LIMIT = 120  # seconds; only what fails takes so long


class Desk:
    """A table of all servers of a session, and what it told."""

    def __init__(self, session: Session) -> None:
        self.rows: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()
        self.sent: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        names = [entry.name for entry in session.entries]
        self.desk = ServerDesk(session, names, self.rows.put, self.sent.put)

    def press(self, kind: str, at: int) -> None:
        self.desk.receive({"kind": kind, "server": at})
        assert self.sent.get(timeout=_LIMIT) == {"kind": "here"}

    def reply(self, at: int, answer: object) -> None:
        self.desk.receive({"kind": "reply", "server": at, "answer": answer})

    def told(self, kind: str) -> dict[str, Any]:
        """Return the next message of a kind."""
        while True:
            said = self.sent.get(timeout=_LIMIT)
            if said["kind"] == kind:
                return said

    def until(self, at: int, **shown: str) -> dict[str, Any]:
        """Return the row of a server once it shows this."""
        while True:
            row: dict[str, Any] = self.rows.get(timeout=_LIMIT)[at]
            if row | shown == row:
                return row


def test_a_server_is_connected_and_closed(session: Session) -> None:
    desk = Desk(session)
    desk.press("connect", 0)
    row = desk.until(0, action="close")
    assert int(row["tools"]) == len(session.connections.tool_names("demo"))
    desk.press("close", 0)
    desk.until(0, action="connect")
    live = session.connections.live("demo")
    assert live is None or not live.is_up


def test_why_a_server_does_not_start_is_told(session: Session) -> None:
    session.add(ServerEntry("gone", Stdio("no-such-command", ())))
    desk = Desk(session)
    desk.press("connect", 1)
    row = desk.until(1, action="connect")
    assert "no-such-command" in row["error"]
    assert desk.sent.get(timeout=_LIMIT)["text"].startswith("gone: ")


def test_a_server_that_ended_by_itself_says_so_when_it_is_looked_at(
    session: Session,
) -> None:
    session.add(ServerEntry("faulty", faulty()))
    desk = Desk(session)
    with pytest.raises(ServerExited):
        session.run(call(session, "faulty", "dies", lambda *_: Bound({})))
    desk.desk.look()
    row = desk.rows.get(timeout=_LIMIT)[1]
    assert (row["state"], row["action"]) == ("not connected", "connect")
    assert "exited with code 7" in row["error"]


def test_a_server_that_became_known_later_is_shown_when_asked(session: Session) -> None:
    desk = Desk(session)
    session.add(ServerEntry("later", Stdio("x", ())))
    desk.desk.receive({"kind": "refresh"})
    assert [row["name"] for row in desk.rows.get(timeout=_LIMIT)] == ["demo", "later"]
    session.remove("later")
    desk.desk.receive({"kind": "refresh"})
    assert desk.rows.get(timeout=_LIMIT)[1] == {"name": "later", "state": "removed"}


# A server that wants a person to sign in.


@pytest.fixture(name="acme")
def _acme(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Running]:
    """A server that wants a person to sign in; its row is the second."""
    monkeypatch.setenv("MCP_MAGIC_TOKENS", str(tmp_path / "tokens"))
    with running() as acme:
        session.adopt(Http(acme.url), "acme")
        yield acme


def _connected(desk: Desk) -> dict[str, Any]:
    """Press Connect, and return the prompt that is to be drawn."""
    desk.press("connect", 1)
    told = desk.told("sign_in")
    assert told["server"] == 1
    drawn: dict[str, Any] = told["drawn"]
    return drawn


def test_a_server_is_connected_once_its_sign_in_below_the_row_is_done(
    session: Session, acme: Running
) -> None:
    desk = Desk(session)
    drawn = _connected(desk)
    assert (drawn["way"], drawn["server"]) == ("sign in", "acme")
    assert desk.told("said")["text"].startswith("acme wants you to sign in; ")
    visit(drawn["url"])
    assert desk.told("sign_in") == {"kind": "sign_in", "server": 1, "drawn": None}
    assert desk.told("said")["text"] == "Signed in to acme."
    waited = desk.until(1, state="sign in below")
    assert (waited["error"], waited.get("action")) == ("", None)
    seen = [desk.rows.get(timeout=_LIMIT)]
    while seen[-1][1].get("action") != "close":
        seen.append(desk.rows.get(timeout=_LIMIT))
    assert "authorize" not in json.dumps(seen)  # rows are kept with a notebook
    assert seen[-1][1]["state"] == "connected"


def test_a_sign_in_below_a_row_may_be_pasted_refused_and_cancelled(
    session: Session, acme: Running
) -> None:
    desk = Desk(session)
    drawn = _connected(desk)
    desk.reply(1, {"kind": "paste", "text": "http://127.0.0.1/x?code=1&state=2"})
    assert "does not begin with" in desk.told("unfit")["text"]
    desk.press("connect", 1)  # it waits for the person: there is nothing to be done
    desk.desk.receive({"kind": "ready"})  # another view
    assert desk.told("sign_in")["drawn"]["turn"] == drawn["turn"]
    desk.reply(1, {"kind": "cancel"})
    assert desk.told("sign_in")["drawn"] is None
    told = "Not signed in to acme: the sign-in was cancelled"
    assert desk.told("said")["text"] == told
    assert desk.until(1, action="connect")["state"] == "sign in"
    again = _connected(desk)
    assert again["url"] != drawn["url"]
    desk.reply(1, {"kind": "paste", "text": visit(again["url"], follow=False)})
    desk.until(1, action="close")


def test_why_nobody_can_sign_in_is_told_as_text(
    session: Session, acme: Running
) -> None:
    """Nothing can be shown below the row."""
    acme.service.habits.has_pkce = False
    desk = Desk(session)
    desk.press("connect", 1)
    assert "does not announce PKCE" in desk.told("said")["text"]
    desk.until(1, action="connect")
    desk.desk.receive({"kind": "reply", "server": 0, "answer": {"kind": "cancel"}})
    desk.desk.receive({"kind": "reply", "server": 9, "answer": {"kind": "cancel"}})


@pytest.fixture(name="brought")
def _brought(tmp_path: Path) -> Session:
    """A session in a folder that brings a server along."""
    server = {"command": "linter-server", "args": ["--fast"]}
    listed = {"mcpServers": {"linter": server}}
    (tmp_path / ".mcp.json").write_text(json.dumps(listed), encoding="utf-8")
    session = Session(tmp_path)
    session.reread()
    return session


def test_what_a_folder_brings_along_is_approved_after_it_was_shown(
    brought: Session,
) -> None:
    desk = Desk(brought)
    (_, row) = desk.desk.rows()
    assert row["state"] == "not approved"  # type: ignore[index] # a row
    desk.press("agree", 1)
    assert [one.name for one in brought.known.waiting] == ["linter"]
    desk.press("approve", 1)
    asked = desk.sent.get(timeout=_LIMIT)
    assert asked["kind"] == "consent"
    assert "linter-server --fast" in asked["text"]
    desk.press("agree", 1)
    assert brought.known.waiting == []
    names = [row["name"] for row in desk.rows.get(timeout=_LIMIT) if "action" in row]
    assert names == ["demo", "linter"]
