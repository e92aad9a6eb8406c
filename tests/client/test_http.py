"""Servers over HTTP: what each fault looks like, and that it stays with its request."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import ipaddress
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from mcp import Client
from mcp_types import TextContent

from mcp_magic.client import connection
from mcp_magic.client.failures import is_expired, is_lost, translate
from mcp_magic.client.http import Heard, open_http
from mcp_magic.client.overheard import Overheard
from mcp_magic.client.pacing import delay
from mcp_magic.config import Http, ServerEntry
from mcp_magic.errors import (
    AuthorizationRequired,
    CallTimedOut,
    McpMagicError,
    RequestRefused,
    ServerUnreachable,
    SignInFailed,
)
from mcp_magic.model import Secret
from tests.ports import reserved
from tests.servers.faulty_http import FAULTS, GONE, Faulty, serving

pytestmark = pytest.mark.filterwarnings("error")

assert connection.__doc__  # importing it decides what the SDK may log

T = TypeVar("T")
_ERAS = ("legacy", "modern")
_UNKNOWN = "; whether the tool ran is unknown, so it was not called again"
_PERHAPS = "; if a tool was called, whether it ran is unknown"
_GIVE_ONE = "give a token with --header 'Authorization=Bearer …'"
_NO_ANSWER = "it closed the connection at {at} without an answer"


@dataclass
class Talk:
    """An open session with a server."""

    server: Faulty
    client: Client
    entry: ServerEntry

    async def call(self, tool: str, **arguments: object) -> str:
        """Call a tool; return its text, or raise our error."""
        failure: Exception | None = None
        try:
            result = await self.client.call_tool(tool, arguments)
        except Exception as error:  # noqa: BLE001 - translated outside the block
            failure = error
        if failure is not None:
            raise translate(failure, self.entry, Overheard())
        assert isinstance(result.content[0], TextContent)
        return result.content[0].text

    async def failure(self, tool: str, **arguments: object) -> McpMagicError:
        """Call a tool that fails; return our error."""
        with pytest.raises(McpMagicError) as caught:
            await self.call(tool, **arguments)
        return caught.value


@contextlib.asynccontextmanager
async def _opened(
    server: Faulty,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    heard: Heard | None = None,
    patience: float = 5,
) -> AsyncIterator[Talk]:
    secret = {name: Secret(value) for name, value in (headers or {}).items()}
    target = Http(url, secret)
    async with (
        open_http(target, heard or Heard(), patience=patience) as transport,
        Client(transport) as client,
    ):
        yield Talk(server, client, ServerEntry("it", target))


def _run(work: Awaitable[T]) -> T:
    async def go() -> T:
        return await asyncio.wait_for(work, 30)

    return asyncio.run(go())


def _talk(
    talk: Callable[[Talk], Awaitable[T]], path: str = "/mcp", **options: str
) -> T:
    """Start a server, connect, talk, close."""

    async def go() -> T:
        async with (
            serving() as server,
            _opened(server, server.url(path, **options)) as it,
        ):
            return await talk(it)

    return _run(go())


async def _refusal(url: str) -> str:
    """Connect where it must fail; return our one line."""
    target = Http(url)
    failure: Exception | None = None
    try:
        async with (
            open_http(target, Heard(), patience=1) as transport,
            Client(transport),
        ):
            pass
    except Exception as error:  # noqa: BLE001 - translated outside the block
        failure = error
    assert failure is not None
    return str(translate(failure, ServerEntry("it", target), Overheard()))


def _at(url: str) -> str:
    return url.partition("?")[0]


# One call fails, and nothing else.


_NOT_MCP = "it answered with {} at {{at}}, not with MCP" + _UNKNOWN
_NO_END = "it closed the connection before its answer was complete" + _PERHAPS
_NO_RPC = "it sent an answer that is no JSON-RPC" + _PERHAPS
_ELSEWHERE = "it redirects to {}, which was not followed; use that URL if it is the "
_ELSEWHERE += "right server"
_UNREACHABLE = {
    "cut": _NO_ANSWER + _UNKNOWN,
    "cut-after-run": _NO_ANSWER + _UNKNOWN,
    "cut-mid": _NO_ANSWER + _UNKNOWN,
    "garbage": _NO_ANSWER + _UNKNOWN,
    "sse-cut": _NO_END,
    "sse-lost": _NO_END,
    "bad-json": _NO_RPC,
    "bad-events": _NO_RPC,
    "empty": _NOT_MCP.format("nothing (HTTP 200)"),
    "accepted": _NOT_MCP.format("nothing (HTTP 202)"),
    "no-content": _NOT_MCP.format("nothing (HTTP 204)"),
    "text": _NOT_MCP.format("text/plain"),
    "not-rpc": _NOT_MCP.format("application/json"),
    "page": _NOT_MCP.format("a web page (Sign in – Portal)"),
    "hollow": "it sent an answer outside the protocol: content: Field required",
    "login": f"it wants you to sign in: it redirects to {{origin}}/login; {_GIVE_ONE}",
    "moved": _ELSEWHERE.format("{origin}/other"),
    "loop": _ELSEWHERE.format("{at}"),
    "status-400": "it refused the request at {at} (HTTP 400 Bad Request)",
    "status-403": "it does not let you do this (HTTP 403 Forbidden); check your token",
    "status-405": "it refused the request at {at} (HTTP 405 Method Not Allowed)",
    "status-430": "it refused the request at {at} (HTTP 430)",
    "busy": "it is busy (HTTP 429 Too Many Requests); try again in 30 s",
    "status-500": "it failed at {at} (HTTP 500 Internal Server Error)" + _UNKNOWN,
    "status-503": "it is busy (HTTP 503 Service Unavailable); try again later"
    + _UNKNOWN,
    "page-502": "it failed at {at} (HTTP 502 Bad Gateway: Sign in – Portal)" + _UNKNOWN,
}
_SIGN_IN = {
    "token": f"it wants you to sign in (HTTP 401): %mcp auth it, or {_GIVE_ONE}",
    "status-401": f"it wants you to sign in (HTTP 401): %mcp auth it, or {_GIVE_ONE}",
    "scope": "it wants you to sign in for more rights: files:write (HTTP 403): "
    f"%mcp auth it, or {_GIVE_ONE}",
}
_REFUSED = {
    "rpc-500": "it answered -32099: the disk is full",
    "no-id": "it answered -32050: not on Sundays",
}
_EACH = [
    pytest.param(fault, kind, text, id=fault)
    for kind, texts in (
        (ServerUnreachable, _UNREACHABLE),
        (AuthorizationRequired, _SIGN_IN),
        (RequestRefused, _REFUSED),
    )
    for fault, text in texts.items()
]


@pytest.mark.parametrize("era", _ERAS)
@pytest.mark.parametrize(("fault", "kind", "text"), _EACH)
def test_a_fault_ends_one_call_with_one_line_and_the_session_goes_on(
    era: str,
    fault: str,
    kind: type[McpMagicError],
    text: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def talk(it: Talk) -> tuple[McpMagicError, str, list[str], str]:
        failure = await it.failure("bad")
        url = it.server.url()
        line = text.replace("{at}", url).replace("{origin}", it.server.origin)
        return failure, await it.call("good"), it.server.ran, line

    failure, after, ran, line = _talk(talk, era=era, fault=fault)
    assert type(failure) is kind
    assert str(failure) == line
    assert after == "good ran"
    assert ran.count("bad") <= 1
    assert ran.count("good") == 1
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []


def test_every_fault_of_the_server_is_in_a_table_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in FAULTS if f'"{name}"' not in source] == []


@pytest.mark.parametrize("era", _ERAS)
@pytest.mark.parametrize(
    "fault", ["none", "events", "untyped", "slash", "sse-resume", "huge"]
)
def test_what_is_odd_but_readable_is_read(era: str, fault: str) -> None:
    async def talk(it: Talk) -> tuple[str, list[str]]:
        return (await it.call("bad"))[:3], it.server.ran

    text, ran = _talk(talk, era=era, fault=fault)
    assert text in ("bad", "xxx")
    assert ran == ["bad"]


@pytest.mark.parametrize("era", _ERAS)
def test_each_of_many_concurrent_calls_gets_its_own_fault(era: str) -> None:
    faults = ["status-401", "cut", "busy", "page", "status-500", "login", "scope"]

    async def talk(it: Talk) -> list[str]:
        async with asyncio.TaskGroup() as group:
            slow = group.create_task(it.call("slow"))
            good = [group.create_task(it.call("good")) for _ in range(5)]
            bad = [group.create_task(it.failure("bad", fault=one)) for one in faults]
            await asyncio.wait([*bad, *good])
            it.server.release.set()
        assert await slow == "slow ran"
        assert [await one for one in good] == ["good ran"] * 5
        return [str(await one) for one in bad]

    said = _talk(talk, era=era)
    for text, piece in zip(
        said, ["401", "closed", "429", "web page", "500", "login", "403"], strict=True
    ):
        assert piece in text


@pytest.mark.parametrize("era", _ERAS)
def test_a_cancelled_call_leaves_the_session_usable(era: str) -> None:
    async def talk(it: Talk) -> str:
        call = asyncio.create_task(it.call("slow"))
        await it.server.hanging.acquire()
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        return await it.call("good")

    assert _talk(talk, era=era) == "good ran"


@pytest.mark.parametrize("era", _ERAS)
def test_calls_are_never_sent_again_when_the_server_dies_under_them(era: str) -> None:
    async def go() -> tuple[list[str], str, str]:
        async with contextlib.AsyncExitStack() as stack:
            port = stack.enter_context(reserved())
            async with serving(port=port) as server:
                url = server.url(era=era)
                it = await stack.enter_async_context(_opened(server, url))
                calls = [asyncio.create_task(it.failure("slow")) for _ in range(3)]
                for _ in calls:
                    await server.hanging.acquire()
            cut = [str(await one) for one in calls]
            down = str(await it.failure("good"))
            async with serving(port=port) as again:
                try:
                    after = await it.call("good")
                except McpMagicError as error:
                    after = str(error)
                assert again.ran.count("slow") == 0
        return cut, down, after

    cut, down, after = _run(go())
    assert all("whether the tool ran is unknown" in one for one in cut)
    assert "the connection was refused" in down
    assert after == "good ran" if era == "modern" else "forgotten the session" in after


@pytest.mark.parametrize("era", _ERAS)
def test_a_call_that_takes_too_long_leaves_the_session_usable(era: str) -> None:
    async def talk(it: Talk) -> tuple[McpMagicError, str]:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - looked at below
            await it.client.call_tool("slow", read_timeout_seconds=0.05)
        return translate(caught.value, it.entry, Overheard()), await it.call("good")

    failure, after = _talk(talk, era=era)
    assert type(failure) is CallTimedOut
    assert str(failure) == "it did not answer in time"
    assert after == "good ran"


def test_whoever_signs_the_requests_may_fail_one_alone() -> None:
    class Asking(httpx2.Auth):
        def auth_flow(
            self, request: httpx2.Request
        ) -> Generator[httpx2.Request, httpx2.Response, None]:
            if b'"bad"' in request.content:
                raise SignInFailed("the token could not be renewed")
            yield request

    async def go() -> McpMagicError:
        async with serving() as server:
            target = Http(server.url())
            async with (
                open_http(target, Heard(), auth=Asking()) as transport,
                Client(transport) as client,
            ):
                it = Talk(server, client, ServerEntry("it", target))
                assert await it.call("good") == "good ran"
                return await it.failure("bad")

    failure = _run(go())
    assert type(failure) is SignInFailed
    assert str(failure) == "it: the token could not be renewed"


# Sessions.


@pytest.mark.parametrize("gone", list(GONE))
def test_a_forgotten_session_is_told_as_refused_before_anything_ran(gone: str) -> None:
    async def talk(it: Talk) -> tuple[BaseException, list[str]]:
        it.server.forget()
        with pytest.raises(Exception) as caught:  # noqa: PT011 - looked at below
            await it.client.call_tool("good")
        return caught.value, it.server.ran

    error, ran = _talk(talk, gone=gone)
    assert is_expired(error)
    assert is_lost(error)
    assert ran == []
    shown = translate(error, ServerEntry("it", Http("http://x.test/mcp")), Overheard())
    assert "has forgotten the session" in str(shown)


def test_a_new_connection_finds_a_new_session() -> None:
    async def go() -> list[str]:
        heard = Heard()
        async with serving() as server:
            for _ in range(2):
                async with _opened(server, server.url(), heard=heard) as it:
                    await it.call("good")
                    server.forget()
            return [
                one.headers.get("mcp-session-id", "")
                for one in server.asked
                if one.method == "tools/call"
            ]

    assert _run(go()) == ["session-1", "session-2"]


def test_404_without_a_session_is_no_expired_session() -> None:
    async def talk(it: Talk) -> BaseException:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - looked at below
            await it.client.call_tool("bad")
        return caught.value

    error = _talk(talk, "/stateless", fault="status-404")
    assert not is_expired(error)
    assert not is_lost(error)


def test_the_cookies_of_a_load_balancer_go_back_to_it() -> None:
    async def talk(it: Talk) -> tuple[str, list[str]]:
        await it.server.listening.wait()
        text = await it.call("good")
        return text, [
            one.headers.get("cookie", "")
            for one in it.server.asked
            if one.verb == "GET"
        ]

    text, with_get = _talk(talk, cookie="1", get="405")
    assert text == "good ran"
    assert with_get[0] == "route=secret-a"


# The stream of the server's own messages.


@pytest.mark.parametrize("get", ["405", "404", "500", "200", "close", "silent", "open"])
def test_listing_and_calling_do_not_wait_for_the_receive_stream(get: str) -> None:
    async def talk(it: Talk) -> tuple[int, str]:
        await it.server.listening.wait()
        listed = await it.client.list_tools()
        return len(listed.tools), await it.call("good")

    assert _talk(talk, get=get) == (4, "good ran")


def test_a_receive_stream_that_closes_at_once_is_not_opened_in_a_hot_loop() -> None:
    async def talk(it: Talk) -> int:
        for _ in range(60):
            await it.call("good")
        return it.server.count("GET")

    # Four at once, the others after 2, 4, 8 and 16 seconds; a talk has 30 at most.
    assert 1 <= _talk(talk, get="close") <= 7


def test_the_pause_between_short_streams_doubles_up_to_a_limit() -> None:
    assert [delay(n) for n in range(7)] == [0, 0, 0, 2, 4, 8, 16]
    assert delay(50) == 120


@pytest.mark.parametrize("path", ["/mcp", "/sse"])
def test_a_notification_that_is_never_answered_stops_nothing(path: str) -> None:
    async def go() -> str:
        async with serving() as server:
            url = server.url(path, mute="1")
            async with _opened(server, url, patience=0.1) as it:
                return await it.call("good")

    assert _run(go()) == "good ran"


# Redirects.


def test_a_redirect_within_the_origin_keeps_method_body_and_headers() -> None:
    async def go() -> list[tuple[str, str, str]]:
        async with serving() as server:
            url = server.url(fault="slash")
            token = {"Authorization": "Bearer abcdef"}
            async with _opened(server, url, headers=token) as it:
                await it.call("bad")
            return [
                (one.verb, one.path, one.headers["authorization"])
                for one in server.asked
                if one.tool == "bad"
            ]

    sent = _run(go())
    assert sent == [
        ("POST", "/mcp", "Bearer abcdef"),
        ("POST", "/mcp/", "Bearer abcdef"),
    ]


def test_a_redirect_to_another_server_is_refused_and_nothing_is_sent_there() -> None:
    async def go() -> tuple[str, str, int]:
        async with serving() as server, serving() as other:
            url = server.url(fault="elsewhere", to=other.url(key="secret"))
            async with _opened(server, url) as it:
                failure = await it.failure("bad")
            return str(failure), other.url(), len(other.asked)

    text, other, reached = _run(go())
    assert text == (
        f"it redirects to {other}, which was not followed; "
        "use that URL if it is the right server"
    )
    assert reached == 0


# The older transport.


def test_an_older_server_is_recognised_and_remembered() -> None:
    async def go() -> tuple[str, list[str], list[str]]:
        heard = Heard()
        async with serving() as server:
            url = server.url("/sse")
            async with _opened(server, url, heard=heard) as it:
                first = await it.call("good")
            assert heard.is_older
            verbs = [one.verb for one in server.asked if one.path == "/sse"]
            server.asked.clear()
            async with _opened(server, url, heard=heard) as it:
                await it.call("good")
            return first, verbs, [f"{one.verb} {one.path}" for one in server.asked]

    first, verbs, again = _run(go())
    assert first == "good ran"
    assert verbs == ["GET"]
    assert again[0] == "GET /sse"


def test_an_older_server_is_recognised_by_its_refusal_of_a_post() -> None:
    async def talk(it: Talk) -> tuple[str, list[str]]:
        text = await it.call("good")
        return text, [one.verb for one in it.server.asked if one.path == "/older"]

    assert _talk(talk, "/older") == ("good ran", ["POST", "GET"])


def test_progress_of_an_older_server_comes_before_its_answer() -> None:
    async def talk(it: Talk) -> list[float]:
        told: list[float] = []

        async def tell(
            progress: float, total: float | None, message: str | None
        ) -> None:
            told.append(progress)

        await it.server.listening.wait()
        for _ in range(5):
            await it.client.call_tool("noisy", {}, progress_callback=tell)
        return told

    assert _talk(talk, "/sse") == [1, 2, 3] * 5


@pytest.mark.parametrize(
    ("fault", "piece"),
    [
        ("cut", "without an answer; whether the tool ran is unknown"),
        ("status-500", "(HTTP 500 Internal Server Error); whether the tool ran"),
        ("token", "wants you to sign in (HTTP 401)"),
        ("page-502", "Bad Gateway: Sign in – Portal"),
    ],
)
def test_a_fault_of_an_older_server_ends_one_call(fault: str, piece: str) -> None:
    async def talk(it: Talk) -> tuple[str, str]:
        return str(await it.failure("bad")), await it.call("good")

    text, after = _talk(talk, "/sse", fault=fault)
    assert piece in text
    assert after == "good ran"


def test_an_older_server_that_answers_in_the_post_is_understood() -> None:
    async def talk(it: Talk) -> str:
        return await it.call("bad")

    assert _talk(talk, "/sse", fault="none") == "bad ran"


def test_a_cut_stream_of_an_older_server_fails_its_calls_and_ends_the_session() -> None:
    async def talk(it: Talk) -> tuple[str, BaseException]:
        call = asyncio.create_task(it.failure("slow"))
        await it.server.hanging.acquire()
        it.server.drop_older()
        text = str(await call)
        with pytest.raises(Exception) as caught:  # noqa: PT011 - looked at below
            await it.client.call_tool("good")
        return text, caught.value

    text, later = _talk(talk, "/sse")
    assert text.endswith("without an answer" + _UNKNOWN)
    assert is_expired(later)


# Connecting.


_ALWAYS = {
    "token": _SIGN_IN["token"],
    "status-404": "it has no MCP endpoint at {at} (HTTP 404 Not Found); "
    "check the path, which often ends in /mcp",
    "cut": _NO_ANSWER + "; write https:// if it speaks TLS",
    "text": "it answered with text/plain at {at}, not with MCP; check the URL",
    "busy": _UNREACHABLE["busy"],
    "page": "it answered with a web page (Sign in – Portal) at {at}, not with MCP; "
    "check the URL",
    "login": _UNREACHABLE["login"],
    "sse-cut": _NO_END,
}


@pytest.mark.parametrize(("fault", "text"), _ALWAYS.items(), ids=list(_ALWAYS))
def test_a_server_that_always_fails_is_told_in_one_line(fault: str, text: str) -> None:
    async def go() -> tuple[str, str]:
        async with serving() as server:
            line = text.replace("{at}", server.url()).replace("{origin}", server.origin)
            url = server.url(fault=fault, on="all", get="404")
            return await _refusal(url), line

    said, line = _run(go())
    assert said == line


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"speaks": "1999-01-01"},
            "it: Unsupported protocol version from the server: 1999-01-01",
        ),
        (
            {"fault": "hollow", "on": "initialize"},
            "it sent an answer outside the protocol: capabilities: Field required",
        ),
    ],
    ids=["old", "hollow"],
)
def test_an_odd_handshake_is_told_in_one_line(
    options: dict[str, str], text: str
) -> None:
    async def go() -> str:
        async with serving() as server:
            return await _refusal(server.url(**options))

    assert _run(go()) == text


@pytest.mark.parametrize(
    ("url", "text"),
    [
        (
            "http://127.0.0.1:9/mcp?api_key=hidden",
            (
                "it cannot be reached at http://127.0.0.1:9/mcp: the connection was "
                "refused; check that it is running"
            ),
        ),
        (
            "http://user:hidden@srv401.invalid/mcp",
            (
                "it cannot be reached: no host is called srv401.invalid; "
                "check the URL and the network"
            ),
        ),
        (
            "ftp://127.0.0.1/mcp",
            (
                "it cannot be asked: the URL holds what HTTP cannot send; "
                "check how it is written"
            ),
        ),
        (
            "http://127.0.0.1:99999/mcp",
            (
                "it cannot be asked at http://127.0.0.1:99999/mcp: OverflowError "
                "connect(): port must be 0-65535."
            ),
        ),
    ],
    ids=["refused", "unknown host", "scheme", "port"],
)
def test_a_server_that_is_not_there_is_told_in_one_line(url: str, text: str) -> None:
    assert _run(_refusal(url)) == text


def test_nobody_there_is_asked_once_and_not_for_each_era() -> None:
    async def go() -> int:
        tried = 0

        async def connected(
            _read: asyncio.StreamReader, out: asyncio.StreamWriter
        ) -> None:
            nonlocal tried
            tried += 1
            out.transport.abort()

        async with await asyncio.start_server(connected, "127.0.0.1", 0) as listener:
            port = listener.sockets[0].getsockname()[1]
            await _refusal(f"https://127.0.0.1:{port}/mcp")
        return tried

    assert _run(go()) == 1


# Certificates.


@pytest.fixture(name="certificate", scope="module")
def _certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that this machine signed for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    local = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([local]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture(name="identity")
def _identity(certificate: Path) -> ssl.SSLContext:
    identity = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    identity.load_cert_chain(certificate)
    return identity


@pytest.mark.parametrize(
    ("server_speaks", "scheme", "text"),
    [
        (
            "TLS",
            "https",
            (
                "it has a certificate that is not trusted at {at}: self-signed "
                "certificate; for a private authority let SSL_CERT_FILE name its "
                "certificate"
            ),
        ),
        ("TLS", "http", _NO_ANSWER + "; write https:// if it speaks TLS"),
        (
            "plain",
            "https",
            "it does not speak TLS at {at}; write http:// if it is a plain server",
        ),
    ],
    ids=["self-signed", "plain to TLS", "TLS to plain"],
)
def test_trouble_with_tls_says_what_to_do(
    identity: ssl.SSLContext, server_speaks: str, scheme: str, text: str
) -> None:
    async def go() -> tuple[str, str]:
        async with serving(identity if server_speaks == "TLS" else None) as server:
            url = f"{scheme}{server.url()[server.url().index(':') :]}"
            return await _refusal(url), text.replace("{at}", url)

    said, line = _run(go())
    assert said == line


def test_a_private_authority_is_trusted_beside_the_systems_own(
    identity: ssl.SSLContext, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    async def go() -> str:
        async with serving(identity) as server, _opened(server, server.url()) as it:
            return await it.call("good")

    assert _run(go()) == "good ran"


def test_a_trust_of_ones_own_is_used_instead(
    identity: ssl.SSLContext, certificate: Path
) -> None:
    trust = ssl.create_default_context(cafile=certificate)

    async def go() -> int:
        async with (
            serving(identity) as server,
            open_http(Http(server.url()), Heard(), trust=trust) as transport,
            Client(transport) as client,
        ):
            return len((await client.list_tools()).tools)

    assert _run(go()) == 4


def test_a_missing_file_of_certificates_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    assert _run(_refusal("https://127.0.0.1:9/mcp")) == (
        "SSL_CERT_FILE or SSL_CERT_DIR names no certificates: No such file or directory"
    )


# Proxies.


@pytest.fixture(name="set_proxy")
def _set_proxy(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the proxy of the environment, and nothing beside it."""
    for name in ("HTTP", "HTTPS", "ALL", "NO"):
        monkeypatch.delenv(f"{name}_PROXY", raising=False)
        monkeypatch.delenv(f"{name.lower()}_proxy", raising=False)

    def set_proxy(url: str) -> None:
        monkeypatch.setenv("HTTP_PROXY", url)
        monkeypatch.setenv("HTTPS_PROXY", url)

    return set_proxy


def test_the_proxy_of_the_environment_is_used(
    set_proxy: Callable[[str], None],
) -> None:
    async def go() -> tuple[str, str]:
        async with serving() as server:
            set_proxy(server.origin)
            async with _opened(server, "http://far.invalid/mcp") as it:
                return await it.call("good"), server.asked[0].headers["host"]

    assert _run(go()) == ("good ran", "far.invalid")


def test_no_proxy_stands_before_this_machines_own_servers(
    set_proxy: Callable[[str], None],
) -> None:
    set_proxy("http://127.0.0.1:9")

    async def talk(it: Talk) -> str:
        return await it.call("good")

    assert _talk(talk) == "good ran"


def test_no_proxy_is_used_for_hosts_that_are_excepted(
    set_proxy: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_proxy("http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "near.invalid")
    assert "no host is called near.invalid" in _run(_refusal("http://near.invalid/mcp"))


@pytest.mark.parametrize(
    ("proxy_url", "text"),
    [
        (
            "http://me:hidden@127.0.0.1:9",
            (
                "it cannot be reached through the proxy http://127.0.0.1:9 at "
                "https://far.invalid/mcp: the connection was refused; "
                "check that it is running"
            ),
        ),
        (
            "gopher://me:hidden@127.0.0.1:9",
            "the proxy gopher://127.0.0.1:9 cannot be used; check how it is written",
        ),
    ],
    ids=["refused", "unknown kind"],
)
def test_trouble_with_a_proxy_names_it_without_its_password(
    set_proxy: Callable[[str], None], proxy_url: str, text: str
) -> None:
    set_proxy(proxy_url)
    assert _run(_refusal("https://far.invalid/mcp")) == text


# Secrets.


@pytest.mark.parametrize(
    "fault", ["echo", "cut", "token", "status-500", "login", "moved", "none", "loop"]
)
def test_no_secret_is_shown_or_logged(
    fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def go() -> str:
        async with serving() as server:
            url = server.url(fault=fault, key="query-secret", cookie="1")
            url = url.replace("//", "//user:word-secret@")
            headers = {"Authorization": "Bearer head-secret", "X-Key": "x-secret-x"}
            shown = [""]
            async with _opened(server, url, headers=headers) as it:
                shown.append(repr(it.client))
                try:
                    await it.call("bad")
                except McpMagicError as error:
                    shown.append(f"{error} {error!r} {error.__context__!r}")
            return " ".join(shown)

    with caplog.at_level(logging.DEBUG):
        shown = _run(go())
    assert "HTTP Request: POST http://127.0.0.1" in caplog.text
    for secret in (
        "query-secret",
        "word-secret",
        "head-secret",
        "x-secret",
        "secret-a",
    ):
        assert secret not in shown
        assert secret not in caplog.text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Bearer häh", "a header holds letters that HTTP cannot send"),
        (
            "Bearer one\ntwo",
            (
                "it cannot be asked: a header holds what HTTP cannot send; "
                "check how it is written"
            ),
        ),
    ],
    ids=["letters", "lines"],
)
def test_a_header_that_cannot_be_sent_is_not_repeated(value: str, text: str) -> None:
    async def go(server: Faulty) -> str:
        target = Http(server.url(), {"Authorization": Secret(value)})
        try:
            async with open_http(target, Heard()) as transport, Client(transport):
                return ""
        except Exception as error:  # noqa: BLE001 - translated here
            return str(translate(error, ServerEntry("it", target), Overheard()))

    async def with_server() -> str:
        async with serving() as server:
            return await go(server)

    assert _run(with_server()) == text


def test_the_newline_at_the_end_of_a_token_from_a_file_is_left_out() -> None:
    async def go() -> str:
        async with serving() as server:
            token = {"Authorization": "Bearer abcdef\n"}
            async with _opened(server, server.url(), headers=token) as it:
                await it.call("good")
            return server.asked[-1].headers["authorization"]

    assert _run(go()) == "Bearer abcdef"
