"""Tokens are renewed without a person: once, however many want that, and safely."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mcp_magic.client.auth.record import Record, Tokens, canonical
from mcp_magic.config import Http
from mcp_magic.errors import AuthorizationRequired, ServerUnreachable, SignInFailed
from mcp_magic.model import Secret
from mcp_magic.session import Server, Session
from mcp_magic.teaching.running import Running, visit
from tests.auth.conftest import Person
from tests.servers.documents import serving

_CALLS = """
import asyncio, os, sys
import mcp_magic
async def go():
    acme = mcp_magic.connect(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    said = await asyncio.gather(*(acme.hello.aio(name=str(n)) for n in range(3)))
    print([one.text for one in said], flush=True)
asyncio.run(go())
"""


def _expire(person: Person, acme: Running) -> None:
    """Let the access token end, as time would."""
    store, url = person.session.sign_ins.store, acme.url
    record = store.read(url)
    assert record is not None
    assert record.tokens is not None
    past = time.time() - 5
    tokens = replace(record.tokens, expires_at=past, renew_at=past)
    store.write(url, replace(record, tokens=tokens))
    acme.service.access.clear()


def test_a_token_that_has_ended_is_renewed_without_a_person(
    person: Person, another: Person, acme: Running
) -> None:
    person.sign_in()
    _expire(person, acme)
    another.is_there = False
    assert another.call().text == "Hello world"
    assert acme.service.counts["refreshed"] == 1
    assert acme.service.counts["asked"] == 1


def test_a_token_that_was_revoked_is_renewed_without_a_person(
    person: Person, acme: Running
) -> None:
    person.sign_in()
    assert person.call().text == "Hello world"
    acme.service.access.clear()
    assert person.call().text == "Hello world"
    assert acme.service.counts["refreshed"] == 1
    assert person.shown == []


def test_two_kernels_with_three_tasks_each_renew_once(
    person: Person, acme: Running, kept: Path
) -> None:
    person.sign_in()
    command = [sys.executable, "-c", _CALLS, acme.url]
    env = {**os.environ, "MCP_MAGIC_TOKENS": str(kept)}
    kernels = [
        subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for kernel in kernels:
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "ready\n"
    acme.service.access.clear()
    said = [kernel.communicate("\n", timeout=120)[0] for kernel in kernels]
    assert said == ["['Hello 0', 'Hello 1', 'Hello 2']\n"] * 2
    assert acme.service.counts["refreshed"] == 1
    assert acme.service.counts["refresh refused"] == 0


def test_a_revoked_refresh_leads_to_one_prompt(person: Person, acme: Running) -> None:
    person.sign_in()
    hello = Server(person.session, person.session.find("acme"))["hello"]
    assert hello().text == "Hello world"
    acme.service.access.clear()
    acme.service.refresh.clear()

    async def go() -> list[object]:
        calls = (hello.aio() for _ in range(5))
        return await asyncio.gather(*calls, return_exceptions=True)

    outcomes = asyncio.run(go())
    assert {type(one) for one in outcomes} == {AuthorizationRequired}
    (job,) = person.shown
    assert acme.service.counts["refresh refused"] == 1
    visit(job.url)
    person.end(job)
    assert person.call().text == "Hello world"


@pytest.mark.parametrize("status", [503, 429, 500])
def test_a_service_in_trouble_costs_nobody_the_token(
    person: Person, acme: Running, status: int
) -> None:
    person.sign_in()
    acme.service.access.clear()
    acme.service.habits.trouble = status
    with pytest.raises(SignInFailed, match=f"HTTP {status}"):
        person.call()
    assert person.shown == []
    acme.service.habits.trouble = 0
    assert person.call().text == "Hello world"


def test_a_token_is_not_given_up_while_it_is_still_good(
    person: Person, another: Person, acme: Running
) -> None:
    person.sign_in()
    good = dict(acme.service.access)
    _expire(person, acme)
    acme.service.access.update(good)
    acme.service.habits.trouble = 503
    assert another.call().text == "Hello world"
    assert another.call().text == "Hello world"
    assert acme.service.counts["refresh troubled"] == 1


def test_a_registration_that_the_service_forgot_is_not_replayed(
    person: Person, acme: Running
) -> None:
    person.sign_in()
    acme.service.access.clear()
    acme.service.clients.clear()
    with pytest.raises(AuthorizationRequired):
        person.call()
    visit(person.shown[0].url)
    person.end(person.shown[0])
    assert person.call().text == "Hello world"
    assert acme.service.counts["registered"] == 2


def test_a_server_that_repeats_the_token_does_not_have_it_shown(
    session: Session, kept: Path
) -> None:
    with serving() as site:
        url = f"{site.origin}/mcp"
        told = {"message": "the token canary-token is odd"}
        site.pages["POST /mcp"] = 500, told
        session.adopt(Http(url), "odd")
        tokens = Tokens(Secret("canary-token"))
        session.sign_ins.store.write(url, Record(canonical(url), tokens=tokens))
        with pytest.raises(ServerUnreachable) as caught:
            session.run(session.connections.connected("odd"))
        assert site.asked[0].headers["Authorization"] == "Bearer canary-token"
    assert "the token … is odd" in str(caught.value)


def test_calls_do_not_wait_for_each_other(person: Person) -> None:
    person.sign_in()
    server = Server(person.session, person.session.find("acme"))
    server.hello()
    running: list[int] = []

    async def one(seconds: float) -> None:
        await server.slow.aio(seconds=seconds)
        running.append(round(seconds * 10))

    async def go() -> None:
        await asyncio.gather(one(3), one(0.1))

    asyncio.run(go())
    assert running == [1, 30]
