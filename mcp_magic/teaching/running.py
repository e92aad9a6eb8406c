"""Run both on this machine, and play the person who signs in."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from http import HTTPStatus
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

import uvicorn
from starlette.types import ASGIApp

from mcp_magic.teaching.acme import build
from mcp_magic.teaching.service import Habits, Service

__all__ = ["Running", "running", "start", "visit"]

_HOST = "127.0.0.1"
_PATIENCE = 30.0  # seconds for a server to start, or for a page
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


class _Stay(HTTPRedirectHandler):
    """Leaves it to the caller where to go next."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Follow nothing."""


_BROWSER = build_opener(_Stay, ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class Running:
    """A server that wants a person to sign in, and its service.

    Attributes:
        url: The server.
        service: Its service, whose habits may be changed.
    """

    url: str
    service: Service
    _servers: tuple[uvicorn.Server, ...]
    _threads: tuple[threading.Thread, ...]

    def stop(self) -> None:
        """End both."""
        for server in self._servers:
            server.should_exit = True
        for thread in self._threads:
            thread.join(_PATIENCE)


def start(habits: Habits | None = None, *, ports: tuple[int, int] = (0, 0)) -> Running:
    """Serve both on this machine until ``stop``.

    Args:
        habits: How the service behaves.
        ports: Of the server and of the service; 0 picks one that is free.
    """
    places = [socket.create_server((_HOST, port)) for port in ports]
    url, issuer = (f"http://{_HOST}:{one.getsockname()[1]}" for one in places)
    service = Service(issuer, habits or Habits())
    servers = (_server(build(service, f"{url}/mcp")), _server(service.app))
    threads = tuple(
        threading.Thread(target=server.run, args=([place],), daemon=True)
        for server, place in zip(servers, places, strict=True)
    )
    for thread in threads:
        thread.start()
    end = time.monotonic() + _PATIENCE
    while not all(one.started for one in servers) and time.monotonic() < end:
        time.sleep(0.01)
    return Running(f"{url}/mcp", service, servers, threads)


def _server(app: ASGIApp) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            app, log_config=None, log_level="critical", timeout_graceful_shutdown=1
        )
    )


def visit(url: str, *, allow: bool = True, follow: bool = True) -> str:
    """Play the person and the browser: open the page, press a button, be sent back.

    Args:
        url: The page of the sign-in.
        allow: Whether to press Allow.
        follow: Whether the browser can reach the place where it is sent.

    Returns:
        The address where the browser is sent, as its address bar would show it.
    """
    page = _open(url)[1]
    form = {unescape(key): unescape(one) for key, one in _HIDDEN.findall(page)}
    form["act"] = "allow" if allow else "deny"
    place = url.partition("?")[0]
    address, _ = _open(place, form)
    if follow:
        _open(address)
    return address


def _open(url: str, form: dict[str, str] | None = None) -> tuple[str, str]:
    """Return where an answer redirects to, and its text."""
    if not url.startswith("http://"):
        raise ValueError(f"{url} is not of this machine")
    data = None if form is None else urlencode(form).encode()
    request = Request(url, data=data)  # noqa: S310 - looked at above
    with contextlib.ExitStack() as stack:
        try:
            answer = stack.enter_context(_BROWSER.open(request, timeout=_PATIENCE))
        except HTTPError as error:
            answer = stack.enter_context(error)
            if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
        return answer.headers.get("location", ""), answer.read().decode()


@contextlib.contextmanager
def running(habits: Habits | None = None) -> Iterator[Running]:
    """Serve both while the block runs."""
    both = start(habits)
    try:
        yield both
    finally:
        both.stop()
