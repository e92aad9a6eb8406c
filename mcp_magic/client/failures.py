"""Translate what the SDK and the system raise into this package's errors."""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus

import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, PARSE_ERROR, REQUEST_TIMEOUT
from pydantic import ValidationError

from mcp_magic.client.auth.opening import own_token
from mcp_magic.client.faults import Fault, of_exception
from mcp_magic.client.launch import NotStarted
from mcp_magic.client.overheard import Overheard
from mcp_magic.config import Http, ServerEntry, Stdio
from mcp_magic.display import redact
from mcp_magic.errors import (
    AuthorizationRequired,
    CallTimedOut,
    McpMagicError,
    RequestRefused,
    ServerError,
    ServerExited,
    ServerUnreachable,
    SignInFailed,
    visible,
)
from mcp_magic.language import spell_verb

__all__ = ["is_expired", "is_lost", "leaf", "translate"]

_UNKNOWN = "; whether the tool ran is unknown, so it was not called again"
_PERHAPS = "; if a tool was called, whether it ran is unknown"
_TOKEN = "give a token with --header 'Authorization=Bearer …'"  # noqa: S105 - a hint
_LONGEST = 1000  # characters of a server's message that are quoted
_HANDSHAKE = ("", "server/discover", "initialize")

# What each kind of fault means: {name} is the server, {at} its URL, {host} its host,
# {said} a reason, {place} another URL, {via} a proxy on the way.
_HAPPENED = {
    "refused": "cannot be reached{via} at {at}: the connection was refused; "
    "check that it is running",
    "unknown host": "cannot be reached{via}: no host is called {host}; "
    "check the URL and the network",
    "no route": "cannot be reached{via} at {at}: {said}; check the network",
    "no connection in time": "cannot be reached{via} at {at}: no connection in time; "
    "check the URL and the network",
    "untrusted": "has a certificate that is not trusted at {at}: {said}; for a private "
    "authority let SSL_CERT_FILE name its certificate",
    "no tls": "does not speak TLS at {at}; write http:// if it is a plain server",
    "tls": "cannot be reached{via} at {at}: the TLS handshake failed ({said}); "
    "write http:// if it is a plain server",
    "proxy": "cannot be reached{via}: the proxy answered {said}; "
    "check HTTPS_PROXY and NO_PROXY",
    "unsendable": "cannot be asked: {said} holds what HTTP cannot send; "
    "check how it is written",
    "expired": "has forgotten the session (HTTP {status}); it is opened again when "
    "the cell is run again",
    "redirect": "redirects to {place}, which was not followed; "
    "use that URL if it is the right server",
    "login": "wants you to sign in: it redirects to {place}; " + _TOKEN,
    "cut": "closed the connection at {at} without an answer",
    "too slow": "took nothing in for too long at {at}",
    "page": "answered with a web page{said} at {at}, not with MCP",
    "broken": "cannot be asked at {at}: {said}",
    "content": "answered with {said} at {at}, not with MCP",
}


def leaf(error: BaseException) -> BaseException:
    """Return the cause inside nested exception groups, cancellations last."""
    while isinstance(error, BaseExceptionGroup):
        kinds = sorted(
            error.exceptions, key=lambda one: isinstance(one, asyncio.CancelledError)
        )
        error = kinds[0]
    return error


def is_lost(error: BaseException) -> bool:
    """Whether *error* means that the connection is gone, not only the request."""
    error = leaf(error)
    return is_expired(error) or (isinstance(error, MCPError) and _is_closed(error))


def _is_closed(error: MCPError) -> bool:
    """Whether it is the SDK's own word; servers use the code for errors of theirs."""
    return (error.code, error.message) == (CONNECTION_CLOSED, "Connection closed")


def is_expired(error: BaseException) -> bool:
    """Whether the server refused a request unrun because it forgot the session.

    The same request is safe to send once more on a new connection.
    """
    error = leaf(error)
    fault = Fault.inside(error)
    if fault is not None:
        return fault.kind == "expired"
    return isinstance(error, MCPError) and error.message == "Session terminated"


def translate(
    error: BaseException, entry: ServerEntry, overheard: Overheard
) -> McpMagicError:
    """Return the error to show for *error*; never raises.

    Args:
        error: What was raised; exception groups are unwrapped.
        entry: The server it concerns.
        overheard: What its command said besides messages.
    """
    error = leaf(error)
    match error:
        case McpMagicError():
            return error
        case MCPError():
            fault = Fault.inside(error)
            if fault is not None:
                return _marked(_faulty(fault, entry), fault)
            return _protocol(error, entry, overheard)
        case NotStarted():
            return ServerUnreachable(
                f"{entry.name} cannot be started: {error}", entry.name
            )
        case httpx2.HTTPError() | httpx2.InvalidURL():
            return _faulty(of_exception(error, ""), entry)
        case ValidationError():
            return _odd(error, entry)
    said = str(error) or type(error).__name__
    return ServerUnreachable(f"{_called(entry)}: {_first_line(said)}", entry.name)


def _marked(error: McpMagicError, fault: Fault) -> McpMagicError:
    if isinstance(error, ServerError):
        error.status, error.retry_after = fault.status, fault.retry_after
    if isinstance(error, AuthorizationRequired):
        error.challenge = fault.challenge
    return error


def _faulty(fault: Fault, entry: ServerEntry) -> McpMagicError:
    """Return the error for a request that got no proper answer over HTTP."""
    if fault.kind == "sign in":
        return SignInFailed(f"{_called(entry)}: {fault.said}", entry.name)
    if fault.wants_sign_in:
        return _sign_in(fault, entry)
    if fault.kind == "status":
        happened = _status(fault, entry)
    else:
        happened = _HAPPENED[fault.kind].format(
            at=_at(entry),
            host=_host(entry),
            place=fault.place or "another place",
            said=_reason(fault),
            status=fault.status,
            via=f" through the proxy {fault.place}" if fault.place else "",
        )
    ran = "" if fault.is_unrun or fault.method != "tools/call" else _UNKNOWN
    # A server without a name is called by its URL, which need not be said twice.
    twice = "://" in entry.name and _at(entry) in happened
    name = "the server" if twice else _called(entry)
    text = f"{name} {happened}{_hint(fault, entry)}{ran}"
    if fault.kind in ("too slow", "no connection in time"):
        return CallTimedOut(text, entry.name)
    return ServerUnreachable(text, entry.name)


def _reason(fault: Fault) -> str:
    if fault.kind == "page":
        return f" ({fault.said})" if fault.said else ""
    return fault.said or "it gave no reason"


def _hint(fault: Fault, entry: ServerEntry) -> str:
    """Return what may help if it was never heard from, or not understood at once."""
    if fault.kind == "cut" and fault.said == "TLS":
        return ": it speaks TLS; write https://"
    if fault.kind == "cut" and fault.first:
        plain = _at(entry).startswith("http://")
        return "; write https:// if it speaks TLS" if plain else "; check the URL"
    early = fault.method in _HANDSHAKE
    return "; check the URL" if early and fault.kind in ("page", "content") else ""


def _status(fault: Fault, entry: ServerEntry) -> str:
    status = fault.status or 0
    what = f"HTTP {status}{_phrase(status)}"
    said = f": {fault.said}" if fault.said else ""
    match status:
        case 404 | 405 if fault.method in _HANDSHAKE:
            return (
                f"has no MCP endpoint at {_at(entry)} ({what}); "
                "check the path, which often ends in /mcp"
            )
        case 403:
            return f"does not let you do this ({what}{said}); check your token"
        case 429 | 503:
            return f"is busy ({what}{said}); try again {_later(fault.retry_after)}"
        case _ if status >= 500:
            return f"failed at {_at(entry)} ({what}{said})"
    return f"refused the request at {_at(entry)} ({what}{said})"


def _phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return ""


def _later(retry_after: str) -> str:
    if re.fullmatch(r"\d{1,9}", retry_after):
        return f"in {retry_after} s"
    if re.fullmatch(r"[A-Z][a-z]{2}, [\w: -]+ GMT", retry_after):
        return f"after {retry_after}"
    return "later"


def _sign_in(fault: Fault, entry: ServerEntry) -> AuthorizationRequired:
    scope = re.search(r'scope="?([^",]{1,200})', fault.challenge)
    wanted = visible(scope.group(1)) if scope else ""
    more = f" for more rights: {wanted}" if fault.status == 403 and wanted else ""
    name, brought = _called(entry), own_token(entry.target)
    if brought:
        text = (
            f"{name} refused the {brought}{more}; put it right, or remove it to sign in"
        )
        return AuthorizationRequired(f"{text} (HTTP {fault.status})", entry.name)
    return AuthorizationRequired(
        f"{name} wants you to sign in{more} (HTTP {fault.status}): "
        f"{spell_verb('auth', name)}, or {_TOKEN}",
        entry.name,
    )


def _protocol(
    error: MCPError, entry: ServerEntry, overheard: Overheard
) -> McpMagicError:
    name = _called(entry)
    if error.code == REQUEST_TIMEOUT and "timed out" in error.message.lower():
        return CallTimedOut(f"{name} did not answer in time", entry.name)
    if _is_closed(error) and isinstance(entry.target, Stdio):
        how = overheard.how_it_ended() or "ended"
        return ServerExited(f"the server {name} {how}{_quote(overheard)}", entry.name)
    if isinstance(entry.target, Http):
        happened = _in_transit(error)
        if happened:
            return ServerUnreachable(f"{name} {happened}", entry.name)
    said = _first_line(error.message)
    text = f"{name} answered {error.code}: {said}"
    if error.code == INTERNAL_ERROR and overheard.stderr_lines:
        text += f"; {spell_verb('logs', name)} may tell why"
    return RequestRefused(text, entry.name, error.code, error.data)


def _quote(overheard: Overheard) -> str:
    words = overheard.last_words().splitlines()
    return f"; its last words: {words[-1].strip()}" if words else ""


def _in_transit(error: MCPError) -> str:
    """Return what the SDK's HTTP transport means by an error it made itself."""
    match error.code, error.message:
        case (code, text) if code == PARSE_ERROR and text.startswith("Failed to parse"):
            return "sent an answer that is no JSON-RPC" + _PERHAPS
        case (code, text) if code == CONNECTION_CLOSED and "byte limit" in text:
            return "sent an answer that is too large" + _PERHAPS
        case (code, text) if code == CONNECTION_CLOSED and text.startswith("SSE"):
            return "closed the connection before its answer was complete" + _PERHAPS
        case (code, "Connection closed") if code == CONNECTION_CLOSED:
            return "was disconnected" + _PERHAPS
    return ""


def _odd(error: ValidationError, entry: ServerEntry) -> McpMagicError:
    first = error.errors(include_url=False, include_input=False)[0]
    # A name with a capital is the SDK's word for one of several forms.
    path = [str(one) for one in first["loc"] if not str(one)[:1].isupper()]
    where = ".".join(path) or "the whole"
    return ServerUnreachable(
        f"{_called(entry)} sent an answer outside the protocol: {where}: "
        f"{_first_line(first['msg'])}",
        entry.name,
    )


def _called(entry: ServerEntry) -> str:
    """Return the server's name; one without a name is called by its URL."""
    return redact.url(entry.name) if "://" in entry.name else entry.name


def _at(entry: ServerEntry) -> str:
    """Return where the server is, without anything secret."""
    match entry.target:
        case Http(url=url):
            return redact.url(url).partition("?")[0]
    return str(entry.target)


def _host(entry: ServerEntry) -> str:
    return re.sub(r"^\w+://|[:/].*$", "", _at(entry))


def _first_line(text: str) -> str:
    head, _, rest = visible(text.strip()).partition("\n")
    shown = head[:_LONGEST].rstrip()
    return f"{shown} …" if rest.strip() or shown != head else head
