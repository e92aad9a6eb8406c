"""A server of the standard library alone, for both sides: large texts, late starts.

``python plain_server.py [SECONDS]`` sleeps first, then serves standard input.
"""

import json
import sys
import time

_LINE = 'The quick brown fox, "jumps" over the lazy dog; ünïcödé too.\n'
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "plain", "version": "1"},
}
_SIZE = {"type": "object", "properties": {"megabytes": {"type": "integer"}}}
_TOOLS = {"tools": [{"name": "text", "inputSchema": _SIZE}]}
_RESULTS = {"initialize": _HELLO, "tools/list": _TOOLS, "ping": {}}


def text(megabytes: int) -> str:
    """Return a text of so many million characters, as a report might look."""
    size = megabytes * 1_000_000
    return (_LINE * (size // len(_LINE) + 1))[:size]


def _outcome(method: str, megabytes: int) -> dict[str, object]:
    if method == "tools/call":
        content = [{"type": "text", "text": text(megabytes)}]
        return {"result": {"content": content}}
    if method in _RESULTS:
        return {"result": _RESULTS[method]}
    return {"error": {"code": -32601, "message": "Method not found"}}


def main() -> None:
    """Serve until standard input ends."""
    time.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request and "method" in request:
            arguments = request.get("params", {}).get("arguments", {})
            outcome = _outcome(request["method"], arguments.get("megabytes", 0))
            reply = {"jsonrpc": "2.0", "id": request["id"], **outcome}
            sys.stdout.write(json.dumps(reply, ensure_ascii=False) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
