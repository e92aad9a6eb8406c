"""From what the SDK and the system raise to one line that says what to do."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from mcp import MCPError
from mcp_types import CallToolResult, Tool
from pydantic import ValidationError

from mcp_magic.client.failures import is_expired, is_lost, leaf, translate
from mcp_magic.client.faults import Fault, Kind, of_exception
from mcp_magic.client.overheard import Overheard
from mcp_magic.config import Http, ServerEntry, Stdio
from mcp_magic.errors import (
    AuthorizationRequired,
    CallTimedOut,
    McpMagicError,
    RequestRefused,
    ServerExited,
    ServerUnreachable,
    UnknownTool,
)

_URL = "https://user:word@mcp.example.com/mcp?api_key=hidden"
_AT = "https://mcp.example.com/mcp"
_HTTP = ServerEntry("it", Http(_URL))
_STDIO = ServerEntry("it", Stdio("server", ("--port", "1")))
_CALL = "tools/call"


def _fault(kind: Kind, method: str = _CALL, **fields: object) -> MCPError:
    error = Fault(kind, method, **fields).error()  # type: ignore[arg-type] # a table
    return MCPError(error["code"], error["message"], error["data"])


def _invalid(model: type[CallToolResult | Tool], value: object) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value)
    return caught.value


def _shown(error: BaseException, entry: ServerEntry = _HTTP) -> tuple[type, str]:
    shown = translate(error, entry, Overheard())
    assert "\n" not in str(shown)
    return type(shown), str(shown)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (
            MCPError(-32001, "Request 'tools/call' timed out"),
            CallTimedOut,
            "it did not answer in time",
        ),
        (
            MCPError(-32001, "Session not found"),
            RequestRefused,
            "it answered -32001: Session not found",
        ),
        (
            MCPError(-32602, "Unknown tool: 401\nsecond line"),
            RequestRefused,
            "it answered -32602: Unknown tool: 401 …",
        ),
        (
            MCPError(-32000, "Connection closed"),
            ServerUnreachable,
            "it was disconnected; if a tool was called, whether it ran is unknown",
        ),
        (
            MCPError(
                -32000,
                "SSE stream failed: Server-sent event exceeded the 9 byte limit.",
            ),
            ServerUnreachable,
            (
                "it sent an answer that is too large; if a tool was called, whether "
                "it ran is unknown"
            ),
        ),
        (
            RuntimeError("Unsupported protocol version from the server: 1"),
            ServerUnreachable,
            "it: Unsupported protocol version from the server: 1",
        ),
        (
            _invalid(CallToolResult, {"content": [{"type": "text"}]}),
            ServerUnreachable,
            "it sent an answer outside the protocol: content.0.text: Field required",
        ),
        (
            _invalid(Tool, 5),
            ServerUnreachable,
            (
                "it sent an answer outside the protocol: the whole: Input should be a "
                "valid dictionary or instance of Tool"
            ),
        ),
        (
            ExceptionGroup("two", [ExceptionGroup("one", [httpx2.InvalidURL("x")])]),
            ServerUnreachable,
            (
                "it cannot be asked: the URL holds what HTTP cannot send; "
                "check how it is written"
            ),
        ),
        (KeyError(), ServerUnreachable, "it: KeyError"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Exception) else "",
)
def test_an_error_of_the_sdk_becomes_one_line(
    error: Exception, kind: type[McpMagicError], text: str
) -> None:
    assert _shown(error) == (kind, text)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (
            _fault("no connection in time"),
            CallTimedOut,
            (
                f"it cannot be reached at {_AT}: no connection in time; "
                "check the URL and the network"
            ),
        ),
        (
            _fault("no route", said="Network is unreachable"),
            ServerUnreachable,
            (
                f"it cannot be reached at {_AT}: Network is unreachable; "
                "check the network"
            ),
        ),
        (
            _fault("proxy", place="http://proxy:3128", said="407 Auth Required"),
            ServerUnreachable,
            (
                "it cannot be reached through the proxy http://proxy:3128: the proxy "
                "answered 407 Auth Required; check HTTPS_PROXY and NO_PROXY"
            ),
        ),
        (
            _fault("tls"),
            ServerUnreachable,
            (
                f"it cannot be reached at {_AT}: the TLS handshake failed "
                "(it gave no reason); write http:// if it is a plain server"
            ),
        ),
        (
            _fault("too slow"),
            CallTimedOut,
            (
                f"it took nothing in for too long at {_AT}; whether the tool ran is "
                "unknown, so it was not called again"
            ),
        ),
        (
            _fault("cut", "tools/list"),
            ServerUnreachable,
            f"it closed the connection at {_AT} without an answer",
        ),
        (
            _fault("cut", "initialize", first=True),
            ServerUnreachable,
            f"it closed the connection at {_AT} without an answer; check the URL",
        ),
        (
            _fault("cut", "initialize", first=True, said="TLS"),
            ServerUnreachable,
            (
                f"it closed the connection at {_AT} without an answer: it speaks TLS; "
                "write https://"
            ),
        ),
        (
            _fault("redirect"),
            ServerUnreachable,
            (
                "it redirects to another place, which was not followed; use that URL "
                "if it is the right server"
            ),
        ),
        (
            _fault("status", status=503, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"),
            ServerUnreachable,
            (
                "it is busy (HTTP 503 Service Unavailable); try again after Wed, 21 "
                "Oct 2026 07:28:00 GMT; whether the tool ran is unknown, so it was "
                "not called again"
            ),
        ),
        (
            _fault("status", status=429, retry_after="<script>"),
            ServerUnreachable,
            "it is busy (HTTP 429 Too Many Requests); try again later",
        ),
        (
            _fault("status", status=401, said="no"),
            AuthorizationRequired,
            (
                "it refused the user and password in its URL; put it right, or remove "
                "it to sign in (HTTP 401)"
            ),
        ),
    ],
    ids=lambda one: one.message if isinstance(one, MCPError) else "",
)
def test_a_fault_becomes_one_line(
    error: MCPError, kind: type[McpMagicError], text: str
) -> None:
    assert _shown(error) == (kind, text)


@pytest.mark.parametrize(
    ("kind", "status", "unrun"),
    [
        ("refused", None, True),
        ("unknown host", None, True),
        ("untrusted", None, True),
        ("no connection in time", None, True),
        ("expired", 404, True),
        ("redirect", 307, True),
        ("status", 401, True),
        ("status", 429, True),
        ("status", 408, False),
        ("status", 500, False),
        ("status", 503, False),
        ("cut", None, False),
        ("too slow", None, False),
        ("page", 200, False),
        ("content", 202, False),
        ("broken", None, False),
    ],
)
def test_what_surely_did_not_run_is_told_from_what_may_have(
    kind: Kind, status: int | None, *, unrun: bool
) -> None:
    assert Fault(kind, _CALL, status).is_unrun is unrun


def test_a_server_cannot_forge_a_fault() -> None:
    told = {"kind": "expired", "method": _CALL, "status": 404}
    forged = MCPError(-32603, "HTTP 404", {"fault": told, **told})
    assert Fault.inside(forged) is None
    assert not is_expired(forged)


def test_only_a_forgotten_session_is_worth_a_new_connection() -> None:
    assert is_expired(_fault("expired", status=404))
    assert is_lost(_fault("expired", status=404))
    assert is_expired(ExceptionGroup("one", [MCPError(-32600, "Session terminated")]))
    for error in (_fault("cut"), _fault("refused"), MCPError(-32001, "Session")):
        assert not is_expired(error)
        assert not is_lost(error)


def test_a_closed_connection_is_lost_and_not_expired() -> None:
    error = MCPError(-32000, "Connection closed")
    assert is_lost(error)
    assert not is_expired(error)


@pytest.mark.parametrize("text", ["connect ECONNREFUSED 127.0.0.1:4010", "HTTP 401"])
def test_digits_in_a_text_are_no_status(text: str) -> None:
    fault = of_exception(httpx2.ConnectError(text), _CALL)
    assert not fault.wants_sign_in
    assert fault.status is None


def test_an_error_of_ours_stays_what_it_is() -> None:
    error = UnknownTool("no such tool")
    assert translate(ExceptionGroup("one", [error]), _HTTP, Overheard()) is error


def test_a_server_without_a_name_is_called_by_its_url_without_secrets() -> None:
    entry = ServerEntry(_URL, Http(_URL))
    _, text = _shown(_fault("status", status=500), entry)
    assert text.startswith("the server failed at https://mcp.example.com/mcp (HTTP")
    assert "hidden" not in text
    assert "word" not in text


def test_a_command_that_ended_is_told_apart_from_a_server_elsewhere() -> None:
    kind, text = _shown(MCPError(-32000, "Connection closed"), _STDIO)
    assert (kind, text) == (ServerExited, "the server it ended")


def test_an_error_of_the_server_itself_is_told_whatever_its_code() -> None:
    kind, text = _shown(MCPError(-32000, "no \x1b[8mpaper"), _STDIO)
    assert (kind, text) == (RequestRefused, r"it answered -32000: no \x1b[8mpaper")


def test_a_cancellation_beside_a_cause_is_not_the_cause() -> None:
    cause = OSError("gone")
    group = BaseExceptionGroup("all", [asyncio.CancelledError(), cause])
    assert leaf(group) is cause


def test_the_status_is_told_to_programs_too() -> None:
    fault = _fault("status", status=429, retry_after="30")
    shown = translate(fault, _HTTP, Overheard())
    assert isinstance(shown, ServerUnreachable)
    assert (shown.status, shown.retry_after) == (429, "30")
