"""IPython in a real terminal, spoken to as a person types."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Self

import pexpect
import psutil

__all__ = ["Editor", "Terminal", "drawn"]

_LIMIT = 120  # seconds; only what fails takes so long
_AGAIN = 5  # seconds after which a person presses a key again
_NEXT = r"(?:\A|(?<=\n))In \[\d+\]: "
_MORE = r"(?:\A|(?<=\n)) +\.\.\.: "
_WIDTH = 300  # columns: nothing that is typed is broken into lines


class Terminal:
    """IPython with plain prompts in a terminal of its own.

    Args:
        home: The person's home folder, and where IPython starts.

    Attributes:
        child: The process.
    """

    def __init__(self, home: Path) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "IPython", "--simple-prompt", "--no-banner", "--no-confirm-exit"],
            env={
                **os.environ,
                "HOME": str(home),
                "TERM": "xterm",
                "COLUMNS": str(_WIDTH),
            },
            encoding="utf-8",
            timeout=_LIMIT,
            dimensions=(50, _WIDTH),
            cwd=str(home),
        )
        self.child.expect(_NEXT)
        self._goes_on = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    def run(self, source: str) -> str:
        """Type a cell and return all that it shows, colours and prompts included."""
        shown = ""
        for line in source.split("\n"):
            shown += self._type(line)
        while self._goes_on:
            shown += self._type("")
        return shown

    def _type(self, line: str) -> str:
        self.child.sendline(line)
        self.child.expect_exact("\r\n")  # the end of what was typed
        self._goes_on = self.child.expect([_NEXT, _MORE]) == 1
        return str(self.child.before)

    def interrupt_prompt(self, shown: str) -> None:
        """Press Ctrl-C at a prompt of a cell, as often as it takes, until *shown*.

        Python hears a signal that comes between the prompt and the read behind it only
        when a line was typed: under load that gap can be long.
        """
        for _ in range(_LIMIT // _AGAIN):
            self.child.sendintr()
            if self.child.expect([shown, pexpect.TIMEOUT], timeout=_AGAIN) == 0:
                return
        raise AssertionError(f"Ctrl-C did nothing: {self.child.before}")

    @property
    def servers(self) -> list[psutil.Process]:
        """The bundled servers that it started."""
        children = psutil.Process(self.child.pid).children(recursive=True)
        return [one for one in children if "mcp_magic.demo" in " ".join(one.cmdline())]


def drawn(shown: str) -> str:
    """Return what stays on the screen: plain text, wiped lines left out."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).replace("\r\n", "\n").split("\n")
    kept = [line.rpartition("\r\x1b[K")[2] for line in lines]
    return "\n".join(kept).strip("\n")


class Editor:
    """IPython in a terminal with its own line editor, in which Tab completes.

    Args:
        home: The person's home folder.
        options: More options of IPython's command.
    """

    def __init__(self, home: Path, *options: str) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            [
                *("-m", "IPython", "--no-banner", "--no-confirm-exit"),
                *("--colors=nocolor", *options),
                "--TerminalInteractiveShell.autosuggestions_provider=None",
            ],
            env={
                **os.environ,
                "HOME": str(home),
                "TERM": "xterm",
                "PROMPT_TOOLKIT_NO_CPR": "1",
            },
            encoding="utf-8",
            timeout=_LIMIT,
            dimensions=(50, 200),
            cwd=str(home),
        )
        self._cells = 0
        self._ready()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    def type(self, keys: str, drawn: str) -> None:
        """Press keys, and wait until the screen shows *drawn*."""
        self.child.send(keys)
        seen = ""
        while drawn not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen):
            self.child.expect(".+")
            seen += str(self.child.after)

    def enter(self) -> str:
        """Run what was typed, and return what it drew."""
        self.child.send("\r")
        return self._ready()

    def _ready(self) -> str:
        self._cells += 1
        self.child.expect(rf"In \[\D*{self._cells}\D*\]:")
        return str(self.child.before)
