"""Serves the messages of widgets while a cell waits for a person.

A kernel handles nothing while a cell runs, so a form below the running cell would never
be heard. While a pump is open, messages of widgets (``comm_*``) are handled as they
come, and so is what a page asks that is loaded again; everything else, such as cells
that were queued, is held and handed over in order when it closes. No event loop is
nested, and nothing is patched.

ipykernel has no public way to do this: the private names used here are looked up with
care, and where one is missing there is no pump.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import socket
import threading
from typing import Any, Self

__all__ = ["Pump"]

# The last two are what a page that was loaded again asks before it draws widgets.
_KINDS = frozenset(
    ("comm_open", "comm_msg", "comm_close", "comm_info_request", "kernel_info_request")
)


class Pump:
    """A way to hear widgets while this cell waits; a context manager.

    Args:
        kernel: The kernel whose main thread waits.

    Attributes:
        newcomers: The pages that came since, by their sessions.

    Raises:
        LookupError: Widgets cannot be heard here: another thread waits, another pump is
            open, or this kernel is built in a way that is not known.
    """

    _open: Pump | None = None

    def __init__(self, kernel: Any) -> None:
        import zmq  # noqa: PLC0415 - a kernel has it, a terminal need not

        if threading.current_thread() is not threading.main_thread():
            raise LookupError("widgets are heard on the main thread alone")
        if Pump._open is not None:
            raise LookupError("a cell already waits for a person")
        self._kernel = kernel
        try:
            self._stream = _shell_stream(kernel)
            self._usual = self._stream._recv_callback  # noqa: SLF001 - see the module
            self._parent = kernel.get_parent("shell")
            self._ident = kernel._parent_ident["shell"]  # noqa: SLF001
            self._topic = kernel._topic("status")  # noqa: SLF001
        except (AttributeError, KeyError, TypeError):
            raise LookupError("this kernel cannot hear widgets in a cell") from None
        self._held: list[list[Any]] = []
        self.newcomers: set[str] = set()
        self._in = zmq.POLLIN
        self._poller = zmq.Poller()

    def __enter__(self) -> Self:
        Pump._open = self
        self._bell, self._button = socket.socketpair()
        self._bell.setblocking(False)  # noqa: FBT003 - the socket's own way
        self._button.setblocking(False)  # noqa: FBT003
        self._poller.register(self._bell, self._in)
        self._poller.register(self._stream.socket, self._in)
        self._stream.on_recv(self._received, copy=False)
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.on_recv(self._usual, copy=False)
        Pump._open = None
        for frames in self._held:
            result = self._usual(frames)
            if inspect.isawaitable(result):
                _keep(asyncio.ensure_future(result))
        self._held.clear()
        self._bell.close()
        self._button.close()

    def wake(self, *_: object) -> None:
        """End the waiting of ``wait``; from any thread, also after the pump closed."""
        with contextlib.suppress(OSError):
            self._button.send(b".")

    def wait(self, seconds: float) -> None:
        """Wait for a message or for ``wake``, at most *seconds*; Ctrl-C comes out."""
        for ready, _ in self._poller.poll(max(1, int(seconds * 1000))):
            if ready == self._bell.fileno():
                with contextlib.suppress(OSError):
                    self._bell.recv(4096)
            else:
                self._stream.flush(self._in)

    def _received(self, frames: list[Any]) -> None:
        session = self._kernel.session
        try:
            idents, parts = session.feed_identities(frames, copy=False)
            head = session.deserialize(parts, content=False, copy=False)["header"]
            if head["msg_type"] not in _KINDS:
                raise LookupError  # held, as what cannot be read
            message = session.deserialize(parts, content=True, copy=False)
            if head["session"] != self._parent["header"]["session"]:
                self.newcomers.add(head["session"])
        except Exception:  # noqa: BLE001 - the kernel itself will say what is wrong
            self._held.append(frames)
            return
        # A front end sends the next change of a widget only after it heard "idle".
        self._tell("busy", message)
        try:
            handle = self._kernel.shell_handlers[head["msg_type"]]
            _finish(handle(self._stream, idents, message))
        except Exception:
            self._kernel.log.exception("a widget's handler failed")
        finally:
            # What is shown from here on belongs to the cell that waits.
            self._kernel.set_parent(self._ident, self._parent, channel="shell")
            self._tell("idle", message)
            self._tell("busy", self._parent)

    def _tell(self, state: str, parent: object) -> None:
        kernel = self._kernel
        kernel.session.send(
            kernel.iopub_socket,
            "status",
            {"execution_state": state},
            parent=parent,
            ident=self._topic,
        )


def _finish(handled: Any) -> None:
    """Let a handler end that is written as a coroutine and waits for nothing."""
    if inspect.iscoroutine(handled):
        try:
            handled.send(None)
        except StopIteration:
            return
        handled.close()
        raise RuntimeError("a handler waits, while a cell does")


_kept: set[asyncio.Future[Any]] = set()


def _keep(future: asyncio.Future[Any]) -> None:
    """Hold a task until it ends: its loop alone would let it be collected."""
    _kept.add(future)
    future.add_done_callback(_kept.discard)


def _shell_stream(kernel: Any) -> Any:
    if getattr(kernel, "_supports_kernel_subshells", False):  # ipykernel 7
        manager = kernel.shell_channel_thread.manager
        return manager.get_shell_channel_to_subshell_pair(None).to_stream
    return kernel.shell_stream  # ipykernel 6
