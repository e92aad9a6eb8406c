"""The listener on this machine to which a browser is sent after signing in.

It listens on 127.0.0.1 alone, answers one path, and is gone after the first answer
that belongs to the sign-in.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from mcp_magic.client.auth.answer import Answer, Code, Refusal, Unfit
from mcp_magic.client.auth.settings import Redirect
from mcp_magic.errors import SignInFailed

__all__ = ["Listener"]

_LARGEST = 16 * 1024  # bytes of a request's head
_PATIENCE = 5.0  # seconds for it to arrive
_HEADERS = (
    "content-type: text/html; charset=utf-8\r\n"
    "cache-control: no-store\r\n"
    "referrer-policy: no-referrer\r\n"
    "x-content-type-options: nosniff\r\n"
    "content-security-policy: default-src 'none'; style-src 'unsafe-inline'; "
    "frame-ancestors 'none'\r\n"
    "connection: close\r\n"
)


@dataclass(frozen=True, slots=True)
class _Page:
    status: str
    title: str
    text: str = ""

    def response(self) -> bytes:
        title, text = html.escape(self.title), html.escape(self.text)
        body = (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}'
            "</title><body style='font:16px system-ui;margin:4em'>"
            f"<h1>{title}</h1><p>{text}</p>"
        ).encode()
        head = f"HTTP/1.1 {self.status}\r\n{_HEADERS}content-length: {len(body)}\r\n"
        return head.encode() + b"\r\n" + body


_DONE = _Page("200 OK", "Back to the notebook", "You may close this tab.")
_OVER = _Page("410 Gone", "Nothing to do", "This sign-in is over.")


class Listener:
    """A web server for one answer.

    Args:
        redirect: How the registration calls this place.
        hear: Judges the query of a redirect, and keeps it if it belongs here;
            ``None`` as its answer means that nobody waits.
    """

    def __init__(
        self, redirect: Redirect, hear: Callable[[dict[str, str]], Answer | None]
    ) -> None:
        self._redirect = redirect
        self._hear = hear
        self._server: asyncio.Server | None = None
        self.port = 0

    @property
    def redirect_uri(self) -> str:
        """Where the browser is to be sent."""
        return f"http://{self._redirect.host}:{self.port}{self._redirect.path}"

    async def open(self, before: int | None = None) -> None:
        """Listen on the registration's port, or on any that is free.

        Args:
            before: The port of the last time, which is preferred.

        Raises:
            SignInFailed: The registration's port is taken.
        """
        fixed, port = self._redirect.port is not None, self._redirect.port or before
        for one in dict.fromkeys((port or 0, 0)):
            with contextlib.suppress(OSError):
                self._server = await asyncio.start_server(
                    self._serve, "127.0.0.1", one, limit=_LARGEST
                )
                self.port = self._server.sockets[0].getsockname()[1]
                return
            if fixed:
                break
        raise SignInFailed(
            f"port {port} is taken, and the registration allows no other; "
            "end what listens there"
        )

    def close(self) -> None:
        """Stop listening; safe to call again."""
        server, self._server = self._server, None
        if server is not None:
            server.close()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        # Whatever comes here is anybody's: it gets a page, or the line goes dead.
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
            writer.write(self._page(head.decode("latin-1")).response())
            await writer.drain()
        writer.close()
        with contextlib.suppress(Exception):
            await writer.wait_closed()

    def _page(self, head: str) -> _Page:
        request, *lines = head.split("\r\n")
        method, target, _ = request.split(" ", 2)
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        parts = urlsplit(target)
        if headers.get("host") not in (
            f"127.0.0.1:{self.port}",
            f"localhost:{self.port}",
        ):
            return _Page("403 Forbidden", "Refused", "This is another host.")
        if parts.path != self._redirect.path:
            return _Page("404 Not Found", "Not found")
        if method != "GET":
            return _Page("405 Method Not Allowed", "Refused")
        if "prefetch" in headers.get("sec-purpose", ""):
            return _Page("503 Service Unavailable", "Later")
        return self._answered(dict(parse_qsl(parts.query)))

    def _answered(self, query: dict[str, str]) -> _Page:
        match self._hear(query):
            case Code():
                page = _DONE
            case Refusal(why):
                page = _Page("400 Bad Request", "Not signed in", why)
            case Unfit(why):
                return _Page("400 Bad Request", "Not signed in", why)
            case None:
                return _OVER
        self.close()
        return page
