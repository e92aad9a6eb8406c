"""Keep what servers send although the SDK would refuse it.

The SDK checks every result against the protocol's schema and drops the whole answer for
one wrong field. Here the answer as received is put aside for this package's own
tolerant reading, and the SDK is given the plainest answer that passes its checks.
"""

from __future__ import annotations

import contextvars
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

__all__ = ["collect", "mended", "tolerant"]

Raw = dict[str, Any]
Send = Callable[..., Awaitable[Raw]]

_received: contextvars.ContextVar[list[Raw] | None] = contextvars.ContextVar(
    "received", default=None
)

# What each list or answer is called in its result.
_PARTS = {
    "tools/call": "content",
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "resources/read": "contents",
    "prompts/list": "prompts",
    "prompts/get": "messages",
}
_OBJECT: Raw = {"type": "object"}


async def collect(work: Awaitable[object]) -> tuple[Raw, object]:
    """Await a request; return its last result as received, and what the SDK made of it.

    Args:
        work: Sends one request through a client whose dispatcher is ``tolerant``.
    """
    box: list[Raw] = []
    token = _received.set(box)
    try:
        made = await work
    finally:
        _received.reset(token)
    return (box[-1] if box else {}), made


def tolerant(send: Send) -> Send:
    """Wrap ``send_raw_request``: odd results are mended, none is lost."""

    async def send_raw_request(method: str, params: Any, options: Any) -> Raw:
        raw = await send(method, params, options)
        box = _received.get()
        if box is not None and isinstance(raw, Mapping):
            box.append(dict(raw))
        return mended(method, raw)

    return send_raw_request


def mended(method: str, raw: object) -> Raw:
    """Return a result of *method* that passes the SDK's checks."""
    found: Raw = dict(raw) if isinstance(raw, Mapping) else {}
    if method in ("initialize", "server/discover"):
        return _greeting(found, method)
    if method not in _PARTS and method != "completion/complete":
        return found
    if found.get("resultType", "complete") != "complete":
        return found  # the SDK goes on asking, and checks what it goes by
    plain: Raw = {key: found[key] for key in ("resultType", "_meta") if key in found}
    if not isinstance(plain.get("_meta", {}), Mapping):
        del plain["_meta"]
    if method == "completion/complete":
        return {**plain, "completion": {"values": []}}
    if method.endswith("/list"):
        plain.update(_paging(found))
    if method == "tools/call":
        plain["isError"] = found.get("isError") is True
    parts = _tools(found.get("tools")) if method == "tools/list" else []
    return {**plain, _PARTS[method]: parts}


def _paging(found: Raw) -> Raw:
    """Return the cursor and what 2026-07-28 asks of a list, well typed."""
    paging: Raw = {}
    if isinstance(found.get("nextCursor"), str):
        paging["nextCursor"] = found["nextCursor"]
    if "resultType" in found:
        ttl, scope = found.get("ttlMs"), found.get("cacheScope")
        paging["ttlMs"] = ttl if isinstance(ttl, int) and ttl >= 0 else 0
        paging["cacheScope"] = scope if scope in ("public", "private") else "private"
    return paging


def _tools(listed: object) -> list[Raw]:
    """Return what the SDK needs of tools: names, and schemas for its header rules."""
    tools: list[Raw] = []
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, Mapping) and isinstance(item.get("name"), str):
            schema = item.get("inputSchema")
            shown = schema if _is_plain(schema) else _OBJECT
            tools.append({"name": item["name"], "inputSchema": shown})
    return tools


def _is_plain(schema: object) -> bool:
    return (
        isinstance(schema, Mapping)
        and schema.get("type") == "object"
        and isinstance(schema.get("properties", {}), Mapping)
    )


def _greeting(found: Raw, method: str) -> Raw:
    """Return a greeting whose odd parts are left out; PHP writes ``{}`` as ``[]``."""
    capabilities = found.get("capabilities")
    kept = capabilities if isinstance(capabilities, Mapping) else {}
    found["capabilities"] = {
        key: {} if value == [] else value
        for key, value in kept.items()
        if isinstance(value, Mapping) or value == []
    }
    if not isinstance(found.get("instructions", ""), str):
        del found["instructions"]
    if method == "initialize":
        info = found.get("serverInfo")
        named = dict(info) if isinstance(info, Mapping) else {}
        for key in ("name", "version"):
            if not isinstance(named.get(key), str):
                named[key] = ""
        found["serverInfo"] = named
    return found
