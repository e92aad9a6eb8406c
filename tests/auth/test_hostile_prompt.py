"""Hostile texts of a service in the prompt of a sign-in, and in how it ended."""

from __future__ import annotations

import time

import pytest

from mcp_magic.client.auth.attempt import Missing, Place, Prompt
from mcp_magic.errors import SignInFailed, visible
from mcp_magic.notebook.signin import page
from mcp_magic.notebook.widgets.signin import drawn
from mcp_magic.session.signin import SignIn
from tests.hostile import VECTORS, faults_in_page, faults_in_text


def _job(text: str) -> SignIn:
    """Return a sign-in that waits; the service asks for *text* as a scope."""
    job = SignIn("srv", "https://srv.example/mcp", None)
    job.stage = "waiting"
    until = time.time() + 300
    redirect = "http://127.0.0.1:1/callback"
    url = "https://sign.example/authorize?scope=x"
    place = Place("sign.example")
    job.prompt = Prompt(url, place, (text, "use"), redirect, until)
    return job


@pytest.mark.parametrize("vector", VECTORS)
def test_what_a_service_asks_for_is_only_text(vector: str) -> None:
    job = _job(VECTORS[vector])
    assert faults_in_text(visible(job.text())) == []
    assert faults_in_page(page(job)) == []
    scopes = drawn(job)["scopes"]
    assert isinstance(scopes, list)
    assert [fault for one in scopes for fault in faults_in_text(str(one))] == []


@pytest.mark.parametrize("vector", VECTORS)
def test_why_a_service_refused_is_only_text(vector: str) -> None:
    job = _job("use")
    job.stage, job.error = "failed", SignInFailed(VECTORS[vector], "srv")
    assert faults_in_text(visible(job.text())) == []
    assert faults_in_page(page(job)) == []


@pytest.mark.parametrize("vector", VECTORS)
def test_a_registration_by_hand_is_asked_for_in_text_alone(vector: str) -> None:
    job, text = _job("use"), VECTORS[vector]
    place = Place(text, text)
    job.prompt, job.turn = None, 1
    job.missing = Missing(place, "does nothing", "http://127.0.0.1:1/c", text, 2e9)
    assert faults_in_text(visible(job.text())) == []
    assert faults_in_page(page(job)) == []
    shown = drawn(job)
    texts = [str(shown[key]) for key in ("host", "receiver", "known", "why")]
    assert [fault for one in texts for fault in faults_in_text(one)] == []
