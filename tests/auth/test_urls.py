"""Addresses that a server or a service names: which may be used."""

from __future__ import annotations

import asyncio

import pytest

from mcp_magic.client.auth.urls import check, is_loopback
from mcp_magic.errors import SignInFailed

_FAR = "https://93.184.215.14/mcp"  # a public address: no name has to be looked up
_HERE = "http://127.0.0.1:8000/mcp"
_OFFICE = "https://10.1.2.3/mcp"


def _check(url: str, server: str) -> str:
    return asyncio.run(check(url, "token endpoint", server))


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("https://8.8.8.8/token", _FAR),
        ("https://8.8.8.8/token?a=1&b=%20", _FAR),
        ("http://127.0.0.1:9000/token", _HERE),
        ("http://localhost:9000/token", _HERE),
        ("http://[::1]:9000/token", _HERE),
        ("https://8.8.8.8/token", _HERE),
        ("https://10.9.9.9/token", _OFFICE),
        ("https://nowhere.invalid/token", _FAR),
    ],
)
def test_a_safe_address_is_used(url: str, server: str) -> None:
    assert _check(url, server) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://8.8.8.8/token", "http://plain.example/token", "ftp://8.8.8.8/",
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "",
        "//8.8.8.8/token", "https://", "https:///token", "https://[::1", "x",
        "https://user@8.8.8.8/", "https://user:pw@8.8.8.8/", "https://@8.8.8.8/",
        "https://8.8.8.8/a b", "https://8.8.8.8/\nx", "https://8.8.8.8\\@evil.test/",
        "https://8.8.8.8/\x00", " https://8.8.8.8/", "https://8.8.8.8%2f.a.test/",
        "https://\u0430cme.test/", "https://127%2e0.0.1/", "https://\uff11.0.0.1/",
    ],
)  # fmt: skip
@pytest.mark.parametrize("server", [_FAR, _HERE])
def test_an_address_that_is_unsafe_anywhere_is_refused(url: str, server: str) -> None:
    with pytest.raises(SignInFailed):
        _check(url, server)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "a.localhost", "[::1]", "0.0.0.0", "[::]",  # noqa: S104 - a target
        "127.1", "2130706433", "0x7f000001", "0177.0.0.1",  # the same, otherwise
        "[::ffff:127.0.0.1]", "169.254.169.254", "[fe80::1]",
        "[::ffff:169.254.169.254]",
        "[2002:7f00:1::]", "[64:ff9b::7f00:1]", "[2002:a00:1::]", "[64:ff9b::a00:1]",
        "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "[fc00::1]",
        "[::ffff:10.0.0.1]", "3232235777",
    ],
)  # fmt: skip
def test_a_server_elsewhere_leads_nobody_into_this_network(host: str) -> None:
    with pytest.raises(SignInFailed):
        _check(f"https://{host}/token", _FAR)


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "[::1]"])
def test_a_server_of_the_office_leads_nobody_into_this_machine(host: str) -> None:
    with pytest.raises(SignInFailed, match="is this machine"):
        _check(f"https://{host}/token", _OFFICE)


@pytest.mark.parametrize(
    ("host", "here"),
    [("localhost", True), ("127.9.9.9", True), ("::1", True), ("a.localhost", True),
     ("localhost.evil.test", False), ("127.0.0.1.evil.test", False), ("::2", False)],
)  # fmt: skip
def test_what_is_this_machine(host: str, *, here: bool) -> None:
    assert is_loopback(host) is here


# A company's own service, which a person allows by its host.


@pytest.mark.parametrize("host", ["10.0.0.1", "[fc00::1]", "100.64.0.1", "192.168.1.1"])
def test_a_host_that_a_person_names_may_be_in_a_private_network(host: str) -> None:
    url, named = f"https://{host}/token", host.strip("[]")
    with pytest.raises(SignInFailed, match=f"set oauth.private_hosts to {named} "):
        _check(url, _FAR)
    assert asyncio.run(check(url, "token endpoint", _FAR, (named,))) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/token", "https://localhost/token", "https://[::1]/token",
        "https://169.254.169.254/token", "https://0.0.0.0/token", "https://127.1/token",
        "http://10.0.0.1/token", "https://user@10.0.0.1/token", "https://10.0.0.2/token",
    ],
)  # fmt: skip
def test_no_setting_opens_this_machine_or_anything_else(url: str) -> None:
    allowed = ("10.0.0.1", "127.0.0.1", "localhost", "::1", "169.254.169.254",
               "0.0.0.0", "127.1")  # fmt: skip # noqa: S104 - hosts of a table
    with pytest.raises(SignInFailed):
        asyncio.run(check(url, "token endpoint", _FAR, allowed))
