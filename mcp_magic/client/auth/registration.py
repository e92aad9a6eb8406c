"""Under which name this program is known to a sign-in service.

The order of MCP 2026-07-28: a registration made by hand, a document that describes
this program, a registration that was kept, a new one, else a text that says what to do.
"""

from __future__ import annotations

import hashlib
import json
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
from mcp_magic.client.auth.record import BY_HAND, Record, canonical
from mcp_magic.client.auth.settings import SignInSettings
from mcp_magic.client.auth.web import Web
from mcp_magic.errors import SignInFailed
from mcp_magic.model import Secret

__all__ = [
    "Client",
    "Unregistered",
    "configured",
    "kept",
    "last_used",
    "redirect_port",
    "register",
    "typed",
    "unseal",
]

_NAME = "mcp-magic (Jupyter)"
_PORTS = range(20_000, 30_000)  # below those that systems give to whoever asks
_BUSY = (429, 502, 503, 504)  # it may well register this program later
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
        sealed: The registration as kept, for one that is not in the configuration.
    """

    id: str
    secret: Secret | None = None
    method: str = "none"
    is_kept: bool = False
    sealed: Secret | None = None


class Unregistered(SignInFailed):
    """A service gives this program no name: a person has to register it by hand."""


def unseal(sealed: Secret | None) -> OAuthClientInformationFull | None:
    """Return a registration as kept, if it can be read."""
    if sealed is None:
        return None
    try:
        return OAuthClientInformationFull.model_validate_json(sealed.reveal())
    except ValidationError:
        return None


def redirect_port(record: Record | None, server_url: str) -> int:
    """Return the port of the last sign-in, which the service may insist on.

    Before the first one it is always the same for a server: whoever registers this
    program by hand may need another attempt, or another machine, to come back to it.
    """
    info = unseal(None if record is None else record.client)
    uris = [] if info is None else info.redirect_uris or []
    if uris and uris[0].port:
        return uris[0].port
    digest = hashlib.sha256(canonical(server_url).encode()).digest()
    return _PORTS[int.from_bytes(digest[:4]) % len(_PORTS)]


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
    if record is None or info is None or record.client is None:
        return None
    if not issuers_match(record.issuer, service.issuer):
        return None
    ends = info.client_secret_expires_at or 0
    if ends and ends <= time.time() + _SPARE:
        return None
    if redirect_uri not in map(str, info.redirect_uris or []):
        return None
    return _usable(_client(service, info, record.client, is_kept=True))


def last_used(
    service: Service, record: Record, settings: SignInSettings
) -> Client | None:
    """Return the registration that the tokens of *record* were given to."""
    info = unseal(record.client)
    if settings.client_id:
        return configured(service, settings)
    if info is None or record.client is None:
        return None
    return _usable(_client(service, info, record.client))


def typed(
    service: Service, client_id: str, secret: Secret | None, redirect_uri: str
) -> Client:
    """Return the registration that a person made by hand and typed."""
    method = _method(service, secret, None)
    kept = {
        BY_HAND: True,
        "client_id": client_id,
        "redirect_uris": [redirect_uri],
        "token_endpoint_auth_method": method,
    }
    if secret is not None:
        kept["client_secret"] = secret.reveal()
    return Client(client_id, secret, method, sealed=Secret(json.dumps(kept)))


async def register(
    web: Web,
    service: Service,
    redirect_uri: str,
    scope: str | None,
    name: str = "",
) -> Client:
    """Register this program anew, under *name* if that is not empty.

    Raises:
        SignInFailed: The service has trouble.
        Unregistered: It does not let this program register itself.
    """
    place = service.endpoint("registration")
    if not place:
        raise Unregistered("does not let programs register themselves")
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
    status = response.status_code
    if status in _BUSY:
        raise SignInFailed(
            f"the registration endpoint at {request.url.host} has trouble "
            f"(HTTP {status}); try again"
        )
    try:
        info = await handle_registration_response(response)
        check_registration_usable(info)
    except OAuthRegistrationError:
        info = None
    if info is None:
        raise Unregistered(f"did not register this program (HTTP {status})")
    # Some answer with another loopback address than the one that was asked for.
    info = info.model_copy(update={"redirect_uris": [AnyUrl(redirect_uri)]})
    return _client(service, info, Secret(info.model_dump_json(exclude_none=True)))


def _client(
    service: Service,
    info: OAuthClientInformationFull,
    sealed: Secret,
    *,
    is_kept: bool = False,
) -> Client:
    secret = Secret(info.client_secret) if info.client_secret else None
    method = _method(service, secret, info.token_endpoint_auth_method)
    return Client(info.client_id, secret, method, is_kept, sealed)


def _usable(client: Client) -> Client | None:
    """Return a registration unless its secret is elsewhere: it was typed there."""
    needs_secret = client.method in _WITH_SECRET and client.secret is None
    return None if needs_secret else client


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
