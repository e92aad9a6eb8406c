"""The settings of a sign-in, whatever a product calls them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_magic.config.dialects.fields import Fields, kind
from mcp_magic.model import Json, Secret

__all__ = ["read_oauth"]

_SAME = {
    "scopes": "scope",
    "callback_port": "redirect_port",
    "redirect_url": "redirect_uri",
    "auth_server_metadata_url": "metadata_url",
    "authorization_server_metadata_url": "metadata_url",
    "oauth_scope": "scope",
    "oauth_scopes": "scope",
    "oauth_redirect_url": "redirect_uri",
    "oauth_client_id": "client_id",
    "oauth_client_secret": "client_secret",
}
_BESIDE = (
    *("oauthScope", "oauthScopes", "oauthRedirectUrl", "clientName"),
    *("oauthClientId", "oauthClientSecret"),
)


def read_oauth(fields: Fields) -> Mapping[str, Json | Secret]:
    """Return the settings of an entry's sign-in, their names in snake_case."""
    given: dict[str, Json] = {}
    for name in ("auth", "oauth"):
        _, value = fields.first(name)
        match value:
            case Mapping():
                given |= value
            case bool():
                given["enabled"] = value
            case "oauth":
                given["enabled"] = True
            case int() | float() | list():
                fields.notes.append(f"{name} is {kind(value)}; write a table")
    given |= {name: fields.first(name)[1] for name in _BESIDE}
    found = {_named(name): one for name, one in given.items() if one is not None}
    return {name: _setting(name, one) for name, one in found.items()}


def _named(name: str) -> str:
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return _SAME.get(snake, snake)


def _setting(name: str, value: Json) -> Json | Secret:
    if "secret" in name:
        return Secret(str(value))
    if name == "scope" and isinstance(value, list):
        return " ".join(map(str, value))
    return value
