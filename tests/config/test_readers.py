"""Each product's entries are read as that product means them, one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_magic.config import Http, Stdio
from mcp_magic.config.dialects import DIALECTS, read
from mcp_magic.model import Secret
from tests.config.reading import SAMPLES, alone, place, read_sample, read_value, shown


def _named(product: str, sample: str, name: str) -> dict[str, object]:
    entries = read_sample(product, sample).entries
    return next(shown(entry) for entry in entries if entry.name == name)


def _problems(product: str, value: object) -> list[tuple[str, str]]:
    return [(one.key, one.text) for one in read_value(product, value).problems]


def test_one_bad_entry_takes_no_other_with_it() -> None:
    """CFG-01: of each bad one file, key, line and reason are given."""
    reading = read_sample("Claude Code", "21-one-bad-entry.json")
    assert [one.name for one in reading.entries] == [
        "good-1", "bad-env-number", "bad-http-no-url", "ambiguous-both",
        "unknown-keys-ok", "good-2",
    ]  # fmt: skip
    assert [(one.line, one.key, one.text) for one in reading.problems] == [
        (4, "mcpServers.bad-missing-everything",
         "has neither a command nor a url; add one"),
        (5, "mcpServers.bad-null",
         "is null, not a table; give it a command or a url"),
        (6, "mcpServers.bad-args-string", 'args is a text; write a list: ["…", "…"]'),
        (7, "mcpServers.bad-env-number",
         "env.PORT is a number and was read as a text"),
        (7, "mcpServers.bad-env-number",
         "env.DEBUG is true or false and was read as a text"),
        (8, "mcpServers.bad-http-no-url", "serverUrl is read as url"),
        (9, "mcpServers.ambiguous-both",
         "has a url and a command; the url is used"),
    ]  # fmt: skip
    assert str(reading.problems[0]) == (
        "/home/me/work/21-one-bad-entry.json:4: mcpServers.bad-missing-everything: "
        "has neither a command nor a url; add one"
    )


@pytest.mark.parametrize("key", ["mcpServers", "servers", "mcp_servers"])
def test_servers_are_found_under_the_key_of_another_product(key: str) -> None:
    """CFG-02: tables are copied from one file into another."""
    reading = read_value("Claude Code", {key: {"a": {"command": "uvx"}}})
    assert [one.name for one in reading.entries] == ["a"]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (b'{"mcpServers": {', 1, "no JSON: expecting property name"),
        (b'{"mcpservers": {"a": {"command": "x"}}}', 0, "no table of servers"),
        (b'{"mcpServers": ["a"]}', 1, "an empty text is no name"),
        (b'{"mcpServers": "a"}', 0, "this is a text, not a table of servers"),
        (b"[]", 1, "this is a list, not a table"),
    ],
    ids=["cut off", "wrong key", "list", "text", "no table at all"],
)
def test_a_wrong_file_does_not_look_like_an_absent_one(
    text: bytes, line: int, says: str
) -> None:
    reading = read(place("Claude Code", ".mcp.json"), text)
    assert [one.line for one in reading.problems] == [line]
    assert says in reading.problems[0].text


@pytest.mark.parametrize("text", [b"", b" \r\n", b"{}", b"\xef\xbb\xbf"])
def test_an_empty_file_is_no_problem(text: bytes) -> None:
    reading = read(place("Cursor"), text)
    assert (reading.entries, reading.problems) == ((), ())


def test_a_file_of_settings_need_not_name_servers() -> None:
    reading = read_value("Zed", {"theme": "One Dark", "mcp": {}}, mixed=True)
    assert (reading.entries, reading.problems) == ((), ())


@pytest.mark.parametrize(
    ("entry", "target", "note"),
    [
        ({"url": "https://h.test/mcp"}, Http("https://h.test/mcp"), ""),
        ({"url": "https://h.test/mcp", "type": "sse"}, Http("https://h.test/mcp"), ""),
        ({"url": "https://h.test/mcp", "transport": "stdio"},
         Http("https://h.test/mcp"), "has a url, which is used although its type"),
        ({"url": "https://h.test/mcp", "command": "x", "type": "stdio"},
         Stdio("x"), ""),
        ({"url": "https://h.test/mcp", "command": "x", "type": "http"},
         Http("https://h.test/mcp"), ""),
    ],
    ids=["url alone", "sse", "stdio with a url", "stdio with both", "http with both"],
)  # fmt: skip
def test_the_transport_is_what_the_fields_say(
    entry: object, target: object, note: str
) -> None:
    """CFG-03."""
    reading = read_value("Claude Code", {"mcpServers": {"a": entry}})
    assert reading.entries[0].target == target
    assert [one.text[: len(note)] for one in reading.problems] == [note] * bool(note)


@pytest.mark.parametrize(
    ("product", "entry", "expected"),
    [
        ("Windsurf", {"serverUrl": "https://h.test/"}, {"url": "https://h.test/"}),
        ("Gemini CLI", {"httpUrl": "https://h.test/"}, {"url": "https://h.test/"}),
        ("Gemini CLI", {"url": "https://h.test/"}, {"url": "https://h.test/"}),
        ("Goose", {"uri": "https://h.test/", "type": "streamable_http"},
         {"url": "https://h.test/"}),
        ("mcporter", {"baseUrl": "https://h.test/"}, {"url": "https://h.test/"}),
        ("mcporter", {"url": "https://h.test/", "bearerToken": "${T}",
                      "headers": {"A": "b"}},
         {"url": "https://h.test/",
          "headers": {"A": "b", "Authorization": "Bearer ${T}"}}),
        ("mcporter", {"url": "https://h.test/", "bearer_token_env": "T",
                      "oauthClientId": "me", "oauthClientSecretEnv": "S-1"},
         {"url": "https://h.test/", "headers": {"Authorization": "${T}"},
          "oauth": {"client_id": "me", "client_secret": Secret("${env:S-1}")}}),
        ("mcporter", {"executable": "x", "args": ["y"]}, {"command": ["x", "y"]}),
        ("Copilot CLI", {"type": "local", "command": "x", "args": [], "tools": ["*"],
                         "env": {"A": "$B"}, "timeout": 60_000},
         {"command": ["x"], "env": {"A": "$B"}, "call_timeout": 60.0}),
        ("Copilot CLI", {"type": "http", "url": "https://h.test/", "tools": ["a"],
                         "headers": {"A": "b"}, "oauthClientId": "me",
                         "oauthScopes": ["r", "w"]},
         {"url": "https://h.test/", "headers": {"A": "b"}, "allowed": ["a"],
          "oauth": {"client_id": "me", "scope": "r w"}}),
        ("OpenCode", {"command": ["npx", "x"], "environment": {"A": "b"}},
         {"command": ["npx", "x"], "env": {"A": "b"}}),
        ("Zed", {"command": {"path": "x", "args": ["y"], "env": {"A": "b"}}},
         {"command": ["x", "y"], "env": {"A": "b"}}),
        ("Goose", {"cmd": "x", "args": ["y"], "envs": {"A": "b"}, "env_keys": ["C"]},
         {"command": ["x", "y"], "env": {"C": "${C}", "A": "b"}}),
        ("Goose", {"enabled": True, "config": {"cmd": "x", "type": "stdio"}},
         {"command": ["x"]}),
        ("Jupyter AI", {"command": "x", "env": [{"name": "A", "value": "b"}]},
         {"command": ["x"], "env": {"A": "b"}}),
        ("Jupyter AI", {"url": "https://h.test/", "headers": [
            {"name": "A", "value": "b"}]},
         {"url": "https://h.test/", "headers": {"A": "b"}}),
        ("Cline", {"transport": {"type": "http", "url": "https://h.test/",
                                 "headers": {"X-Key": "${KEY}"}}},
         {"url": "https://h.test/", "headers": {"X-Key": "${KEY}"}}),
        ("Continue", {"url": "https://h.test/", "requestOptions": {
            "headers": {"A": "b"}}},
         {"url": "https://h.test/", "headers": {"A": "b"}}),
        ("Cursor", {"command": "x", "args": ["y", 7], "envFile": "${userHome}/.env"},
         {"command": ["x", "y", "7"], "env_file": "${userHome}/.env"}),
        ("Claude Code", {"command": "x", "disabled": True},
         {"command": ["x"], "disabled": "disabled in its file"}),
        ("Zed", {"command": "x", "enabled": False},
         {"command": ["x"], "disabled": "disabled in its file"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_each_spelling_is_read(
    product: str, entry: object, expected: dict[str, object]
) -> None:
    """CFG-04, CFG-05, CFG-17: no member that holds a credential is dropped."""
    assert shown(alone(product, entry)) == expected


@pytest.mark.parametrize(
    ("product", "entry", "says"),
    [
        ("Codex", {"http_headers": "A: b"}, "http_headers is a text"),
        ("Codex", {"env_http_headers": "A"}, "env_http_headers is a text"),
        ("Codex", {"bearer_token_env_var": 7}, "bearer_token_env_var is a number"),
        ("Continue", {"requestOptions": {"headers": "A"}}, "headers is a text"),
        ("Copilot CLI", {"tools": 7}, "allowedTools is a number"),
        ("Goose", {"env_keys": "A"}, "env_keys is a text"),
        ("Goose", {"envs": "A=b"}, "envs is a text"),
        ("mcporter", {"bearerTokenEnv": ["A"]}, "bearerTokenEnv is a list"),
    ],
)
def test_what_a_product_alone_writes_is_refused_where_it_cannot_be_read(
    product: str, entry: dict[str, object], says: str
) -> None:
    """A server without its credentials would be another one."""
    table = {"mcpServers": {"s": {"url": "https://h.test/", **entry}}}
    ((_, text),) = _problems(product, table)
    assert text.startswith(says)


@pytest.mark.parametrize("name", ["auth", "oauth"])
@pytest.mark.parametrize("value", [7, []])
def test_a_sign_in_that_cannot_be_read_is_pointed_out(name: str, value: object) -> None:
    entry = {"url": "https://h.test/", name: value}
    ((_, text),) = _problems("Claude Code", {"mcpServers": {"s": entry}})
    assert text.startswith(f"{name} is a ")


@pytest.mark.parametrize(
    ("product", "entry", "unread"),
    [
        ("Claude Code", {"url": "https://h.test/", "type": "http", "x": None}, []),
        ("Claude Code", {"url": "https://h.test/", "headersHelper": "x"}, []),
        ("Claude Code", {"command": "x", "headers": {}, "b": 1}, ["headers", "b"]),
        ("Cline", {"command": "x", "timeout": 9, "autoApprove": []}, ["autoApprove"]),
        ("Cline", {"command": "x", "environment": {}, "env": {}}, ["environment"]),
        ("Codex", {"url": "https://h.test/", "bearer_token_env_var": "A",
                   "required": True}, ["required"]),
        ("Codex", {"command": "x", "env_vars": ["A"]}, ["env_vars"]),
        ("Continue", {"name": "s", "url": "https://h.test/", "requestOptions": {
            "headers": {"A": "b"}, "proxy": "p"}}, ["requestOptions.proxy"]),
        ("Copilot CLI", {"command": "x", "tools": ["*"], "oidc": True}, ["oidc"]),
        ("Goose", {"cmd": "x", "env_keys": ["A"], "envs": {}, "bundled": True,
                   "available_tools": []}, ["bundled"]),
        ("Goose", {"config": {"cmd": "x", "display_name": "X"}}, ["display_name"]),
        ("Zed", {"source": "custom", "command": "x", "settings": {}}, ["settings"]),
        ("mcporter", {"command": "x", "lifecycle": "ephemeral"}, ["lifecycle"]),
    ],
)  # fmt: skip
def test_what_means_nothing_here_is_known(
    product: str, entry: object, unread: list[str]
) -> None:
    (found,) = read_value(product, {"mcpServers": {"s": entry}}).entries
    assert found.source is not None
    assert list(found.source.unread) == unread


def test_codex_takes_headers_from_its_own_keys_alone() -> None:
    """CFG-06."""
    reading = read_sample("Codex", "07-codex-config.toml")
    assert [one.name for one in reading.entries] == [
        "local", "name.with.dots", "headers_ok", "headers_ignored_elsewhere",
    ]  # fmt: skip
    assert [shown(one) for one in reading.entries] == [
        {
            "command": ["npx", "-y", "example-server"],
            "env": {"LOG": "1"},
            "cwd": "~/work",
            "allowed": ["search", "read"],
            "connect_timeout": 20.0,
            "call_timeout": 60.0,
        },
        {
            "url": "https://api.example.test/mcp",
            "headers": {"Authorization": "Bearer ${EXAMPLE_TOKEN}"},
        },
        {
            "url": "https://api2.example.test/mcp",
            "headers": {"X-Team": "data", "X-Key": "${EXAMPLE_KEY}"},
        },
        {"url": "https://api3.example.test/mcp", "disabled": "disabled in its file"},
    ]
    (problem,) = reading.problems
    assert (problem.line, problem.text) == (
        22,
        "headers means nothing to Codex; write http_headers",
    )


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        ("/home/me/work/alpha", ["alpha-only", "shared"]),
        ("c:/users/ME/beta/", ["beta-only", "shared"]),
        ("/home/me/work", ["shared"]),
    ],
)
def test_claude_code_has_servers_of_a_folder_and_of_all(
    folder: str, names: list[str]
) -> None:
    """CFG-07: nothing else in that file is a server."""
    name = "06-claude-code-user.claude.json"
    reading = read_sample("Claude Code", name, mixed=True, folders=(Path(folder),))
    assert [one.name for one in reading.entries] == names
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("product", "written", "connect", "call"),
    [
        ("Cline", {"timeout": 60}, None, 60.0),
        ("Roo Code", {"timeout": 60}, None, 60.0),
        ("Goose", {"timeout": 300}, None, 300.0),
        ("Zed", {"timeout": 90}, None, 90.0),
        ("LM Studio", {"timeout": 120_000}, None, 120.0),
        ("mcp-magic", {"timeout": 60}, None, 60.0),
        ("OpenCode", {"timeout": 5000}, 5.0, None),
        ("OpenCode", {"timeout": {"startup": 5000, "request": 7000}}, 5.0, 7.0),
        ("Gemini CLI", {"timeout": 5000}, None, 5.0),
        ("Claude Code", {"timeout": 5000}, None, 5.0),
        ("Copilot CLI", {"timeout": 5000}, None, 5.0),
        ("Continue", {"connectionTimeout": 5000}, 5.0, None),
        ("Continue", {"timeout": 5000}, 5.0, None),
        ("Codex", {"startup_timeout_sec": 20, "tool_timeout_sec": 60}, 20.0, 60.0),
        ("Codex", {"startup_timeout_ms": 20_000}, 20.0, None),
    ],
)
def test_each_product_has_its_unit_of_time(
    product: str, written: dict[str, object], connect: float | None, call: float | None
) -> None:
    """CFG-09."""
    entry = alone(product, {"command": "x", **written})
    assert (entry.connect_timeout, entry.call_timeout) == (connect, call)


@pytest.mark.parametrize("written", [{"source": "extension"}, {"enabled": True}])
def test_a_server_of_an_extension_of_zed_says_that_only_zed_can_start_it(
    written: dict[str, object],
) -> None:
    entry = {**written, "settings": {"key": "x"}}
    reading = read_value("Zed", {"context_servers": {"a": entry}})
    assert reading.entries == ()
    assert "only Zed can start it" in reading.problems[0].text


@pytest.mark.parametrize("value", [60, 0, -5000, "5000", True, float("nan"), 10**400])
def test_an_odd_time_limit_is_said_and_not_used(value: object) -> None:
    entry = {"command": "x", "timeout": value}
    reading = read_value("Gemini CLI", {"mcpServers": {"a": entry}})
    assert reading.entries[0].call_timeout is None
    assert "the usual limit is used" in reading.problems[0].text


@pytest.mark.parametrize(
    ("filters", "allowed", "blocked"),
    [
        ({"includeTools": ["a"], "excludeTools": ["b"]}, ("a",), ("b",)),
        ({"allowedTools": []}, (), ()),
        ({"allowedTools": ["*"]}, None, ()),
        ({"blockedTools": ["a", 7, None]}, None, ("a",)),
        ({"disabledTools": "danger"}, None, ("danger",)),
    ],
)
def test_filters_of_tools_hold_whatever_else_is_wrong_with_them(
    filters: dict[str, object],
    allowed: tuple[str, ...] | None,
    blocked: tuple[str, ...],
) -> None:
    """CFG-10: a safety setting fails closed."""
    reading = read_value("Cursor", {"mcpServers": {"a": {"command": "x", **filters}}})
    (entry,) = reading.entries
    assert (entry.allowed, entry.blocked) == (allowed, blocked)


@pytest.mark.parametrize("key", ["allowedTools", "blockedTools"])
def test_a_filter_that_cannot_be_read_closes_the_server(key: str) -> None:
    problems = _problems("Cursor", {"mcpServers": {"a": {"command": "x", key: {}}}})
    assert problems == [
        ("mcpServers.a", f"{key} is a table; write a list of names of tools")
    ]


@pytest.mark.parametrize("value", ["yes", 1, []])
def test_an_entry_that_is_perhaps_disabled_is(value: object) -> None:
    entry = {"command": "x", "disabled": value}
    reading = read_value("Cursor", {"mcpServers": {"a": entry}})
    assert reading.entries[0].disabled
    assert "write true or false" in reading.problems[0].text


def test_gemini_switches_servers_off_in_another_place() -> None:
    servers = {name: {"command": "x"} for name in ("a", "b", "c")}
    settings = {"mcp": {"excluded": ["a"], "allowed": ["a", "b"]}}
    reading = read_value("Gemini CLI", {**settings, "mcpServers": servers}, mixed=True)
    assert [one.disabled for one in reading.entries] == [
        "disabled by mcp.excluded",
        "",
        "not in mcp.allowed",
    ]


@pytest.mark.parametrize(
    ("product", "written", "oauth"),
    [
        ("Claude Code", {"oauth": {"clientId": "c", "callbackPort": 3118}},
         {"client_id": "c", "redirect_port": 3118}),
        ("Claude Code", {"oauth": {"authServerMetadataUrl": "https://h.test/"}},
         {"metadata_url": "https://h.test/"}),
        ("Gemini CLI", {"oauth": {"enabled": True, "scopes": ["a", "b"]}},
         {"enabled": True, "scope": "a b"}),
        ("mcporter", {"auth": "oauth", "oauthScope": "openid"},
         {"enabled": True, "scope": "openid"}),
        ("OpenCode", {"oauth": False}, {"enabled": False}),
        ("OpenCode", {"oauth": {"client_id": "c"}}, {"client_id": "c"}),
        ("Cursor", {"auth": {"CLIENT_ID": "c"}}, {"client_id": "c"}),
    ],
    ids=str,
)  # fmt: skip
def test_settings_of_a_sign_in_are_kept(
    product: str, written: dict[str, object], oauth: dict[str, object]
) -> None:
    """CFG-11."""
    assert alone(product, {"url": "https://h.test/mcp", **written}).oauth == oauth


def test_the_secret_of_a_client_is_a_secret() -> None:
    entry = alone(
        "Cursor", {"url": "https://h.test/", "oauth": {"clientSecret": "t0psecret"}}
    )
    assert "t0psecret" not in repr(entry)
    assert "client_secret" in entry.oauth


@pytest.mark.parametrize("name", ["filesystem-docs", "list", "help", "config", "a b"])
def test_names_mean_nothing(name: str) -> None:
    """CFG-15."""
    reading = read_value("Cursor", {"mcpServers": {name: {"command": "x"}}})
    assert [one.name for one in reading.entries] == [name]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "an empty text is no name"),
        ("  ", "an empty text is no name"),
        ("demo", "demo is the bundled server"),
        ("Demo", "demo is the bundled server"),
        ("ｄｅｍｏ", "demo is the bundled server"),
        ("git\u200bhub", "characters that are not seen"),
        ("git\u200dhub", "characters that are not seen"),
        ("git\u00adhub", "characters that are not seen"),
        ("git\u202ehub", "characters that are not seen"),
        ("git\u3164hub", "characters that are not seen"),
        ("git\nhub", "characters that are not seen"),
        ("\x1b[31mgithub", "characters that are not seen"),
        ("github ", "characters that are not seen"),
        ("git\u00a0hub", "characters that are not seen"),
        ("\ud800", "characters that are not seen"),
        ("x" * 201, "more than 200 characters"),
    ],
    ids=ascii,
)
def test_a_name_that_could_deceive_is_a_problem_and_no_entry(
    name: str, says: str
) -> None:
    reading = read_value("Claude Code", {"mcpServers": {name: {"command": "x"}}})
    assert reading.entries == ()
    assert says in reading.problems[0].text
    assert str(reading.problems[0]).isprintable()


@pytest.mark.parametrize(
    ("product", "name", "text"),
    [
        ("Cursor", "mcp.json",
         '{"mcpServers": {"a": {"command": "x"},\n"a": {"command": "y"}}}'),
        ("Cursor", "mcp.json",
         '{"mcpServers": {"a": {"command": "x"},\n"a": {"command": "y"},} /**/}'),
        ("Goose", "config.yaml", "extensions: {a: {cmd: x},\n a: {cmd: y}}"),
    ],
)  # fmt: skip
def test_a_name_that_stands_twice_in_a_table_is_pointed_out(
    product: str, name: str, text: str
) -> None:
    """Who changes the first of them wonders why nothing happens."""
    reading = read(place(product, name), text.encode())
    (entry,) = reading.entries
    assert entry.target == Stdio("y")
    ((line, said),) = ((one.line, one.text) for one in reading.problems)
    assert (line, said) == (2, "a stands here more than once; only the last one counts")


def test_a_list_may_name_a_server_once() -> None:
    """CFG-17."""
    entry = {"name": "a", "command": "x"}
    reading = read_value("Jupyter AI", {"mcp_servers": [entry, {**entry}]})
    assert [one.name for one in reading.entries] == ["a"]
    assert [(one.key, one.text) for one in reading.problems] == [
        ("mcp_servers[1]", "a second entry called a; only the first one counts")
    ]


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"command": ""}, "its command is empty"),
        ({"command": []}, "its command is empty"),
        ({"command": 7}, "command is a number"),
        ({"command": "x\0y"}, "NUL character"),
        ({"command": "x", "args": [["y"]]}, r"args\[0\] is a list"),
        ({"command": "x", "env": {"A=B": "c"}}, "cannot be the name of a variable"),
        ({"command": "x", "env": {"A": {"b": 1}}}, "env.A is a table"),
        ({"command": "x", "env": "A=B"}, "env is a text; write a table"),
        ({"command": "x", "env": [7]}, r"env\[0\] is a number"),
        ({"url": "ftp://h.test"}, "no http or https URL"),
        ({"url": "h.test/mcp"}, "no http or https URL"),
        ({"url": 7}, "url is a number"),
        ({"url": "https://h.test", "headers": {"a b": "c"}}, "name of a header"),
        ({"type": "stdio"}, "has no command"),
        ({"type": "http"}, "has no url"),
        ({"type": "ws", "url": "wss://h.test"}, "type 'ws' is not known here"),
    ],
    ids=str,
)
def test_an_entry_that_cannot_be_used_says_why(entry: object, says: str) -> None:
    reading = read_value("Cursor", {"mcpServers": {"a": entry}})
    assert reading.entries == ()
    (problem,) = reading.problems
    assert says.replace("\\", "") in problem.text


def test_a_path_that_lost_its_backslashes_is_pointed_out() -> None:
    r"""WIN-03: ``\n`` in JSON is a line break."""
    text = rb'{"mcpServers": {"a": {"command": "C:\new\tool.exe"}}}'
    (problem,) = read(place("Cursor"), text).problems
    assert "a path holds a line break" in problem.text


def test_paths_of_windows_stay_as_they_are() -> None:
    """WIN-01."""
    assert _named("Claude Desktop", "04-claude-desktop.json", "My Server (dev)") == {
        "command": [
            "C:\\Program Files\\nodejs\\npx.cmd",
            "-y",
            "@example/server",
            "C:\\Users\\me\\My Documents",
        ],
        "env": {"API_KEY": "abc$123"},
    }


@pytest.mark.parametrize(
    ("product", "entry", "strange"),
    [
        ("OpenCode", {"url": "https://h.test", "headers": {"A": "${K}"}}, "${K}"),
        ("Claude Code", {"url": "https://h.test", "headers": {"A": "{env:K}"}},
         "{env:K}"),
        ("Cursor", {"command": "x", "args": ["{workspaceFolder}/s.js"]},
         "{workspaceFolder}"),
        ("OpenCode", {"command": "x", "env": {"A": "${K:-t0psecret}"}}, "${K}"),
    ],
    ids=["braces", "opencode", "forgotten dollar", "default"],
)  # fmt: skip
def test_the_placeholder_of_another_product_is_pointed_out(
    product: str, entry: object, strange: str
) -> None:
    """ENV-06: it would be sent as it stands."""
    problems = _problems(product, {"mcpServers": {"a": entry}})
    assert [text for _, text in problems] == [
        f"{strange} is plain text in a file of {product}"
    ]


def test_what_a_project_brings_runs_in_its_folder() -> None:
    def cwd(**written: str) -> object:
        entry = alone("Gemini CLI", {"command": "x", **written}, scope="project")
        return shown(entry)["cwd"]

    assert cwd() == "/home/me/work"
    assert cwd(cwd="./server") == "/home/me/work/server"
    assert cwd(cwd="/srv") == "/srv"
    assert cwd(cwd="~/srv") == "~/srv"


def test_the_hash_is_that_of_name_and_entry_as_written() -> None:
    def digest(name: str, entry: object) -> str:
        (found,) = read_value("Cursor", {"mcpServers": {name: entry}}).entries
        assert found.source is not None
        return found.source.digest

    entry = {"command": "x", "args": ["a"]}
    assert digest("a", entry) == digest("a", dict(reversed(entry.items())))
    others = [
        digest("b", entry),
        digest("a", {**entry, "args": ["b"]}),
        digest("a", {**entry, "args": ["a", ""]}),
        digest("a", {**entry, "futureKey": None}),
    ]
    assert len({digest("a", entry), *others}) == 5


@pytest.mark.parametrize("file", sorted(SAMPLES.glob("[0-9]*")), ids=lambda f: f.name)
@pytest.mark.parametrize("product", DIALECTS)
def test_any_sample_in_any_file_is_read_without_an_error(
    file: Path, product: str
) -> None:
    reading = read(place(product, file.name), file.read_bytes())
    assert reading.entries or reading.problems
