"""Programs of the terminal, and other products that are no editors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mcp_magic.config.dialects.shape import Habits, Place
from mcp_magic.config.dialects.tables import Dialect, Raw, Table, member, usual
from mcp_magic.model import Json

__all__ = [
    "CODEX",
    "GEMINI_CLI",
    "GOOSE",
    "JUPYTER_AI",
    "LM_STUDIO",
    "MCPORTER",
    "OPENCODE",
    "OWN",
]


def _codex(raw: Raw) -> Raw:
    """Return an entry with the headers that Codex takes from variables."""
    headers: dict[str, Json] = dict(member(raw, "http_headers"))
    for name, variable in member(raw, "env_http_headers").items():
        headers[name] = f"${{{variable}}}"
    token = raw.get("bearer_token_env_var")
    if isinstance(token, str):
        headers["Authorization"] = f"Bearer ${{{token}}}"
    kept = {key: one for key, one in raw.items() if key != "http_headers"}
    return {**kept, "headers": headers}


def _gemini(root: Raw, place: Place) -> Iterable[Table]:
    """Return the table of servers, some of which the file may switch off elsewhere."""
    settings = member(root, "mcp")
    off, on = settings.get("excluded"), settings.get("allowed")

    def disabled(name: str) -> str:
        if isinstance(off, list) and name in off:
            return "disabled by mcp.excluded"
        if isinstance(on, list) and name not in on:
            return "not in mcp.allowed"
        return ""

    found = usual(("mcpServers",))(root, place)
    return [replace(one, disabled=disabled) for one in found]


# What Goose calls extensions and is no server that others could start.
_GOOSE_ONLY = ("builtin", "platform", "frontend", "inline_python")


def _goose(raw: Raw) -> Raw | None:
    """Return an entry with the variables that Goose keeps in its keyring."""
    inner = {**member(raw, "config"), **raw}
    if inner.get("type") in _GOOSE_ONLY:
        return None
    keys = inner.get("env_keys")
    names = (
        [one for one in keys if isinstance(one, str)] if isinstance(keys, list) else []
    )
    env = {name: f"${{{name}}}" for name in names} | dict(member(inner, "envs"))
    tools = inner.get("available_tools")
    only: Raw = {"allowedTools": tools} if tools else {}
    kept = {key: one for key, one in inner.items() if key not in ("envs", "config")}
    return {**kept, **only, "env": env}


_UNHEEDED = {"headers": "means nothing to Codex; write http_headers"}

CODEX = Dialect(usual(("mcp_servers",)), amend=_codex, unheeded=_UNHEEDED)
GEMINI_CLI = Dialect(_gemini, Habits(("httpUrl", "url")))
OPENCODE = Dialect(usual(("mcp",)), Habits(limits="connect"))
GOOSE = Dialect(usual(("extensions",)), Habits(("uri", "url"), unit=1.0), _goose)
JUPYTER_AI = Dialect(usual(("mcp_servers",)))
LM_STUDIO = Dialect(usual(("mcpServers",)))
MCPORTER = Dialect(usual(("mcpServers",)), Habits(("baseUrl", "url")))
OWN = Dialect(usual(("mcpServers",)), Habits(unit=1.0))
