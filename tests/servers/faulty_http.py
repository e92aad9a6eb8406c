"""A small MCP server over HTTP that fails as its URL's query says.

The standard library is all it needs. It speaks both eras and the older HTTP+SSE
transport. ``python faulty_http.py`` serves until it is stopped, and prints its URL. The
query chooses:

- ``era``: ``legacy`` (a session, the default) or ``modern``
- ``fault``: a name of ``FAULTS``, or ``status-503``, ``page-502``, ``rpc-500``; a
  call of the tool ``bad`` may have one of its own as the argument ``fault``
- ``on``: which requests fail: ``bad`` (calls of the tool ``bad``, the default), or a
  JSON-RPC method, or ``all``
- ``get``: how a GET is answered: ``405`` (the default) or another status, ``close``,
  ``silent``, ``open``
- ``gone``: how a forgotten session is refused, a name of ``GONE``
- ``mute``: notifications and goodbyes are not answered
- ``speaks``: the protocol version it names
- ``cookie``: requests after the first must bring back its cookie
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

__all__ = ["FAULTS", "GONE", "Asked", "Faulty", "serving"]

_LEGACY, _MODERN = "2025-11-25", "2026-07-28"
_JSON = {"content-type": "application/json"}
_SSE = {"content-type": "text/event-stream", "cache-control": "no-store"}
_HTML = {"content-type": "text/html; charset=utf-8"}
_PAGE = b"<!doctype html><title>Sign in \xe2\x80\x93 Portal</title><p>404 401 403</p>"

# How servers refuse a session that they do not know: status, headers, content.
GONE: dict[str, tuple[int, dict[str, str], bytes]] = {
    "bare": (404, {}, b""),
    "text": (404, {"content-type": "text/plain"}, b"Session not found"),
    "json": (
        404,
        _JSON,
        (
            b'{"jsonrpc":"2.0","id":null,'
            b'"error":{"code":-32600,"message":"Session terminated"}}'
        ),
    ),
    "typescript": (
        404,
        _JSON,
        (
            b'{"jsonrpc":"2.0","id":null,'
            b'"error":{"code":-32001,"message":"Session not found"}}'
        ),
    ),
    "everything": (
        400,
        _JSON,
        (
            b'{"jsonrpc":"2.0","error":{"code":-32000,'
            b'"message":"Bad Request: No valid session ID provided"}}'
        ),
    ),
    "restarted": (
        400,
        _JSON,
        (
            b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32000,'
            b'"message":"Bad Request: Server not initialized"}}'
        ),
    ),
}


@dataclass(slots=True)
class Asked:
    """One HTTP request as it came in.

    Attributes:
        verb: ``POST``, ``GET`` or ``DELETE``.
        path: Its path.
        options: Its query.
        headers: Its headers, names in lower case.
        body: Its content.
        message: The JSON-RPC message in it.
    """

    verb: str
    path: str
    options: dict[str, str]
    headers: dict[str, str]
    body: bytes
    message: dict[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """The JSON-RPC method."""
        return str(self.message.get("method", ""))

    @property
    def tool(self) -> str:
        """The tool that is called."""
        return str(self.message.get("params", {}).get("name", ""))

    @property
    def fault(self) -> str:
        """The name of its fault: the call's own, or that of the URL."""
        arguments = self.message.get("params", {}).get("arguments", {})
        return str(arguments.get("fault") or self.options.get("fault", "none"))

    @property
    def fails(self) -> bool:
        """Whether its fault concerns it."""
        on = self.options.get("on", "bad")
        is_bad = self.method == "tools/call" and self.tool == "bad"
        return "id" in self.message and (
            on in ("all", self.method) or (on == "bad" and is_bad)
        )


class Exchange:
    """A request and the way back to who sent it."""

    def __init__(self, server: Faulty, asked: Asked, out: asyncio.StreamWriter) -> None:
        self.server = server
        self.asked = asked
        self._out = out

    async def reply(
        self, status: int, headers: dict[str, str] | None = None, body: bytes = b""
    ) -> None:
        """Send a whole answer."""
        await self.begin(status, {"content-length": str(len(body)), **(headers or {})})
        await self.write(body)

    async def begin(self, status: int, headers: dict[str, str]) -> None:
        """Send the head of an answer."""
        given = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        known = status in HTTPStatus.__members__.values()
        phrase = HTTPStatus(status).phrase if known else "Odd"
        await self.write(f"HTTP/1.1 {status} {phrase}\r\n{given}\r\n".encode())

    async def write(self, data: bytes) -> None:
        """Send bytes."""
        self._out.write(data)
        await self._out.drain()

    async def events(self, *events: str) -> None:
        """Begin a stream of events, each given as its lines."""
        await self.begin(200, {**_SSE, "connection": "close"})
        for event in events:
            await self.write(event.encode() + b"\n\n")

    def cut(self) -> None:
        """Close the connection."""
        self._out.close()

    def answer(self) -> bytes:
        """Run what was asked for; return its JSON-RPC answer."""
        return json.dumps(self.server.run(self.asked)).encode()


class NotHttp(Exception):
    """Something else than HTTP came in."""


Fault = Callable[[Exchange], Awaitable[None]]


async def _cut(it: Exchange) -> None:
    it.cut()


async def _cut_after_run(it: Exchange) -> None:
    it.answer()
    it.cut()


async def _cut_mid(it: Exchange) -> None:
    await it.begin(200, {**_JSON, "content-length": "5000"})
    await it.write(it.answer()[:20])
    it.cut()


async def _hang(it: Exchange) -> None:
    it.server.hanging.release()
    await it.server.release.wait()
    await it.reply(200, _JSON, it.answer())


async def _elsewhere(it: Exchange) -> None:
    await it.reply(307, {"location": it.asked.options["to"]})


async def _loop(it: Exchange) -> None:
    await it.reply(307, {"location": f"{it.asked.path}?{urlencode(it.asked.options)}"})


async def _slash(it: Exchange) -> None:
    query = urlencode({**it.asked.options, "fault": "none"})
    await it.reply(307, {"location": f"{it.asked.path}/?{query}"})


async def _sse_cut(it: Exchange) -> None:
    it.answer()
    await it.events(": working")
    it.cut()


async def _sse_resume(it: Exchange) -> None:
    it.server.kept = it.answer().decode()
    await it.events("id: 7\nretry: 1\ndata:")
    it.cut()


async def _huge(it: Exchange) -> None:
    result = it.server.run(it.asked)
    result["result"]["content"][0]["text"] = "x" * 3_000_000
    await it.events(f"data: {json.dumps(result)}")
    it.cut()


async def _no_id(it: Exchange) -> None:
    error = {"code": -32050, "message": "not on Sundays"}
    await it.reply(200, _JSON, json.dumps({"jsonrpc": "2.0", "error": error}).encode())


async def _hollow(it: Exchange) -> None:
    answer = {"jsonrpc": "2.0", "id": it.asked.message["id"], "result": {}}
    await it.reply(200, _JSON, json.dumps(answer).encode())


async def _echo(it: Exchange) -> None:
    secrets = [it.asked.headers.get("authorization", ""), it.asked.options.get("key")]
    kind = {"content-type": "text/plain"}
    await it.reply(500, kind, f"cannot use {secrets}".encode())


async def _events(it: Exchange) -> None:
    await it.events(f"data: {it.answer().decode()}")
    it.cut()


def _raw(data: bytes) -> Fault:
    async def raw(it: Exchange) -> None:
        await it.write(data)
        it.cut()

    return raw


def _fixed(status: int, headers: dict[str, str], body: bytes = b"") -> Fault:
    async def fixed(it: Exchange) -> None:
        await it.reply(status, headers, body)

    return fixed


def _typed(headers: dict[str, str]) -> Fault:
    async def typed(it: Exchange) -> None:
        await it.reply(200, headers, it.answer())

    return typed


FAULTS: dict[str, Fault] = {
    "accepted": _fixed(202, {}),
    "bad-events": _raw(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
        b'data: {"jsonrpc":"2.0","id\n\n'
    ),
    "bad-json": _fixed(200, _JSON, b'{"jsonrpc":"2.0","id'),
    "busy": _fixed(429, {"retry-after": "30"}),
    "cut": _cut,
    "cut-after-run": _cut_after_run,
    "cut-mid": _cut_mid,
    "echo": _echo,
    "elsewhere": _elsewhere,
    "empty": _fixed(200, _JSON),
    "events": _events,
    "garbage": _raw(b"what is this?\r\n\r\n"),
    "hollow": _hollow,
    "huge": _huge,
    "login": _fixed(302, {"location": "/login?next=secret"}),
    "loop": _loop,
    "moved": _fixed(302, {"location": "/other?next=secret"}),
    "no-content": _fixed(204, {}),
    "no-id": _no_id,
    "none": _typed(_JSON),
    "not-rpc": _fixed(200, _JSON, b'{"status":"up"}'),
    "page": _fixed(200, _HTML, _PAGE),
    "scope": _fixed(
        403,
        {"www-authenticate": 'Bearer error="insufficient_scope", scope="files:write"'},
    ),
    "slash": _slash,
    "sse-cut": _sse_cut,
    "sse-lost": _sse_resume,
    "sse-resume": _sse_resume,
    "text": _fixed(200, {"content-type": "text/plain"}, b"hello"),
    "token": _fixed(401, {"www-authenticate": "Bearer"}, b'{"error":"invalid_token"}'),
    "untyped": _typed({}),
}


def _fault(name: str) -> Fault:
    kind, _, number = name.partition("-")
    if not number.isdigit():
        return FAULTS[name]
    status = int(number)
    if kind == "page":
        return _fixed(status, _HTML, _PAGE)
    if kind == "rpc":
        error = {"code": -32099, "message": "the disk is full"}
        answer = json.dumps({"jsonrpc": "2.0", "id": None, "error": error})
        return _fixed(status, _JSON, answer.encode())
    return _fixed(status, {})


class Faulty:
    """The server.

    Attributes:
        asked: Every request, as it came.
        ran: The names of the tools that ran, in order.
        release: Lets what hangs go on.
        hanging: Released each time something hangs.
        listening: Set when a GET is held open.
        remembers: Whether it knows the sessions that it opens.
        kept: An answer that waits for a client to come back.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.ran: list[str] = []
        self.release = asyncio.Event()
        self.hanging = asyncio.Semaphore(0)
        self.listening = asyncio.Event()
        self.kept = ""
        self.origin = ""
        self.remembers = True
        self._sessions: set[str] = set()
        self._made = 0
        self._older: dict[str, Exchange] = {}

    def url(self, path: str = "/mcp", **options: str) -> str:
        """Return a URL of this server, its faults in the query."""
        query = f"?{urlencode(options)}" if options else ""
        return f"{self.origin}{path}{query}"

    def forget(self) -> None:
        """Forget every session, as after a restart."""
        self._sessions.clear()

    def count(self, verb: str, method: str = "") -> int:
        """Return how many requests came in."""
        return sum(
            one.verb == verb and method in ("", one.method) for one in self.asked
        )

    async def connected(
        self, read: asyncio.StreamReader, out: asyncio.StreamWriter
    ) -> None:
        """Serve one connection until either side closes it."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while not out.is_closing():
                try:
                    asked = await _receive(read)
                except NotHttp:
                    out.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
                    return
                self.asked.append(asked)
                await self._serve(Exchange(self, asked, out))

    async def _serve(self, it: Exchange) -> None:
        asked = it.asked
        if asked.path in ("/sse", "/older"):
            await self._open_older(it)
        elif asked.path == "/messages":
            await self._post_older(it)
        elif asked.verb == "DELETE":
            if "mute" in asked.options:
                await self.release.wait()
            await it.reply(200)
        elif asked.verb == "GET":
            await self._listen(it)
        elif await self._lets_in(it):
            await self._answer(it)

    async def _lets_in(self, it: Exchange) -> bool:
        asked = it.asked
        session = asked.headers.get("mcp-session-id")
        if session is not None and session not in self._sessions:
            await it.reply(*GONE[asked.options.get("gone", "bare")])
            return False
        wants = "cookie" in asked.options and asked.method != "server/discover"
        if wants and asked.headers.get("cookie") != "route=secret-a":
            await it.reply(404)
            return False
        return True

    async def _answer(self, it: Exchange) -> None:
        asked = it.asked
        headers = dict(_JSON)
        if "cookie" in asked.options:
            headers["set-cookie"] = "route=secret-a; Path=/; HttpOnly"
        if asked.fails:
            await _fault(asked.fault)(it)
        elif "id" not in asked.message or "method" not in asked.message:
            if "mute" in asked.options:
                await self.release.wait()
            await it.reply(202, headers)
        elif asked.tool == "slow":
            await _hang(it)
        else:
            if asked.method == "initialize" and asked.path != "/stateless":
                headers["mcp-session-id"] = self._new_session()
            await it.reply(200, headers, it.answer())

    def _new_session(self) -> str:
        self._made += 1
        session = f"session-{self._made}"
        if self.remembers:
            self._sessions.add(session)
        return session

    async def _listen(self, it: Exchange) -> None:
        how = it.asked.options.get("get", "405")
        self.listening.set()
        if "last-event-id" in it.asked.headers:
            if it.asked.options.get("fault") == "sse-lost":
                await it.reply(404)
                return
            await it.events(f"id: 8\ndata: {self.kept}")
            it.cut()
        elif how == "silent":
            await self.release.wait()
        elif how == "open":
            await it.events(": here")
            await self.release.wait()
        elif how == "close":
            await it.events("retry: 0\ndata:")
            it.cut()
        else:
            await it.reply(int(how))

    async def _open_older(self, it: Exchange) -> None:
        if it.asked.verb != "GET":
            await it.reply(405, {"content-type": "text/plain"}, b"Method Not Allowed")
            return
        session = self._new_session()
        query = urlencode({**it.asked.options, "session_id": session})
        await it.events(f"event: endpoint\ndata: /messages?{query}")
        self._older[session] = it
        self.listening.set()
        await self.release.wait()

    async def _post_older(self, it: Exchange) -> None:
        asked = it.asked
        line = self._older.get(asked.options["session_id"])
        if line is None:
            await it.reply(404, {}, b"Could not find session")
        elif asked.fails:
            await _fault(asked.fault)(it)
        else:
            await it.reply(202, {}, b"Accepted")
            if "id" in asked.message and "method" in asked.message:
                if asked.tool == "noisy":
                    await self._chatter(line, asked)
                elif asked.tool == "slow":
                    self.hanging.release()
                    await self.release.wait()
                await line.write(b"event: message\ndata: " + it.answer() + b"\n\n")

    async def _chatter(self, line: Exchange, asked: Asked) -> None:
        token = asked.message["params"]["_meta"]["progressToken"]
        for step in (1, 2, 3):
            params = {"progressToken": token, "progress": step, "total": 3}
            note = {"method": "notifications/progress", "params": params}
            data = json.dumps({"jsonrpc": "2.0", **note})
            await line.write(f"event: message\ndata: {data}\n\n".encode())

    def drop_older(self) -> None:
        """Cut every stream of the older transport."""
        for line in self._older.values():
            line.cut()
        self._older.clear()

    def run(self, asked: Asked) -> dict[str, Any]:
        """Do what a request asks for; return the JSON-RPC answer."""
        modern = asked.options.get("era") == "modern"
        answer = {"jsonrpc": "2.0", "id": asked.message["id"]}
        result = self._result(asked, modern=modern)
        if result is None:
            error = {"code": -32601, "message": f"no method {asked.method}"}
            return {**answer, "error": error}
        if modern:
            result |= {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
        return {**answer, "result": result}

    def _result(self, asked: Asked, *, modern: bool) -> dict[str, Any] | None:
        about: dict[str, Any] = {
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "faulty", "version": "1"},
        }
        match asked.method:
            case "server/discover" if modern:
                return {"supportedVersions": [_MODERN], **about}
            case "initialize" if not modern:
                version = asked.options.get("speaks", _LEGACY)
                return {"protocolVersion": version, **about}
            case "tools/list":
                schema = {"type": "object"}
                names = ("bad", "good", "noisy", "slow")
                return {"tools": [{"name": n, "inputSchema": schema} for n in names]}
            case "tools/call":
                self.ran.append(asked.tool)
                text = f"{asked.tool} ran"
                return {"content": [{"type": "text", "text": text}]}
        return None


async def _receive(read: asyncio.StreamReader) -> Asked:
    start = await read.readexactly(1)
    if start == b"\x16":
        raise NotHttp  # a TLS greeting
    head = (start + await read.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    verb, target, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await read.readexactly(int(headers.get("content-length", "0")))
    parts = urlsplit(target)
    options = dict(parse_qsl(parts.query))
    message = json.loads(body) if body else {}
    return Asked(verb, parts.path, options, headers, body, message)


def _quiet(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    if "transport creation" not in context["message"]:
        loop.default_exception_handler(context)


async def _closing(served: Awaitable[None], out: asyncio.StreamWriter) -> None:
    try:
        await served
    finally:
        out.transport.abort() if out.is_closing() else out.close()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await out.wait_closed()


@contextlib.asynccontextmanager
async def serving(
    trust: ssl.SSLContext | None = None, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Faulty]:
    """Serve until the block ends; connections still open are cut then."""
    faulty = Faulty()
    tasks: set[asyncio.Task[None]] = set()

    async def connected(read: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(_closing(faulty.connected(read, out), out))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    # A client that does not trust the certificate is no fault of this server.
    asyncio.get_running_loop().set_exception_handler(_quiet)
    listener = await asyncio.start_server(connected, host, port, ssl=trust)
    place = listener.sockets[0].getsockname()[1]
    scheme = "http" if trust is None else "https"
    faulty.origin = f"{scheme}://{host}:{place}"
    try:
        yield faulty
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _main() -> None:
    async with serving() as faulty:
        print(faulty.url(), flush=True)  # noqa: T201 - it is a program
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main())
