"""Hostile texts of a service in the prompt of a sign-in, and in how it ended."""

from __future__ import annotations

import time

import pytest

from mcp_magic.client.auth.attempt import Prompt
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
    job.prompt = Prompt(url, "sign.example", (text, "use"), redirect, until)
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
