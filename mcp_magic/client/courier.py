"""The HTTP client under the SDK's transport: one failed request fails alone.

The SDK ends the whole session when a request raises, and drops the status and headers
of an answer that is no JSON-RPC. So each POST of a request gets a JSON-RPC answer here
whatever happens: the server's own, or an error with a ``Fault`` inside.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import httpx2
from mcp_types import METHOD_NOT_FOUND

from mcp_magic.client import faults
from mcp_magic.client.faults import Fault, Sent
from mcp_magic.client.older import OlderLine
from mcp_magic.client.pacing import Pace

__all__ = ["Courier", "Heard", "Way"]

_SENT = "mcp_magic.sent"
_SESSION = "mcp-session-id"
_HANDSHAKE = frozenset(("server/discover", "initialize"))
_HOPS = 5  # redirects within the origin that one request follows
_FAREWELL = 2.0  # seconds for the request that ends a session
_ERROR_TIME = 5.0  # seconds for the body of an error to arrive
_ERROR_BYTES = 65_536  # of it that are looked at
_SMALL = 4096  # bytes of an answer that may be an error without an id


@dataclass(frozen=True, slots=True)
class Way:
    """How one server is reached.

    Attributes:
        url: Its endpoint.
        hidden: Texts that no error may repeat.
        via: The proxy on the way, for error texts.
        patience: Seconds for what the SDK waits for before it sends anything else:
            the answer to a notification, and the endpoint of an older server.
        largest: Bytes that one event may have.
    """

    url: str = field(repr=False)
    hidden: Collection[str] = field(default=(), repr=False)
    via: str = ""
    patience: float = 10.0
    largest: int | None = None


@dataclass(slots=True)
class Heard:
    """What was learnt about one HTTP server, kept from one connection to the next.

    Attributes:
        is_older: Whether it is known to speak the older HTTP+SSE transport.
    """

    is_older: bool = False


class Courier(httpx2.AsyncClient):
    """An HTTP client that answers every POST of a JSON-RPC request.

    Args:
        way: Where the requests go.
        heard: Read, and kept up to date.
        options: As ``httpx2.AsyncClient`` takes them.
    """

    def __init__(self, way: Way, heard: Heard, **options: Any) -> None:
        super().__init__(**options)
        self._way = way
        self._heard = heard
        self._hidden = sorted((one.encode() for one in way.hidden), key=len)[::-1]
        self._pace = Pace()
        self._older = OlderLine(
            way.url, way.largest, build=super().build_request, travel=self.travel
        )
        self._tried_older = False
        self._answered = False
        self._down: Fault | None = None
        self._refused: Fault | None = None

    def build_request(
        self, method: str, url: httpx2.URL | str, **options: Any
    ) -> httpx2.Request:
        """Build a request that knows which JSON-RPC request it carries."""
        request = super().build_request(method, url, **options)
        match options.get("json"):
            case {"method": str() as asked, "id": int() | str() as number}:
                request.extensions[_SENT] = Sent(asked, number)
        return request

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request of the SDK's transport; a POST never raises."""
        sent = request.extensions.get(_SENT)
        match request.method:
            case "POST" if isinstance(sent, Sent):
                return await self._ask(request, sent)
            case "POST":
                return await self._tell(request)
            case "DELETE":
                return await self._take_leave(request)
        return await self._listen(request)

    async def travel(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, following redirects that keep its origin and method."""
        for hop in range(_HOPS + 1):
            response = await super().send(request, stream=True, follow_redirects=False)
            following = response.next_request
            if following is None or hop == _HOPS or not _stays(request, following):
                break
            await _drain(response)
            request = following
        return response

    async def hang_up(self) -> None:
        """End what runs beside the requests; call it before closing."""
        await self._older.close()

    async def _ask(self, request: httpx2.Request, sent: Sent) -> httpx2.Response:
        down, self._down = self._down, None
        if down is not None and sent.method == "initialize":
            # The probe before it found nobody there: that is one answer, not two.
            return _reply(request, sent, error=down.error())
        try:
            response = await self._exchange(request, sent)
        except Exception as error:  # noqa: BLE001 - whatever it is, one request failed
            fault = faults.of_exception(error, sent.method)
            fault = replace(fault, first=not self._answered)
            if not fault.is_sent:
                self._down = fault = replace(fault, place=self._way.via)
            return _reply(request, sent, error=fault.error())
        self._answered = True
        return response

    async def _exchange(self, request: httpx2.Request, sent: Sent) -> httpx2.Response:
        handshake = sent.method in _HANDSHAKE
        if handshake and self._seems_older() and await self._is_older():
            return await self._ask_older(request, sent)
        if self._older.is_open:
            return await self._ask_older(request, sent)
        response = await _settle(await self.travel(request))
        if handshake and _refuses_post(response) and await self._is_older():
            return await self._ask_older(request, sent)
        return self._judge(request, sent, response)

    def _seems_older(self) -> bool:
        path = httpx2.URL(self._way.url).path
        return self._heard.is_older or path.rstrip("/").endswith("/sse")

    async def _is_older(self) -> bool:
        """Whether a GET opens the older transport; asked once in a connection."""
        if not self._tried_older:
            self._tried_older = True
            with anyio.move_on_after(self._way.patience):
                await self._older.open()
            self._heard.is_older = self._older.is_open
        return self._older.is_open

    async def _ask_older(self, request: httpx2.Request, sent: Sent) -> httpx2.Response:
        if sent.method == "server/discover":
            error = {"code": METHOD_NOT_FOUND, "message": "an older server"}
            return _reply(request, sent, error=error)
        response = await _settle(await self._older.ask(request, sent.id))
        answer = self._judge(request, sent, response)
        if sent.method == "initialize":
            # With a session the SDK listens for messages and says goodbye.
            answer.headers[_SESSION] = "older"
        return answer

    def _judge(
        self, request: httpx2.Request, sent: Sent, response: httpx2.Response
    ) -> httpx2.Response:
        """Return the answer if it is one, or an error in its place."""
        if response.is_success:
            if _is_stream(response):
                return response
            body = response.content
            if b'"jsonrpc"' in body and body.lstrip()[:1] in (b"{", b"["):
                return _answer(request, sent, response)
        body = self._without_secrets(response)
        status = response.status_code
        fault = faults.of_response(response, body, sent)
        if _SESSION in request.headers and faults.is_session_gone(status, body):
            fault = replace(fault, kind="expired")
        if sent.method == "server/discover":
            self._refused = fault if fault.wants_sign_in else None
        elif sent.method == "initialize" and self._refused is not None:
            # The probe before it lacked a token: that tells more than this refusal.
            return _reply(request, sent, error=self._refused.error())
        error = faults.rpc_error(body)
        busy = status in (429, 503)
        if error is None or fault.kind == "expired" or fault.wants_sign_in or busy:
            error = fault.error()
        return _reply(request, sent, error=error)

    async def _tell(self, request: httpx2.Request) -> httpx2.Response:
        """Send a notification, or an answer to the server; nobody waits for it."""
        # Whatever happens to it must not end the session.
        with anyio.move_on_after(self._way.patience), contextlib.suppress(Exception):
            if self._older.is_open:
                request = self._older.forward(request)
            await _drain(await self.travel(request))
        return httpx2.Response(202, request=request)

    async def _take_leave(self, request: httpx2.Request) -> httpx2.Response:
        """End the session at the server, if it cares; it is over in any case."""
        if not self._older.is_open:
            limit = min(_FAREWELL, self._way.patience)
            with anyio.move_on_after(limit), contextlib.suppress(Exception):
                await _drain(await self.travel(request))
        return httpx2.Response(200, request=request)

    async def _listen(self, request: httpx2.Request) -> httpx2.Response:
        """Open the stream of the server's own messages, or one that was cut."""
        if self._older.is_open:
            return self._older.listen(request)
        async with self._pace.between(request.headers.get("last-event-id", "")):
            response = await self.travel(request)
        if response.next_request is not None:
            await response.aclose()
            return httpx2.Response(405, request=request)
        return response

    def _without_secrets(self, response: httpx2.Response) -> bytes:
        """Return an answer's content without what no error may repeat."""
        body = response.content
        token = response.request.headers.get("authorization", "").rpartition(" ")[2]
        for one in (*self._hidden, token.encode()):
            body = body.replace(one, "…".encode()) if one else body
        return body


def _stays(request: httpx2.Request, following: httpx2.Request) -> bool:
    """Whether a redirect keeps method, origin and user, and so all that was meant."""
    return (
        following.method == request.method
        and following.url.origin == request.url.origin
        and following.url.userinfo in (b"", request.url.userinfo)
    )


def _refuses_post(response: httpx2.Response) -> bool:
    return response.status_code in (400, 404, 405) and not faults.rpc_error(
        response.content
    )


def _is_stream(response: httpx2.Response) -> bool:
    kind: str = response.headers.get("content-type", "")
    return kind.lower().startswith("text/event-stream")


async def _drain(response: httpx2.Response) -> None:
    """Close an answer, read to its end so that its connection can be used again."""
    try:
        if not _is_stream(response):
            await response.aread()
    finally:
        await response.aclose()


async def _settle(response: httpx2.Response) -> httpx2.Response:
    """Read an answer that is no stream; an error's beginning is enough."""
    if response.is_success:
        if not _is_stream(response):
            await response.aread()
        return response
    body = bytearray()
    with anyio.move_on_after(_ERROR_TIME):
        async for part in response.aiter_bytes():
            body += part
            if len(body) > _ERROR_BYTES:
                break
    await response.aclose()
    settled = _made(response, bytes(body[:_ERROR_BYTES]))
    settled.next_request = response.next_request
    return settled


def _made(response: httpx2.Response, body: bytes, kind: str = "") -> httpx2.Response:
    """Return an answer with another body, and another content type if given."""
    headers = response.headers.copy()
    for name in ("content-encoding", "content-length", "transfer-encoding"):
        headers.pop(name, None)
    if kind:
        headers["content-type"] = kind
    return httpx2.Response(
        response.status_code, headers=headers, content=body, request=response.request
    )


def _answer(
    request: httpx2.Request, sent: Sent, response: httpx2.Response
) -> httpx2.Response:
    """Return a JSON-RPC answer in the form that the SDK reads."""
    body = response.content
    if len(body) < _SMALL and b'"error"' in body:
        error = faults.rpc_error(body)
        if error is not None:
            # Some servers name no id when they refuse; the SDK would wait for ever.
            return _reply(request, sent, error=error)
    kind: str = response.headers.get("content-type", "")
    if kind.lower().startswith("application/json"):
        return response
    return _made(response, body, "application/json")


def _reply(
    request: httpx2.Request, sent: Sent, *, error: dict[str, Any]
) -> httpx2.Response:
    message = {"jsonrpc": "2.0", "id": sent.id, "error": error}
    return httpx2.Response(200, json=message, request=request)
