"""The stdio transport: what it reads, writes, overhears, starts and ends."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, JSONRPCRequest, TextContent

from mcp_magic.client import launch, stdio
from mcp_magic.client.launch import NotStarted
from mcp_magic.client.overheard import Overheard
from mcp_magic.client.stdio import open_stdio
from mcp_magic.config import Stdio
from mcp_magic.model import Secret
from tests.faults.servers import Held, faulty, is_running
from tests.waiting import patiently, until

_GRACE = 0.3  # short, for servers that will not go


@pytest.fixture(autouse=True)
def _nothing_is_left_and_nothing_logged(
    caplog: pytest.LogCaptureFixture,
) -> Iterator[None]:
    before = Held.now()
    yield
    assert before.left() == []
    loud = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert [one.getMessage() for one in loud] == []


Talk = Callable[[Client], Awaitable[Any]]


async def _with(
    target: Stdio,
    talk: Talk,
    heard: Overheard | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    on_exit: Callable[[int | None], None] | None = None,
) -> Any:
    heard = heard or Overheard()
    opened = open_stdio(target, heard, environ=environ, on_exit=on_exit, grace=_GRACE)
    async with Client(opened) as client:
        return await talk(client)


def _talk(
    target: Stdio, talk: Talk, heard: Overheard | None = None, **more: Any
) -> Any:
    return asyncio.run(asyncio.wait_for(_with(target, talk, heard, **more), 60))


def _calls(tool: str, **arguments: object) -> Talk:
    """Return what calls a tool and gives back its text."""

    async def talk(client: Client) -> str:
        result: CallToolResult = await client.call_tool(tool, arguments)
        (block,) = result.content
        assert isinstance(block, TextContent)
        return block.text

    return talk


def _leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


# -- what it reads


@pytest.mark.parametrize(
    "fault",
    ["banner", "garbage", "glued", "one-line", "batch", "crlf", "pieces", "php",
     "modern", "flood=1000000", "endless-stderr-line=1000000", "version=2024-11-05"],
)  # fmt: skip
def test_an_answer_is_found_whatever_is_written_around_it(fault: str) -> None:
    """The protocol's rule is one message a line; servers break it (TRN-01)."""

    async def talk(client: Client) -> list[str]:
        return [await _calls("echo", text=text)(client) for text in ("one", "zwölf")]

    assert _talk(faulty(fault), talk) == ["one", "zwölf"]


@pytest.mark.parametrize(
    ("tool", "text"),
    [("string-id", "text id"), ("float-id", "float id"), ("other-id", "right"),
     ("notices", "noticed"), ("half-pair", "cut \ufffd"), ("invalid-byte", "a \ufffd"),
     ("changed", "changed"), ("extra", "more")],
)  # fmt: skip
def test_an_odd_answer_is_understood_and_the_next_one_too(tool: str, text: str) -> None:
    async def talk(client: Client) -> list[str]:
        return [await _calls(tool)(client), await _calls("echo", text="on")(client)]

    assert _talk(faulty(), talk) == [text, "on"]


@pytest.mark.parametrize("tool", ["deep", "not-a-number"])
def test_json_that_only_python_writes_is_read(tool: str) -> None:
    async def talk(client: Client) -> object:
        return (await client.call_tool(tool)).structured_content

    assert isinstance(_talk(faulty(), talk), dict)


def test_an_error_without_form_is_an_error_all_the_same() -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        _talk(faulty(), _calls("odd-error"))
    assert str(_leaf(caught.value)) == "it broke"


def test_an_error_that_names_no_request_is_overheard() -> None:
    heard = Overheard()

    async def talk(client: Client) -> None:
        with pytest.raises(MCPError, match="timed out"):
            await client.call_tool("error-to-nobody", read_timeout_seconds=0.5)

    _talk(faulty(), talk, heard)
    assert heard.last_words().endswith("Parse error: unexpected token")


def test_other_servers_answer_while_fifty_megabytes_arrive() -> None:
    async def both() -> tuple[int, int]:
        answers = 0

        async def chat(client: Client) -> None:
            nonlocal answers
            while True:
                await _calls("echo", text="a")(client)
                answers += 1

        async def huge(other: Client) -> int:
            task = asyncio.ensure_future(chat(other))
            text = await _with(faulty(), _calls("huge", size=50_000_000))
            task.cancel()
            await asyncio.wait([task])
            return len(text)

        return await _with(faulty(), huge), answers

    size, answers = asyncio.run(asyncio.wait_for(both(), 60))
    assert size == 50_000_000
    assert answers > 10


def test_every_one_of_many_messages_arrives_before_the_answer() -> None:
    lines: list[object] = []

    async def note(params: Any) -> None:
        lines.append(params.data)

    async def talk() -> str:
        opened = open_stdio(faulty(), Overheard(), environ=os.environ)
        async with Client(opened, logging_callback=note, mode="legacy") as client:
            text: str = await _calls("many", count=3000)(client)
            return text

    assert asyncio.run(talk()) == "done"
    assert len(lines) == 3000


# -- what it writes


def test_a_message_is_written_in_ascii() -> None:
    """A server that reads in the code page of its Windows gets the same (BOM-03)."""
    params = {"a": "Đ★🎉", "b": "half \ud83d"}
    line = stdio._wire(JSONRPCRequest(jsonrpc="2.0", id=1, method="m", params=params))
    assert line.isascii()
    assert json.loads(line)["params"] == {"a": "Đ★🎉", "b": "half \ufffd"}


def test_an_argument_of_megabytes_comes_back_whole() -> None:
    text = "Đ★🎉" * 500_000
    assert _talk(faulty(), _calls("echo", text=text)) == text


# -- how it ends


@pytest.mark.parametrize(
    ("fault", "tool", "ended", "words"),
    [
        ("exits=3", "", "exited with code 3", "Error: the database is locked"),
        ("exits=3 flood=100000", "", "exited with code 3", "the database is locked"),
        ("", "dies", "exited with code 7", "Error: out of cheese"),
        ("", "killed", "was ended by SIGKILL", ""),
    ],
    ids=["at once", "after much", "in a call", "by a signal"],
)
def test_the_end_of_a_server_is_told_with_its_last_words(
    fault: str, tool: str, ended: str, words: str
) -> None:
    heard, codes = Overheard(), list[int | None]()
    with pytest.raises(BaseExceptionGroup) as caught:
        _talk(faulty(*fault.split()), _calls(tool), heard, on_exit=codes.append)
    assert str(_leaf(caught.value)) == "Connection closed"
    assert heard.how_it_ended() == ended
    assert heard.last_words().endswith(words)
    assert codes == [heard.exit_code]


def test_every_call_under_way_ends_with_its_server() -> None:
    async def talk(client: Client) -> list[str]:
        calls = [client.call_tool(tool) for tool in ("never", "never", "dies")]
        ends = await asyncio.gather(*calls, return_exceptions=True)
        return [str(end) for end in ends]

    assert _talk(faulty(), talk) == ["Connection closed"] * 3


def test_an_answer_without_a_line_end_is_the_last_one() -> None:
    codes: list[int | None] = []
    ended = asyncio.Event()

    def on_exit(code: int | None) -> None:
        codes.append(code)
        ended.set()

    async def talk(client: Client) -> str:
        await client.list_tools()  # else the SDK lists them after the call
        text: str = await _calls("last-breath")(client)
        await ended.wait()
        return text

    assert _talk(faulty(), talk, on_exit=on_exit) == "farewell"
    assert codes == [0]


@pytest.mark.parametrize("tool", ["closes-output", "closes-input"])
def test_a_server_that_closes_its_pipes_is_lost_though_it_lives(tool: str) -> None:
    codes: list[int | None] = []
    with pytest.raises(BaseExceptionGroup) as caught:
        _talk(faulty(), _calls(tool), on_exit=codes.append)
    assert str(_leaf(caught.value)) == "Connection closed"
    assert codes == [None]


def test_a_server_that_is_closed_did_not_end_by_itself() -> None:
    heard, codes = Overheard(), list[int | None]()
    _talk(faulty(), _calls("echo", text="x"), heard, on_exit=codes.append)
    assert (heard.exit_code, heard.how_it_ended(), codes) == (None, "", [])


def test_a_prompt_without_a_line_end_is_overheard() -> None:
    """Npx asks on standard output; a time limit then quotes it (TRN-05)."""

    async def talk(heard: Overheard, limit: float) -> None:
        async with asyncio.timeout(limit):
            await _with(faulty("asks"), _calls("echo"), heard)

    def attempt(limit: float) -> None:
        heard = Overheard()
        with pytest.raises(TimeoutError):
            asyncio.run(talk(heard, limit))
        assert heard.last_words().endswith("Ok to proceed? (y)")

    patiently(attempt)


@pytest.mark.parametrize(
    "faults", [["ignores-eof"], ["ignores-eof", "ignores-term"]], ids="+".join
)
def test_a_stubborn_server_is_ended(faults: list[str]) -> None:
    assert _talk(faulty(*faults), _calls("echo", text="x")) == "x"


@pytest.mark.parametrize(
    ("faults", "tool"),
    [([], "echo"), (["ignores-eof"], "echo"), (["exits=3"], "echo"), ([], "dies"),
     (["hangs"], "echo")],
    ids=["closed", "stubborn", "exits at once", "dies in a call", "hangs"],
)  # fmt: skip
def test_what_a_server_started_ends_with_it(
    faults: list[str], tool: str, tmp_path: Path
) -> None:
    """Also when it holds the pipes, ignores SIGTERM and outlives its parent."""
    note = tmp_path / "pid"
    target = faulty(f"grandchild={note}", *faults)

    async def talk(limit: float) -> None:
        async with asyncio.timeout(limit):
            await _with(target, _calls(tool, text="x"))

    def attempt(limit: float) -> int:
        with pytest.raises(TimeoutError):
            asyncio.run(talk(limit))
        return int(note.read_text())

    if faults == ["hangs"]:
        started = patiently(attempt)
    elif tool == "dies" or faults == ["exits=3"]:
        with pytest.raises(BaseExceptionGroup):
            asyncio.run(talk(60))
        started = int(note.read_text())
    else:
        asyncio.run(talk(60))
        started = int(note.read_text())
    assert until(lambda: not is_running(started))


# -- cancelling


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 40, 80])
def test_nothing_is_left_whenever_it_is_cancelled(turns: int) -> None:
    """Some turns of the loop are a start, some a handshake, some a call."""

    async def go() -> None:
        task = asyncio.ensure_future(_with(faulty(), _calls("never")))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(go())


def test_a_call_can_be_cancelled_while_it_is_written() -> None:
    async def talk(client: Client) -> None:
        deaf = asyncio.ensure_future(client.call_tool("deaf"))
        big = asyncio.ensure_future(client.call_tool("echo", {"text": "x" * 5_000_000}))
        both = asyncio.gather(deaf, big, return_exceptions=True)
        await asyncio.wait([both], timeout=0.3)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        _talk(faulty(), talk)


def test_a_second_cancel_does_not_disturb_the_closing() -> None:
    async def go() -> None:
        ready = asyncio.Event()

        async def talk(client: Client) -> None:
            ready.set()
            await client.call_tool("never")

        task = asyncio.ensure_future(_with(faulty("ignores-eof", "ignores-term"), talk))
        await ready.wait()
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=0.05)
        assert task.cancelled()

    asyncio.run(go())


def test_a_loop_that_ends_takes_its_servers_with_it() -> None:
    async def go() -> None:
        ready = asyncio.Event()

        async def talk(client: Client) -> None:
            ready.set()
            await client.call_tool("never")

        task = asyncio.ensure_future(_with(faulty("ignores-eof"), talk))
        await ready.wait()
        assert not task.done()  # and nobody waits for it

    asyncio.run(go())


# -- the last resort

_ORPHANING = """
import asyncio, os, sys, threading
from mcp import Client
from mcp_magic.client.overheard import Overheard
from mcp_magic.client.process import kill_all
from mcp_magic.client.stdio import open_stdio
from tests.faults.servers import faulty

async def main():
    opened = open_stdio(
        faulty("ignores-eof", "ignores-term", sys.argv[1]), Overheard(),
        environ=os.environ,
    )
    async with Client(opened) as client:
        if sys.argv[2] == "fork":
            child = os.fork()
            if not child:
                kill_all()
                os._exit(0)
            os.waitpid(child, 0)
            await client.call_tool("echo", {"text": "still there"})
            print("served on")
            kill_all()
            kill_all()
            os._exit(0)
        ready.set()
        await asyncio.Event().wait()

ready = threading.Event()
threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
ready.wait(30)
print("bye")
"""


@pytest.mark.parametrize(("way", "says"), [("exit", "bye"), ("fork", "served on")])
def test_no_server_outlives_the_interpreter_though_no_loop_runs(
    way: str, says: str, tmp_path: Path
) -> None:
    """A forked child ends nothing of its parent's."""
    note = tmp_path / "pid"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _ORPHANING, f"grandchild={note}", way],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == (says, "")
    assert until(lambda: not is_running(int(note.read_text())))


# -- what it starts


def _why(target: Stdio, environ: Mapping[str, str] = os.environ) -> str:
    with pytest.raises(NotStarted) as caught:
        _talk(target, _calls("echo"), environ=environ)
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_a_missing_command_names_the_path_that_was_searched() -> None:
    said = _why(Stdio("no-such-command"), {"PATH": "/usr/bin:/bin"})
    assert said.startswith(
        "the command no-such-command is not on PATH (/usr/bin, /bin)"
    )


def test_a_command_that_a_login_shell_would_find_is_pointed_out(tmp_path: Path) -> None:
    """Kernels seldom have the PATH of a terminal (TRN-06)."""
    place = tmp_path / ".nvm" / "versions" / "node" / "v22.1.0" / "bin"
    place.mkdir(parents=True)
    (place / "npx-like").write_text("#!/bin/sh\n")
    (place / "npx-like").chmod(0o755)
    said = _why(Stdio("npx-like"), {"PATH": "/bin", "HOME": str(tmp_path)})
    assert f"but in {place}; import os; os.environ['PATH'] += ':{place}'" in said


def test_a_command_known_to_be_missing_says_what_brings_it() -> None:
    said = _why(Stdio("uvx"), {"PATH": "/nowhere", "HOME": "/nowhere"})
    assert said.endswith("pip install uv brings it") or "but in" in said


@pytest.mark.parametrize(
    ("command", "cwd", "says"),
    [
        ("./no-such-file", None, "there is no file no-such-file"),
        ("./plain", "{tmp}", "plain may not be run"),
        ("./shebang", "{tmp}", "an interpreter that is not there: #!/no/such/python"),
        ("./empty", "{tmp}", "no program for this system"),
        ("{tmp}", None, "may not be run"),
        (sys.executable, "{tmp}/none", "none does not exist"),
        (sys.executable, "{tmp}/plain", "plain is a file"),
        ("a\0b", None, "null byte"),
        ("cmd", None, "the command cmd is not on PATH"),
    ],
)
def test_a_start_that_fails_says_why(
    command: str, cwd: str | None, says: str, tmp_path: Path
) -> None:
    (tmp_path / "plain").write_text("no program")
    for name, text in (("shebang", "#!/no/such/python\n"), ("empty", "\x7f")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    folder = None if cwd is None else cwd.replace("{tmp}", str(tmp_path))
    target = Stdio(command.replace("{tmp}", str(tmp_path)), (), {}, folder)
    assert says in _why(target)


@pytest.mark.parametrize("how", [("/c",), ("/d", "/s", "/C")])
def test_cmd_of_a_windows_entry_is_left_out_with_a_note(how: tuple[str, ...]) -> None:
    """Entries are copied between systems (WIN-01)."""
    inner, heard = faulty(), Overheard()
    target = Stdio("cmd.exe", (*how, inner.command, *inner.args))
    assert _talk(target, _calls("echo", text="x"), heard) == "x"
    assert heard.notes == [
        f"cmd.exe {how[0]} is for Windows; {inner.command} was run without it"
    ]


def test_a_windows_entry_in_one_text_is_split() -> None:
    inner = faulty()
    target = Stdio("cmd", ("/c", f"{inner.command} {' '.join(inner.args)}"))
    assert _talk(target, _calls("echo", text="x")) == "x"


@pytest.mark.parametrize(
    ("environ", "env", "name", "value"),
    [
        ({"MINE": "inherited"}, {}, "MINE", "inherited"),
        ({"MINE": "inherited"}, {"MINE": "given"}, "MINE", "given"),
        ({}, {}, "PYTHONUTF8", "1"),
        ({"PYTHONUTF8": "0"}, {}, "PYTHONUTF8", "0"),
        ({}, {"PYTHONIOENCODING": "latin-1"}, "PYTHONIOENCODING", "latin-1"),
        ({}, {}, "npm_config_yes", "true"),
        ({"FORCE_COLOR": "1"}, {}, "FORCE_COLOR", "not set"),
        ({"FORCE_COLOR": "1"}, {"FORCE_COLOR": "3"}, "FORCE_COLOR", "3"),
    ],
)
def test_the_environment_is_inherited_and_the_entry_has_the_last_word(
    environ: dict[str, str], env: dict[str, str], name: str, value: str
) -> None:
    call = _calls("environment", name=name)
    assert _talk(faulty(env=env), call, environ=environ) == value


def test_the_working_folder_is_the_entrys(tmp_path: Path) -> None:
    assert _talk(faulty(cwd=str(tmp_path)), _calls("folder")) == str(tmp_path)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["-y", "a b"], '"npx.cmd" "-y" "a b"'),
        (['say "hi"'], '"npx.cmd" "say ""hi"""'),
        (["%PATH%&calc"], '"npx.cmd" "%%cd:~,%PATH%%cd:~,%&calc"'),
        (["C:\\dir\\"], '"npx.cmd" "C:\\dir\\\\"'),
        (['\\"'], '"npx.cmd" "\\\\"""'),
    ],
)
def test_a_batch_file_gets_its_arguments_unharmed(args: list[str], line: str) -> None:
    """Quoting as Rust's standard library does it since CVE-2024-24576."""
    assert launch.batch_line("npx.cmd", args) == line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"'{sys.executable}' -m 'my server'", (sys.executable, "-m", "my server")),
        ("python3 main.py --port 80", ("python3", "main.py", "--port", "80")),
        ("my tool", ("my tool",)),
        ("no-such-program main.py", ("no-such-program main.py",)),
        ("C:\\Program Files\\x\\y.exe", ("C:\\Program Files\\x\\y.exe",)),
        ("python3 'open", ("python3 'open",)),
    ],
)
def test_a_command_line_in_one_word_is_split_unless_a_program_is_called_so(
    line: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    """Some products write it so (CFG-14)."""
    (tmp_path / "my tool").touch(mode=0o700)
    environ = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    assert launch.prepare(Stdio(line), {}, environ).words == words


# -- secrets


def test_a_secret_that_a_server_tells_is_concealed() -> None:
    heard = Overheard()
    target = faulty("tells=KEY", env={"KEY": "Bearer s3cr3t-t0ken"})
    _talk(target, _calls("echo", text="x"), heard)
    assert heard.stderr_lines == ("using ….",)
    assert heard.stray_lines == ("using ….",)


def test_a_secret_inside_the_arguments_is_concealed() -> None:
    heard = Overheard()
    program = "import sys; sys.exit('bad: ' + sys.argv[1])"
    target = Stdio(
        sys.executable, ("-c", program, "--key=0123456789"), {"A": Secret("1")}
    )
    with pytest.raises(BaseExceptionGroup):
        _talk(target, _calls("x"), heard, environ={"API_KEY": "0123456789"})
    assert heard.last_words() == "bad: --key=…"


def test_whatever_was_filled_in_is_concealed() -> None:
    """An input or a file may be a secret as well as a variable."""
    heard = Overheard()
    program = "import sys; sys.exit('bad: ' + sys.argv[1])"
    hidden = frozenset({Secret("4711")})
    target = Stdio(sys.executable, ("-c", program, "pin=4711"), hidden=hidden)
    with pytest.raises(BaseExceptionGroup):
        _talk(target, _calls("x"), heard)
    assert heard.last_words() == "bad: pin=…"
