"""Which servers are signed in to here, and which bring their token along."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp_magic.client.auth.account import Account
from mcp_magic.client.auth.bearer import Bearer
from mcp_magic.client.auth.settings import read_settings
from mcp_magic.config import Http, ServerEntry, Target, expand_oauth, read_text
from mcp_magic.model import Json, Secret

if TYPE_CHECKING:
    from mcp_magic.client.settings import Settings

__all__ = ["account_for", "bearer_for", "own_token"]


def account_for(
    entry: ServerEntry, target: Target, settings: Settings
) -> Account | None:
    """Return the account for a server; ``None`` if its own token is used, or nobody's.

    One source wins: what a person configured, whatever else is kept.

    Args:
        entry: The server.
        target: Its target, placeholders filled in.
        settings: Has the store of tokens; without one nobody signs in.

    Raises:
        ArgumentError: Its settings cannot be used.
        ServerUnreachable: A value of theirs is missing.
    """
    store = settings.store
    if store is None or not isinstance(target, Http) or own_token(target):
        return None
    given = {
        **_implied(entry),
        **expand_oauth(entry, os.environ, ask=settings.ask, read=read_text),
    }
    if entry.source is not None and entry.source.scope == "project":
        # What a folder brings along may name a server, and weakens no check of it.
        given.pop("private_hosts", None)
    if given.get("enabled") is False:
        return None
    return Account(target.url, read_settings(given, entry.name), store)


def _implied(entry: ServerEntry) -> dict[str, Json | Secret]:
    """Return what a product takes for granted of the registrations in its file."""
    if entry.source is not None and entry.source.product == "Claude Code":
        return {"redirect_uri": "http://localhost/callback"}
    return {}


def bearer_for(entry: ServerEntry, target: Target, settings: Settings) -> Bearer | None:
    """Return what puts the tokens of a server's account into its requests."""
    account = account_for(entry, target, settings)
    return None if account is None else Bearer(account)


def own_token(target: Target) -> str:
    """Return where a server's configuration brings a token, or an empty text."""
    if not isinstance(target, Http):
        return ""
    if any(name.lower() == "authorization" for name in target.headers):
        return "Authorization header in its configuration"
    return "user and password in its URL" if urlsplit(target.url).username else ""
