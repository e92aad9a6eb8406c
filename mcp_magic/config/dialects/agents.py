"""Programs of the terminal, and other products that are no editors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mcp_magic.config import syntax
from mcp_magic.config.dialects.fields import Fields
from mcp_magic.config.dialects.shape import Habits, Place
from mcp_magic.config.dialects.tables import Dialect, Raw, Table, member, usual

__all__ = [
    "CODEX",
    "COPILOT_CLI",
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
    fields = Fields(raw)
    more = {
        name: syntax.variable(variable)
        for name, variable in fields.pairs("env_http_headers").items()
    }
    token = fields.text("bearer_token_env_var")
    if token:
        more["Authorization"] = f"Bearer {syntax.variable(token)}"
    return {"http_headers": fields.joined("http_headers", more), **fields.rest()}


def _copilot(raw: Raw) -> Raw:
    """Return an entry with the tools that Copilot may use of its server."""
    fields = Fields(raw)
    return {"allowedTools": fields.first("tools")[1], **fields.rest()}


def _mcporter(raw: Raw) -> Raw:
    """Return an entry with the credentials that mcporter takes beside its headers."""
    fields = Fields(raw)
    more: dict[str, str] = {}
    token = fields.text("bearerToken", "bearer_token")
    if token:
        more["Authorization"] = f"Bearer {token}"
    whole = fields.text("bearerTokenEnv", "bearer_token_env")
    if whole:  # a variable of all that the header says
        more["Authorization"] = syntax.variable(whole)
    secret = fields.text("oauthClientSecretEnv", "oauth_client_secret_env")
    return {
        "headers": fields.joined("headers", more),
        "oauthClientSecret": syntax.variable(secret) if secret else None,
        "command": fields.first("command", "executable")[1],
        **fields.rest(),
    }


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
    inner.pop("config", None)
    if inner.get("type") in _GOOSE_ONLY:
        return None
    fields = Fields(inner)
    held = member(inner, "envs")
    named = [one for one in fields.texts("env_keys") if one not in held]
    more = {one: syntax.variable(one) for one in named}
    tools = fields.first("available_tools")[1]
    return {
        "envs": fields.joined("envs", more),
        "allowedTools": tools or None,
        **fields.rest(),
    }


_UNHEEDED = {"headers": "means nothing to Codex; write http_headers"}

CODEX = Dialect(usual(("mcp_servers",)), amend=_codex, unheeded=_UNHEEDED)
# GitHub's reference of the commands of Copilot CLI, on local and remote servers.
COPILOT_CLI = Dialect(usual(("mcpServers",)), amend=_copilot)
GEMINI_CLI = Dialect(_gemini, Habits(("httpUrl", "url")))
OPENCODE = Dialect(usual(("mcp",)), Habits(limits="connect"))
GOOSE = Dialect(usual(("extensions",)), Habits(("uri", "url"), unit=1.0), _goose)
JUPYTER_AI = Dialect(usual(("mcp_servers",)))
LM_STUDIO = Dialect(usual(("mcpServers",)))
MCPORTER = Dialect(usual(("mcpServers",)), Habits(("baseUrl", "url")), _mcporter)
OWN = Dialect(usual(("mcpServers",)), Habits(unit=1.0))
