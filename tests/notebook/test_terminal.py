"""A real terminal IPython: what is typed, what is drawn, and how it ends."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import psutil
import pytest

_LIMIT = 30  # seconds


class Terminal:
    """IPython in a terminal, spoken to as a person types."""

    def __init__(self, home: Path) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "IPython", "--simple-prompt", "--no-banner", "--no-confirm-exit"],
            env={**os.environ, "HOME": str(home), "TERM": "xterm", "COLUMNS": "200"},
            encoding="utf-8",
            timeout=_LIMIT,
            dimensions=(50, 200),
        )
        self.child.expect(r"In \[1\]: ")

    def run(self, line: str) -> str:
        """Type a line and return what it shows, colours included."""
        self.child.sendline(line)
        self.child.expect(r"\r\n\r?\n?(?=In \[\d+\]: )")
        shown = str(self.child.before)
        self.child.expect(r"In \[\d+\]: ")
        return shown

    @property
    def servers(self) -> list[psutil.Process]:
        children = psutil.Process(self.child.pid).children(recursive=True)
        return [one for one in children if "mcp_magic.demo" in " ".join(one.cmdline())]


@pytest.fixture(name="terminal")
def _terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    terminal.run("%load_ext mcp_magic")
    yield terminal
    terminal.child.close(force=True)


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
    shown = terminal.run("%mcp demo.slow seconds=0.6 steps=3")
    assert "█" in shown
    assert "demo.slow · 2/3" in shown
    assert shown.rindex("\r\x1b[K") < shown.index("Took 0.6 seconds")


def test_progress_stays_on_one_line_of_a_narrow_terminal(terminal: Terminal) -> None:
    terminal.run("import os; del os.environ['COLUMNS']")
    terminal.child.setwinsize(50, 40)
    shown = terminal.run("%mcp demo.slow seconds=0.6 steps=3")
    drawn = re.findall(r"\r\x1b\[K([^\r]+)", shown)
    assert drawn[0].startswith("demo.slow · 1/3 · Step 1 of 3")
    assert all(len(line) < 40 for line in drawn)


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


@pytest.mark.parametrize("end", ["exit()", "quit", "ctrl-d", "hang up", "kill"])
def test_no_server_is_left_when_the_terminal_ends(terminal: Terminal, end: str) -> None:
    terminal.run("%mcp demo.echo text=x")
    (server,) = terminal.servers
    match end:
        case "ctrl-d":
            terminal.child.sendeof()
        case "hang up":
            terminal.child.close()
        case "kill":
            psutil.Process(terminal.child.pid).kill()
        case _:
            terminal.child.sendline(end)
    server.wait(_LIMIT)
