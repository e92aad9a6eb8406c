"""Servers that come and go leave nothing behind."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_magic.config import ServerEntry
from mcp_magic.errors import CallStopped, ServerExited
from mcp_magic.session import Server, Session
from tests.faults import soak
from tests.faults.servers import faulty, is_running


@pytest.mark.parametrize(
    ("work", "times"),
    [(soak.connects, 60), (soak.crashes, 15), (soak.interrupts, 5)],
)
def test_nothing_is_left_after_many_turns(
    work: Callable[[int], None], times: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert soak.left(work, times) == []
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []


def test_after_ctrl_c_the_same_server_answers(session: Session) -> None:
    server = Server(session, session.add(ServerEntry("it", faulty())))
    with pytest.raises(CallStopped):
        server["interrupt"]()
    assert server["echo"](text="usable").text == "usable"


def test_ctrl_c_while_a_server_starts_ends_it(session: Session) -> None:
    entry = session.add(ServerEntry("it", faulty("interrupts")))
    with pytest.raises(CallStopped):
        session.run(session.connections.connected(entry.name))
    good = Server(session, session.add(ServerEntry("good", faulty())))
    assert good["echo"](text="usable").text == "usable"


def test_a_server_starts_where_standard_error_is_no_file(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in some kernels (TRN-03); what a server writes there is still told."""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    good = Server(session, session.add(ServerEntry("good", faulty())))
    assert good["echo"](text="usable").text == "usable"
    bad = session.add(ServerEntry("bad", faulty("exits=3")))
    with pytest.raises(ServerExited, match=r"code 3.*the database is locked"):
        session.run(session.connections.connected(bad.name))


def test_one_server_is_one_process_however_often_it_is_listed(
    session: Session, tmp_path: Path
) -> None:
    """And what it started ends when it is closed (TRN-16)."""
    note = tmp_path / "pid"
    session.add(ServerEntry("it", faulty(f"grandchild={note}")))
    session.run(session.connections.relisted("it"))
    first = int(note.read_text())
    for _ in range(20):
        session.run(session.connections.relisted("it"))
    assert int(note.read_text()) == first
    session.connections.close("it")
    assert not is_running(first)


def test_servers_close_in_any_order(session: Session) -> None:
    """Each lives in a task of its own, so none holds another (EVL-03)."""
    for name in "abc":
        Server(session, session.add(ServerEntry(name, faulty())))["echo"](text=name)
    assert session.connections.close("b") == ["b"]
    assert session.connections.close("a") == ["a"]
    assert Server(session, session.find("c"))["echo"](text="on").text == "on"
    assert session.connections.close() == ["c"]
