"""A server over stdio that puts the hostile texts wherever a server may put text.

It speaks 2025-11-25. Its tool ``show`` answers with one of the texts, by name, as a
content of the wanted kind; each text also stands in the names, titles, descriptions,
schemas, resources and prompts that it lists, in its log and on its standard error. Its
one argument, if given, is the address that the texts try to load.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.hostile import VECTORS, vectors

Json = dict[str, Any]

_TEXTS = vectors(sys.argv[1]) if len(sys.argv) > 1 else VECTORS
_SHORT = {name: text for name, text in _TEXTS.items() if 0 < len(text) < 1000}
_DATA = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"<script>").decode()


def _text(said: str) -> Json:
    return {"content": [{"type": "text", "text": said}]}


def _block(**block: object) -> Json:
    return {"content": [block, {"type": "text", "text": "end"}]}


def _resource(**contents: object) -> Json:
    return _block(type="resource", resource=contents)


KINDS: dict[str, Callable[[str], Json]] = {
    "text": _text,
    "lines": lambda t: _text("\n".join([t, *["line"] * 200, t])),
    "several": lambda t: {"content": [*_text(t)["content"], *_text(t)["content"]]},
    "json": lambda t: _text(json.dumps({t: [t, {"padding": "x" * 80}]})),
    "structured": lambda t: {**_text("x"), "structuredContent": {t: [t, {t: t}]}},
    "records": lambda t: {
        **_text("x"),
        "structuredContent": {t: [{t: t, "n": 1}] * 30},
    },
    "image": lambda _: _block(type="image", mimeType="image/png", data=_DATA),
    "image type": lambda t: _block(type="image", mimeType=f"image/{t}", data=_DATA),
    "svg": lambda t: _block(
        type="image",
        mimeType="image/svg+xml",
        data=base64.b64encode(t.encode("utf-8", "replace")).decode(),
    ),
    "audio": lambda _: _block(type="audio", mimeType="audio/wav", data=_DATA),
    "audio type": lambda t: _block(type="audio", mimeType=t, data=_DATA),
    "bad data": lambda t: _block(type="image", mimeType="image/png", data=t),
    "link": lambda t: _block(
        type="resource_link", uri=t, name=t, title=t, description=t, mimeType=t
    ),
    "web link": lambda t: _block(
        type="resource_link", uri="https://h.test/x", name=t, title=t, description=t
    ),
    "resource": lambda t: _resource(uri=t, mimeType=t, text=t),
    "blob": lambda t: _resource(uri=t, mimeType=t, blob=_DATA),
    "blob image": lambda t: _resource(uri=t, mimeType="image/png", blob=_DATA),
    "unknown": lambda t: _block(type=t, x=t),
    "error": lambda t: {**_text(t), "isError": True},
}


def _tools() -> list[Json]:
    names: Json = {"enum": list(_TEXTS), "type": "string"}
    kinds: Json = {"enum": [*KINDS, "refusal"], "type": "string"}
    schema = {"type": "object", "properties": {"kind": kinds, "vector": names}}
    return [
        {"name": "show", "inputSchema": schema},
        {"name": "report", "inputSchema": schema},
        *(_tool(text, text) for text in _SHORT.values()),
        *(_tool(f"long_{n}", text) for n, text in enumerate(_TEXTS.values())),
        *(_tool(f"bridge--srv--{text}", text) for text in _SHORT.values()),
    ]


def _tool(name: str, said: str) -> Json:
    value = {"type": "string", "title": said, "description": said, "default": said}
    choice = {"enum": [said, "x"], "description": said}
    return {
        "name": name,
        "title": said,
        "description": said,
        "inputSchema": {
            "type": "object",
            "title": said,
            "properties": {said: value, "choice": choice, "value": value},
        },
        "outputSchema": {"type": "object", "title": said, "properties": {said: choice}},
        "annotations": {"title": said, "openWorldHint": True},
    }


def _resources(_: Json) -> Json:
    return {
        "resources": [
            {"uri": t, "name": t, "title": t, "description": t, "mimeType": t}
            for t in _TEXTS.values()
        ]
    }


def _templates(_: Json) -> Json:
    made = [{"uriTemplate": t, "name": t, "description": t} for t in _TEXTS.values()]
    return {"resourceTemplates": made}


def _prompts(_: Json) -> Json:
    made = [
        {"name": t, "title": t, "description": t, "arguments": [{"name": t}]}
        for t in _SHORT.values()
    ]
    return {"prompts": [*made, {"name": "fill", "arguments": [{"name": "vector"}]}]}


def _prompt(params: Json) -> Json:
    said = _TEXTS[params["arguments"]["vector"]]
    message = {"role": "user", "content": {"type": "text", "text": said}}
    return {"description": said, "messages": [message]}


def _read(params: Json) -> Json:
    said = _TEXTS.get(params["uri"].removeprefix("vector:").replace("%20", " "), "")
    return {"contents": [{"uri": said, "mimeType": said, "text": said}]}


def _initialize(_: Json) -> Json:
    kinds = ("tools", "resources", "prompts", "logging")
    return {
        "protocolVersion": "2025-11-25",
        "capabilities": {kind: {} for kind in kinds},
        "serverInfo": {"name": _TEXTS["colours"], "version": _TEXTS["bidi"]},
        "instructions": "\n".join(_SHORT.values()),
    }


METHODS: dict[str, Callable[[Json], Json]] = {
    "initialize": _initialize,
    "ping": lambda _: {},
    "tools/list": lambda _: {"tools": _tools()},
    "resources/list": _resources,
    "resources/templates/list": _templates,
    "resources/read": _read,
    "prompts/list": _prompts,
    "prompts/get": _prompt,
    "logging/setLevel": lambda _: {},
}


def _write(**message: object) -> None:
    sys.stdout.write(f"{json.dumps({'jsonrpc': '2.0', **message})}\n")
    sys.stdout.flush()


def _call(request: Json) -> None:
    """Answer ``show`` and ``report``; any other tool refuses with its own name."""
    params = request["params"]
    if params["name"] not in {tool["name"] for tool in _tools()}:
        _write(id=request["id"], error={"code": -32602, "message": "Unknown tool"})
        return
    given = params.get("arguments") or {}
    if params["name"] not in ("show", "report"):
        _write(id=request["id"], error={"code": -32000, "message": params["name"]})
        return
    said = _TEXTS[given["vector"]]
    if params["name"] == "report":
        _report(params, said)
    if given.get("kind") == "refusal":
        _write(id=request["id"], error={"code": -32000, "message": said})
        return
    _write(id=request["id"], result=KINDS[given.get("kind", "text")](said))


def _report(params: Json, said: str) -> None:
    """Tell of progress, write to the log and to standard error."""
    token = params.get("_meta", {}).get("progressToken")
    for done in (1, 2, 3):
        told = {"progressToken": token, "progress": done, "total": 3, "message": said}
        _write(method="notifications/progress", params=told)
    entry = {"level": "warning", "logger": said, "data": said}
    _write(method="notifications/message", params=entry)
    sys.stderr.buffer.write(said.encode("utf-8", "surrogatepass") + b"\n")
    sys.stderr.flush()


def _receive(request: Json) -> None:
    if request.get("id") is None:
        return
    if request["method"] == "tools/call":
        _call(request)
    elif request["method"] in METHODS:
        found = METHODS[request["method"]](request.get("params") or {})
        _write(id=request["id"], result=found)
    else:
        error = {"code": -32601, "message": "Method not found"}
        _write(id=request["id"], error=error)


if __name__ == "__main__":
    for line in sys.stdin:
        _receive(json.loads(line))
