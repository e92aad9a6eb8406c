"""The server `acme`, which wants a person to sign in; one of its tools wants more."""

from __future__ import annotations

import anyio
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from pydantic import AnyHttpUrl
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_magic.teaching.service import Service

__all__ = ["build"]

_ADMIN = b'"rename"'  # the name of the tool that needs the scope ``admin``


class _Verifier:
    """Asks the service what a token stands for."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def verify_token(self, token: str) -> AccessToken | None:
        grant = self._service.check(token)
        if grant is None:
            return None
        return AccessToken(
            token=token,
            client_id=grant.client,
            scopes=grant.scope.split(),
            expires_at=int(grant.ends) + 1,
            resource=grant.resource,
        )


def build(service: Service, url: str) -> ASGIApp:
    """Return the server at *url* as an application for a web server."""
    server: MCPServer = MCPServer(
        "acme",
        token_verifier=_Verifier(service),
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(service.issuer),
            resource_server_url=AnyHttpUrl(url),
            required_scopes=["use"],
            validate_token_resource=True,
        ),
        log_level="CRITICAL",
    )
    server.add_tool(_hello, name="hello", description="Greet whoever signed in.")
    server.add_tool(_slow, name="slow", description="Greet after some seconds.")
    server.add_tool(_rename, name="rename", description="Rename the company.")
    return _StepUp(server.streamable_http_app(json_response=True), service, url)


async def _hello(name: str = "world") -> str:
    return f"Hello {name}"


async def _slow(seconds: float) -> str:
    await anyio.sleep(seconds)
    return "done"


async def _rename(name: str) -> str:
    return f"The company is called {name} now"


class _StepUp:
    """Refuses one tool to those who may only use the server."""

    def __init__(self, app: ASGIApp, service: Service, url: str) -> None:
        self._app = app
        self._service = service
        place = url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
        self._challenge = (
            f'Bearer error="insufficient_scope", scope="admin", '
            f'resource_metadata="{place}"'
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        messages: list[Message] = [await receive()]
        while messages[-1].get("more_body"):
            messages.append(await receive())
        headers = dict(scope["headers"])
        token = headers.get(b"authorization", b"").decode().removeprefix("Bearer ")
        grant = self._service.check(token)
        body = b"".join(one.get("body", b"") for one in messages)
        if grant is not None and _ADMIN in body and "admin" not in grant.scope.split():
            headers = {"WWW-Authenticate": self._challenge}
            refusal = JSONResponse({"error": "insufficient_scope"}, 403, headers)
            await refusal(scope, receive, send)
            return

        async def again() -> Message:
            return messages.pop(0) if messages else await receive()

        await self._app(scope, again, send)
