"""Put the token into every request to its server, a newer one when it is refused."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import httpx2

from mcp_magic.client.auth.account import Account
from mcp_magic.client.auth.discovery import Challenge

__all__ = ["Bearer"]


class Bearer(httpx2.Auth):
    """Signs requests with the tokens of an account; holds no lock while one is sent.

    A refusal that only a person can mend is handed back as it came.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self._origin = httpx2.URL(account.url).origin

    def __repr__(self) -> str:
        return "Bearer(…)"

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send the request, and once more if there is a newer token."""
        if request.url.origin != self._origin:
            yield request
            return
        token = await self._account.token()
        if token is not None:
            request.headers["Authorization"] = f"Bearer {token.reveal()}"
        response = yield request
        challenge = _challenge(response)
        if challenge is None:
            return
        token = await self._account.renewed(token, challenge)
        if token is not None:
            request.headers["Authorization"] = f"Bearer {token.reveal()}"
            yield request


def _challenge(response: httpx2.Response) -> Challenge | None:
    """Return how a request was refused for want of a token, if it was."""
    challenge = Challenge(
        response.status_code, response.headers.get("www-authenticate", "")[:2000]
    )
    if challenge.status == 401:
        return challenge
    more = challenge.wants_more and challenge.field("error") == "insufficient_scope"
    return challenge if more else None
