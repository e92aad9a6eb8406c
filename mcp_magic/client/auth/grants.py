"""The token endpoint: what is sent for each kind of grant, and what is made of it."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

import httpx2
from mcp.shared.auth import OAuthToken
from pydantic import ValidationError

from mcp_magic.client.auth.discovery import Service
from mcp_magic.client.auth.record import Tokens
from mcp_magic.client.auth.registration import Client
from mcp_magic.client.auth.settings import SignInSettings
from mcp_magic.client.auth.web import Web
from mcp_magic.errors import SignInFailed, visible
from mcp_magic.model import Secret

__all__ = ["Desk", "Refused"]

_FINAL = frozenset(("invalid_grant", "invalid_client", "unauthorized_client"))
_BASIC, _POST = "client_secret_basic", "client_secret_post"
_OTHER = {_BASIC: _POST, _POST: _BASIC}
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_TYPE = "urn:ietf:params:oauth:token-type:"
_JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@dataclass(frozen=True, slots=True)
class Refused:
    """The service gave no token.

    Attributes:
        error: Its word for why, such as ``invalid_grant`` (RFC 6749, 5.2).
        said: The same with what else it said, as may be shown.
    """

    error: str
    said: str

    @property
    def is_final(self) -> bool:
        """Whether asking again is no use."""
        return self.error in _FINAL

    @property
    def forgets_client(self) -> bool:
        """Whether the registration is no good any more."""
        return self.error in ("invalid_client", "unauthorized_client")


@dataclass(frozen=True, slots=True)
class Desk:
    """A service's token endpoint, as one client asks it.

    Attributes:
        web: Sends the requests.
        service: Whose endpoint it is.
        client: Who asks.
    """

    web: Web
    service: Service
    client: Client

    async def for_code(
        self, sent: Mapping[str, Secret], scope: str
    ) -> Tokens | Refused:
        """Exchange a code for tokens.

        Args:
            sent: The ``code``, the ``code_verifier`` and the ``redirect_uri``.
            scope: What was asked for: also what is given, unless the answer says
                otherwise.
        """
        return await self._ask({"grant_type": "authorization_code"}, sent, scope)

    async def for_refresh(self, tokens: Tokens) -> Tokens | Refused:
        """Renew tokens; what the answer leaves out stays as it was."""
        assert tokens.refresh is not None, "renewable"  # noqa: S101 - callers look
        sent = {"refresh_token": tokens.refresh}
        fresh = await self._ask({"grant_type": "refresh_token"}, sent, tokens.scope)
        if isinstance(fresh, Tokens) and fresh.refresh is None:
            return replace(fresh, refresh=tokens.refresh)
        return fresh

    async def for_itself(
        self, settings: SignInSettings, scope: str
    ) -> Tokens | Refused:
        """Get tokens that no person has to agree to."""
        data = {"scope": scope} if scope else {}
        if settings.grant == "identity_assertion":
            sent = {"assertion": await self._vouched_for(settings)}
            return await self._ask({**data, "grant_type": _JWT_BEARER}, sent, scope)
        data["grant_type"] = "client_credentials"
        if settings.private_key is None:
            return await self._ask(data, {}, scope)
        data["client_assertion_type"] = _ASSERTION
        sent = {"client_assertion": await self._signed(settings)}
        return await self._ask(data, sent, scope)

    async def revoke(self, tokens: Tokens) -> bool:
        """Say that tokens are not needed any more; whether the service took note."""
        place = self.service.endpoint("revocation")
        done = bool(place)
        for hint, token in (("refresh", tokens.refresh), ("access", tokens.access)):
            if place and token is not None:
                data = {"token_type_hint": f"{hint}_token"}
                request = _request(self.client, place, data, {"token": token})
                response = await self.web.send(request, "revocation endpoint")
                done = done and response.is_success
        return done

    async def _signed(self, settings: SignInSettings) -> Secret:
        """Return this client's name, signed; for this service and no other."""
        # Imports cryptography: a cost that few servers need.
        from mcp.client.auth.extensions.client_credentials import (  # noqa: PLC0415
            SignedJWTParameters,
        )

        key, client = settings.private_key, self.client
        assert key is not None, "looked at"  # noqa: S101 - by the caller
        signed = SignedJWTParameters(
            issuer=client.id,
            subject=client.id,
            signing_key=key.reveal(),
            signing_algorithm=settings.algorithm,
        )
        return Secret(await signed.create_assertion_provider()(self.service.issuer))

    async def _vouched_for(self, settings: SignInSettings) -> Secret:
        """Have the company's identity provider vouch for the person (SEP-990)."""
        provider = settings.provider
        if provider is None:
            raise SignInFailed("identity_assertion needs oauth.id_token")
        data = {
            "grant_type": _EXCHANGE,
            "requested_token_type": _TYPE + "id-jag",
            "subject_token_type": _TYPE + "id_token",
            "audience": self.service.issuer,
            "resource": self.service.resource,
        }
        me = Client(provider.client_id)
        sent = {"subject_token": provider.id_token}
        request = _request(me, provider.token_endpoint, data, sent)
        response = await self.web.send(request, "identity provider")
        match _json(response):
            case {"access_token": str() as token}:
                return Secret(token)
        said = _said(response, sent.values())[1]
        raise SignInFailed(f"the identity provider did not vouch: {said}")

    async def _ask(
        self, data: Mapping[str, str], sent: Mapping[str, Secret], scope: str
    ) -> Tokens | Refused:
        """Ask for tokens; a password that is refused is sent the other way once."""
        place = self.service.endpoint("token")
        data = {**data, "resource": self.service.resource}
        client = self.client
        got = await _tokens(self.web, _request(client, place, data, sent), sent, scope)
        if client.secret and isinstance(got, Refused) and got.error == "invalid_client":
            other = replace(client, method=_OTHER.get(client.method, _BASIC))
            request = _request(other, place, data, sent)
            return await _tokens(self.web, request, sent, scope)
        return got


async def _tokens(
    web: Web, request: httpx2.Request, sent: Mapping[str, Secret], scope: str
) -> Tokens | Refused:
    response = await web.send(request, "token endpoint")
    if response.status_code == 429 or response.status_code >= 500:
        raise SignInFailed(
            f"the token endpoint at {request.url.host} has trouble "
            f"(HTTP {response.status_code}); try again"
        )
    if not response.is_success or "access_token" not in _json(response):
        return Refused(*_said(response, sent.values()))
    try:
        token = OAuthToken.model_validate_json(response.content)
    except ValidationError:
        token = None
    if token is None:
        raise SignInFailed("the token endpoint gave a token of no known kind")
    given = scope if token.scope is None else token.scope
    return Tokens.given(
        token.access_token, token.refresh_token, token.expires_in, given, time.time()
    )


def _request(
    client: Client, place: str, data: Mapping[str, str], sent: Mapping[str, Secret]
) -> httpx2.Request:
    """Return a request of *client*, its name and password as the service wants."""
    form = {**data, **{key: one.reveal() for key, one in sent.items()}}
    headers = {"Accept": "application/json"}
    if client.secret is not None and client.method == _BASIC:
        # RFC 6749, 2.3.1: each is quoted by itself.
        pair = (quote(one, safe="") for one in (client.id, client.secret.reveal()))
        coded = base64.b64encode(":".join(pair).encode()).decode()
        headers["Authorization"] = f"Basic {coded}"
    elif "client_assertion" not in form:
        form["client_id"] = client.id
        if client.secret is not None and client.method == _POST:
            form["client_secret"] = client.secret.reveal()
    return httpx2.Request("POST", place, data=form, headers=headers)


def _json(response: httpx2.Response) -> Mapping[str, object]:
    try:
        found = json.loads(response.content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _said(response: httpx2.Response, sent: Iterable[Secret]) -> tuple[str, str]:
    """Return a refusal's word and its text: what RFC 6749 knows, never the body.

    A service may repeat what it was sent; that is taken out.
    """
    found = _json(response)
    error = re.sub(r"[^\x20-\x7e]", "", str(found.get("error", "")))[:60]
    more = str(found.get("error_description", ""))
    for one in sent:
        more = more.replace(one.reveal(), "…")
    more = " ".join(visible(more).split())[:200]
    said = error or f"HTTP {response.status_code}"
    return error, f"{said} ({more})" if more else said
