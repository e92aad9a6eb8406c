"""The requests of a sign-in: every address checked, nothing of the server's sent along.

Redirects are followed for plain reading alone, and within their origin; answers are
small; errors hold a host and a status, never a body.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from types import TracebackType
from typing import Self

import httpx2

from mcp_magic.client.auth import urls
from mcp_magic.client.http import trusted
from mcp_magic.display import redact
from mcp_magic.errors import SignInFailed

__all__ = ["Web"]

_log = logging.getLogger(__name__)
_PATIENCE = 20.0  # seconds for an answer
_LARGEST = 1024 * 1024  # bytes of one
_HOPS = 5
# No proxy can reach this machine's own services.
_DIRECT = {f"all://{host}": None for host in ("127.0.0.1", "localhost", "[::1]")}


class Web:
    """An HTTP client for one server's sign-in; a context manager.

    Args:
        server_url: The server; what it names is checked against it.
        private_hosts: See ``urls.check``.
    """

    def __init__(self, server_url: str, private_hosts: Collection[str] = ()) -> None:
        self.server_url = server_url
        self._private_hosts = private_hosts
        self._client: httpx2.AsyncClient | None = None

    async def __aenter__(self) -> Self:
        self._client = httpx2.AsyncClient(
            verify=await trusted(), timeout=_PATIENCE, mounts=_DIRECT
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def check(self, url: str, what: str) -> str:
        """Return *url* if it may be used; see ``urls.check``."""
        return await urls.check(url, what, self.server_url, self._private_hosts)

    async def send(self, request: httpx2.Request, what: str) -> httpx2.Response:
        """Send a request and return its answer, read.

        Args:
            request: What is sent.
            what: What its address is for, such as ``token endpoint``.

        Raises:
            SignInFailed: The address may not be used, or nobody answers there.
        """
        response = await self._once(request, what)
        for _ in range(_HOPS):
            following = response.next_request
            if following is None or request.method != "GET":
                break
            if following.url.origin != request.url.origin:
                break
            response = await self._once(following, what)
        return response

    async def _once(self, request: httpx2.Request, what: str) -> httpx2.Response:
        address = await self.check(str(request.url), what)
        problem = ""
        try:
            response = await self._exchange(request)
        except httpx2.HTTPError as error:
            problem = type(error).__name__
        if problem:
            host = request.url.host
            raise SignInFailed(f"the {what} at {host} does not answer ({problem})")
        _log.debug("%s %s: %s", what, redact.url(address), response.status_code)
        return response

    async def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        assert self._client is not None, "entered"  # noqa: S101 - see __aenter__
        response = await self._client.send(request, stream=True)
        body = bytearray()
        try:
            async for part in response.aiter_bytes():
                body += part
                if len(body) > _LARGEST:
                    break
        finally:
            await response.aclose()
        headers = response.headers.copy()
        for name in ("content-encoding", "content-length", "transfer-encoding"):
            headers.pop(name, None)
        read = httpx2.Response(
            response.status_code,
            headers=headers,
            content=bytes(body[:_LARGEST]),
            request=request,
        )
        read.next_request = response.next_request
        return read
