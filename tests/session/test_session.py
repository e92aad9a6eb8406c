"""The session: known servers, finding them, several at once, and closing."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from mcp_magic.config import Http, InProcess, ServerEntry, Stdio, demo_entry
from mcp_magic.errors import ArgumentError, McpMagicError, UnknownServer
from mcp_magic.session import Server, Session
from tests.scripted import Scripted, says, tool


def _with(session: Session, *names: str) -> None:
    for name in names:
        session.add(ServerEntry(name, Http(f"https://{name}.test/mcp")))


def test_a_typo_in_a_servers_name_is_put_right(
    session: Session, said: list[str]
) -> None:
    _with(session, "vercel", "linear")
    assert session.find("vercek").name == "vercel"
    assert said == ["Auto-corrected server name to vercel (input: vercek)."]


def test_an_unknown_server_lists_the_known_ones(
    session: Session, said: list[str]
) -> None:
    _with(session, "vercel")
    with pytest.raises(
        UnknownServer, match=r"Unknown MCP server 'xyz'. Known: demo, v"
    ):
        session.find("xyz")
    assert said == []


def test_a_near_name_is_suggested_where_it_may_be_another_system(
    session: Session, said: list[str]
) -> None:
    _with(session, "prod-db2")
    with pytest.raises(UnknownServer):
        session.find("prod-db")
    assert said == ["Did you mean prod-db2?"]


def test_a_known_server_that_is_down_is_never_replaced(
    session: Session, said: list[str]
) -> None:
    session.add(ServerEntry("prod-db", Stdio("no-such-command")))
    session.add(ServerEntry("prod-dbs", InProcess(Scripted([tool("x")]).server)))
    with pytest.raises(McpMagicError, match="prod-db cannot be started"):
        session.run(session.connections.connected(session.find("prod-db").name))
    assert said == []


@pytest.mark.parametrize("name", ["", " a", "a\nb", "a\x1b"], ids=repr)
def test_a_name_must_be_one_that_can_be_typed(session: Session, name: str) -> None:
    with pytest.raises(ArgumentError, match="cannot be the name"):
        session.add(ServerEntry(name, Http("https://h.test")))


def test_demo_is_always_there(session: Session) -> None:
    with pytest.raises(ArgumentError, match="bundled"):
        session.remove("demo")
    with pytest.raises(ArgumentError, match="bundled"):
        session.add(ServerEntry("demo", Http("https://h.test")))
    assert session.entries == (demo_entry(),)


def test_adding_the_same_again_keeps_the_connection_and_another_closes_it(
    session: Session,
) -> None:
    first, second = Scripted([tool("x")]), Scripted([tool("y")])
    session.add(ServerEntry("s", InProcess(first.server)))
    before = session.run(session.connections.connected("s"))
    session.add(ServerEntry("s", InProcess(first.server)))
    assert session.connections.live("s") is before
    session.add(ServerEntry("s", InProcess(second.server)))
    assert not before.is_up
    assert list(Server(session, session.find("s"))) == ["y"]


def test_a_target_without_a_name_is_one_server_however_often_it_is_given(
    session: Session,
) -> None:
    target = Http("https://h.test/mcp")
    assert session.adopt(target) is session.adopt(target)
    assert len(session.entries) == 2


def test_servers_are_asked_at_once_and_one_failure_hides_none(session: Session) -> None:
    for name in ("a", "b"):
        session.add(ServerEntry(name, InProcess(Scripted([tool(name)]).server)))
    session.add(ServerEntry("bad", Stdio("no-such-command")))
    outcomes = session.run(session.connections.relisted("a", "bad", "b"))
    assert isinstance(outcomes["bad"], McpMagicError)
    assert session.connections.tool_names("a") == ("a",)
    assert session.connections.tool_names("b") == ("b",)


def test_threads_share_one_connection(session: Session) -> None:
    server = Scripted([tool("x", "n")])
    session.add(ServerEntry("s", InProcess(server.server)))
    handle = Server(session, session.find("s"))
    texts: list[str] = []

    def ask(n: int) -> None:
        texts.append(handle.x(n=n).text)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(20)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(texts) == sorted(f"x {{'n': {n}}}" for n in range(20))
    assert server.listings == 1


def test_closing_in_any_order_is_quiet(session: Session) -> None:
    for name in ("a", "b"):
        session.add(ServerEntry(name, InProcess(Scripted([tool(name)]).server)))
    session.run(session.connections.relisted("a", "b"))
    assert session.connections.close("a") == ["a"]
    assert session.connections.close("a") == []
    assert session.connections.close() == ["b"]
    assert list(Server(session, session.find("a"))) == ["a"]
    gc.collect()


_PROGRAM = """
import os, mcp_magic
demo = mcp_magic.connect("demo")
demo.echo(text="x")
{end}
"""
_IN_MID_CALL = """
import contextlib, threading
from mcp_magic.session import current
moving = threading.Event()
current().person.watch = lambda _: contextlib.nullcontext(lambda _: moving.set())
threading.Thread(target=lambda: demo.slow(seconds=60, steps=600), daemon=True).start()
moving.wait(60)
"""


@pytest.mark.parametrize(
    "end",
    [
        "",
        "raise SystemExit(0)",
        "mcp_magic.close()",
        "del demo",
        _IN_MID_CALL + "os._exit(0)",
    ],
    ids=["the end", "SystemExit", "close", "forgotten", "in mid-call"],
)
def test_a_program_ends_at_once_and_quietly_and_takes_its_server_with_it(
    end: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _PROGRAM.format(end=end)],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, _MARK: str(tmp_path)},
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    mine = [one for one in psutil.process_iter() if _is_marked(one, str(tmp_path))]
    _, alive = psutil.wait_procs(mine, timeout=60)
    assert alive == []


_MARK = "TEST_THAT_STARTED_IT"  # other suites may run on the machine, and their servers


def _is_marked(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(_MARK) == mark
    except psutil.Error:
        return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_child_gets_connections_of_its_own() -> None:
    program = """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # fork with threads, on purpose
import mcp_magic
demo = mcp_magic.connect("demo")
child = os.fork()
if child == 0:
    ok = demo.add(a=2, b=3).data == 5
    mcp_magic.close()
    os._exit(0 if ok else 1)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0
assert demo.add(a=1, b=1).data == 2
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_a_namespaced_name_is_shown_decoded_if_it_is_known(session: Session) -> None:
    names = ["bridge--chrome--screenshot", "plain"]
    server = Scripted(
        [tool(name) for name in names],
        {"plain": lambda _: says("see bridge--chrome--screenshot, node--inspect")},
    )
    handle = Server(session, session.add(ServerEntry("s", InProcess(server.server))))
    result = handle.plain()
    shown = "see bridge--chrome--screenshot (chrome › screenshot), node--inspect"
    assert repr(result) == shown
    assert result.data == "see bridge--chrome--screenshot, node--inspect"
    assert "bridge--chrome--screenshot()  (chrome › screenshot)" in repr(handle)
    page = str(handle._repr_mimebundle_()["text/html"])
    assert "<i>chrome › screenshot</i>" in page
    again = pickle.loads(pickle.dumps(result))
    assert again == result
