"""A server over stdio with chosen faults: ``faulty.py FAULT[=VALUE] …``.

Without a fault it is a proper server of 2025-11-25. Faults of starting, shaking hands
and writing are named on the command line; faults of an answer are tools, all of them
always listed. It needs the standard library alone, and starts fast.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_MODERN = "2026-07-28"
_PARAMETERS: Json = {
    "echo": {"text": {"type": "string"}},
    "huge": {"size": {"type": "integer"}},
}


class Server:
    """What it says and how; a fault replaces a part of it.

    Attributes:
        write: Writes the bytes of one message.
        methods: What answers a request, by method.
        otherwise: What answers any other request.
        counts: A file that gets a line for each call.
        stays: Whether it lives on when its input ends.
        modern: Whether it answers ``server/discover``.
    """

    def __init__(self) -> None:
        self.write: Callable[[bytes], None] = write
        self.methods: dict[str, Callable[[Json], None]] = {
            "initialize": self.initialize,
            "ping": lambda request: self.answer(request, {}),
            "tools/list": self.list_tools,
            "tools/call": self.call_tool,
        }
        self.otherwise: Callable[[Json], None] = self.unknown
        self.counts: Path | None = None
        self.version = "2025-11-25"
        self.stays = False
        self.modern = False

    def serve(self) -> None:
        """Answer until the input ends."""
        for line in sys.stdin.buffer:
            self.receive(json.loads(line))
        while self.stays:
            time.sleep(60)

    def receive(self, message: Json) -> None:
        """Answer one message; notifications and answers are let pass."""
        if "method" not in message or "id" not in message:
            return
        method = self.methods.get(message["method"], self.otherwise)
        method(message)

    def say(self, message: object) -> None:
        """Write one message."""
        self.write(json.dumps(message).encode() + b"\n")

    def answer(self, request: Json, result: object) -> None:
        """Answer a request."""
        if self.modern and isinstance(result, dict):
            result = {"resultType": "complete", **result}
        self.say({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def refuse(self, request: Json, code: int, message: str) -> None:
        """Answer a request with an error."""
        error = {"code": code, "message": message}
        self.say({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def unknown(self, request: Json) -> None:
        """Answer a method that it does not have."""
        self.refuse(request, -32601, f"Method not found: {request['method']}")

    def initialize(self, request: Json) -> None:
        """Shake hands."""
        info = {"name": "faulty", "version": "1"}
        tools = {"tools": {"listChanged": True}}
        greeting = {"capabilities": tools, "serverInfo": info}
        self.answer(request, {"protocolVersion": self.version, **greeting})

    def discover(self, request: Json) -> None:
        """Shake hands as of 2026-07-28."""
        tools = {"tools": {"listChanged": True}}
        caching = {"ttlMs": 0, "cacheScope": "private"}
        self.answer(
            request, {"supportedVersions": [_MODERN], "capabilities": tools, **caching}
        )

    def list_tools(self, request: Json) -> None:
        """List every tool there is."""
        caching = {"ttlMs": 0, "cacheScope": "private"} if self.modern else {}
        self.answer(request, {"tools": [_listed(name) for name in TOOLS], **caching})

    def call_tool(self, request: Json) -> None:
        """Run a tool, and count it."""
        name = request["params"]["name"]
        if self.counts is not None:
            with self.counts.open("a", encoding="utf-8") as file:
                file.write(name + "\n")
        if name not in TOOLS:
            self.refuse(request, -32602, f"Unknown tool: {name}")
            return
        TOOLS[name](self, request, request["params"].get("arguments") or {})

    def text(self, request: Json, text: str) -> None:
        """Answer a call with a text."""
        self.answer(request, {"content": [{"type": "text", "text": text}]})


def write(data: bytes) -> None:
    """Write to standard output at once."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def complain(text: str) -> None:
    """Write a line to standard error at once."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _listed(name: str) -> Json:
    schema = {"type": "object", "properties": _PARAMETERS.get(name, {})}
    listed: Json = {"name": name, "inputSchema": schema}
    if name.startswith("structured"):
        number = {"type": "object", "properties": {"n": {"type": "integer"}}}
        listed["outputSchema"] = number
    return listed


# -- faults of starting, shaking hands and writing

Fault = Callable[[Server, str], None]
FAULTS: dict[str, Fault] = {}


def fault(function: Fault) -> Fault:
    """Make a fault known by its name, dashes for underscores."""
    FAULTS[function.__name__.replace("_", "-")] = function
    return function


@fault
def modern(server: Server, _value: str) -> None:
    """Be a server of 2026-07-28 alone."""
    server.modern = True
    server.methods["server/discover"] = server.discover
    del server.methods["initialize"]


@fault
def exits(_server: Server, value: str) -> None:
    """End at once with a message and a code."""
    complain("starting up")
    complain("Error: the database is locked")
    raise SystemExit(int(value or 3))


@fault
def slow(_server: Server, value: str) -> None:
    """Start late."""
    time.sleep(float(value))


@fault
def hangs(server: Server, _value: str) -> None:
    """Say what is going on, and never answer the handshake."""
    complain("waiting for the database")
    server.methods["initialize"] = _never


@fault
def silent(server: Server, _value: str) -> None:
    """Leave a method unanswered that it does not have."""
    server.otherwise = _never


@fault
def asks(server: Server, _value: str) -> None:
    """Ask on standard output, as npx does, and wait."""
    write(b"Need to install the following packages:\nx@1.0\nOk to proceed? (y) ")
    server.methods["initialize"] = _never


@fault
def flood(_server: Server, value: str) -> None:
    """Write much to standard error before anything else."""
    line = "x" * 99 + "\n"
    sys.stderr.write(line * (int(value) // 100))
    sys.stderr.flush()


@fault
def endless_stderr_line(_server: Server, value: str) -> None:
    """Write a line to standard error that does not end."""
    sys.stderr.write("x" * int(value))
    sys.stderr.flush()


@fault
def tells(_server: Server, value: str) -> None:
    """Write the value of a variable to standard error and standard output."""
    complain(f"using {os.environ[value]}.")
    write(f"using {os.environ[value]}.\n".encode())


@fault
def banner(_server: Server, _value: str) -> None:
    """Write what is no message to standard output before the first one."""
    write(b"Server starting\xe2\x80\xa6\n\n   \n\x1b[32mready\x1b[0m\r\n")
    write(b'{"level": "info", "msg": "up"}\n[1, 2]\n"text"\n\xef\xbb\xbf')


@fault
def garbage(server: Server, _value: str) -> None:
    """Write log lines between all messages, invalid bytes among them."""
    around = b'\xff\xfe\x80 {"jsonrpc": \n{]\n'
    server.write = lambda data: write(around + data + around)


@fault
def glued(server: Server, _value: str) -> None:
    """Write log text in front of every message, and behind."""
    log = b'\x1b[33m[info]\x1b[0m got {"jsonrpc":"2.0","id":1,"method":"tools/list"} '
    server.write = lambda data: write(log + data.rstrip() + b" {took: 3 ms}\n")


@fault
def mumbles(server: Server, _value: str) -> None:
    """Write invalid bytes instead of every message."""
    server.write = lambda _data: write(b"caf\xe9 \xff\xfe\n")


@fault
def interrupts(server: Server, _value: str) -> None:
    """Press Ctrl-C at whoever started it, and never shake hands."""
    server.methods["initialize"] = lambda _: os.kill(os.getppid(), signal.SIGINT)


@fault
def one_line(server: Server, _value: str) -> None:
    """Write a second message on the line of every message."""
    more = b'{"jsonrpc":"2.0","method":"notifications/never/seen"}'
    server.write = lambda data: write(more + data.rstrip() + more + b"\n")


@fault
def batch(server: Server, _value: str) -> None:
    """Write every message as an array, as 2025-03-26 allowed."""
    server.write = lambda data: write(b"[" + data.rstrip() + b"]\n")


@fault
def crlf(server: Server, _value: str) -> None:
    """End lines with CR LF and begin them with a byte order mark."""
    server.write = lambda data: write(b"\xef\xbb\xbf" + data.rstrip() + b"\r\n")


@fault
def pieces(server: Server, _value: str) -> None:
    """Write messages in pieces that cut characters."""

    def cut(data: bytes) -> None:
        for start in range(0, len(data), 7):
            write(data[start : start + 7])

    server.write = cut


@fault
def version(server: Server, value: str) -> None:
    """Speak another version of the protocol."""
    server.version = value


@fault
def garbled(server: Server, _value: str) -> None:
    """Answer the handshake with nothing that is of use."""
    server.methods["initialize"] = lambda r: server.answer(r, {"hello": "there"})


@fault
def refuses(server: Server, _value: str) -> None:
    """Answer the handshake with an error."""
    server.methods["initialize"] = lambda r: server.refuse(r, -32600, "no licence")


@fault
def php(server: Server, _value: str) -> None:
    """Write empty objects as arrays."""
    server.methods["ping"] = lambda request: server.answer(request, [])
    note = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    server.say({**note, "params": []})


@fault
def endless(server: Server, _value: str) -> None:
    """List pages of tools without end."""

    def page(request: Json) -> None:
        at = int((request.get("params") or {}).get("cursor") or 0)
        more = {"nextCursor": str(at + 1)}
        server.answer(request, {"tools": [_listed(f"tool-{at}")], **more})

    server.methods["tools/list"] = page


@fault
def no_listing(server: Server, _value: str) -> None:
    """Fail to list the tools."""
    server.methods["tools/list"] = lambda r: server.refuse(r, -32603, "no list today")


@fault
def counts(server: Server, value: str) -> None:
    """Write every call into a file."""
    server.counts = Path(value)


@fault
def ignores_eof(server: Server, _value: str) -> None:
    """Live on when the input ends."""
    server.stays = True


@fault
def ignores_term(_server: Server, _value: str) -> None:
    """Live on after SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


@fault
def grandchild(_server: Server, value: str) -> None:
    """Start a process that holds the pipes and ignores SIGTERM; note its id."""
    program = "import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-S", "-c", program])
    Path(value).write_text(str(child.pid), encoding="utf-8")


def _never(_request: Json) -> None:
    """Leave a request unanswered."""


# -- faults of an answer

Tool = Callable[[Server, Json, Json], None]
TOOLS: dict[str, Tool] = {}


def tool(function: Tool) -> Tool:
    """Make a tool known by its name, dashes for underscores."""
    TOOLS[function.__name__.replace("_", "-").strip("-")] = function
    return function


@tool
def echo(server: Server, request: Json, given: Json) -> None:
    """Return the text that was given: the tool without a fault."""
    server.text(request, str(given.get("text", "")))


@tool
def environment(server: Server, request: Json, given: Json) -> None:
    """Return the value of an environment variable."""
    server.text(request, os.environ.get(given["name"], "not set"))


@tool
def folder(server: Server, request: Json, _given: Json) -> None:
    """Return the working folder."""
    server.text(request, str(Path.cwd()))


@tool
def huge(server: Server, request: Json, given: Json) -> None:
    """Return a text of so many bytes on one line."""
    server.text(request, "x" * given["size"])


@tool
def many(server: Server, request: Json, given: Json) -> None:
    """Send so many log messages of 1 kB, then answer."""
    params = {"level": "info", "data": "x" * 1000}
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": params}
    for _ in range(given["count"]):
        server.say(note)
    server.text(request, "done")


@tool
def never(_server: Server, _request: Json, _given: Json) -> None:
    """Never answer."""


@tool
def deaf(_server: Server, _request: Json, _given: Json) -> None:
    """Stop reading and never answer."""
    while True:
        time.sleep(60)


@tool
def interrupt(_server: Server, _request: Json, _given: Json) -> None:
    """Press Ctrl-C at whoever started it, and never answer."""
    os.kill(os.getppid(), signal.SIGINT)


@tool
def dies(_server: Server, _request: Json, given: Json) -> None:
    """End in the middle of the call."""
    complain("Error: out of cheese")
    os._exit(int(given.get("code", 7)))


@tool
def killed(_server: Server, _request: Json, _given: Json) -> None:
    """Be killed in the middle of the call, as when memory ends."""
    os.kill(os.getpid(), signal.SIGKILL)


@tool
def last_breath(server: Server, request: Json, _given: Json) -> None:
    """Answer without a line end, and end."""
    server.write = lambda data: write(data.rstrip())
    server.text(request, "farewell")
    os._exit(0)


@tool
def closes_output(_server: Server, _request: Json, _given: Json) -> None:
    """Close standard output and live on."""
    os.close(1)


@tool
def closes_input(_server: Server, _request: Json, _given: Json) -> None:
    """Close standard input and live on."""
    os.close(0)
    while True:
        time.sleep(60)


@tool
def error(server: Server, request: Json, _given: Json) -> None:
    """Answer with an error that is well formed."""
    server.refuse(request, -32602, "Ein Werkzeug, das es nicht gibt")


@tool
def odd_error(server: Server, request: Json, _given: Json) -> None:
    """Answer with an error that is only a text."""
    server.say({"jsonrpc": "2.0", "id": request["id"], "error": "it broke"})


@tool
def error_to_nobody(server: Server, _request: Json, _given: Json) -> None:
    """Answer with an error that names no request."""
    complaint = {"code": -32700, "message": "Parse error: unexpected token"}
    server.say({"jsonrpc": "2.0", "id": None, "error": complaint})


@tool
def string_id(server: Server, request: Json, _given: Json) -> None:
    """Answer to the number as a text."""
    server.text({"id": str(request["id"])}, "text id")


@tool
def float_id(server: Server, request: Json, _given: Json) -> None:
    """Answer to the number as a fraction."""
    server.text({"id": float(request["id"])}, "float id")


@tool
def other_id(server: Server, request: Json, _given: Json) -> None:
    """Answer a request that was never made, then this one, twice."""
    server.text({"id": 0}, "wrong")
    server.text(request, "right")
    server.text(request, "late")


@tool
def notices(server: Server, request: Json, _given: Json) -> None:
    """Send notifications that nobody knows, and a request, then answer."""
    server.say({"jsonrpc": "2.0", "method": "notifications/never/seen", "params": {}})
    server.say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
    server.say({"jsonrpc": "2.0", "id": "q", "method": "never/heard/of"})
    server.text(request, "noticed")


@tool
def changed(server: Server, request: Json, _given: Json) -> None:
    """Add a tool, say so, and answer."""
    TOOLS["added"] = echo
    note = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    server.say(note)
    server.text(request, "changed")


@tool
def no_content(server: Server, request: Json, _given: Json) -> None:
    """Answer without content."""
    server.answer(request, {})


@tool
def no_object(server: Server, request: Json, _given: Json) -> None:
    """Answer with an array instead of an object."""
    server.answer(request, [])


@tool
def structured(server: Server, request: Json, _given: Json) -> None:
    """Answer with structured content alone."""
    server.answer(request, {"structuredContent": {"n": 1}})


@tool
def structured_wrong(server: Server, request: Json, _given: Json) -> None:
    """Answer with structured content that breaks its own schema."""
    server.answer(request, {"content": [], "structuredContent": {"n": "one"}})


@tool
def odd_block(server: Server, request: Json, _given: Json) -> None:
    """Answer with a block of a kind that does not exist."""
    blocks = [{"type": "hologram", "depth": 3}, {"type": "text", "text": "seen"}]
    server.answer(request, {"content": blocks})


@tool
def extra(server: Server, request: Json, _given: Json) -> None:
    """Answer with members that do not exist."""
    block = {"type": "text", "text": "more", "mood": "good"}
    server.answer(request, {"content": [block], "price": {"currency": "EUR"}})


@tool
def half_pair(server: Server, request: Json, _given: Json) -> None:
    """Answer with half of an emoji, as JavaScript cuts texts."""
    server.text(request, "cut \ud83d")


@tool
def invalid_byte(server: Server, request: Json, _given: Json) -> None:
    """Answer with a byte that is no UTF-8."""
    server.write = lambda data: write(data.replace(b"BYTE", b"\xff"))
    server.text(request, "a BYTE")
    server.write = write


@tool
def not_a_number(server: Server, request: Json, _given: Json) -> None:
    """Answer with ``NaN``, which Python writes and JSON does not have."""
    server.answer(request, {"content": [], "structuredContent": {"n": float("nan")}})


@tool
def deep(server: Server, request: Json, _given: Json) -> None:
    """Answer with a value that is nested 210 deep."""
    value: Json = {"end": True}
    for _ in range(210):
        value = {"in": value}
    server.answer(request, {"content": [], "structuredContent": value})


if __name__ == "__main__":
    serving = Server()
    for argument in sys.argv[1:]:
        name, _, chosen = argument.partition("=")
        FAULTS[name](serving, chosen)
    serving.serve()
