"""What can go wrong with one HTTP request, told by its exception, status and headers.

A ``Fault`` travels to the one caller whose request it concerns, as the data of a
JSON-RPC error that is made here.
"""

from __future__ import annotations

import json
import re
import secrets
import socket
import ssl
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import httpx2
from mcp import MCPError
from mcp_types import INTERNAL_ERROR, METHOD_NOT_FOUND

from mcp_magic.display import redact
from mcp_magic.errors import SignInFailed

__all__ = [
    "Fault",
    "Kind",
    "Sent",
    "is_session_gone",
    "of_exception",
    "of_response",
    "rpc_error",
    "shown",
]

_NeverSent: TypeAlias = Literal[
    "refused",
    "unknown host",
    "no route",
    "no connection in time",
    "untrusted",
    "no tls",
    "tls",
    "proxy",
    "unsendable",
]
_Refused: TypeAlias = Literal["expired", "redirect", "login", "sign in"]
Kind: TypeAlias = Literal[
    _NeverSent,
    _Refused,  # before anything ran
    # it may have run
    "cut",
    "too slow",
    "page",
    "content",
    "broken",
    # decided by the status
    "status",
]

_NEVER_SENT = frozenset(get_args(_NeverSent))
_REFUSED = frozenset(get_args(_Refused))
_MAYBE_RUN = frozenset((408, 409, 499))  # client errors that say nothing about that

# Only this process knows it: what a server sends never passes for a fault of ours.
_SEAL = secrets.token_hex(16)
_SHOWN = 160  # characters of a server's text in a message

_NO_TLS = frozenset(
    (
        "HTTP_REQUEST",
        "PACKET_LENGTH_TOO_LONG",
        "RECORD_LAYER_FAILURE",
        "UNKNOWN_PROTOCOL",
        "WRONG_VERSION_NUMBER",
    )
)
_SESSION_GONE = re.compile(
    r"session (id )?(is |was |has )?"
    r"(not found|not valid|invalid|expired|unknown|terminated|does not exist)"
    r"|(no valid|invalid|unknown|expired|could not find|no such) session"
    r"|server not initialized",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"\b(log-?in|log-?on|sign-?in|auth|authorize|oauth2?|sso|saml2?|idp)\b",
    re.IGNORECASE,
)
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sent:
    """The JSON-RPC request inside a POST.

    Attributes:
        method: What it asks for.
        id: Its id, which the answer must carry.
    """

    method: str
    id: int | str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why one request has no proper answer.

    Attributes:
        kind: What happened.
        method: The JSON-RPC method of the request.
        status: The HTTP status of the answer, if there was one.
        challenge: Its ``WWW-Authenticate`` header.
        retry_after: Its ``Retry-After`` header.
        said: What the server or the system said about it; short, untrusted.
        place: Where a redirect leads, or the proxy on the way.
        cause: The class of the exception.
        first: Whether nothing had been heard from the server before.
    """

    kind: Kind
    method: str = ""
    status: int | None = None
    challenge: str = ""
    retry_after: str = ""
    said: str = ""
    place: str = ""
    cause: str = ""
    first: bool = False

    @property
    def is_sent(self) -> bool:
        """Whether the request left this machine."""
        return self.kind not in _NEVER_SENT

    @property
    def is_unrun(self) -> bool:
        """Whether it was surely not done, so that asking again is safe."""
        if self.kind == "status" and self.status is not None:
            return 400 <= self.status < 500 and self.status not in _MAYBE_RUN
        return self.kind in _NEVER_SENT or self.kind in _REFUSED

    @property
    def wants_sign_in(self) -> bool:
        """Whether the server refused for want of a token, or of a token for more."""
        return self.status == 401 or (
            self.status == 403 and "insufficient_scope" in self.challenge
        )

    def error(self) -> dict[str, Any]:
        """Return it as the ``error`` of a JSON-RPC answer."""
        happened = f"HTTP {self.status}" if self.status else f"HTTP: {self.kind}"
        data = {_SEAL: asdict(self)}
        return {"code": INTERNAL_ERROR, "message": happened, "data": data}

    @classmethod
    def inside(cls, error: BaseException) -> Fault | None:
        """Return the fault that a JSON-RPC error carries, if one made here does."""
        if isinstance(error, MCPError) and isinstance(error.data, dict):
            told = error.data.get(_SEAL)
            return None if told is None else cls(**told)
        return None


def of_exception(error: Exception, method: str) -> Fault:
    """Tell what an exception of the HTTP client means for the request it ended."""
    fault = Fault("cut", method, cause=type(error).__name__)
    match error:
        case httpx2.ConnectError():
            return _unconnected(error, fault)
        case httpx2.ConnectTimeout() | httpx2.PoolTimeout():
            return replace(fault, kind="no connection in time")
        case httpx2.ProxyError():
            return replace(fault, kind="proxy", said=shown(str(error)))
        # The texts of these can hold what could not be sent: secrets.
        case httpx2.LocalProtocolError() | UnicodeError():
            return replace(fault, kind="unsendable", said="a header")
        case httpx2.UnsupportedProtocol() | httpx2.InvalidURL():
            return replace(fault, kind="unsendable", said="the URL")
        case httpx2.TimeoutException():
            return replace(fault, kind="too slow")
        case httpx2.RemoteProtocolError() if r"\x15\x03" in str(error):
            # The first bytes of a TLS alert, where a status line belongs.
            return replace(fault, said="TLS")
        case httpx2.HTTPError():
            return fault
        case SignInFailed():
            return replace(fault, kind="sign in", said=str(error))
    last = [one for one in _chain(error) if not isinstance(one, ExceptionGroup)][-1]
    said = shown(f"{type(last).__name__} {last}")
    return replace(fault, kind="broken", said=said)


def _unconnected(error: httpx2.ConnectError, fault: Fault) -> Fault:
    for one in _chain(error):
        match one:
            case ssl.SSLCertVerificationError():
                return replace(fault, kind="untrusted", said=shown(one.verify_message))
            case ssl.SSLError(reason=reason):
                kind: Kind = "no tls" if reason in _NO_TLS else "tls"
                said = str(reason or "").lower().replace("_", " ")
                return replace(fault, kind=kind, said=said)
            case socket.gaierror():
                return replace(fault, kind="unknown host")
            case ConnectionRefusedError():
                return replace(fault, kind="refused")
            case OSError(strerror=str() as said):
                return replace(fault, kind="no route", said=said)
    # A server that hangs up during the handshake leaves no reason behind.
    return replace(fault, kind="tls")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception, its causes and the members of groups, each once."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
        waiting += (one.__cause__, one.__context__)


def of_response(response: httpx2.Response, body: bytes, sent: Sent) -> Fault:
    """Tell what an answer without a proper JSON-RPC message means.

    Args:
        response: The answer.
        body: The beginning of its content.
        sent: The request it answers.
    """
    status, headers = response.status_code, response.headers
    fault = Fault(
        "status",
        sent.method,
        status,
        challenge=headers.get("www-authenticate", "")[:1000],
        retry_after=headers.get("retry-after", "")[:40],
        said=_said(body, headers.get("content-type", "")),
    )
    if response.has_redirect_location:
        return _redirected(response, fault)
    if status < 400:
        kind = headers.get("content-type", "").partition(";")[0]
        if _is_page(body, kind):
            return replace(fault, kind="page")
        what = kind if body.strip() else f"nothing (HTTP {status})"
        return replace(fault, kind="content", said=shown(what or "an unknown type"))
    return fault


def is_session_gone(status: int, body: bytes) -> bool:
    """Whether a request that named a session was refused because it is unknown."""
    error = rpc_error(body)
    if error is not None and error["code"] == METHOD_NOT_FOUND:
        return False
    text = body.decode("utf-8", "replace")
    return status == 404 or (
        status in (400, 410, 422) and _SESSION_GONE.search(text) is not None
    )


def _redirected(response: httpx2.Response, fault: Fault) -> Fault:
    following = response.next_request
    if following is None:
        return replace(fault, kind="redirect")
    place = redact.url(str(following.url)).partition("?")[0]
    to_login = response.status_code < 304 and _LOGIN.search(place) is not None
    return replace(fault, kind="login" if to_login else "redirect", place=place)


def rpc_error(body: bytes) -> dict[str, Any] | None:
    """Return the JSON-RPC error in *body*, with or without an id, or ``None``."""
    match _json(body):
        case {"error": {"code": int() as code, "message": str() as message, **rest}}:
            data = {"data": rest["data"]} if "data" in rest else {}
            return {"code": code, "message": message, **data}
    return None


def _said(body: bytes, content_type: str) -> str:
    """Return what a person may want to read of an error's body."""
    if _is_page(body, content_type):
        title = _TITLE.search(body)
        return shown(title.group(1).decode("utf-8", "replace")) if title else ""
    match _json(body):
        case {"error": {"message": str() as text}}:
            return shown(text)
        case {"error_description": str() as text} | {"message": str() as text}:
            return shown(text)
        case {"detail": str() as text} | {"error": str() as text}:
            return shown(text)
        case dict() | list():
            return ""
    return shown(body.decode("utf-8", "replace")) if "text/" in content_type else ""


def _is_page(body: bytes, content_type: str) -> bool:
    start = body.lstrip()[:15].lower()
    return "html" in content_type or start.startswith((b"<!doctype html", b"<html"))


def _json(body: bytes) -> object:
    if not body.lstrip().startswith((b"{", b"[")):
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def shown(text: str) -> str:
    """Return *text* on one line and short."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
