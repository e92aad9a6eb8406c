"""A server over stdio that never answers one method: ``stuck.py PORT METHOD [LATER]``.

It rings a bell (``tests/bells.py``) when that method reaches it, and again when it
hears that a request was cancelled; with LATER the method is answered the first time.
As METHOD, ``start`` keeps it from reading anything, and ``end`` from ending when its
input does and when it is asked to. It needs the standard library alone, and starts
fast.
"""

from __future__ import annotations

import json
import signal
import socket
import sys
import threading
from typing import Any

Json = dict[str, Any]

_OFFERS = {"tools": {}, "resources": {"subscribe": True}, "prompts": {}}
_GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": _OFFERS,
    "serverInfo": {"name": "stuck", "version": "1"},
}
_TEXT = {"type": "text", "text": "done"}
_ANSWERS: Json = {
    "initialize": _GREETING,
    "ping": {},
    "tools/list": {"tools": [{"name": "work", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [_TEXT]},
    "resources/list": {"resources": [{"uri": "stuck://it", "name": "it"}]},
    "resources/templates/list": {"resourceTemplates": []},
    "resources/read": {"contents": [{"uri": "stuck://it", "text": "done"}]},
    "resources/subscribe": {},
    "prompts/list": {"prompts": [{"name": "it"}]},
    "prompts/get": {"messages": [{"role": "user", "content": _TEXT}]},
}


def serve(port: int, stuck: str, answered: int) -> None:
    """Answer until the input ends."""
    if stuck == "start":
        ring(port, stuck)
        threading.Event().wait()
    if stuck == "end":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        message: Json = json.loads(line)
        method = message.get("method")
        if method == stuck and not answered:
            ring(port, stuck)
        elif method == "notifications/cancelled":
            ring(port, "cancelled")
        elif "id" in message and method is not None:
            answered -= method == stuck
            _answer(message, method)
    if stuck == "end":
        ring(port, stuck)
        threading.Event().wait()


def ring(port: int, text: str) -> None:
    """Tell the test."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(text.encode())


def _answer(message: Json, method: str) -> None:
    answer: Json = {"jsonrpc": "2.0", "id": message["id"]}
    if method in _ANSWERS:
        answer["result"] = _ANSWERS[method]
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2], len(sys.argv) - 3)
