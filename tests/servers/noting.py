"""A server over stdio that lists what a file says and notes what it receives.

``noting.py LIST NOTES``: LIST is JSON with ``tools`` as they are to be listed, odd ones
too, and by tool name ``results`` and messages of ``progress``; NOTES gets the arguments
of each call as JSON text, a line a call. That LIST was written anew is announced with
the next answer. It needs the standard library alone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_INFO = {"name": "noting", "version": "1"}


def serve(listing: Path, notes: Path) -> None:
    """Answer until the input ends."""
    text = listing.read_text(encoding="utf-8")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "method" not in message or "id" not in message:
            continue
        before, text = text, listing.read_text(encoding="utf-8")
        said: Json = json.loads(text)
        if text != before:
            _write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        for told in _progress(message, said):
            _write(told)
        answer = {"jsonrpc": "2.0", "id": message["id"], **_answer(message, said)}
        if message["method"] == "tools/call":
            with notes.open("a", encoding="utf-8") as file:
                file.write(json.dumps(message["params"].get("arguments")) + "\n")
        _write(answer)


def _write(message: Json) -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def _progress(message: Json, said: Json) -> list[Json]:
    params = message.get("params") or {}
    token = params.get("_meta", {}).get("progressToken")
    words = said.get("progress", {}).get(params.get("name"))
    if token is None or words is None:
        return []
    told = {"progressToken": token, "progress": 1, "total": 2, "message": words}
    method = "notifications/progress"
    return [{"jsonrpc": "2.0", "method": method, "params": told}]


def _answer(message: Json, said: Json) -> Json:
    match message["method"]:
        case "initialize":
            greeting = {
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": _INFO,
            }
            return {"result": {"protocolVersion": "2025-11-25", **greeting}}
        case "ping":
            return {"result": {}}
        case "tools/list":
            return {"result": {"tools": said["tools"]}}
        case "tools/call":
            done = {"content": [{"type": "text", "text": "noted"}]}
            results = said.get("results", {})
            return {"result": results.get(message["params"]["name"], done)}
    return {"error": {"code": -32601, "message": "Method not found"}}


if __name__ == "__main__":
    serve(Path(sys.argv[1]), Path(sys.argv[2]))
