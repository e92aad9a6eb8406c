"""What a person types becomes a server entry, or an error that says what to do."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from mcp_magic.config import (
    Http,
    InProcess,
    ServerEntry,
    Stdio,
    Target,
    demo_entry,
    name_for,
    read_target,
)
from mcp_magic.errors import McpMagicError
from mcp_magic.model import Secret

_FILES = {"server.py", "my tools/server.py", "tool", "app.js"}


def _read(text: str, **options: Any) -> Target:
    return read_target(text, is_file=_FILES.__contains__, **options)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("https://h.test/mcp", Http("https://h.test/mcp")),
        ("  http://127.0.0.1:80/mcp?k=v ", Http("http://127.0.0.1:80/mcp?k=v")),
        ("npx -y some-server", Stdio("npx", ("-y", "some-server"))),
        ("cmd 'two words' \"x\"", Stdio("cmd", ("two words", "x"))),
        ("server.py", Stdio(sys.executable, ("server.py",))),
        ("my tools/server.py", Stdio(sys.executable, ("my tools/server.py",))),
        ("server.py --flag", Stdio(sys.executable, ("server.py", "--flag"))),
        ("app.js", Stdio("node", ("app.js",))),
        ("tool", Stdio("tool")),
        ("other.py", Stdio("other.py")),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_target_is_read(text: str, target: Target) -> None:
    assert _read(text) == target


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("", {}, "needs a command or a URL"),
        ("ftp://h.test/x", {}, "no http or https URL"),
        ("https://", {}, "no http or https URL"),
        ("https://h.test:port/", {}, "no http or https URL"),
        ("https://h.test/a b", {}, "no http or https URL"),
        ("cmd 'open", {}, "never closed"),
        ("cmd", {"headers": {"A": Secret("x")}}, "--header goes with a URL"),
        ("https://h.test", {"env": {"A": Secret("x")}}, "go with a command"),
        ("https://h.test", {"cwd": "x"}, "go with a command"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_wrong_target_says_what_to_do(
    text: str, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(McpMagicError, match=says):
        _read(text, **options)


class _Named:
    name = "mine"


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (Stdio("npx", ("-y", "@modelcontextprotocol/server-everything@1.2")),
         "server-everything"),
        (Stdio("uvx", ("mcp-server-git", "--repository", "x")), "mcp-server-git"),
        (Stdio(sys.executable, ("-m", "mcp_magic.demo")), "demo"),
        (Stdio("/opt/bin/python3.12", ("-u", "srv/weather.py")), "weather"),
        (Stdio("C:\\Tools\\node.exe", ("C:\\x\\files.mjs",)), "files"),
        (Stdio("sh", ("-c",)), "server"),
        (InProcess(_Named()), "mine"),
        (InProcess(object()), "server"),
    ],
    ids=str,
)  # fmt: skip
def test_a_server_without_a_name_gets_one(target: Target, name: str) -> None:
    assert name_for(target, ()) == name
    assert name_for(target, {name, f"{name}-2"}) == f"{name}-3"


def test_a_server_at_a_url_is_called_by_it_without_what_may_be_secret() -> None:
    target = Http("https://me:pw@h.test/mcp?api_key=t0psecret#x")
    assert name_for(target, ()) == "https://h.test/mcp"
    assert name_for(target, {"https://h.test/mcp"}) == "https://h.test/mcp-2"


@pytest.mark.parametrize(
    "target",
    [
        Http(
            "https://me:t0psecret@h.test/mcp?key=t0psecret", {"A": Secret("t0psecret")}
        ),
        Stdio(
            "cmd", ("--api-key", "t0psecret", "--token=t0psecret", "TOKEN=t0psecret")
        ),
        Stdio("cmd", (), {"A": Secret("t0psecret")}),
    ],
    ids=["url", "arguments", "environment"],
)
def test_an_entry_never_shows_a_secret(target: Target) -> None:
    entry = ServerEntry(name_for(target, ()), target)
    assert "t0psecret" not in f"{entry} {entry!r} {target} {target!r} {[entry]}"


def test_the_bundled_server_is_not_shadowed_by_files_of_the_folder() -> None:
    target = demo_entry().target
    assert isinstance(target, Stdio)
    assert target.args[0] == "-P"
