"""Find the service where a person signs in for a server, as the specification says.

The order and the checks are those of MCP 2026-07-28, authorization: the server's
metadata (RFC 9728) name the service, whose own metadata (RFC 8414) must name it back.
Servers from before 2025-06-18 have none and are their own service.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import urlsplit

import httpx2
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
    create_oauth_metadata_request,
    extract_field_from_www_auth,
    issuers_match,
)
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata
from mcp.shared.auth_utils import check_resource_allowed
from pydantic import BaseModel, ValidationError

from mcp_magic.client.auth.record import canonical
from mcp_magic.client.auth.settings import SignInSettings
from mcp_magic.client.auth.web import Web
from mcp_magic.errors import SignInFailed, visible

__all__ = ["Challenge", "Service", "discover"]

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Challenge:
    """How a server refused a request for want of a token.

    Attributes:
        status: The HTTP status; 403 wants a token for more.
        header: Its ``WWW-Authenticate`` header; untrusted, may be empty.
    """

    status: int = 401
    header: str = ""

    @property
    def wants_more(self) -> bool:
        """Whether the token was good, but not for this."""
        return self.status == 403

    def field(self, name: str) -> str:
        """Return what the header says under *name*, or an empty text."""
        given = {"WWW-Authenticate": self.header} if self.header else {}
        response = httpx2.Response(self.status, headers=given)
        return extract_field_from_www_auth(response, name) or ""


@dataclass(frozen=True, slots=True)
class Service:
    """Where a person signs in for one server.

    Attributes:
        server_url: The server.
        protected: What the server says about itself.
        metadata: What the service says; ``None`` for a server from before 2025-06-18
            that is its own service and says nothing.
        issuer: The service, as it names itself.
    """

    server_url: str
    protected: ProtectedResourceMetadata | None
    metadata: OAuthMetadata | None
    issuer: str

    @property
    def resource(self) -> str:
        """What the tokens are for (RFC 8707)."""
        if self.protected is not None:
            return str(self.protected.resource)
        return canonical(self.server_url)

    def endpoint(self, kind: str) -> str:
        """Return the address for *kind*, such as ``token``; empty if there is none."""
        if self.metadata is not None:
            found = getattr(self.metadata, f"{kind}_endpoint")
            return "" if found is None else str(found)
        paths = {"authorization": "/authorize", "token": "/token"}
        paths["registration"] = "/register"
        return _origin(self.server_url) + paths[kind] if kind in paths else ""


async def discover(
    web: Web, challenge: Challenge, settings: SignInSettings
) -> Service | None:
    """Return the service for the server of *web*.

    Returns:
        ``None`` if the server says nothing about signing in, anywhere.

    Raises:
        SignInFailed: What is said contradicts itself, or cannot be read now.
    """
    server_url = web.server_url
    protected = await _protected(web, challenge)
    service = Service(server_url, protected, None, _origin(server_url))
    if settings.metadata_url:
        metadata = await _first(web, [settings.metadata_url], OAuthMetadata)
        if metadata is None:
            raise SignInFailed(f"nothing can be read at {settings.metadata_url}")
        return replace(service, metadata=metadata, issuer=str(metadata.issuer))
    if protected is None:
        return await _on_its_own(web, service, challenge)
    issuer = _choose([str(one) for one in protected.authorization_servers], settings)
    places = build_oauth_authorization_server_metadata_discovery_urls(
        issuer, server_url
    )
    metadata = await _first(web, places, OAuthMetadata)
    if metadata is None:
        raise SignInFailed(
            f"the sign-in service {visible(issuer)} publishes no metadata that can be "
            "used; tell whoever runs the server"
        )
    _must_match(issuer, str(metadata.issuer))
    return replace(service, metadata=metadata, issuer=str(metadata.issuer))


async def _protected(
    web: Web, challenge: Challenge
) -> ProtectedResourceMetadata | None:
    given = challenge.field("resource_metadata") or None
    places = build_protected_resource_metadata_discovery_urls(given, web.server_url)
    found = await _first(web, places, ProtectedResourceMetadata)
    if found is None:
        return None
    wanted, named = canonical(web.server_url), str(found.resource)
    if not check_resource_allowed(requested_resource=wanted, configured_resource=named):
        raise SignInFailed(
            f"the server's metadata are those of {visible(named)}, not of {wanted}"
        )
    return found


async def _on_its_own(
    web: Web, service: Service, challenge: Challenge
) -> Service | None:
    """Return the service of a server that is its own, as before 2025-06-18."""
    places = build_oauth_authorization_server_metadata_discovery_urls(
        None, service.server_url
    )
    metadata = await _first(web, places, OAuthMetadata)
    if metadata is None:
        # Without a challenge there is no sign that anybody could sign in at all.
        return service if challenge.header else None
    if not issuers_match(str(metadata.issuer), service.issuer):
        _must_match(service.issuer, str(metadata.issuer))
    return replace(service, metadata=metadata, issuer=str(metadata.issuer))


async def _first(web: Web, places: Sequence[str], kind: type[M]) -> M | None:
    """Return the first document of a kind that one of *places* has.

    Raises:
        SignInFailed: A place has trouble, which says nothing about what it has.
    """
    for place in places:
        what = f"metadata address {urlsplit(place).path}"
        response = await web.send(create_oauth_metadata_request(place), what)
        if response.status_code == 429 or response.status_code >= 500:
            raise SignInFailed(
                f"the metadata of the sign-in service cannot be read now (HTTP "
                f"{response.status_code} from {response.request.url.host}); try again"
            )
        if response.status_code == 200:
            try:
                return kind.model_validate_json(response.content)
            except ValidationError:
                continue  # a web page, or addresses that are none
    return None


def _choose(offered: Sequence[str], settings: SignInSettings) -> str:
    """Return the service to use: the one that was configured, else the first."""
    if not settings.issuer:
        return offered[0]
    for one in offered:
        if issuers_match(one, settings.issuer):
            return one
    raise SignInFailed(
        f"the server names {visible(offered[0])}, but oauth.issuer is "
        f"{settings.issuer}; nothing was sent"
    )


def _must_match(expected: str, named: str) -> None:
    """Refuse metadata of another service; a last slash more or less is the same one."""
    if expected.rstrip("/") != named.rstrip("/"):
        raise SignInFailed(
            f"the sign-in service is {visible(expected)}, but its metadata name "
            f"{visible(named)}; nothing was sent"
        )


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
