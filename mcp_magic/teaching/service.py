"""A sign-in service: registration, consent, tokens (RFC 6749, 7591, 7636, 8414, 9207).

Small and strict. It forgets everything at its end, asks for no password, and lets its
habits be changed to show what happens then.
"""

from __future__ import annotations

import base64
import hashlib
import html
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import unquote, urlencode

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

__all__ = ["Grant", "Habits", "Service"]

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>
<body style="font:16px system-ui;margin:4em"><h1>Acme: sign in</h1>
<p><b>{client}</b> wants to use <b>{resource}</b> in your name: {scope}</p>
<form method="post">{hidden}
<button id="allow" name="act" value="allow">Allow</button>
<button id="deny" name="act" value="deny">Deny</button></form>"""

_HIDDEN = '<input type="hidden" name="{}" value="{}">'


@dataclass(slots=True)
class Habits:
    """How the service behaves; change it while it runs.

    Attributes:
        lifetime: Seconds that an access token lasts.
        registers: Whether programs may register themselves.
        has_pkce: Whether it announces PKCE.
        issuer_in_answer: What it calls itself in its answers; ``None``: its name; an
            empty text: nothing, though it promised to.
        authorization: The address of its page, if not its own.
        trouble: Refreshing answers with this HTTP status.
    """

    lifetime: float = 3600
    registers: bool = True
    has_pkce: bool = True
    issuer_in_answer: str | None = None
    authorization: str = ""
    trouble: int = 0


@dataclass(frozen=True, slots=True)
class Grant:
    """What a person agreed to.

    Attributes:
        client: For which program.
        scope: What it may do.
        resource: At which server.
        ends: When its access token ends.
    """

    client: str
    scope: str
    resource: str
    ends: float = 0


@dataclass(slots=True)
class Service:
    """The service; ``app`` serves it.

    Attributes:
        issuer: Its address and name.
        habits: How it behaves.
        clients: The redirect addresses of each registered program.
        passwords: The password of each program that was registered with one.
        access: What each access token stands for.
        refresh: What each refresh token stands for; each is good for one use.
        counts: How often what was done.
        secrets: Every token, code and verifier so far, for tests that look for them.
    """

    issuer: str
    habits: Habits = field(default_factory=Habits)
    clients: dict[str, list[str]] = field(default_factory=dict)
    passwords: dict[str, str] = field(default_factory=dict)
    access: dict[str, Grant] = field(default_factory=dict)
    refresh: dict[str, Grant] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    secrets: set[str] = field(default_factory=set)
    _codes: dict[str, tuple[Grant, dict[str, str]]] = field(default_factory=dict)

    @property
    def app(self) -> Starlette:
        """Return it as an application for a web server."""
        known = "/.well-known/oauth-authorization-server"
        return Starlette(
            routes=[
                Route(known, self._metadata),
                Route("/register", self._register, methods=["POST"]),
                Route("/authorize", self._ask),
                Route("/authorize", self._decide, methods=["POST"]),
                Route("/oauth/token", self._token, methods=["POST"]),
                Route("/revoke", self._revoke, methods=["POST"]),
            ]
        )

    def check(self, token: str) -> Grant | None:
        """Return what an access token stands for, if it is good."""
        grant = self.access.get(token)
        return grant if grant is not None and time.time() < grant.ends else None

    async def _metadata(self, _request: Request) -> Response:
        told: dict[str, object] = {
            "issuer": self.issuer,
            "authorization_endpoint": self.habits.authorization
            or f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/oauth/token",
            "revocation_endpoint": f"{self.issuer}/revoke",
            "scopes_supported": ["use", "admin", "offline_access"],
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
            "authorization_response_iss_parameter_supported": True,
        }
        if self.habits.registers:
            told["registration_endpoint"] = f"{self.issuer}/register"
        if self.habits.has_pkce:
            told["code_challenge_methods_supported"] = ["S256"]
        return JSONResponse(told)

    async def _register(self, request: Request) -> Response:
        wanted = await request.json()
        client = f"client-{secrets.token_hex(6)}"
        self.clients[client] = wanted["redirect_uris"]
        self.counts["registered"] += 1
        return JSONResponse({**wanted, "client_id": client}, 201)

    async def _ask(self, request: Request) -> Response:
        asked = dict(request.query_params)
        problem = self._problem(asked)
        if problem:
            return PlainTextResponse(problem, 400)
        self.counts["asked"] += 1
        hidden = "".join(
            _HIDDEN.format(html.escape(key), html.escape(one))
            for key, one in asked.items()
        )
        shown = {key: html.escape(asked.get(key, "")) for key in ("resource", "scope")}
        page = _PAGE.format(
            client=html.escape(asked["client_id"]), hidden=hidden, **shown
        )
        return HTMLResponse(page)

    def _problem(self, asked: dict[str, str]) -> str:
        uris = self.clients.get(asked.get("client_id", ""))
        if uris is None:
            return "This program is not registered."
        if asked.get("redirect_uri") not in uris:
            return "This redirect address is not registered."
        good = asked.get("code_challenge_method") == "S256"
        return "" if good and asked.get("code_challenge") else "PKCE is missing."

    async def _decide(self, request: Request) -> Response:
        form = {key: str(one) for key, one in (await request.form()).items()}
        problem = self._problem(form)
        if problem:
            return PlainTextResponse(problem, 400)
        named = self.habits.issuer_in_answer
        answer = {
            "state": form["state"],
            "iss": self.issuer if named is None else named,
        }
        if named == "":
            del answer["iss"]
        if form.get("act") == "allow":
            code = self._secret("code")
            scope, resource = form.get("scope", ""), form.get("resource", "")
            self._codes[code] = Grant(form["client_id"], scope, resource), form
            answer["code"] = code
        else:
            answer |= {"error": "access_denied", "error_description": "You said no."}
        return RedirectResponse(f"{form['redirect_uri']}?{urlencode(answer)}", 302)

    async def _token(self, request: Request) -> Response:
        form = {key: str(one) for key, one in (await request.form()).items()}
        form |= _named(request)
        if self.passwords.get(form.get("client_id", "")) != form.get("client_secret"):
            return JSONResponse({"error": "invalid_client"}, 401)
        if form.get("grant_type") == "refresh_token":
            return self._refreshed(form)
        grant, asked = self._codes.pop(form.get("code", ""), (None, {}))
        verifier = form.get("code_verifier", "")
        self.secrets.add(verifier)
        digest = hashlib.sha256(verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        same = all(
            form.get(key) == asked.get(key) for key in ("client_id", "redirect_uri")
        )
        if grant is None or not same or challenge != asked.get("code_challenge"):
            return JSONResponse({"error": "invalid_grant"}, 400)
        self.counts["signed in"] += 1
        return self._issued(grant)

    def _refreshed(self, form: dict[str, str]) -> Response:
        if self.habits.trouble:
            self.counts["refresh troubled"] += 1
            return PlainTextResponse("trouble", self.habits.trouble)
        grant = self.refresh.pop(form.get("refresh_token", ""), None)
        if form.get("client_id") not in self.clients:
            return JSONResponse({"error": "invalid_client"}, 401)
        if grant is None or grant.client != form["client_id"]:
            self.counts["refresh refused"] += 1
            return JSONResponse({"error": "invalid_grant"}, 400)
        self.counts["refreshed"] += 1
        return self._issued(grant)

    def _issued(self, grant: Grant) -> Response:
        access, refresh = self._secret("access"), self._secret("refresh")
        ends = time.time() + self.habits.lifetime
        self.access[access] = Grant(grant.client, grant.scope, grant.resource, ends)
        self.refresh[refresh] = grant
        return JSONResponse(
            {
                "access_token": access,
                "refresh_token": refresh,
                "token_type": "Bearer",
                "expires_in": int(self.habits.lifetime),
                "scope": grant.scope,
            }
        )

    async def _revoke(self, request: Request) -> Response:
        token = str((await request.form()).get("token", ""))
        for kept in (self.access, self.refresh):
            if kept.pop(token, None) is not None:
                self.counts["revoked"] += 1
        return PlainTextResponse("")

    def _secret(self, kind: str) -> str:
        made = f"{kind}-{secrets.token_urlsafe(24)}"
        self.secrets.add(made)
        return made


def _named(request: Request) -> dict[str, str]:
    """Return what a program calls itself in a header (RFC 6749, 2.3.1)."""
    scheme, _, coded = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return {}
    name, _, password = base64.b64decode(coded).decode().partition(":")
    return {"client_id": unquote(name), "client_secret": unquote(password)}
