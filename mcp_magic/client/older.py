"""The older HTTP+SSE transport, made to look like a streamable HTTP server.

There, one GET brings every message of the server, and names the endpoint for POSTs,
which are answered over that GET. Here each POST waits for its own answer, so the rest
of the client need not know the difference.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import json
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx2

__all__ = ["OlderLine"]

_LEFT_OUT = ("content-length", "cookie", "host", "mcp-session-id", "transfer-encoding")


class OlderLine:
    """The one GET stream of an older server, and the POSTs that it answers.

    Args:
        url: Where the GET goes.
        largest: Bytes that one event may have; ``None`` for no limit.
        build: Builds a request, with all that every request carries.
        travel: Sends it; the content of its answer is not read yet.
    """

    def __init__(
        self,
        url: str,
        largest: int | None,
        *,
        build: Callable[..., httpx2.Request],
        travel: Callable[[httpx2.Request], Awaitable[httpx2.Response]],
    ) -> None:
        self._build = build
        self._travel = travel
        self._url = httpx2.URL(url)
        self._largest = largest
        self._endpoint: asyncio.Future[httpx2.URL | None] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._asked: dict[str, asyncio.Future[str]] = {}
        self._rest: asyncio.Queue[str] = asyncio.Queue()
        self._heard_by_someone = False

    @property
    def is_open(self) -> bool:
        """Whether the server has named its endpoint; the stream may be cut by now."""
        endpoint = self._endpoint
        return endpoint is not None and endpoint.done() and bool(endpoint.result())

    async def open(self) -> None:
        """Start reading; returns when the endpoint is known, or there is none."""
        loop = asyncio.get_running_loop()
        self._endpoint = loop.create_future()
        # An empty context: the reader outlives the request that starts it.
        self._reader = loop.create_task(self._read(), context=contextvars.Context())
        try:
            await asyncio.shield(self._endpoint)
        except asyncio.CancelledError:
            self._reader.cancel()
            raise

    async def close(self) -> None:
        """Stop reading."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.wait([self._reader])

    def forward(self, request: httpx2.Request) -> httpx2.Request:
        """Return a POST as the older transport wants it."""
        headers = request.headers.copy()
        for name in _LEFT_OUT:
            headers.pop(name, None)
        endpoint = self._endpoint.result() if self._endpoint is not None else None
        return self._build(
            "POST", endpoint or self._url, headers=headers, content=request.content
        )

    async def ask(self, request: httpx2.Request, number: int | str) -> httpx2.Response:
        """Send a request; return its answer, or the refusal of its POST.

        Raises:
            httpx2.HTTPError: It could not be sent, or the stream ended meanwhile.
        """
        if self._reader is None or self._reader.done():
            # The session ended with its stream, and so would the server say.
            return httpx2.Response(404, request=request)
        answer = asyncio.get_running_loop().create_future()
        self._asked[str(number)] = answer
        try:
            response = await self._travel(self.forward(request))
            if not response.is_success:
                return response
            if b'"jsonrpc"' in await response.aread():
                return response  # it answers here, as the newer transport does
            kind = {"content-type": "application/json"}
            return httpx2.Response(
                200, headers=kind, content=await answer, request=request
            )
        finally:
            self._asked.pop(str(number), None)
            answer.cancel()

    def listen(self, request: httpx2.Request) -> httpx2.Response:
        """Return the stream of everything that answers no request."""
        kind = {"content-type": "text/event-stream"}
        return httpx2.Response(
            200, headers=kind, content=self._others(), request=request
        )

    async def _others(self) -> AsyncIterator[bytes]:
        self._heard_by_someone = True
        try:
            while True:
                lines = (await self._rest.get()).splitlines()
                yield "".join(f"data: {line}\n" for line in lines).encode() + b"\n"
                # Asked for more: what was yielded has been taken in.
                self._rest.task_done()
        finally:
            self._heard_by_someone = False

    async def _read(self) -> None:
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        try:
            request = self._build("GET", self._url, headers=headers)
            response = await self._travel(request)
            async with contextlib.aclosing(response):
                source = httpx2.EventSource(response, max_event_size=self._largest)
                if response.is_success:
                    async for event in source:
                        await self._take(event)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError):
            pass  # whoever waits learns that it ended
        finally:
            self._end()

    async def _take(self, event: httpx2.ServerSentEvent) -> None:
        if event.event == "endpoint":
            endpoint = self._url.join(event.data.strip())
            safe = endpoint.origin == self._url.origin
            if self._endpoint is not None and not self._endpoint.done():
                self._endpoint.set_result(endpoint if safe else None)
            return
        try:
            message = json.loads(event.data)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        if "method" in message:
            self._rest.put_nowait(event.data)
            return
        if self._heard_by_someone:
            # Progress that came before the answer is also told before it.
            await self._rest.join()
        answer = self._asked.get(str(message.get("id")))
        if answer is not None and not answer.done():
            answer.set_result(event.data)

    def _end(self) -> None:
        if self._endpoint is not None and not self._endpoint.done():
            self._endpoint.set_result(None)
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(httpx2.RemoteProtocolError("the stream ended"))
