"""The listener for the browser: it answers one path of one host, once."""

from __future__ import annotations

import asyncio

import pytest

from mcp_magic.client.auth.answer import Answer, Code, Refusal, Unfit
from mcp_magic.client.auth.listener import Listener
from mcp_magic.client.auth.settings import Redirect
from mcp_magic.errors import SignInFailed
from mcp_magic.model import Secret


def _talk(
    request: str, answer: Answer | None = None
) -> tuple[str, list[dict[str, str]]]:
    """Send a request; return the response and what was heard."""
    heard: list[dict[str, str]] = []

    def hear(query: dict[str, str]) -> Answer | None:
        heard.append(query)
        return answer

    async def go() -> str:
        listener = Listener(Redirect(), hear)
        await listener.open()
        try:
            async with asyncio.timeout(30):
                read, write = await asyncio.open_connection("127.0.0.1", listener.port)
                write.write(request.replace("PORT", str(listener.port)).encode())
                write.write_eof()
                said = await read.read()
                write.close()
                await write.wait_closed()
                return said.decode()
        finally:
            listener.close()

    return asyncio.run(go()), heard


_GET = "GET /callback?code=c&state=s HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (("", ""), "200"),
        (("127.0.0.1:PORT", "localhost:PORT"), "200"),
        (("127.0.0.1:PORT", "evil.test"), "403"),  # a name rebound to this machine
        (("Host: 127.0.0.1:PORT\r\n", ""), "403"),
        (("/callback", "/"), "404"),
        (("/callback", "/callback/x"), "404"),
        (("GET", "POST"), "405"),
        (("GET", "HEAD"), "405"),
        (("\r\n\r\n", "\r\nSec-Purpose: prefetch\r\n\r\n"), "503"),
    ],
)
def test_only_the_browsers_own_visit_is_heard(
    change: tuple[str, str], status: str
) -> None:
    said, heard = _talk(_GET.replace(*change, 1), Code(Secret("c")))
    assert said.startswith(f"HTTP/1.1 {status} ")
    assert heard == ([{"code": "c", "state": "s"}] if status == "200" else [])


@pytest.mark.parametrize("junk", ["", "x", "GET\r\n\r\n", "\x16\x03\x01", "G" * 40_000])
def test_junk_gets_no_answer_and_does_no_harm(junk: str) -> None:
    assert _talk(junk) == ("", [])


def test_what_it_says_is_escaped_and_kept_from_caches_and_scripts() -> None:
    said, _ = _talk(_GET, Refusal("<script>alert(1)</script>"))
    assert "&lt;script&gt;" in said
    assert "<script>" not in said
    for header in (
        "cache-control: no-store",
        "referrer-policy: no-referrer",
        "content-security-policy: default-src 'none'",
    ):
        assert header in said
    assert "code" not in said.partition("\r\n\r\n")[2]


@pytest.mark.parametrize(
    ("answer", "goes_on"),
    [
        (Code(Secret("c")), False),
        (Refusal("no"), False),
        (Unfit("no"), True),
        (None, True),
    ],
)
def test_it_is_gone_after_the_first_answer_that_fits(
    answer: Answer | None, *, goes_on: bool
) -> None:
    async def visit(port: int) -> None:
        read, write = await asyncio.open_connection("127.0.0.1", port)
        write.write(_GET.replace("PORT", str(port)).encode())
        await read.read()
        write.close()
        await write.wait_closed()

    async def go() -> bool:
        listener = Listener(Redirect(), lambda _: answer)
        await listener.open()
        await visit(listener.port)
        try:
            await visit(listener.port)
        except ConnectionRefusedError:
            return False
        listener.close()
        return True

    assert asyncio.run(go()) is goes_on


def test_a_port_that_is_taken_is_avoided_unless_no_other_will_do() -> None:
    async def go() -> None:
        first, second = (Listener(Redirect(), lambda _: None) for _ in range(2))
        await first.open()
        await second.open(first.port)
        assert second.port not in (0, first.port)
        third = Listener(Redirect("localhost", first.port), lambda _: None)
        with pytest.raises(SignInFailed, match=f"port {first.port} is taken"):
            await third.open()
        first.close()
        second.close()

    asyncio.run(go())
