"""How a server is reached over HTTP: trust, proxies, headers, the SDK's transport."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import ssl
import urllib.request
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from mcp_magic.client.auth.urls import is_loopback
from mcp_magic.client.courier import Courier, Heard, Way
from mcp_magic.config import Http
from mcp_magic.display import redact
from mcp_magic.errors import ServerUnreachable

__all__ = ["Heard", "open_http", "trusted"]

_CONNECT = 30.0  # seconds for a TCP connection, a write, a free connection
_LARGEST = 256 * 1024 * 1024  # bytes of one event: memory is finite
_SECRET_FROM = 6  # letters; a shorter word would be taken out of ordinary texts

# Every call and every listening stream needs a connection of its own; none waits.
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=20)


class _Redacted(logging.Filter):
    """Takes secrets out of the URLs that the HTTP client logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                redact.url(str(one)) if isinstance(one, httpx2.URL) else one
                for one in record.args
            )
        return True


logging.getLogger("httpx2").addFilter(_Redacted())
# It logs cookies, session ids and challenges, when everything is logged.
if logging.getLogger("httpcore2").level == logging.NOTSET:
    logging.getLogger("httpcore2").setLevel(logging.INFO)


@contextlib.asynccontextmanager
async def open_http(
    target: Http,
    heard: Heard,
    *,
    auth: httpx2.Auth | None = None,
    trust: ssl.SSLContext | None = None,
    patience: float = 10.0,
) -> AsyncIterator[AbstractAsyncContextManager[Any]]:
    """Give the transport that the SDK's ``Client`` takes; closed afterwards.

    Args:
        target: The server.
        heard: What is known about it; keep it for the next connection.
        auth: Signs requests.
        trust: Which certificates are believed, instead of the system's.
        patience: Seconds for the answer to a notification.

    Raises:
        ServerUnreachable: A setting cannot be used.
    """
    if trust is None:
        trust = await _trust(target)
    try:
        courier = _courier(target, heard, auth, trust, patience)
    except UnicodeError:
        raise _unusable("a header holds letters that HTTP cannot send") from None
    except (ImportError, ValueError, httpx2.InvalidURL):
        via = _proxy(target.url)
        what = f"the proxy {via}" if via else f"the URL {redact.url(target.url)}"
        raise _unusable(f"{what} cannot be used; check how it is written") from None
    async with courier:
        try:
            yield streamable_http_client(
                target.url, http_client=courier, max_sse_event_size=_LARGEST
            )
        finally:
            await courier.hang_up()


def _courier(
    target: Http,
    heard: Heard,
    auth: httpx2.Auth | None,
    trust: ssl.SSLContext,
    patience: float,
) -> Courier:
    # Values out of files end with a newline, which no header may hold.
    headers = {name: one.reveal().strip() for name, one in target.headers.items()}
    host = httpx2.URL(target.url).host
    way = Way(
        target.url,
        _secrets(target.url, headers) | {one.reveal() for one in target.hidden},
        _proxy(target.url),
        patience,
        _LARGEST,
    )
    return Courier(
        way,
        heard,
        headers=headers,
        auth=auth,
        verify=trust,
        timeout=httpx2.Timeout(_CONNECT, read=None),
        limits=_LIMITS,
        # No proxy can reach this machine's own servers.
        mounts={f"all://{_bracketed(host)}": None} if is_loopback(host) else None,
    )


def _unusable(why: str) -> ServerUnreachable:
    return ServerUnreachable(why)


async def _trust(target: Http) -> ssl.SSLContext:
    if httpx2.URL(target.url).scheme == "http":
        # Nothing leads from there to TLS: spare the reading of all certificates.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return await trusted()


async def trusted() -> ssl.SSLContext:
    """Return the certificates that are believed: the system's and the environment's.

    Raises:
        ServerUnreachable: The environment names none that can be read.
    """
    extra = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    try:
        return await asyncio.to_thread(_certificates, *extra)
    except OSError as error:
        raise _unusable(
            f"SSL_CERT_FILE or SSL_CERT_DIR names no certificates: {error.strerror}"
        ) from None


@functools.lru_cache(maxsize=4)
def _certificates(file: str | None, folder: str | None) -> ssl.SSLContext:
    """Return the system's certificates and those of the environment, read once."""
    trust = httpx2.create_ssl_context(trust_env=False)
    if file or folder:
        trust.load_verify_locations(file or None, folder or None)
    return trust


def _proxy(url: str) -> str:
    """Return the proxy that the environment names for *url*, without its password."""
    proxies = urllib.request.getproxies()
    parts = httpx2.URL(url)
    if is_loopback(parts.host) or urllib.request.proxy_bypass(parts.host):
        return ""
    return redact.url(proxies.get(parts.scheme) or proxies.get("all") or "")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _secrets(url: str, headers: dict[str, str]) -> set[str]:
    """Return the words that a server may repeat but nobody may read."""
    parts = httpx2.URL(url)
    given = [*headers.values(), parts.password, *parts.params.values()]
    words = {word for value in given for word in (value, *value.split())}
    return {word for word in words if len(word) >= _SECRET_FROM}
