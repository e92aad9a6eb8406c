"""Finding a sign-in service, and being known there: every variant seen in the field."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import pytest

from mcp_magic.client.auth import registration
from mcp_magic.client.auth.account import Account
from mcp_magic.client.auth.discovery import Challenge, Service, discover
from mcp_magic.client.auth.flow import Wish, scope_for
from mcp_magic.client.auth.grants import Desk, Refused
from mcp_magic.client.auth.record import Record, Tokens
from mcp_magic.client.auth.registration import Client, Unregistered
from mcp_magic.client.auth.settings import Redirect, SignInSettings, read_settings
from mcp_magic.client.auth.store import Store
from mcp_magic.client.auth.web import Web
from mcp_magic.errors import ArgumentError, SignInFailed
from mcp_magic.model import Secret
from tests.servers.documents import Documents, serving

T = TypeVar("T")
_PRM = "/.well-known/oauth-protected-resource"
_AS = "/.well-known/oauth-authorization-server"
_OIDC = "/.well-known/openid-configuration"
_REDIRECT = "http://127.0.0.1:51000/callback"


@pytest.fixture(name="site")
def _site() -> Iterator[Documents]:
    with serving() as documents:
        yield documents


def _metadata(site: Documents, issuer: str, **more: object) -> tuple[int, object]:
    return 200, {
        "issuer": issuer,
        "authorization_endpoint": f"{site.origin}/authorize",
        "token_endpoint": f"{site.origin}/token",
        "code_challenge_methods_supported": ["S256"],
        **more,
    }


def _protected(site: Documents, *issuers: str, **more: object) -> tuple[int, object]:
    listed = list(issuers or (site.origin,))
    told = {"resource": f"{site.origin}/mcp", "authorization_servers": listed}
    return 200, {**told, **more}


def _in(site: Documents, work: Callable[[Web], Awaitable[T]]) -> T:
    async def go() -> T:
        async with Web(f"{site.origin}/mcp") as web:
            return await asyncio.wait_for(work(web), 30)

    return asyncio.run(go())


def _discover(
    site: Documents,
    challenge: Challenge | None = None,
    settings: SignInSettings | None = None,
) -> Service | None:
    asked = challenge or Challenge(401, "Bearer")
    return _in(site, lambda web: discover(web, asked, settings or SignInSettings()))


def _found(site: Documents, settings: SignInSettings | None = None) -> Service:
    service = _discover(site, settings=settings)
    assert service is not None
    return service


# Where the server's metadata are.


@pytest.mark.parametrize(
    ("place", "header", "asked"),
    [
        (f"{_PRM}/mcp", "", [f"{_PRM}/mcp"]),
        (_PRM, "", [f"{_PRM}/mcp", _PRM]),
        ("/elsewhere", "/elsewhere", ["/elsewhere"]),
        (f"{_PRM}/mcp", "/gone", ["/gone", f"{_PRM}/mcp"]),
    ],
)
def test_the_servers_metadata_are_looked_for_in_order(
    site: Documents, place: str, header: str, asked: list[str]
) -> None:
    site.pages = {
        f"GET {place}": _protected(site),
        f"GET {_AS}": _metadata(site, site.origin),
    }
    named = f'Bearer resource_metadata="{site.origin}{header}"' if header else "Bearer"
    service = _discover(site, Challenge(401, named))
    assert service is not None
    assert service.issuer == site.origin
    assert site.paths == [f"GET {one}" for one in [*asked, _AS]]


def test_nothing_of_the_servers_own_requests_goes_along(site: Documents) -> None:
    site.pages = {
        f"GET {_PRM}/mcp": _protected(site),
        f"GET {_AS}": _metadata(site, site.origin),
    }
    _found(site)
    names = {name.lower() for one in site.asked for name in one.headers}
    assert not names & {"authorization", "cookie", "mcp-session-id"}


@pytest.mark.parametrize("status", [500, 503, 429])
def test_trouble_says_nothing_about_what_there_is(site: Documents, status: int) -> None:
    site.pages = {f"GET {_PRM}/mcp": (status, b"")}
    with pytest.raises(SignInFailed, match=f"HTTP {status}.*try again"):
        _discover(site)


def test_metadata_of_another_server_are_refused(site: Documents) -> None:
    other = (
        200,
        {
            "resource": "https://evil.test/mcp",
            "authorization_servers": ["https://a.test"],
        },
    )
    site.pages = {f"GET {_PRM}/mcp": other}
    with pytest.raises(SignInFailed, match=r"those of https://evil\.test/mcp"):
        _discover(site)


def test_a_server_that_says_nothing_has_no_sign_in(site: Documents) -> None:
    assert _discover(site, Challenge(401, "")) is None


# Where the service's metadata are.


@pytest.mark.parametrize(
    "place",
    [f"{_AS}/tenant/v2", f"{_OIDC}/tenant/v2", f"/tenant/v2{_OIDC}"],
)
def test_every_place_of_a_service_with_a_path_is_tried_in_order(
    site: Documents, place: str
) -> None:
    issuer = f"{site.origin}/tenant/v2"
    site.pages = {
        f"GET {_PRM}/mcp": _protected(site, issuer),
        f"GET {place}": _metadata(site, issuer),
    }
    assert _found(site).issuer == issuer
    order = [f"{_AS}/tenant/v2", f"{_OIDC}/tenant/v2", f"/tenant/v2{_OIDC}"]
    tried = order[: order.index(place) + 1]
    assert site.paths[1:] == [f"GET {one}" for one in tried]


@pytest.mark.parametrize(
    ("announced", "named"),
    [("/tenant/", "/tenant"), ("/tenant", "/tenant/"), ("", "/")],
)
def test_one_slash_is_no_other_service(
    site: Documents, announced: str, named: str
) -> None:
    site.pages = {
        f"GET {_PRM}/mcp": _protected(site, site.origin + announced),
        f"GET {_AS}{announced.rstrip('/')}": _metadata(site, site.origin + named),
    }
    assert _found(site).issuer == site.origin + named


def test_metadata_of_another_service_are_refused_and_both_are_named(
    site: Documents,
) -> None:
    site.pages = {
        f"GET {_PRM}/mcp": _protected(site),
        f"GET {_AS}": _metadata(site, "https://evil.test"),
    }
    with pytest.raises(SignInFailed) as caught:
        _discover(site)
    assert site.origin in str(caught.value)
    assert "https://evil.test" in str(caught.value)


@pytest.mark.parametrize(
    "page",
    [
        (404, b""),
        (200, b"<html>"),
        (200, {"issuer": "x"}),
        (302, b"", {"location": "/login"}),
    ],
)
def test_a_service_without_metadata_is_never_guessed(
    site: Documents, page: tuple[int, object]
) -> None:
    site.pages = {f"GET {_PRM}/mcp": _protected(site), f"GET {_AS}": page}
    with pytest.raises(SignInFailed, match="publishes no metadata"):
        _discover(site)
    assert "GET /authorize" not in site.paths


def test_a_redirect_within_the_origin_is_followed_and_no_other(site: Documents) -> None:
    away = (
        302,
        b"",
        {"location": f"http://localhost:{site.origin.rpartition(':')[2]}/x"},
    )
    site.pages = {
        f"GET {_PRM}/mcp": (307, b"", {"location": "/moved"}),
        "GET /moved": _protected(site),
        f"GET {_AS}": away,
        "GET /x": _metadata(site, site.origin),
    }
    with pytest.raises(SignInFailed, match="publishes no metadata"):
        _discover(site)
    assert "GET /moved" in site.paths
    assert "GET /x" not in site.paths


def test_the_service_that_was_configured_is_used_and_no_other(site: Documents) -> None:
    mine = f"{site.origin}/mine"
    site.pages = {
        f"GET {_PRM}/mcp": _protected(site, site.origin, mine),
        f"GET {_AS}/mine": _metadata(site, mine),
    }
    assert _found(site, SignInSettings(issuer=mine)).issuer == mine
    with pytest.raises(SignInFailed, match="nothing was sent"):
        _found(site, SignInSettings(issuer="https://other.test"))


def test_metadata_may_be_somewhere_else_by_configuration(site: Documents) -> None:
    site.pages = {"GET /odd/place": _metadata(site, site.origin)}
    settings = SignInSettings(metadata_url=f"{site.origin}/odd/place")
    assert _found(site, settings).endpoint("token") == f"{site.origin}/token"


def test_a_server_from_before_2025_06_is_its_own_service(site: Documents) -> None:
    service = _found(site)
    assert service.metadata is None
    assert service.endpoint("authorization") == f"{site.origin}/authorize"
    assert service.endpoint("registration") == f"{site.origin}/register"
    assert service.endpoint("revocation") == ""


# What is asked for.


@pytest.mark.parametrize(
    ("challenge", "offered", "said", "asked"),
    [
        ("", None, ("", ""), ""),
        ("", ["a", "b"], ("", ""), "a b"),
        ("c", ["a", "b"], ("", ""), "c"),
        ("c", ["a"], ("mine", ""), "mine"),
        ("c", ["a"], ("mine", "now"), "now"),
    ],
)
def test_the_scope_is_what_a_person_said_else_what_the_server_names(
    site: Documents,
    challenge: str,
    offered: list[str] | None,
    said: tuple[str, str],
    asked: str,
) -> None:
    configured, wished = said
    more = {} if offered is None else {"scopes_supported": offered}
    site.pages = {
        f"GET {_PRM}/mcp": _protected(site, **more),
        f"GET {_AS}": _metadata(site, site.origin),
    }
    header = f'Bearer scope="{challenge}"' if challenge else "Bearer"
    wish = Wish(Challenge(401, header), wished)
    settings = SignInSettings(scope=configured)
    assert scope_for(_found(site), settings, wish, "") == asked


def test_a_request_for_more_keeps_what_there_is(site: Documents) -> None:
    site.pages = {
        f"GET {_PRM}/mcp": _protected(site),
        f"GET {_AS}": _metadata(site, site.origin),
    }
    more = Challenge(403, 'Bearer error="insufficient_scope", scope="w"')
    service = _found(site)
    assert scope_for(service, SignInSettings(), Wish(more), "r") == "r w"
    assert scope_for(service, SignInSettings(scope="r x"), Wish(more), "r") == "r x w"


# Being known to the service.


def _service(site: Documents, **more: object) -> Service:
    register = {"registration_endpoint": f"{site.origin}/register"}
    site.pages |= {
        f"GET {_PRM}/mcp": _protected(site),
        f"GET {_AS}": _metadata(site, site.origin, **register, **more),
    }
    return _found(site)


def _register(site: Documents, service: Service) -> Client:
    return _in(site, lambda web: registration.register(web, service, _REDIRECT, "a"))


@pytest.mark.parametrize(
    ("answer", "supported", "method"),
    [
        ({"token_endpoint_auth_method": "none"}, None, "none"),
        ({"token_endpoint_auth_method": "none", "client_secret": "s"}, None, "none"),
        ({"client_secret": "s"}, None, "client_secret_basic"),
        ({"client_secret": "s"}, ["client_secret_post"], "client_secret_post"),
        ({"client_secret": "s", "token_endpoint_auth_method": "client_secret_post"},
         ["client_secret_basic"], "client_secret_post"),
        ({}, ["client_secret_basic"], "none"),
    ],
)  # fmt: skip
def test_how_the_password_is_sent_is_the_registrations_word_then_the_services(
    site: Documents, answer: dict[str, str], supported: list[str] | None, method: str
) -> None:
    service = _service(site, token_endpoint_auth_methods_supported=supported)
    site.pages["POST /register"] = 201, {"client_id": "me", **answer}
    assert _register(site, service).method == method


def test_a_rewritten_redirect_address_is_accepted_and_ours_kept(
    site: Documents,
) -> None:
    service = _service(site)
    rewritten = {"client_id": "me", "redirect_uris": ["http://localhost/callback"]}
    site.pages["POST /register"] = 201, rewritten
    client = _register(site, service)
    record = Record("r", service.issuer, client=client.sealed)
    assert registration.redirect_port(record, "http://a.test/mcp") == 51000
    assert registration.kept(service, record, _REDIRECT) is not None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"issuer": "https://old.test"}, "another service made it"),
        ({"ends": 1}, "its password has ended"),
        ({"redirect": "http://127.0.0.1:1/callback"}, "another port"),
    ],
)
def test_a_registration_that_is_no_good_is_not_used(
    site: Documents, change: dict[str, object], why: str
) -> None:
    service = _service(site)
    ends = change.get("ends", round(time.time()) + 999)
    site.pages["POST /register"] = (
        201,
        {"client_id": "me", "client_secret": "s", "client_secret_expires_at": ends},
    )
    client = _register(site, service)
    record = Record(
        "r", str(change.get("issuer", service.issuer)), client=client.sealed
    )
    redirect = str(change.get("redirect", _REDIRECT))
    assert registration.kept(service, record, redirect) is None, why


@pytest.mark.parametrize(
    "page", [(404, b""), (403, b"<html>no"), (500, b"x"), (200, b"<html>"), (201, {})]
)
def test_a_service_that_registers_nobody_leaves_it_to_a_person(
    site: Documents, page: tuple[int, object]
) -> None:
    service = _service(site)
    site.pages["POST /register"] = page
    with pytest.raises(Unregistered, match=rf"did not .*HTTP {page[0]}"):
        _register(site, service)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_service_that_is_busy_is_asked_again_later(
    site: Documents, status: int
) -> None:
    service = _service(site)
    site.pages["POST /register"] = status, b""
    with pytest.raises(SignInFailed, match=f"HTTP {status}.*try again") as caught:
        _register(site, service)
    assert not isinstance(caught.value, Unregistered)


def test_a_document_is_a_name_where_the_service_knows_documents(
    site: Documents,
) -> None:
    settings = SignInSettings(client_metadata_url="https://me.test/client.json")
    assert registration.configured(_service(site), settings) is None
    knows = _service(site, client_id_metadata_document_supported=True)
    found = registration.configured(knows, settings)
    assert found is not None
    assert found.id == "https://me.test/client.json"


# The token endpoint.


def _ask(site: Documents, client: Client) -> Tokens | Refused:
    service = _service(site)
    sent = {"code": Secret("canary-code")}
    return _in(site, lambda web: Desk(web, service, client).for_code(sent, "asked"))


def test_a_password_that_is_refused_is_sent_the_other_way_once(site: Documents) -> None:
    site.pages["POST /token"] = 401, {"error": "invalid_client"}
    got = _ask(site, Client("m e", Secret("p:w"), "client_secret_basic"))
    assert isinstance(got, Refused)
    assert got.forgets_client
    first, second = (one for one in site.asked if one.path == "/token")
    coded = base64.b64encode(b"m%20e:p%3Aw").decode()
    assert first.headers["Authorization"] == f"Basic {coded}"
    assert "client_secret" not in first.form
    assert (second.form["client_id"], second.form["client_secret"]) == ("m e", "p:w")
    assert "Authorization" not in second.headers


def test_what_a_service_says_is_shown_without_what_it_was_sent(site: Documents) -> None:
    told = "the code canary-code\x1b[31m is\nstale" + "x" * 500
    site.pages["POST /token"] = (
        400,
        {"error": "invalid_grant", "error_description": told},
    )
    got = _ask(site, Client("me"))
    assert isinstance(got, Refused)
    assert got.is_final
    assert "canary" not in got.said
    assert "\x1b" not in got.said
    assert "\n" not in got.said
    assert len(got.said) < 300


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ((200, {"access_token": "t", "token_type": "bearer"}), Tokens),
        ((200, {"error": "slow_down"}), Refused),
        ((400, b"<html>canary"), Refused),
        ((302, b"", {"location": "https://evil.test/"}), Refused),
    ],
)
def test_an_answer_is_tokens_or_a_refusal(
    site: Documents, page: tuple[int, object], kind: type
) -> None:
    site.pages["POST /token"] = page
    assert isinstance(_ask(site, Client("me")), kind)


@pytest.mark.parametrize(
    "body", [{"access_token": "canary", "token_type": "DPoP"}, {"access_token": 5}]
)
def test_a_token_of_no_known_kind_is_refused_unseen(
    site: Documents, body: dict[str, object]
) -> None:
    site.pages["POST /token"] = 200, body
    with pytest.raises(SignInFailed, match="no known kind") as caught:
        _ask(site, Client("me"))
    assert "canary" not in str(caught.value)


def test_a_token_endpoint_that_redirects_never_gets_the_code_elsewhere(
    site: Documents,
) -> None:
    site.pages["POST /token"] = 307, b"", {"location": "/other"}
    assert isinstance(_ask(site, Client("me")), Refused)
    assert "POST /other" not in site.paths


# Without a person.


def test_a_program_gets_its_token_by_itself_and_keeps_it(site: Documents) -> None:
    _service(site)
    site.pages["POST /token"] = 200, {"access_token": "t", "token_type": "Bearer"}
    settings = SignInSettings(
        client_id="me", client_secret=Secret("s"), grant="client_credentials", scope="a"
    )
    account = Account(f"{site.origin}/mcp", settings, Store(None, pytest.fail))

    async def go() -> tuple[Secret | None, Secret | None]:
        got = await account.renewed(None, Challenge(401, "Bearer"))
        return got, await account.token()

    assert asyncio.run(go()) == (Secret("t"), Secret("t"))
    (asked,) = (one for one in site.asked if one.path == "/token")
    assert asked.form == {
        "grant_type": "client_credentials",
        "scope": "a",
        "resource": f"{site.origin}/mcp",
    }


# Settings.


def test_settings_are_read_as_they_are_written() -> None:
    settings = read_settings(
        {"client_id": " c ", "scope": ["a", "b"], "redirect_port": 3118, "pkce": False},
        "acme",
    )
    assert (settings.client_id, settings.scope) == ("c", "a b")
    assert (settings.redirect, settings.needs_pkce) == (Redirect(port=3118), False)


@pytest.mark.parametrize(
    ("given", "redirect"),
    [
        ({}, Redirect()),
        ({"redirect_uri": "http://localhost:9/cb"}, Redirect("localhost", 9, "/cb")),
        ({"redirect_uri": "http://localhost"}, Redirect("localhost", None, "/")),
        (
            {"redirect_uri": "http://localhost/callback", "redirect_port": 9},
            Redirect("localhost", 9, "/callback"),
        ),
    ],
)
def test_the_browser_is_sent_where_the_registration_says(
    given: dict[str, str | int], redirect: Redirect
) -> None:
    assert read_settings(given, "acme").redirect == redirect


@pytest.mark.parametrize(
    "given",
    [{"redirect_port": 0}, {"redirect_port": True}, {"redirect_port": "x"},
     {"redirect_uri": "https://evil.test/"}, {"redirect_uri": "http://10.0.0.1/"},
     {"redirect_uri": "http://localhost.evil.test/"}, {"client_id": 5},
     {"grant": "magic"}, {"auth_method": "dpop"}],
)  # fmt: skip
def test_a_setting_that_cannot_be_used_is_named(given: dict[str, object]) -> None:
    (key,) = given
    with pytest.raises(ArgumentError, match=rf"oauth\.{key} of acme is not"):
        read_settings(given, "acme")  # type: ignore[arg-type] # what is wrong with it
