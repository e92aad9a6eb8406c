"""Which addresses a sign-in may use: a server that is far away names none nearby."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from typing import TypeAlias
from urllib.parse import urlsplit

from mcp_magic.errors import SignInFailed

__all__ = ["check", "is_loopback"]

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_UNFIT = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
# No look-alike letters, and nothing that a browser reads differently (``%2e``): other
# alphabets have to be written as ``xn--``.
_HOST = re.compile(r"[A-Za-z0-9._:-]+")


def is_loopback(host: str) -> bool:
    """Whether *host* is this machine, as written."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def check(url: str, what: str, server_url: str) -> str:
    """Return *url* if a sign-in to the server at *server_url* may use it.

    Args:
        url: An address out of the server's or a service's metadata.
        what: What it is for, for the error.
        server_url: The server that the person named.

    Raises:
        SignInFailed: It is neither https nor http on this machine, carries a password,
            or leads from a server elsewhere into this machine or a private network.
    """
    host = _host(url, what)
    own = urlsplit(server_url).hostname or ""
    if is_loopback(own):
        return url
    targets = await _addresses(host)
    if is_loopback(host) or any(map(_is_this_machine, targets)):
        raise SignInFailed(f"the {what} {host} is this machine, but {own} is not")
    if any(not one.is_global for one in targets):
        # A server in a private network may well sign in there.
        mine = await _addresses(own)
        if not mine or any(one.is_global for one in mine):
            raise SignInFailed(
                f"the {what} {host} is in a private network, but {own} is not"
            )
    return url


def _host(url: str, what: str) -> str:
    """Return the host of an address that may be used at all."""
    try:
        parts = urlsplit(url)
        host, scheme = parts.hostname or "", parts.scheme
        has_user = parts.username is not None or parts.password is not None
    except ValueError:
        host = scheme = ""
        has_user = False
    if _UNFIT.search(url) or not _HOST.fullmatch(host) or has_user:
        raise SignInFailed(f"the {what} is no address that can be used safely")
    if scheme == "https" or (scheme == "http" and is_loopback(host)):
        return host
    if scheme == "http":
        raise SignInFailed(f"the {what} {host} is not reached over https")
    raise SignInFailed(f"the {what} begins with {scheme[:20]}:, not with https:")


async def _addresses(host: str) -> list[Address]:
    """Return where *host* leads, numbers in odd forms included; empty if unknown."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [_plain(ipaddress.ip_address(str(one[4][0]).partition("%")[0]))
            for one in found]  # fmt: skip


def _plain(address: Address) -> Address:
    """Return the IPv4 address inside an IPv6 one, if that is what it means."""
    return getattr(address, "ipv4_mapped", None) or address


def _is_this_machine(address: Address) -> bool:
    """Whether it is this machine, or the machine's own metadata service."""
    return address.is_loopback or address.is_link_local or address.is_unspecified
