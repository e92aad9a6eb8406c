"""What a person configured about signing in to one server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mcp_magic.errors import ArgumentError
from mcp_magic.model import Json, Secret

__all__ = ["Grant", "IdentityProvider", "Redirect", "SignInSettings", "read_settings"]

Grant: TypeAlias = Literal["person", "client_credentials", "identity_assertion"]
"""Who signs in: a person, this program itself, or a company's identity provider."""

_HERE = re.compile(r"http://(127\.0\.0\.1|localhost)(?::(\d{1,5}))?(/[^?#\s]*)?")
_METHODS = ("client_secret_basic", "client_secret_post", "none")


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """A company's identity provider that vouches for the person (SEP-990).

    Attributes:
        token_endpoint: Where it exchanges tokens.
        client_id: This program's name there.
        id_token: The person's token from there.
    """

    token_endpoint: str
    client_id: str
    id_token: Secret


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where the browser is sent back to: this machine.

    Attributes:
        host: How the registration calls it.
        port: The one port that the registration allows; ``None``: any.
        path: The page.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    path: str = "/callback"


@dataclass(frozen=True, slots=True)
class SignInSettings:
    """How to sign in to one server; everything may be left to discovery.

    Attributes:
        client_id: The name of a registration that was made by hand.
        client_secret: Its password.
        auth_method: How the secret is sent; an empty text finds out.
        client_metadata_url: A document that describes this program, used as its name
            where the service knows such documents.
        scope: What to ask for, instead of what the server names.
        redirect: Where the browser is sent back to.
        client_name: What this program calls itself when it registers.
        metadata_url: Where the service's metadata are, instead of being found.
        issuer: The one service that may be used.
        needs_pkce: Whether a service must announce PKCE; some have it unannounced.
        grant: Who signs in.
        private_key: Signs this program's own name instead of a secret, in PEM.
        algorithm: The key's signature algorithm.
        provider: The identity provider, for ``identity_assertion``.
        private_hosts: Hosts of the service that may be in a private network though the
            server is not, in small letters.
    """

    client_id: str = ""
    client_secret: Secret | None = None
    auth_method: str = ""
    client_metadata_url: str = ""
    scope: str = ""
    redirect: Redirect = Redirect()
    client_name: str = ""
    metadata_url: str = ""
    issuer: str = ""
    needs_pkce: bool = True
    grant: Grant = "person"
    private_key: Secret | None = None
    algorithm: str = "ES256"
    provider: IdentityProvider | None = None
    private_hosts: tuple[str, ...] = ()


def read_settings(given: Mapping[str, Json | Secret], server: str) -> SignInSettings:
    """Return the settings in a server's entry.

    Args:
        given: Placeholders filled in, names in snake_case.
        server: The server's name, for errors.

    Raises:
        ArgumentError: A value cannot be used.
    """
    reader = _Reader(given, server)
    return SignInSettings(
        client_id=reader.text("client_id"),
        client_secret=reader.secret("client_secret"),
        auth_method=reader.one_of("auth_method", ("", *_METHODS)),
        client_metadata_url=reader.text("client_metadata_url"),
        scope=reader.words("scope"),
        redirect=_redirect(reader),
        client_name=reader.text("client_name"),
        metadata_url=reader.text("metadata_url"),
        issuer=reader.text("issuer"),
        needs_pkce=given.get("pkce") is not False,
        grant=_grant(reader),
        private_key=reader.secret("private_key"),
        algorithm=reader.text("algorithm") or "ES256",
        provider=_provider(reader),
        private_hosts=tuple(reader.words("private_hosts").lower().split()),
    )


def _redirect(reader: _Reader) -> Redirect:
    uri, port = reader.text("redirect_uri"), reader.port("redirect_port")
    if not uri:
        return Redirect(port=port)
    match = _HERE.fullmatch(uri)
    if match is None:
        raise reader.unusable("redirect_uri", "like http://localhost:PORT/callback")
    host, given, path = match.groups()
    return Redirect(host, int(given) if given else port, path or "/")


def _grant(reader: _Reader) -> Grant:
    match reader.one_of(
        "grant", ("", "person", "client_credentials", "identity_assertion")
    ):
        case "client_credentials":
            return "client_credentials"
        case "identity_assertion":
            return "identity_assertion"
    return "person"


def _provider(reader: _Reader) -> IdentityProvider | None:
    token = reader.secret("id_token")
    if token is None:
        return None
    endpoint = reader.text("id_token_endpoint")
    return IdentityProvider(endpoint, reader.text("id_client_id"), token)


@dataclass(frozen=True, slots=True)
class _Reader:
    given: Mapping[str, Json | Secret]
    server: str

    def text(self, key: str) -> str:
        value = self.given.get(key)
        if isinstance(value, Secret):
            value = value.reveal()
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.unusable(key, "a text")
        return value.strip()

    def secret(self, key: str) -> Secret | None:
        value = self.text(key)
        return Secret(value) if value else None

    def words(self, key: str) -> str:
        value = self.given.get(key)
        if isinstance(value, list | tuple):
            return " ".join(map(str, value))
        return self.text(key)

    def one_of(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self.text(key)
        if value not in allowed:
            raise self.unusable(key, f"one of {', '.join(filter(None, allowed))}")
        return value

    def port(self, key: str) -> int | None:
        value = self.given.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.unusable(key, "a port number")
        if not 0 < value < 65536:
            raise self.unusable(key, "a port number")
        return value

    def unusable(self, key: str, wanted: str) -> ArgumentError:
        return ArgumentError(
            f"oauth.{key} of {self.server} is not {wanted}; put it right there"
        )
