"""What is kept of a sign-in: the tokens, and whom they come from; pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast
from urllib.parse import urlsplit, urlunsplit

from mcp_magic.model import Json, Secret

__all__ = [
    "BY_HAND",
    "Record",
    "Tokens",
    "canonical",
    "has_typed_secret",
    "read_record",
    "with_typed_secret",
    "write_record",
]

BY_HAND = "by_hand"
"""Marks a registration that a person typed; a secret of it is never written."""

_VERSION = 1
_EARLY = 30.0  # seconds before its end at which a token is renewed, at most
_LONGEST = 10 * 365 * 86400.0  # seconds that a token may claim to last


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a sign-in service gave.

    Attributes:
        access: The token that is sent to the server.
        refresh: The one that renews it, if there is one.
        expires_at: When ``access`` ends, in seconds since the epoch; ``None``: unknown.
        renew_at: From when on it is renewed before it is sent.
        scope: What it allows, separated by spaces.
    """

    access: Secret
    refresh: Secret | None = None
    expires_at: float | None = None
    renew_at: float | None = None
    scope: str = ""

    @classmethod
    def given(
        cls,
        access: str,
        refresh: str | None,
        lifetime: float | None,
        scope: str,
        now: float,
    ) -> Tokens:
        """Return the tokens of an answer that came at *now* and last *lifetime* s.

        A lifetime of nothing or less is none that was given.
        """
        lifetime = None if not lifetime or lifetime < 0 else min(lifetime, _LONGEST)
        expires = None if lifetime is None else now + lifetime
        early = min(_EARLY, (lifetime or 0) / 10)
        return cls(
            Secret(access),
            Secret(refresh) if refresh else None,
            expires,
            None if expires is None else expires - early,
            scope,
        )


@dataclass(frozen=True, slots=True)
class Record:
    """One server's sign-in.

    Attributes:
        resource: The server's URL in canonical form; tokens go there alone.
        issuer: The sign-in service.
        tokens: What it gave; ``None`` before the first sign-in and after the last.
        client: This program's registration there, as JSON; it may hold a secret.
        service: The service's metadata (RFC 8414).
        protected: The server's metadata (RFC 9728).
    """

    resource: str
    issuer: str = ""
    tokens: Tokens | None = None
    client: Secret | None = None
    service: Mapping[str, Json] = field(default_factory=dict)
    protected: Mapping[str, Json] = field(default_factory=dict)


def canonical(url: str) -> str:
    """Return a server's URL as RFC 8707 compares it: host in small letters."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme.lower(), host, parts.path, parts.query, ""))


def has_typed_secret(record: Record) -> bool:
    """Whether a record holds a secret that a person typed, and so no file may."""
    client = {} if record.client is None else json.loads(record.client.reveal())
    return BY_HAND in client and "client_secret" in client


def with_typed_secret(record: Record, typed: Record) -> Record:
    """Return *record* with the secret of *typed*, if that is the same registration."""
    same = record.issuer == typed.issuer and _written(record) == _written(typed)
    return replace(record, client=typed.client) if same else record


def _written(record: Record) -> Json:
    """Return a record's registration as a file may hold it."""
    if record.client is None:
        return None
    client: dict[str, Json] = json.loads(record.client.reveal())
    if has_typed_secret(record):
        del client["client_secret"]
    return client


def write_record(record: Record) -> str:
    """Return *record* as the text of its file: the one place that reveals tokens."""
    tokens = record.tokens
    kept: dict[str, Json] = {
        "version": _VERSION,
        "resource": record.resource,
        "issuer": record.issuer,
        "service": dict(record.service),
        "protected": dict(record.protected),
    }
    if record.client is not None:
        kept["client"] = _written(record)
    if tokens is not None:
        kept["tokens"] = {
            "access": tokens.access.reveal(),
            "refresh": None if tokens.refresh is None else tokens.refresh.reveal(),
            "expires_at": tokens.expires_at,
            "renew_at": tokens.renew_at,
            "scope": tokens.scope,
        }
    return json.dumps(kept, indent=1)


def read_record(text: str) -> Record:
    """Return the record that *text* holds.

    Raises:
        ValueError: It holds none; the error does not repeat it.
    """
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("no JSON") from None
    match kept:
        case {"version": 1, "resource": str() as resource, "issuer": str() as issuer}:
            return Record(
                resource,
                issuer,
                _tokens(kept.get("tokens")),
                _client(kept.get("client")),
                _mapping(kept.get("service")),
                _mapping(kept.get("protected")),
            )
    raise ValueError("no record of a sign-in")


def _tokens(kept: object) -> Tokens | None:
    match kept:
        case None:
            return None
        case {
            "access": str() as access,
            "refresh": str() | None as refresh,
            "expires_at": int() | float() | None as expires,
            "renew_at": int() | float() | None as renew,
            "scope": str() as scope,
        }:
            more = None if refresh is None else Secret(refresh)
            return Tokens(Secret(access), more, expires, renew, scope)
    raise ValueError("no tokens")


def _client(kept: object) -> Secret | None:
    if kept is None:
        return None
    match kept:
        case {"client_id": str()}:
            return Secret(json.dumps(kept))
    raise ValueError("no registration")


def _mapping(kept: object) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", kept) if isinstance(kept, Mapping) else {}
