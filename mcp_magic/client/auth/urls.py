"""Which addresses a sign-in may use: a server that is far away names none nearby."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Collection
from typing import TypeAlias
from urllib.parse import urlsplit

from mcp_magic.errors import SignInFailed

__all__ = ["check", "is_loopback"]

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_UNFIT = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
# No look-alike letters, and nothing that a browser reads differently (``%2e``): other
# alphabets have to be written as ``xn--``.
_HOST = re.compile(r"[A-Za-z0-9._:-]+")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_loopback(host: str) -> bool:
    """Whether *host* is this machine, as written."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def check(
    url: str, what: str, server_url: str, private_hosts: Collection[str] = ()
) -> str:
    """Return *url* if a sign-in to the server at *server_url* may use it.

    Args:
        url: An address out of the server's or a service's metadata.
        what: What it is for, for the error.
        server_url: The server that the person named.
        private_hosts: Hosts that may be in a private network though the server is not,
            in small letters; never this machine.

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
    if host in private_hosts or all(one.is_global for one in targets):
        return url
    # A server in a private network may well sign in there.
    mine = await _addresses(own)
    if not mine or any(one.is_global for one in mine):
        raise SignInFailed(
            f"the {what} {host} is in a private network, but {own} is not; if it is "
            f"your company's, set oauth.private_hosts to {host} where you configure "
            "the server"
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
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _is_this_machine(address: Address) -> bool:
    """Whether it is this machine, or the machine's own metadata service."""
    return address.is_loopback or address.is_link_local or address.is_unspecified
