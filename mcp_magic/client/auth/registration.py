"""Under which name this program is known to a sign-in service.

The order of MCP 2026-07-28: a registration made by hand, a document that describes
this program, a registration that was kept, a new one, else a text that says what to do.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from mcp.client.auth.exceptions import OAuthRegistrationError
from mcp.client.auth.oauth2 import check_registration_usable
from mcp.client.auth.utils import (
    create_client_registration_request,
    handle_registration_response,
    issuers_match,
    should_use_client_metadata_url,
)
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    TokenEndpointAuthMethod,
)
from pydantic import AnyUrl, ValidationError

from mcp_magic.client.auth.discovery import Service
from mcp_magic.client.auth.record import Record
from mcp_magic.client.auth.settings import SignInSettings
from mcp_magic.client.auth.web import Web
from mcp_magic.errors import SignInFailed
from mcp_magic.model import Secret

__all__ = [
    "Client",
    "configured",
    "kept",
    "last_used",
    "redirect_port",
    "register",
    "unseal",
]

_NAME = "mcp-magic (Jupyter)"
_SPARE = 60.0  # seconds that a registration must still be good for
_WITH_SECRET: tuple[TokenEndpointAuthMethod, ...] = (
    "client_secret_basic",
    "client_secret_post",
)


@dataclass(frozen=True, slots=True)
class Client:
    """This program as a service knows it.

    Attributes:
        id: Its name there.
        secret: Its password, if it has one.
        method: How the password is sent.
        is_kept: Whether it was made by an earlier sign-in, and may be forgotten.
        sealed: The registration as kept, for one that was made by this program.
    """

    id: str
    secret: Secret | None = None
    method: str = "none"
    is_kept: bool = False
    sealed: Secret | None = None


def unseal(sealed: Secret | None) -> OAuthClientInformationFull | None:
    """Return a registration as kept, if it can be read."""
    if sealed is None:
        return None
    try:
        return OAuthClientInformationFull.model_validate_json(sealed.reveal())
    except ValidationError:
        return None


def redirect_port(record: Record | None) -> int | None:
    """Return the port of the last sign-in, which the service may insist on."""
    info = unseal(None if record is None else record.client)
    uris = [] if info is None else info.redirect_uris or []
    return uris[0].port if uris else None


def configured(service: Service, settings: SignInSettings) -> Client | None:
    """Return the registration that a person made, or the document that describes us."""
    if settings.client_id:
        method = settings.auth_method or _method(service, settings.client_secret, None)
        return Client(settings.client_id, settings.client_secret, method)
    url = settings.client_metadata_url
    known = should_use_client_metadata_url(service.metadata, url)
    return Client(url) if known else None


def kept(service: Service, record: Record | None, redirect_uri: str) -> Client | None:
    """Return the registration of an earlier sign-in, if it is still good."""
    info = unseal(None if record is None else record.client)
    if record is None or info is None:
        return None
    if not issuers_match(record.issuer, service.issuer):
        return None
    ends = info.client_secret_expires_at or 0
    if ends and ends <= time.time() + _SPARE:
        return None
    if redirect_uri not in map(str, info.redirect_uris or []):
        return None
    return _client(service, info, is_kept=True)


def last_used(
    service: Service, record: Record, settings: SignInSettings
) -> Client | None:
    """Return the registration that the tokens of *record* were given to."""
    info = unseal(record.client)
    if settings.client_id:
        return configured(service, settings)
    return None if info is None else _client(service, info)


async def register(
    web: Web,
    service: Service,
    redirect_uri: str,
    scope: str | None,
    name: str = "",
) -> Client:
    """Register this program anew, under *name* if that is not empty.

    Raises:
        SignInFailed: The service does not let programs register themselves.
    """
    place = service.endpoint("registration")
    if not place:
        raise _by_hand(service, "does not let programs register themselves")
    wanted = OAuthClientMetadata(
        redirect_uris=[AnyUrl(redirect_uri)],
        client_name=name or _NAME,
        token_endpoint_auth_method=_wanted_method(service),
        scope=scope,
        application_type="native",
    )
    base = place.removesuffix("/register")
    request = create_client_registration_request(service.metadata, wanted, base)
    response = await web.send(request, "registration endpoint")
    problem = f"did not register this program (HTTP {response.status_code})"
    try:
        info = await handle_registration_response(response)
        check_registration_usable(info)
    except OAuthRegistrationError:
        info = None
    if info is None:
        raise _by_hand(service, problem)
    # Some answer with another loopback address than the one that was asked for.
    info = info.model_copy(update={"redirect_uris": [AnyUrl(redirect_uri)]})
    return _client(service, info)


def _by_hand(service: Service, why: str) -> SignInFailed:
    return SignInFailed(
        f"the sign-in service {service.issuer} {why}: register a client there by hand "
        "(redirect address http://127.0.0.1:PORT/callback) and set oauth.client_id and "
        "oauth.redirect_port of the server"
    )


def _client(
    service: Service, info: OAuthClientInformationFull, *, is_kept: bool = False
) -> Client:
    secret = Secret(info.client_secret) if info.client_secret else None
    method = _method(service, secret, info.token_endpoint_auth_method)
    sealed = Secret(info.model_dump_json(exclude_none=True))
    return Client(info.client_id, secret, method, is_kept, sealed)


def _method(service: Service, secret: Secret | None, given: str | None) -> str:
    """Return how the secret is sent: as registered, else as the service can."""
    if given:
        return given
    if secret is None:
        return "none"
    can = _supported(service)
    return next((one for one in _WITH_SECRET if one in can), "client_secret_basic")


def _wanted_method(service: Service) -> TokenEndpointAuthMethod:
    """Return the method to register for: no secret, unless the service insists."""
    can = _supported(service)
    if not can or "none" in can:
        return "none"
    return next((one for one in _WITH_SECRET if one in can), "none")


def _supported(service: Service) -> list[str]:
    if service.metadata is None:
        return []
    return service.metadata.token_endpoint_auth_methods_supported or []
