"""Secrets are taken out of commands and addresses before they are shown."""

from __future__ import annotations

import shlex

import pytest

from mcp_magic.display import redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("npx -y server", "npx -y server"),
        ("srv --api-key abc --port 5", "srv --api-key … --port 5"),
        ("srv --api-key '${KEY}' -v", "srv --api-key '${KEY}' -v"),
        ("srv --token=abc", "srv --token=…"),
        ("srv --token 'a b' x", "srv --token … x"),
        ("env TOKEN=abc srv", "env TOKEN=… srv"),
        ("srv -auth abc", "srv -auth …"),
        ("srv --no-auth --port 5", "srv --no-auth --port 5"),
        ("srv --author bob", "srv --author bob"),
        ("keyboard secret.txt", "keyboard secret.txt"),
        ("srv --verbose key", "srv --verbose key"),
        ("docker run -e GITHUB_TOKEN=abc i", "docker run -e GITHUB_TOKEN=… i"),
        ("r --header 'Authorization: Bearer abc'", "r --header 'Authorization: …'"),
        ("r --header 'X: Bearer abc'", "r --header 'X: Bearer …'"),
        ("r --header 'Authorization: Bearer ${T}'",) * 2,
        ("""s '{"apiKey": "abc", "n": 1}'""", """s '{"apiKey": "…", "n": 1}'"""),
        ("s https://u:p@h.test/mcp?token=abc", "s 'https://h.test/mcp?token=…'"),
        ("s postgresql://u:p@h/db", "s postgresql://h/db"),
        ("s ghp_abcdefgh1234 sk-abcdefgh1234", "s … …"),
        (
            "s https://h.test/s/ABCdef1234ABCdef1234ABCdef/mcp",
            "s https://h.test/s/…/mcp",
        ),
        ("npx -y @scope/server-everything@2025.12.18",) * 2,
        (f"docker run image@sha256:{'0123456789abcdef' * 4}",) * 2,
        ("python -m app.keys:main http://auth:80/x",) * 2,
    ],
    ids=str,
)
def test_a_command_is_shown_without_secrets(text: str, shown: str) -> None:
    assert redact.command(shlex.split(text)) == shown


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("401 Unauthorized: sign in first", "401 Unauthorized: sign in first"),
        ("bad token: abc, try again", "bad token: …, try again"),
        ("sent Authorization: Bearer abc to h", "sent Authorization: … to h"),
        ("GET https://u:p@h.test/x?q=1 failed", "GET https://h.test/x?q=… failed"),
        ("a" * 60 + "://u:p@h.test/ failed", "a" * 60 + "://h.test/ failed"),
        ("the value canary-of-mine is odd", "the value … is odd"),
        ("eyJhbGciOiJIUzI1NiJ9.e30.abc expired", "… expired"),
    ],
    ids=str,
)
def test_a_message_is_shown_without_secrets(text: str, shown: str) -> None:
    assert redact.prose(text, ["canary-of-mine", "is"]) == shown


@pytest.mark.parametrize("text", ["a.", "a-", "a=", "a: ", "bearer ", "https://", "?"])
def test_a_long_text_costs_no_more_than_its_length(text: str) -> None:
    """A word with a million dots took longer than anyone waits."""
    assert redact.prose(text * 300_000)
    assert redact.command(["x", text * 300_000])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/alice/x", "~/x"),
        ("/home/alicebob/x:/home/alice", "/home/…/x:~"),
        ("/Users/eve/x", "/Users/…/x"),
        (r"C:\Users\mallory\x", r"C:\Users\…\x"),
        ("/home/jovyan/work", "/home/jovyan/work"),
        ("/scratch/alice/run", "/scratch/…/run"),
        ("/opt/malice/bin", "/opt/malice/bin"),
    ],
    ids=str,
)
def test_a_path_is_shown_without_people(text: str, shown: str) -> None:
    assert redact.people(text, home="/home/alice", user="alice") == shown


def test_an_account_without_a_person_hides_nothing() -> None:
    shown = redact.people("/usr/lib/node /var/me/x", home="/var/me", user="node")
    assert shown == "/usr/lib/node ~/x"
