"""Many servers at once, some of them broken."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

from mcp_magic.config import ServerEntry, Stdio
from mcp_magic.errors import McpMagicError
from mcp_magic.session import Server, Session
from tests.faults.servers import faulty
from tests.waiting import patiently

_BROKEN = {
    "missing": (Stdio("no-such-command"), "not on PATH"),
    "locked": (faulty("exits=3"), "the database is locked"),
    "hanging": (faulty("hangs"), "waiting for the database"),
    "mumbling": (faulty("mumbles"), "caf"),
    "garbled": (faulty("garbled"), "garbled"),
}


def test_fifteen_of_twenty_servers_come_up_and_five_lines_say_what_is_wrong(
    session: Session,
) -> None:
    patiently(partial(_come_up, session))


def _come_up(session: Session, limit: float) -> None:
    good = [f"good-{n}" for n in range(15)]
    for name, (target, _) in _BROKEN.items():
        session.add(ServerEntry(name, target, connect_timeout=limit))
    for name in good:
        session.add(ServerEntry(name, faulty("banner")))
    session.connections.close()
    found = session.run(session.connections.relisted(*_BROKEN, *good))
    errors = {n: one for n, one in found.items() if isinstance(one, McpMagicError)}
    assert sorted(errors) == sorted(_BROKEN)
    for name, error in errors.items():
        assert _BROKEN[name][1] in str(error)
        assert "\n" not in str(error)
    entries = {entry.name: entry for entry in session.entries}
    texts = [Server(session, entries[n])["echo"](text=n).text for n in good]
    assert texts == good


def test_twenty_threads_call_one_server_and_a_failure_is_its_own(
    session: Session,
) -> None:
    server = Server(session, session.add(ServerEntry("it", faulty())))

    def work(n: int) -> str:
        if n % 5:
            return server["echo"](text=str(n)).text
        try:
            return server["error"]().text
        except McpMagicError as error:
            return type(error).__name__

    with ThreadPoolExecutor(20) as pool:
        texts = list(pool.map(work, range(60)))
    assert texts == [str(n) if n % 5 else "RequestRefused" for n in range(60)]


def test_other_servers_answer_while_fifty_megabytes_arrive(session: Session) -> None:
    big = Server(session, session.add(ServerEntry("big", faulty())))
    small = Server(session, session.add(ServerEntry("small", faulty())))
    small["echo"](text="warm")
    with ThreadPoolExecutor(1) as pool:
        arriving = pool.submit(lambda: big["huge"](size=50_000_000))
        answers = 0
        while not arriving.done():
            assert small["echo"](text="on").text == "on"
            answers += 1
    assert len(arriving.result().text) == 50_000_000
    assert answers > 10
