"""Run cells in a real Jupyter kernel and read back what a front end would show."""

from __future__ import annotations

import contextlib
import re
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import psutil
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager

__all__ = [
    "PYTEST",
    "Kernel",
    "Question",
    "Recorded",
    "Shown",
    "in_files",
    "knocking",
    "plain",
]

_LIMIT = 120.0  # seconds a cell may take; only what fails takes so long
_PAUSE = 5.0  # seconds between two knocks

# ipykernel watches the file descriptors of its output, but not where this is set.
PYTEST = "PYTEST_CURRENT_TEST"


def in_files(folder: str) -> dict[str, str]:
    """Return the settings of a kernel whose sockets are files in a folder.

    A port that is free when it is chosen may be taken when the kernel starts. The path
    of a socket may hold about a hundred characters.
    """
    return {"transport": "ipc", "connection_file": f"{folder}/k.json"}


def plain(text: str) -> str:
    """Return *text* without colour codes."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@dataclass(frozen=True)
class Question:
    """What a cell asked the person for."""

    text: str
    masked: bool


@dataclass
class Shown:
    """What one cell showed."""

    stdout: str = ""
    stderr: str = ""
    result: dict[str, Any] = field(default_factory=dict)
    displays: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    traceback: str = ""
    asked: list[Question] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The plain text of the cell's value."""
        return str(self.result.get("text/plain", ""))


@contextlib.contextmanager
def knocking(folder: str) -> Iterator[None]:
    """Connect anew to the kernel in a folder every few seconds, and say nothing.

    Before 7.4, ipykernel can overlook a request that comes while it sends a reply:
    its socket tells of it no more, nor of later ones of the same client. Whatever
    connects has it look again.
    """
    over = threading.Event()

    def knock() -> None:
        client = BlockingKernelClient(connection_file=f"{folder}/k.json")
        with contextlib.ExitStack() as held:
            while not over.wait(_PAUSE):
                held.close()
                with contextlib.suppress(OSError, ValueError):  # it may be starting
                    client.load_connection_file()
                    held.enter_context(client.connect_shell())

    thread = threading.Thread(target=knock, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class Kernel:
    """A kernel of this interpreter, started in *folder*."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self._outside = contextlib.ExitStack()
        sockets = self._outside.enter_context(TemporaryDirectory(prefix="k"))
        self._outside.enter_context(knocking(sockets))
        self._manager = KernelManager(**in_files(sockets))
        self._manager.kernel_cmd = [
            sys.executable,
            "-m",
            "ipykernel_launcher",
            "-f",
            "{connection_file}",
        ]
        env = {name: text for name, text in env.items() if name != PYTEST}
        self._manager.start_kernel(cwd=str(folder), env=env)
        self._client = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=_LIMIT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=not self._manager.is_alive())
        self._outside.close()

    @property
    def process(self) -> psutil.Process:
        """The kernel's process."""
        return psutil.Process(self._manager.provisioner.pid)

    def start(self, source: str, *, person: bool = True) -> str:
        """Begin a cell and return its message id.

        Args:
            source: The cell.
            person: Whether somebody is there to be asked, as in a front end; nobody is
                when a notebook is run headless.
        """
        return str(self._client.execute(source, allow_stdin=person))

    def run(self, source: str, *answers: str, person: bool = True) -> Shown:
        """Run a cell to its end.

        Args:
            source: The cell.
            answers: What the person types when asked, one after the other; a cell that
                asks less often fails.
            person: As in ``start``.
        """
        wanted = self.start(source, person=person)
        asked = [self._answer(one) for one in answers]
        shown = self.finish(wanted)
        shown.asked = asked
        return shown

    def _answer(self, answer: str) -> Question:
        content = self._client.get_stdin_msg(timeout=_LIMIT)["content"]
        self._client.input(answer)
        return Question(content["prompt"], masked=content["password"])

    def finish(self, wanted: str) -> Shown:
        """Wait for the end of a cell that was begun."""
        shown = Shown()
        end = time.monotonic() + _LIMIT
        while True:
            message = self.message(end - time.monotonic())
            if message["parent_header"].get("msg_id") != wanted:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                self._reply(wanted)
                return shown
            _note(shown, kind, content)

    def message(self, limit: float = _LIMIT) -> dict[str, Any]:
        """Return the next message on the output channel."""
        found: dict[str, Any] = self._client.get_iopub_msg(timeout=max(limit, 0.01))
        return found

    def until(self, kind: str) -> list[dict[str, Any]]:
        """Return the messages on the output channel up to the next one of a kind."""
        end = time.monotonic() + _LIMIT
        found = [self.message()]
        while found[-1]["msg_type"] != kind:
            found.append(self.message(end - time.monotonic()))
        return found

    def complete(self, code: str) -> list[str]:
        """Press Tab at the end of *code* and return what is offered."""
        return list(self._reply(self._client.complete(code, len(code)))["matches"])

    def _reply(self, asked: str) -> dict[str, Any]:
        """Wait for the answer to a request, and return what it holds."""
        end = time.monotonic() + _LIMIT
        while True:
            rest = max(end - time.monotonic(), 0.01)
            reply = self._client.get_shell_msg(timeout=rest)
            if reply["parent_header"].get("msg_id") == asked:
                return dict(reply["content"])

    def send_comm(self, comm: str, content: object) -> None:
        """Send a custom message of a widget, as its view does."""
        data = {"method": "custom", "content": content}
        message = self._client.session.msg("comm_msg", {"comm_id": comm, "data": data})
        self._client.shell_channel.send(message)

    def prompt(self) -> str:
        """Return what the kernel asks on standard input."""
        return str(self._client.get_stdin_msg(timeout=_LIMIT)["content"]["prompt"])

    def type(self, text: str) -> None:
        """Answer what the kernel asks on standard input."""
        self._client.input(text)

    def inspect(self, code: str, level: int = 0) -> str:
        """Press Shift-Tab at the end of *code*; level 1 is ``??``."""
        reply = self._reply(self._client.inspect(code, len(code), level))
        return plain(str(reply["data"].get("text/plain", "")))

    def interrupt(self) -> None:
        """Press Stop."""
        self._manager.interrupt_kernel()

    def restart(self) -> None:
        """Restart as a front end does."""
        self._manager.restart_kernel(now=False)
        self._client.wait_for_ready(timeout=_LIMIT)

    def kill(self) -> None:
        """End the kernel's process without a word."""
        self._manager.shutdown_kernel(now=True)


def _note(shown: Shown, kind: str, content: dict[str, Any]) -> None:
    match kind:
        case "stream":
            name = content["name"]
            setattr(shown, name, getattr(shown, name) + plain(content["text"]))
        case "execute_result":
            shown.result = content["data"]
        case "display_data" | "update_display_data":
            shown.displays.append(content["data"])
        case "error":
            shown.error = f"{content['ename']}: {content['evalue']}"
            shown.traceback = plain("\n".join(content["traceback"]))


class Recorded(Kernel):
    """A kernel whose every message is kept: outputs, and what widgets are made of."""

    said = ""

    def message(self, limit: float = _LIMIT) -> dict[str, Any]:
        message = super().message(limit)
        self.said += repr(message)
        return message
