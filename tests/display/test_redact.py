"""Secrets are taken out of commands and addresses before they are shown."""

from __future__ import annotations

import pytest

from mcp_magic.display import redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("npx -y server", "npx -y server"),
        ("srv --api-key abc --port 5", "srv --api-key … --port 5"),
        ("srv --token=abc", "srv --token=…"),
        ("srv --token 'a b' x", "srv --token … x"),
        ("env TOKEN=abc srv", "env TOKEN=… srv"),
        ("srv -auth abc", "srv -auth …"),
        ("keyboard secret.txt", "keyboard secret.txt"),
        ("srv --verbose key", "srv --verbose key"),
    ],
    ids=str,
)
def test_a_command_is_shown_without_secrets(text: str, shown: str) -> None:
    assert redact.command(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://h.test/mcp", "https://h.test/mcp"),
        ("https://u:p@h.test:1/mcp?a=1&b=2#c", "https://h.test:1/mcp?a=…&b=…"),
        ("https://[broken", "(a URL that cannot be read)"),
    ],
    ids=str,
)
def test_an_address_is_shown_without_secrets(text: str, shown: str) -> None:
    assert redact.url(text) == shown
