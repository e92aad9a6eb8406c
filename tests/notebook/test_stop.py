"""Stop in a real kernel, whatever the cell waits for: it ends at once, in one line, and
the next cell works. Nothing here would end by itself before the test gives up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_magic.teaching.running import running
from tests.bells import Bell
from tests.kernels import Kernel, Shown


@pytest.fixture(name="home", scope="module")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(name="kernel", scope="module")
def _kernel(home: Path) -> Iterator[Kernel]:
    env = {**os.environ, "HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
    with Kernel(home, env) as kernel:
        kernel.run("%load_ext mcp_magic\nimport asyncio, mcp_magic, threading")
        kernel.run("%mcp demo.add a=1 b=1")
        yield kernel


@pytest.fixture(name="bell")
def _bell() -> Iterator[Bell]:
    with Bell() as bell:
        yield bell


def _stopped(kernel: Kernel, cell: str) -> Shown:
    """Press Stop in a cell that waits; it ends in one line, and the next one works."""
    kernel.interrupt()
    shown = kernel.finish(cell)
    assert shown.traceback.count("\n") == 0, shown.traceback
    assert "stopped" in shown.traceback
    assert kernel.run("%mcp demo.add a=2 b=3").text == "5"
    return shown


@pytest.mark.parametrize("method", ["start", "initialize", "tools/list"])
@pytest.mark.parametrize(
    "typed",
    ['%mcp --name s --stdio "{0}"', "s = mcp_magic.connect('{0}', name='s')",
     "%mcp add s {0}\n%mcp list s demo", "%mcp add s {0}\n%mcp s.work",
     "%mcp add s {0}\n%mcp help s.work"],
    ids=["line", "connect", "list", "call", "help"],
)  # fmt: skip
def test_stop_while_a_server_starts(
    kernel: Kernel, bell: Bell, typed: str, method: str
) -> None:
    cell = kernel.start(typed.format(bell.stuck_at(method)))
    assert bell.heard() == method
    _stopped(kernel, cell)


@pytest.mark.parametrize(
    ("typed", "method"),
    [
        ("%mcp s.work", "tools/call"),
        ("%%mcp s.work\n{}", "tools/call"),
        ("s.work()", "tools/call"),
        ("await s.work.aio()", "tools/call"),
        ("async def f(): return await s.work.aio()\nawait f()", "tools/call"),
        ("%mcp resources s", "resources/list"),
        ("mcp_magic.resources(s)", "resources/templates/list"),
        ("%mcp read s stuck://it", "resources/read"),
        ("mcp_magic.read(s, 'stuck://it')", "resources/read"),
        ("%mcp watch s stuck://it", "resources/subscribe"),
        ("%mcp prompts s", "prompts/list"),
        ("%mcp prompt s.it", "prompts/list"),
        ("%mcp prompt s.it", "prompts/get"),
        ("mcp_magic.prompt(s, 'it')", "prompts/get"),
        ("%mcp list s", "tools/list"),
    ],
)
def test_stop_cancels_what_a_server_was_asked(
    kernel: Kernel, bell: Bell, typed: str, method: str
) -> None:
    """The server hears of it, and answers other requests as before."""
    command = bell.stuck_at(method, later=method == "tools/list")
    kernel.run(f"s = mcp_magic.connect('{command}', name='s')")
    cell = kernel.start(typed)
    assert bell.heard() == method
    _stopped(kernel, cell)
    assert bell.heard() == "cancelled"
    if method != "tools/call":
        assert kernel.run("%mcp s.work").text == "done"


def test_stop_cancels_every_call_of_a_gathering(kernel: Kernel, bell: Bell) -> None:
    kernel.run(f"s = mcp_magic.connect('{bell.stuck_at('tools/call')}', name='s')")
    cell = kernel.start("await asyncio.gather(*(s.work.aio() for _ in range(3)))")
    assert [bell.heard() for _ in range(3)] == ["tools/call"] * 3
    kernel.interrupt()
    assert kernel.finish(cell).error.startswith("CancelledError")
    assert [bell.heard() for _ in range(3)] == ["cancelled"] * 3
    assert kernel.run("%mcp demo.add a=2 b=3").text == "5"


def test_stop_while_several_servers_start(kernel: Kernel, bell: Bell) -> None:
    for number in range(3):
        kernel.run(f"%mcp add s{number} {bell.stuck_at('start')}")
    cell = kernel.start("%mcp list s0 demo s1 s2")
    assert [bell.heard() for _ in range(3)] == ["start"] * 3
    _stopped(kernel, cell)
    kernel.run("%mcp remove s0 s1 s2")


def test_stop_ends_watching(kernel: Kernel) -> None:
    kernel.run(
        "over, demo = threading.Event(), mcp_magic.connect('demo')\n"
        "def write():\n"
        "    while not over.wait(0.05): demo.add_note(text='x')\n"
        "threading.Thread(target=write).start()"
    )
    cell = kernel.start("%mcp watch demo demo://notes")
    while "changed" not in kernel.message()["content"].get("text", ""):
        pass
    _stopped(kernel, cell)
    kernel.run("over.set()")


@pytest.mark.parametrize(
    "typed",
    ["%mcp {0}", "%mcp {0} work", "%mcp auth {0}", "mcp_magic.auth('{0}')",
     "%mcp list h", "mcp_magic.connect('{0}')"],
)  # fmt: skip
def test_stop_while_an_http_server_says_nothing(
    kernel: Kernel, bell: Bell, typed: str
) -> None:
    url = f"http://127.0.0.1:{bell.port}/mcp"
    kernel.run(f"%mcp add h {url}")
    cell = kernel.start(typed.format(url))
    bell.answered()
    _stopped(kernel, cell)


def test_stop_while_a_name_is_looked_up(kernel: Kernel, bell: Bell) -> None:
    """The system's resolver may wait half a minute, and cannot be made to here."""
    kernel.run(
        "import socket\nasked, usual = threading.Event(), socket.getaddrinfo\n"
        "def lookup(host, *more, **named):\n"
        "    if 'slow.example' not in str(host): return usual(host, *more, **named)\n"
        f"    socket.create_connection(('127.0.0.1', {bell.port})).close()\n"
        "    asked.wait()\n    raise OSError('no answer')\n"
        "socket.getaddrinfo = lookup"
    )
    cell = kernel.start("%mcp http://slow.example/mcp")
    assert bell.heard() == ""
    _stopped(kernel, cell)
    kernel.run("asked.set(); socket.getaddrinfo = usual")


def test_stop_while_a_server_will_not_end(kernel: Kernel, bell: Bell) -> None:
    kernel.run(f"s = mcp_magic.connect('{bell.stuck_at('end')}', name='s')")
    children = kernel.process.children(recursive=True)
    (server,) = [one for one in children if "stuck.py" in str(one.cmdline())]
    cell = kernel.start("%mcp close s")
    assert bell.heard() == "end"
    _stopped(kernel, cell)
    server.wait(60)


def test_stop_at_the_question_of_approve(kernel: Kernel, home: Path) -> None:
    brought = '{"mcpServers": {"brought": {"command": "no-such-command"}}}'
    (home / ".mcp.json").write_text(brought, encoding="utf-8")
    cell = kernel.start("%mcp approve")
    assert kernel.prompt() == "May brought be used? [y/N] "
    _stopped(kernel, cell)
    assert kernel.run("%mcp approve --list").text == "Nothing is approved."


def test_stop_at_the_question_of_import(kernel: Kernel, home: Path) -> None:
    brought = '{"servers": {"code": {"command": "no-such-command"}}}'
    (home / ".vscode").mkdir()
    (home / ".vscode" / "mcp.json").write_text(brought, encoding="utf-8")
    cell = kernel.start("%mcp import vs-code")
    assert kernel.prompt() == "May code be used? [y/N] "
    _stopped(kernel, cell)
    assert "code" not in kernel.run("%mcp").text


# Tells when the cell is inside of ``job.wait`` for good.
_TELLS = """
import sys, time
from mcp_magic.session.signin import SignIn
def tell():
    code = ""
    while code is not SignIn._wait_till.__code__:
        time.sleep(0.01)
        frame = sys._current_frames()[threading.main_thread().ident]
        while frame and (code := frame.f_code) is not SignIn._wait_till.__code__:
            frame = frame.f_back
    print("waits")
"""


def test_stop_while_a_sign_in_waits(kernel: Kernel) -> None:
    """It goes on: the browser may still come back."""
    with running() as acme:
        kernel.run(f"%mcp add acme {acme.url}\njob = mcp_magic.auth('acme')")
        kernel.run(_TELLS)
        cell = kernel.start("threading.Thread(target=tell).start(); job.wait()")
        while kernel.message()["msg_type"] != "stream":
            pass
        shown = _stopped(kernel, cell)
        assert "goes on" in shown.traceback
        assert kernel.run("job").displays
        cell = kernel.start("%mcp auth --paste acme")
        assert kernel.prompt().startswith("Paste the address here")
        _stopped(kernel, cell)
        kernel.run("job.cancel()\n%mcp remove acme")


def test_stop_while_a_function_thinks_for_a_model(
    kernel: Kernel, bell: Bell, servers: Path, python: str
) -> None:
    kernel.run(
        f"import socket\nover = threading.Event()\ndef thinks(params):\n"
        f"    socket.create_connection(('127.0.0.1', {bell.port})).close()\n"
        f"    while not over.wait(0.01): pass\n    return 'at last'\n"
        f"%mcp add asking {python} {servers / 'asking.py'}\n"
        "%mcp sampling asking thinks"
    )
    cell = kernel.start("%mcp asking.think")
    assert bell.heard() == ""
    _stopped(kernel, cell)
    kernel.run("over.set()")
    assert kernel.run("%mcp asking.page url=http://x").error == ""
