"""The way from a refusal to tokens, step by step; a person is asked in the middle.

The SDK's provider does this in one private method that cannot refuse a service without
PKCE, keep a configured scope, heal a forgotten registration or check an address. So its
parts are used here in the same order, each step with the check that it lacks.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
from mcp.client.auth.oauth2 import PKCEParameters
from mcp.client.auth.utils import get_client_metadata_scopes, union_scopes
from pydantic import BaseModel

from mcp_magic.client.auth import registration
from mcp_magic.client.auth.answer import Expected
from mcp_magic.client.auth.attempt import Attempt, Place
from mcp_magic.client.auth.discovery import Challenge, Service, discover
from mcp_magic.client.auth.grants import Desk, Refused
from mcp_magic.client.auth.record import Record, Tokens, canonical
from mcp_magic.client.auth.registration import Client, Unregistered
from mcp_magic.client.auth.settings import SignInSettings
from mcp_magic.client.auth.store import Store
from mcp_magic.client.auth.web import Web
from mcp_magic.errors import SignInFailed
from mcp_magic.model import Json, Secret

__all__ = ["Wish", "find_service", "remember", "scope_for", "sign_in"]

_FORGOTTEN = (400, 401, 403, 404, 500)  # a sign-in page's answers to unknown clients
_GRANTS = ["authorization_code", "refresh_token"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a sign-in is for.

    Attributes:
        challenge: How the server refused.
        scope: What to ask for, if a person said so; else an empty text.
    """

    challenge: Challenge = field(default_factory=Challenge)
    scope: str = ""


async def sign_in(
    url: str, settings: SignInSettings, store: Store, wish: Wish, attempt: Attempt
) -> None:
    """Have a person sign in to the server at *url*, and keep the tokens.

    Raises:
        Elsewhere: Another kernel did meanwhile.
        SignInFailed: It did not work; the text says why.
    """
    async with Web(url, settings.private_hosts) as web:
        service = await find_service(web, wish.challenge, settings)
        _must_have_pkce(service, settings)
        before = registration.redirect_port(store.read(url), url)
        async with attempt.listening(settings.redirect, before) as redirect_uri:
            asking = _Asking(web, service, settings, store, wish, redirect_uri, attempt)
            client, question = await asking.question()
            code = await attempt.answer(
                question.url, asking.place, question.scope, question.expected
            )
        sent = {"code": code, "code_verifier": question.verifier}
        sent["redirect_uri"] = Secret(redirect_uri)
        got = await Desk(web, service, client).for_code(sent, question.scope)
    async with store.lock(url):
        if isinstance(got, Refused):
            if got.forgets_client:
                remember(store, url, service, client=None)
            raise SignInFailed(f"the sign-in service gave no token: {got.said}")
        remember(store, url, service, client=client, tokens=got)


async def find_service(
    web: Web, challenge: Challenge, settings: SignInSettings
) -> Service:
    """Return the service for the server of *web*.

    Raises:
        SignInFailed: There is none, or it contradicts itself.
    """
    service = await discover(web, challenge, settings)
    if service is None:
        raise SignInFailed(
            "the server names no sign-in service; if it wants a token, give it one "
            "with --header 'Authorization=Bearer …'"
        )
    return service


def remember(
    store: Store,
    url: str,
    service: Service,
    *,
    client: Client | None,
    tokens: Tokens | None = None,
) -> None:
    """Keep what a sign-in has come to; hold the store's lock meanwhile."""
    store.write(
        url,
        Record(
            canonical(url),
            service.issuer,
            tokens,
            None if client is None else _sealed(client),
            _dumped(service.metadata),
            _dumped(service.protected),
        ),
    )


def _sealed(client: Client) -> Secret:
    """Return a client as kept; one that was configured keeps its name alone."""
    return client.sealed or Secret(json.dumps({"client_id": client.id}))


def scope_for(
    service: Service, settings: SignInSettings, wish: Wish, granted: str
) -> str:
    """Return what to ask for: what a person said, else what the server names.

    A request for more asks for the old scopes too, so that nothing is lost.
    """
    chosen = wish.scope or settings.scope
    named = get_client_metadata_scopes(
        wish.challenge.field("scope") or None,
        service.protected,
        service.metadata,
        _GRANTS,
    )
    if wish.challenge.wants_more:
        return union_scopes(union_scopes(chosen or granted, granted), named) or ""
    return chosen or named or ""


def _must_have_pkce(service: Service, settings: SignInSettings) -> None:
    metadata = service.metadata
    if metadata is None or not settings.needs_pkce:
        return
    if "S256" not in (metadata.code_challenge_methods_supported or []):
        raise SignInFailed(
            f"the sign-in service {service.issuer} does not announce PKCE (S256), "
            "without which a code can be stolen; if you know that it has it, set "
            "oauth.pkce to false for this server"
        )


@dataclass(frozen=True, slots=True)
class _Question:
    """One request for a person's consent."""

    url: str
    scope: str
    verifier: Secret
    expected: Expected


@dataclass(frozen=True, slots=True)
class _Asking:
    """Makes the question, registering this program where that is needed."""

    web: Web
    service: Service
    settings: SignInSettings
    store: Store
    wish: Wish
    redirect_uri: str
    attempt: Attempt

    @property
    def place(self) -> Place:
        """Where the person goes, and who gets the answer."""
        kinds = ("authorization", "token")
        host, receiver = (urlsplit(self.service.endpoint(one)).netloc for one in kinds)
        return Place(host, "" if receiver == host else receiver)

    async def question(self) -> tuple[Client, _Question]:
        record = self.store.read(self.web.server_url)
        same = record is not None and record.issuer == self.service.issuer
        granted = ""
        if record is not None and record.tokens is not None and same:
            granted = record.tokens.scope
        scope = scope_for(self.service, self.settings, self.wish, granted)
        client = registration.configured(self.service, self.settings)
        client = client or registration.kept(self.service, record, self.redirect_uri)
        if client is not None:
            question = await self._question(client, scope)
            if not client.is_kept or not await self._refusal(question):
                return client, question
        try:
            client = await self._registered(scope)
        except Unregistered as error:
            problem = error
        else:
            return client, await self._question(client, scope)
        return await self._by_hand(str(problem), record if same else None, scope)

    async def _by_hand(
        self, why: str, record: Record | None, scope: str
    ) -> tuple[Client, _Question]:
        """Have a person name the registration that they made by hand.

        What the service does not seem to know is asked for again; who insists is
        believed, because some services answer programs otherwise than browsers.
        """
        info = registration.unseal(None if record is None else record.client)
        known, doubted = "" if info is None else info.client_id, ""
        while True:
            given = await self.attempt.client(self.place, why, self.redirect_uri, known)
            known = given.client_id
            client = registration.typed(
                self.service, known, given.secret, self.redirect_uri
            )
            question = await self._question(client, scope)
            refusal = "" if known == doubted else await self._refusal(question)
            if not refusal:
                return client, question
            doubted, why = known, f"does not seem to know this client id ({refusal})"

    async def _registered(self, scope: str) -> Client:
        """Register, and keep that at once, so that the next attempt need not."""
        url = self.web.server_url
        client = await registration.register(
            self.web,
            self.service,
            self.redirect_uri,
            scope or None,
            self.settings.client_name,
        )
        async with self.store.lock(url):
            record = self.store.read(url)
            same = record is not None and record.issuer == self.service.issuer
            tokens = record.tokens if record is not None and same else None
            if tokens is not None:
                # They were given to the registration that this one replaces.
                tokens = replace(tokens, refresh=None)
            remember(self.store, url, self.service, client=client, tokens=tokens)
        return client

    async def _question(self, client: Client, scope: str) -> _Question:
        pkce, state = PKCEParameters.generate(), secrets.token_urlsafe(32)
        asked = {
            "response_type": "code",
            "client_id": client.id,
            "redirect_uri": self.redirect_uri,
            "state": state,
            "code_challenge": pkce.code_challenge,
            "code_challenge_method": "S256",
            "resource": self.service.resource,
        }
        if scope:
            asked["scope"] = scope
        if "offline_access" in scope.split():
            asked["prompt"] = "consent"  # OpenID Connect wants it for offline access
        metadata = self.service.metadata
        expected = Expected(
            self.redirect_uri,
            Secret(state),
            self.service.issuer,
            metadata is not None
            and metadata.authorization_response_iss_parameter_supported is True,
            metadata is not None
            and "S256" in (metadata.code_challenge_methods_supported or []),
        )
        place = self.service.endpoint("authorization")
        page = await self.web.check(_with_query(place, asked), "authorization endpoint")
        return _Question(page, scope, Secret(pkce.code_verifier), expected)

    async def _refusal(self, question: _Question) -> str:
        """Return how the service shows that it does not know a registration, if so.

        It is asked what the browser would ask; nobody has agreed to anything yet.
        """
        request = httpx2.Request("GET", question.url)
        try:
            response = await self.web.send(request, "authorization endpoint")
        except SignInFailed:
            return ""  # it may still be open to the person's browser
        status = response.status_code
        return f"HTTP {status}" if status in _FORGOTTEN else ""


def _with_query(url: str, asked: dict[str, str]) -> str:
    """Return *url* with more in its query, of which it may have one already."""
    parts = urlsplit(url)
    kept = [one for one in parse_qsl(parts.query, keep_blank_values=True)
            if one[0] not in asked]  # fmt: skip
    return parts._replace(
        query=urlencode([*kept, *asked.items()]), fragment=""
    ).geturl()


def _dumped(model: BaseModel | None) -> dict[str, Json]:
    if model is None:
        return {}
    return model.model_dump(mode="json", exclude_none=True)
