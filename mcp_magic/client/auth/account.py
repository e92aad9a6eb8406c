"""One server's tokens: which one to send, and how to come by a newer one without a
person.

Calls never wait for each other here: a lock is held only while a token is renewed, and
whoever gets it next finds the new one in the store.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import time
from dataclasses import replace
from typing import Literal, TypeAlias

from mcp.client.auth.utils import issuers_match
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata
from pydantic import ValidationError

from mcp_magic.client.auth import registration
from mcp_magic.client.auth.attempt import Attempt, Elsewhere
from mcp_magic.client.auth.discovery import Challenge, Service
from mcp_magic.client.auth.flow import Wish, find_service, remember, scope_for, sign_in
from mcp_magic.client.auth.grants import Desk, Refused
from mcp_magic.client.auth.record import Record, Tokens
from mcp_magic.client.auth.registration import Client
from mcp_magic.client.auth.settings import SignInSettings
from mcp_magic.client.auth.store import Store
from mcp_magic.client.auth.web import Web
from mcp_magic.errors import SignInFailed
from mcp_magic.model import Secret

__all__ = ["Account", "SignedOut"]

SignedOut: TypeAlias = Literal["nothing kept", "forgotten", "revoked"]
"""What signing out came to; the service took note only where it is ``revoked``."""

_REST = 30.0  # seconds after a renewal that failed


class Account:
    """What one server's sign-in has come to; lives on the background loop.

    Args:
        url: The server.
        settings: How to sign in.
        store: Keeps the tokens.
    """

    def __init__(self, url: str, settings: SignInSettings, store: Store) -> None:
        self.url = url
        self.settings = settings
        self.store = store
        self._resting = 0.0  # until when nobody is asked to renew ahead of time
        self._renewing: asyncio.Task[Secret | None] | None = None

    def tokens(self) -> Tokens | None:
        """Return the tokens as kept, whoever got them."""
        record = self._record()
        return None if record is None else record.tokens

    async def token(self) -> Secret | None:
        """Return the token to send, renewed if it is about to end."""
        tokens = self.tokens()
        if tokens is None:
            return None
        now = time.time()
        if tokens.renew_at is None or now < max(tokens.renew_at, self._resting):
            return tokens.access
        with contextlib.suppress(SignInFailed):
            return await self._renew(tokens.access, Challenge()) or tokens.access
        # It may still be good: the server says.
        self._resting = now + _REST
        return tokens.access

    async def renewed(
        self, failed: Secret | None, challenge: Challenge
    ) -> Secret | None:
        """Return another token than the one that was refused.

        Args:
            failed: The token that was sent.
            challenge: How it was refused.

        Returns:
            ``None`` if a person must sign in.

        Raises:
            SignInFailed: It cannot be renewed just now, and is kept.
        """
        tokens = self.tokens()
        if tokens is not None and tokens.access != failed:
            return tokens.access
        if challenge.wants_more and self.settings.grant == "person":
            return None  # a renewed token allows no more than the old one
        return await self._renew(failed, challenge)

    async def sign_in(self, wish: Wish, attempt: Attempt) -> None:
        """Have a person sign in.

        Raises:
            SignInFailed: It did not work.
        """
        if self.settings.grant != "person":
            if await self._renew(self._access(), wish.challenge) is None:
                raise SignInFailed("no token was given to this program")
            return
        with contextlib.suppress(Elsewhere):
            await sign_in(self.url, self.settings, self.store, wish, attempt)

    def is_settled(self, wish: Wish, before: Tokens | None) -> bool:
        """Whether another kernel has signed in, since the tokens were *before*."""
        now = self.tokens()
        if now is None or (before is not None and now.access == before.access):
            return False
        # A token that was only renewed allows no more than the old one.
        wants_more = wish.challenge.wants_more or wish.scope
        return not (wants_more and before is not None and now.scope == before.scope)

    async def sign_out(self) -> SignedOut:
        """Forget the tokens and the registration, and tell the service.

        Raises:
            SignInFailed: A file cannot be deleted, or another kernel keeps it.
        """
        told = False
        async with self.store.lock(self.url):
            kept, record = self.store.read(self.url), self._record()
            with contextlib.suppress(SignInFailed):
                if record is not None and record.tokens is not None:
                    told = await self._revoke(record, record.tokens)
            self.store.forget(self.url)
        if kept is None or kept.tokens is None:
            return "nothing kept"
        return "revoked" if told else "forgotten"

    async def _revoke(self, record: Record, tokens: Tokens) -> bool:
        service = self._service(record)
        client = registration.last_used(service, record, self.settings)
        if client is None:
            return False
        async with Web(self.url, self.settings.private_hosts) as web:
            return await Desk(web, service, client).revoke(tokens)

    def _record(self) -> Record | None:
        """Return what is kept, unless another service or registration was meant."""
        record, settings = self.store.read(self.url), self.settings
        if record is None:
            return None
        if settings.issuer and not issuers_match(record.issuer, settings.issuer):
            return None
        info = registration.unseal(record.client)
        known = "" if info is None else info.client_id
        return None if settings.client_id not in ("", known) else record

    def _access(self) -> Secret | None:
        tokens = self.tokens()
        return None if tokens is None else tokens.access

    async def _renew(
        self, failed: Secret | None, challenge: Challenge
    ) -> Secret | None:
        """Renew the token once, however many wait for it."""
        if self._renewing is None or self._renewing.done():
            # Those who wait may be cancelled; the others still want the token.
            self._renewing = asyncio.get_running_loop().create_task(
                self._renew_alone(failed, challenge), context=contextvars.Context()
            )
        return await asyncio.shield(self._renewing)

    async def _renew_alone(
        self, failed: Secret | None, challenge: Challenge
    ) -> Secret | None:
        if self.settings.grant == "person" and self._access() is None:
            return None
        async with self.store.lock(self.url):
            record = self._record()
            tokens = None if record is None else record.tokens
            if tokens is not None and tokens.access != failed:
                return tokens.access  # another kernel was faster
            if self.settings.grant != "person":
                return await self._by_itself(challenge, tokens)
            if record is None or tokens is None or tokens.refresh is None:
                return None
            return await self._refresh(record, tokens)

    async def _refresh(self, record: Record, tokens: Tokens) -> Secret | None:
        service = self._service(record)
        client = registration.last_used(service, record, self.settings)
        if client is None:
            return None
        async with Web(self.url, self.settings.private_hosts) as web:
            fresh = await Desk(web, service, client).for_refresh(tokens)
        if isinstance(fresh, Tokens):
            self.store.write(self.url, replace(record, tokens=fresh))
            return fresh.access
        if not fresh.is_final:
            raise SignInFailed(
                f"the token could not be renewed: {fresh.said}; it is kept, try again"
            )
        now = self._access()
        if now is not None and now != tokens.access:
            return now  # another kernel was faster, where locks do not work
        lost = replace(record, tokens=replace(tokens, refresh=None))
        if fresh.forgets_client:
            lost = replace(lost, client=None)
        self.store.write(self.url, lost)
        return None

    async def _by_itself(
        self, challenge: Challenge, tokens: Tokens | None
    ) -> Secret | None:
        """Get a token as this program, or as a company's provider vouches."""
        settings = self.settings
        async with Web(self.url, self.settings.private_hosts) as web:
            service = await find_service(web, challenge, settings)
            client = registration.configured(service, settings)
            if client is None:
                raise SignInFailed("oauth.client_id is missing, so nobody can sign in")
            granted = "" if tokens is None else tokens.scope
            scope = scope_for(service, settings, Wish(challenge), granted)
            got = await Desk(web, service, client).for_itself(settings, scope)
        if isinstance(got, Refused):
            raise SignInFailed(f"the sign-in service gave no token: {got.said}")
        remember(self.store, self.url, service, client=Client(client.id), tokens=got)
        return got.access

    def _service(self, record: Record) -> Service:
        protected = metadata = None
        with contextlib.suppress(ValidationError):
            if record.protected:
                protected = ProtectedResourceMetadata.model_validate(record.protected)
            if record.service:
                metadata = OAuthMetadata.model_validate(record.service)
        return Service(self.url, protected, metadata, record.issuer)
