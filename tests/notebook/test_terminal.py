"""A real terminal IPython: what is typed, what is drawn, and how it ends."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.bells import Bell
from tests.terminals import Editor, Terminal
from tests.waiting import patiently

_LIMIT = 120  # seconds; only what fails takes so long


@pytest.fixture(name="terminal", scope="module")
def _terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """A terminal of all tests that leave it at an empty line, as it was."""
    with _start(tmp_path_factory.mktemp("home")) as terminal:
        yield terminal


@pytest.fixture(name="own")
def _own(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal of one test alone."""
    with _start(tmp_path) as terminal:
        yield terminal


def _start(home: Path) -> Terminal:
    terminal = Terminal(home)
    terminal.run("%load_ext mcp_magic")
    return terminal


def test_a_typo_is_put_right_with_one_dim_line(terminal: Terminal) -> None:
    shown = terminal.run("%mcp demo.ad a=2 b=3")
    line = "Auto-corrected tool call to demo.add (input: demo.ad)."
    assert f"\x1b[2m{line}\x1b[0m" in shown
    assert re.search(r"Out\[\d+\]: .*5", shown)


def test_an_error_is_one_line(terminal: Terminal) -> None:
    shown = terminal.run("%mcp nothing_like_it.x")
    assert "Unknown MCP server 'nothing_like_it'" in shown
    assert "Traceback" not in shown


def test_progress_is_drawn_on_one_line_and_wiped(terminal: Terminal) -> None:

    def attempt(seconds: float) -> None:
        shown = terminal.run(f"%mcp demo.slow seconds={seconds} steps=3")
        assert "█" in shown
        assert "demo.slow · 2/3" in shown
        assert shown.rindex("\r\x1b[K") < shown.index(f"Took {seconds:g} seconds")

    patiently(attempt)


def test_progress_stays_on_one_line_of_a_narrow_terminal(own: Terminal) -> None:
    own.run("import os; del os.environ['COLUMNS']")
    own.child.setwinsize(50, 40)

    def attempt(seconds: float) -> None:
        shown = own.run(f"%mcp demo.slow seconds={seconds} steps=3")
        drawn = re.findall(r"\r\x1b\[K([^\r]+)", shown)
        assert drawn[0].startswith("demo.slow · 1/3 · Step 1 of 3")
        assert all(len(line) < 40 for line in drawn)

    patiently(attempt)


def test_ctrl_c_stops_the_call_and_keeps_the_session(terminal: Terminal) -> None:
    terminal.run("%mcp demo.echo text=x")
    before = [one.pid for one in terminal.servers]
    terminal.child.sendline("%mcp demo.slow seconds=60 steps=600")
    terminal.child.expect("demo.slow · ")
    terminal.child.sendintr()
    terminal.child.expect("KeyboardInterrupt.*stopped")
    terminal.child.expect(r"In \[\d+\]: ")
    assert "slow was stopped" in terminal.run("%mcp demo.list_notes")
    assert [one.pid for one in terminal.servers] == before


def test_ctrl_c_stops_an_awaited_call_too(terminal: Terminal) -> None:
    with Bell() as bell:
        terminal.run("import mcp_magic")
        command = bell.stuck_at("tools/call")
        terminal.run(f"stuck = mcp_magic.connect('{command}', name='stuck')")
        terminal.child.sendline("await stuck.work.aio()")
        assert bell.heard() == "tools/call"
        terminal.child.sendintr()
        terminal.child.expect(r"In \[\d+\]: ")
        shown = str(terminal.child.before)
        assert "KeyboardInterrupt\x1b[0m: stopped" in shown
        assert "asyncio" not in shown
        assert bell.heard() == "cancelled"
    assert "3" in terminal.run(
        "(await mcp_magic.connect('demo').add.aio(a=1, b=2)).data"
    )


def test_ctrl_c_at_the_question_of_approve_is_one_line_and_agrees_to_nothing(
    own: Terminal, tmp_path: Path
) -> None:
    brought = '{"mcpServers": {"brought": {"command": "no-such-command"}}}'
    (tmp_path / ".mcp.json").write_text(brought, encoding="utf-8")
    own.child.sendline("%mcp approve")
    own.child.expect_exact("May brought be used? [y/N] ")
    own.interrupt_prompt(r"In \[\d+\]: ")
    shown = str(own.child.before)
    assert "KeyboardInterrupt\x1b[0m: stopped" in shown
    assert "Traceback" not in shown
    assert "Nothing is approved." in own.run("%mcp approve --list")


@pytest.mark.parametrize("end", ["exit()", "quit", "ctrl-d", "hang up", "kill"])
def test_no_server_is_left_when_the_terminal_ends(own: Terminal, end: str) -> None:
    own.run("%mcp demo.echo text=x")
    (server,) = own.servers
    match end:
        case "ctrl-d":
            own.child.sendeof()
        case "hang up":
            own.child.close()
        case "kill":
            psutil.Process(own.child.pid).kill()
        case _:
            own.child.sendline(end)
    server.wait(_LIMIT)


@pytest.fixture(name="editor", scope="module", params=["jedi", "no jedi"])
def _editor(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Editor]:
    jedi = f"--Completer.use_jedi={request.param == 'jedi'}"
    with Editor(tmp_path_factory.mktemp("home"), jedi) as editor:
        for line in ("%load_ext mcp_magic", "%mcp demo.echo text=x"):
            editor.type(line, line[-4:])
            editor.enter()
        yield editor


@pytest.mark.parametrize(
    ("typed", "inserted", "rest", "shown"),
    [
        ("%mcp demo.ech", "o", " text=tabbed", r"Out\[\d+\]:.*tabbed"),
        ("x = %mcp demo.ech", "o", " text=tabbed", ""),
        ("%mcp demo.add a=2 ", "b=", "3", r"Out\[\d+\]:.*5"),
        ("%mcp demo.list_rows kind=dw", '"dwarf planet"', " limit=1", "Pluto"),
        ("%mcp statu", "s", "", "connected"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_tab_inserts_the_right_text(
    editor: Editor, typed: str, inserted: str, rest: str, shown: str
) -> None:
    editor.type(typed, typed.strip()[-3:])
    editor.type("\t", inserted)
    if rest:
        editor.type(rest, rest[-3:])
    assert re.search(shown, editor.enter())


def test_tab_completes_the_keys_of_a_cell(editor: Editor) -> None:
    editor.type("%%mcp demo.echo\r", "...:")
    editor.type("te", "te")
    editor.type("\t", "xt:")
    editor.type("several words\r", "...:")
    editor.type("\r", "...:")
    assert re.search(r"Out\[\d+\]:.*several words", editor.enter())


def _type(terminal: Terminal, prompt: str, typed: str) -> None:
    terminal.child.expect(prompt)
    terminal.child.sendline(typed)


def test_a_question_is_asked_and_answered_in_the_terminal(terminal: Terminal) -> None:
    terminal.child.sendline("%mcp demo.book_table restaurant=Roma")
    terminal.child.expect(r"demo asks: Which table shall it be\?")
    _type(terminal, "Answer[?].*: ", "y")
    for name, typed in (("guests", "many"), ("guests", "4"), ("day", "2027-05-01")):
        _type(terminal, f"{name} .*: ", typed)
    terminal.child.expect("  2  terrace")
    _type(terminal, "seats .*: ", "2")
    _type(terminal, "birthday .*: ", "y")
    terminal.child.expect('"status": "booked"')
    terminal.child.expect(r"In \[\d+\]: ")
    assert '"seats": "terrace"' in terminal.run("_.text")


@pytest.mark.parametrize("way", ["decline", "ctrl-d", "ctrl-c"])
def test_a_question_in_the_terminal_can_be_left(terminal: Terminal, way: str) -> None:
    terminal.child.sendline("%mcp demo.ask_name")
    terminal.child.expect("Answer[?].*: ")
    match way:
        case "decline":
            terminal.child.sendline("n")
            terminal.child.expect("rather not say")
        case "ctrl-d":
            terminal.child.sendeof()
            terminal.child.expect("closed without an answer")
        case "ctrl-c":
            terminal.interrupt_prompt("KeyboardInterrupt")
    terminal.child.expect(r"In \[\d+\]: ")
    assert "5" in terminal.run("%mcp demo.add a=2 b=3")


def test_a_secret_is_typed_unseen_in_the_terminal(
    terminal: Terminal, servers: Path
) -> None:
    terminal.run(f"%mcp add asking {sys.executable} {servers / 'asking.py'}")
    terminal.child.sendline("%mcp asking.login")
    _type(terminal, "Answer[?].*: ", "y")
    _type(terminal, "name .*: ", "Ada")
    _type(terminal, "password .*: ", "canary-4711")
    _type(terminal, "colours .*: ", "2")
    terminal.child.expect("Ada, 11 characters")
    assert "canary" not in str(terminal.child.before)
    terminal.child.expect(r"In \[\d+\]: ")
