"""Known servers: which one a name means, files that change, our own file's verbs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from mcp_magic.config import Approvals, Catalogue, Http, ServerEntry, Stdio
from mcp_magic.errors import (
    ApprovalRequired,
    ArgumentError,
    McpMagicError,
    ServerUnreachable,
    UnknownServer,
)
from mcp_magic.language import Bound
from mcp_magic.notebook import verbs
from mcp_magic.notebook.offers import candidates
from mcp_magic.session import Server, Session, call
from mcp_magic.session.known import Known

_OURS = "~/.config/mcp-magic/mcp.json"


@pytest.fixture(name="home")
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    return home


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture(name="ours")
def _ours(home: Path) -> Path:
    return home / ".config/mcp-magic/mcp.json"


@pytest.fixture(name="session")
def _session(home: Path, folder: Path, said: list[str]) -> Session:
    session = Session(folder)
    session.person.say = said.append
    return session


def _write(file: Path, **servers: Mapping[str, object]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    file.chmod(0o600)


def _command(session: Session, name: str) -> str:
    return str(session.find(name).target)


def _run(session: Session, line: str) -> object:
    return verbs.run(session, {}, line, None)[0]


def _approve(session: Session, *names: str) -> None:
    for entry in session.known.waiting:
        if entry.name in names:
            session.known.approvals.grant(entry)


# -- precedence


def test_this_kernel_comes_first_then_our_file_the_project_and_other_products(
    session: Session, home: Path, folder: Path, ours: Path
) -> None:
    _write(home / ".cursor/mcp.json", s={"command": "users"})
    session.reread()
    assert _command(session, "s") == "users"
    _write(folder / ".mcp.json", s={"command": "projects"})
    session.reread()
    assert _command(session, "s") == "users"  # nobody has agreed to the project's
    _approve(session, "s")
    assert _command(session, "s") == "projects"
    _write(ours, s={"command": "ours"})
    session.reread()
    assert _command(session, "s") == "ours"
    session.add(ServerEntry("s", Stdio("typed")))
    assert _command(session, "s") == "typed"
    rows = repr(_run(session, "servers --all")).splitlines()
    assert [" ".join(row.split()[:4]) for row in rows if row.startswith("s ")] == [
        "s yes this kernel",
        "s shadowed by this",
        "s shadowed by this",
        "s shadowed by this",
    ]
    assert len(repr(_run(session, "servers")).splitlines()) == 3


def test_a_server_of_another_product_is_switched_off_in_our_file(
    session: Session, home: Path, ours: Path
) -> None:
    _write(home / ".cursor/mcp.json", s={"command": "users"})
    _write(ours, s={"command": "users", "disabled": True})
    session.reread()
    with pytest.raises(ServerUnreachable, match="s is disabled in its file"):
        session.find("s")
    assert [one.name for one in session.entries] == ["demo"]


def test_what_is_disabled_or_not_approved_is_not_completed_or_corrected_to(
    session: Session, folder: Path, ours: Path, said: list[str]
) -> None:
    _write(folder / ".mcp.json", linter={"command": "x"})
    _write(ours, tickets={"command": "x", "disabled": True})
    session.reread()
    _, offered = candidates(session, " ")
    assert not {"linter", "tickets"} & set(offered)
    for typed in ("lintr", "ticket", "linter2"):
        with pytest.raises(UnknownServer):
            session.find(typed)
    assert [line for line in said if "linter" in line or "tickets" in line] == []


_NAMED = [
    "linter", "linter.check x=1", "linter check", "linter.check(x=1)", "list linter",
    "call linter.check", "read linter x:y", "close linter", "help linter",
    "--no-correct linter.check", "io.github.x", "io.github.x.check",
    "'my server'.check",
]  # fmt: skip


@pytest.mark.parametrize("line", _NAMED)
def test_naming_an_unapproved_server_says_in_one_line_how_to_approve_it(
    session: Session, folder: Path, said: list[str], line: str
) -> None:
    names = ("linter", "io.github.x", "my server")
    _write(folder / ".mcp.json", **{one: {"command": sys.executable} for one in names})
    # A server near enough to be corrected to, were the name a typo.
    session.add(ServerEntry("linters", Http("http://127.0.0.1:1/mcp")))
    with pytest.raises(ApprovalRequired, match="%mcp approve") as caught:
        _run(session, line)
    assert "\n" not in str(caught.value)
    assert said == []


def test_an_entry_that_was_handed_over_is_asked_about_all_the_same(
    session: Session, folder: Path
) -> None:
    _write(folder / ".mcp.json", linter={"command": sys.executable})
    session.reread()
    (entry,) = session.known.waiting
    # As a handle does that was pickled in another process.
    session.add(entry)
    handle = Server(session, entry)
    with pytest.raises(ApprovalRequired):
        handle.check()
    with pytest.raises(ApprovalRequired):
        session.connections.of("linter")
    flow = call(session, "linter", "check", lambda *_: Bound({}))
    with pytest.raises(ApprovalRequired):
        session.run(flow)
    assert session.connections.live("linter") is None


def test_tools_of_a_revoked_server_do_not_run_in_any_kernel(
    session: Session, folder: Path, servers: Path, said: list[str]
) -> None:
    args = [str(servers / "small.py")]
    _write(folder / ".mcp.json", small={"command": sys.executable, "args": args})
    session.reread()
    _approve(session, "small")
    small = Server(session, session.find("small"))
    assert small.shout(text="a").text == "A"
    # In another kernel, which shares nothing but the file.
    other = Session(folder)
    other.known.approvals.revoke(lambda _: True)
    with pytest.raises(ApprovalRequired):
        small.shout(text="a")
    session.reread()
    assert session.connections.live("small") is None


# -- files that change


def test_a_changed_target_closes_its_connection_and_the_next_call_uses_the_new_one(
    session: Session, ours: Path, servers: Path
) -> None:
    small = {"command": sys.executable, "args": [str(servers / "small.py")]}
    _write(ours, s=small, t=small)
    _run(session, "list s t")
    before = session.connections.live("s")
    kept = session.connections.live("t")
    assert before is not None
    _write(ours, s={**small, "env": {"A": "1"}}, t=small, more=small)
    _run(session, "servers")
    assert session.connections.live("s") is None
    assert not before.is_up
    assert session.connections.live("t") is kept
    assert repr(_run(session, "s.shout text=a")) == "A"
    _write(ours, t=small)
    _run(session, "servers")
    assert session.connections.live("s") is None
    with pytest.raises(UnknownServer):
        _run(session, "s.shout text=a")
    session.shut_down()


def test_an_entry_that_only_moved_in_its_file_keeps_its_connection(
    session: Session, ours: Path, servers: Path
) -> None:
    small = {"command": sys.executable, "args": [str(servers / "small.py")]}
    _write(ours, s=small)
    _run(session, "list s")
    before = session.connections.live("s")
    text = ours.read_text(encoding="utf-8")
    ours.write_text("\n\n" + text, encoding="utf-8")
    _run(session, "servers")
    assert session.connections.live("s") is before
    session.shut_down()


def test_a_file_that_breaks_says_so_and_hides_no_other(
    session: Session, home: Path, ours: Path
) -> None:
    _write(home / ".cursor/mcp.json", fine={"command": "x"})
    ours.parent.mkdir(parents=True)
    ours.write_text('{"mcpServers": {', encoding="utf-8")
    ours.chmod(0o600)
    shown = repr(_run(session, "servers --all"))
    assert "~/.config/mcp-magic/mcp.json:1: this is no JSON" in shown
    assert session.find("fine").origin == "Cursor (user)"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such modes")
def test_our_file_is_not_used_while_others_can_write_to_it(
    session: Session, ours: Path
) -> None:
    _write(ours, s={"command": "x"})
    ours.chmod(0o666)
    session.reread()
    assert [one.name for one in session.entries] == ["demo"]
    assert "chmod 600" in repr(_run(session, "servers --all"))


def test_limits_of_an_entry_hold_for_its_server_alone(
    session: Session, ours: Path, servers: Path
) -> None:
    small = {"command": sys.executable, "args": [str(servers / "small.py")]}
    _write(ours, s={**small, "startup_timeout_sec": 30, "timeout": 20}, t=small)
    session.reread()
    assert session.connections.of("s").settings.connect_timeout == 30.0
    assert (
        session.connections.of("t").settings.connect_timeout
        == session.connections.connect_timeout
    )
    assert session.call_limit("s") == 20.0
    assert session.call_limit("t") is None
    session.call_timeout = 5.0
    assert session.call_limit("t") == 5.0
    assert session.call_limit("s") == 20.0


# -- inputs

_STRICT = """
import os, runpy, sys
if os.environ["KEY"] != "right":
    sys.exit("wrong key")
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def test_an_input_is_asked_for_once_and_again_if_the_server_would_not_start(
    session: Session, home: Path, servers: Path
) -> None:
    server = {
        "command": sys.executable,
        "args": ["-c", _STRICT, str(servers / "small.py")],
        "env": {"KEY": "${input:key}"},
    }
    inputs = [{"id": "key", "type": "promptString", "password": True}]
    file = home / ".config/Code/User/mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"inputs": inputs, "servers": {"s": server}}))
    asked: list[tuple[str, bool]] = []
    answers = ["wrong", "also wrong", "right"]

    def ask(question: str, *, masked: bool) -> str | None:
        asked.append((question, masked))
        return answers.pop(0)

    session.person.ask = ask
    for line in ("list s", "s.shout text=a"):
        with pytest.raises(McpMagicError, match="exited with code 1"):
            _run(session, line)
    assert repr(_run(session, "s.shout text=a")) == "A"
    session.connections.close("s")
    assert repr(_run(session, "s.shout text=b")) == "B"
    shown = (
        "~/.config/Code/User/mcp.json"  # prompts stand in notebooks, which are shared
    )
    assert asked == [(f"s ({shown}) asks for key: ", True)] * 3
    session.shut_down()


# -- add, remove, import


def test_a_saved_server_is_known_to_the_next_kernel(
    session: Session, folder: Path, ours: Path, said: list[str]
) -> None:
    _run(
        session, "add --save --env 'T=${TOKEN}' --cwd /data tickets uvx some-server -v"
    )
    assert said == ["Saved tickets in ~/.config/mcp-magic/mcp.json."]
    held = json.loads(ours.read_text(encoding="utf-8"))
    assert held["mcpServers"]["tickets"] == {
        "command": "uvx",
        "args": ["some-server", "-v"],
        "cwd": "/data",
        "env": {"T": "${TOKEN}"},
    }
    later = Session(folder)
    later.reread()
    assert later.find("tickets").origin == "your mcp.json"


def test_a_file_of_this_folder_is_found_from_other_folders(
    session: Session, folder: Path, ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "server.py").touch()
    _run(session, "add --save s server.py --quiet")
    _run(session, "add --save --cwd sub t uvx some-server")
    held = json.loads(ours.read_text(encoding="utf-8"))["mcpServers"]
    assert held["s"]["args"] == ["server.py", "--quiet"]
    assert held["s"]["cwd"] == str(folder)
    assert held["t"]["cwd"] == str(folder / "sub")


def test_saving_takes_the_place_of_what_was_added_in_this_kernel(
    session: Session, ours: Path
) -> None:
    _run(session, "add s uvx old")
    _run(session, "add --save s uvx new")
    assert session.find("s").origin == "your mcp.json"
    assert _command(session, "s") == "uvx new"


@pytest.mark.parametrize(
    ("line", "how"),
    [
        (
            "add --save --header 'Authorization=Bearer s3cr3t' s https://h.test",
            "--header 'Authorization=Bearer ${S_TOKEN}'",
        ),
        ("add --save --env API_KEY=s3cr3t s uvx x", "--env 'API_KEY=${S_API_KEY}'"),
        ("add --save s https://h.test/mcp?token=s3cr3t", "${S_TOKEN}"),
        ("add --save s uvx x --api-key s3cr3t", "${S_API_KEY}"),
    ],
)
def test_a_secret_as_it_is_is_not_saved_and_the_way_out_is_shown(
    session: Session, ours: Path, line: str, how: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        _run(session, line)
    assert how in str(caught.value)
    assert "s3cr3t" not in str(caught.value)
    assert not ours.exists()
    assert [one.name for one in session.entries] == ["demo"]


@pytest.mark.parametrize("name", ["demo", "Demo", "''", "'a\u202eb'"])
def test_a_name_that_cannot_be_is_not_saved(
    session: Session, ours: Path, name: str
) -> None:
    with pytest.raises(ArgumentError, match=r"cannot be the name|bundled server"):
        _run(session, f"add --save {name} uvx x")
    assert not ours.exists()


def test_removing_says_from_where_and_what_the_name_means_now(
    session: Session, home: Path, ours: Path
) -> None:
    _write(home / ".cursor/mcp.json", s={"command": "users"})
    _write(ours, s={"command": "ours"})
    _run(session, "add s uvx typed")
    said = str(_run(session, "remove s"))
    assert said == (
        "Removed s from this kernel and from ~/.config/mcp-magic/mcp.json."
        " s now means the server of Cursor (user)."
    )
    with pytest.raises(ArgumentError, match=r"\.cursor/mcp\.json, which belongs to"):
        _run(session, "remove s")
    assert "users" in (home / ".cursor/mcp.json").read_text(encoding="utf-8")
    with pytest.raises(ArgumentError, match="bundled"):
        _run(session, "remove demo")
    with pytest.raises(UnknownServer):
        _run(session, "remove nothing")


def test_a_disabled_server_of_our_file_can_be_removed(
    session: Session, ours: Path
) -> None:
    _write(ours, s={"command": "x", "disabled": True})
    assert str(_run(session, "remove s")) == f"Removed s from {_OURS}."


def test_import_copies_what_another_product_has_and_leaves_what_is_there(
    session: Session, home: Path, ours: Path
) -> None:
    _write(
        home / ".cursor/mcp.json",
        a={
            "command": "uvx",
            "args": ["x", "${workspaceFolder}/s.js"],
            "env": {"T": "${env:TOKEN}"},
            "allowedTools": ["one"],
            "timeout": 90_000,
        },
        b={"url": "https://h.test/mcp", "headers": {"X-Api-Key": "s3cr3t"}},
        c={"command": "x", "args": ["${command:pick}"]},
        d={"command": "x", "args": ["${PLAIN}"]},
    )
    _write(ours, a={"command": "mine"})
    lines = str(_run(session, "import cursr")).splitlines()
    assert lines[0] == f"a: {_OURS} has one of that name, which stays"
    assert lines[1] == f"b: copied into {_OURS}; secrets in it: --header X-Api-Key"
    assert lines[2].startswith("c: not copied; it holds ${command:pick}")
    assert lines[3].startswith("d: not copied; it holds ${PLAIN} as plain text")
    _run(session, "remove a")
    _run(session, "import Cursor a")
    held = json.loads(ours.read_text(encoding="utf-8"))["mcpServers"]
    assert held["a"] == {
        "command": "uvx",
        "args": ["x", f"{session.known.entry('a').source.folder}/s.js"],  # type: ignore[union-attr] # from a file
        "env": {"T": "${TOKEN}"},
        "timeout": 90,
        "allowedTools": ["one"],
    }
    assert '"timeout": 90,' in ours.read_text(encoding="utf-8")
    assert session.find("a").origin == "your mcp.json"


def test_import_says_what_was_not_copied_and_what_to_do(
    session: Session, home: Path, ours: Path
) -> None:
    _write(
        home / ".claude.json",
        a={
            "url": "https://h.test/mcp",
            "headersHelper": "bin/token",
            "timeout": 5,
            "oauth": {"clientId": "me", "clientSecret": "s3cr3t"},
            "description": "x",
            "alwaysAllow\n": ["x"],
        },
        b={"command": "x", "headers": {"A": "b"}},
    )
    _write(home / ".config/Code/User/mcp.json")
    (home / ".config/Code/User/mcp.json").write_text(
        json.dumps(
            {
                "servers": {"c": {"url": "https://h.test/${input:key}"}},
                "inputs": [{"id": "key", "type": "promptString"}],
            }
        ),
        encoding="utf-8",
    )
    session.reread()
    copied = f"copied into {_OURS}"
    assert str(_run(session, "import claude-code")).splitlines() == [
        (
            f"a: {copied}; secrets in it: oauth client_secret. timeout means "
            "0.005 s here, which is odd; the usual limit is used. headersHelper is not "
            "run here; write the headers themselves. Not copied, as nothing here heeds "
            "it: description, alwaysAllow\\n"
        ),
        f"b: {copied}. Not copied, as nothing here heeds it: headers",
    ]
    assert str(_run(session, "import vs-code")) == (
        f"c: {copied}. It takes what VS Code asks for from MCP_MAGIC_INPUT_KEY; set it"
    )
    held = json.loads(ours.read_text(encoding="utf-8"))["mcpServers"]
    assert held["c"] == {"url": "https://h.test/${MCP_MAGIC_INPUT_KEY}"}


def test_import_takes_no_private_hosts_from_a_folder(
    session: Session, folder: Path, home: Path, ours: Path
) -> None:
    """In a file of the user they count, and weaken a check of the sign-in."""
    oauth = {"clientId": "me", "private_hosts": ["10.0.0.1"]}
    _write(folder / ".mcp.json", a={"url": "https://h.test/mcp", "oauth": oauth})
    _write(home / ".cursor/mcp.json", b={"url": "https://h.test/", "oauth": oauth})
    session.reread()
    _approve(session, "a")
    assert str(_run(session, "import claude-code")).endswith(
        "mcp.json. private_hosts is not copied: add those that you know to be safe"
    )
    assert str(_run(session, "import cursor")) == f"b: copied into {_OURS}"
    held = json.loads(ours.read_text(encoding="utf-8"))["mcpServers"]
    assert held["a"]["oauth"] == {"client_id": "me"}
    assert held["b"]["oauth"] == {"client_id": "me", "private_hosts": ["10.0.0.1"]}


def test_import_names_the_products_that_have_servers_here(
    session: Session, home: Path
) -> None:
    _write(home / ".cursor/mcp.json", a={"command": "x"})
    with pytest.raises(
        ArgumentError, match="takes the name of a product; here: cursor"
    ):
        _run(session, "import nothing")
    with pytest.raises(ArgumentError, match="no 'z' among them: a"):
        _run(session, "import cursor z")


def test_a_file_with_comments_is_read_and_never_rewritten(
    session: Session, ours: Path
) -> None:
    ours.parent.mkdir(parents=True)
    text = '{\n  // mine\n  "mcpServers": {"a": {"command": "x"}}\n}'
    ours.write_text(text, encoding="utf-8")
    ours.chmod(0o600)
    session.reread()
    assert session.find("a").origin == "your mcp.json"
    with pytest.raises(McpMagicError, match=r'add this yourself: {"mcpServers": {"b":'):
        _run(session, "add --save b uvx x")
    with pytest.raises(McpMagicError, match="take 'a' out yourself"):
        _run(session, "remove a")
    assert ours.read_text(encoding="utf-8") == text


def test_another_file_may_be_ours(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.json"
    monkeypatch.setenv("MCP_MAGIC_CONFIG", str(other))
    _run(session, "add --save s uvx x")
    assert "uvx" in other.read_text(encoding="utf-8")
    monkeypatch.setenv("MCP_MAGIC_CONFIG", "here.json")
    session.reread()
    assert [one.name for one in session.entries] == ["demo"]
    assert "takes a full path" in repr(_run(session, "servers --all"))


@pytest.mark.parametrize(
    "variable",
    ["MCPORTER_CONFIG", "OPENCODE_CONFIG", "CODEX_HOME", "CLAUDE_CONFIG_DIR",
     "JUPYTER_CONFIG_DIR", "XDG_CONFIG_HOME", "MCP_MAGIC_CONFIG"],
)  # fmt: skip
def test_no_variable_makes_a_file_of_the_folder_one_of_the_users(
    session: Session, folder: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    # As the .env file of the folder may do, which some editors read for kernels.
    monkeypatch.chdir(folder)
    evil = {"linter": {"command": "evil"}}
    for name in (".claude.json", "mcp_servers.json", "here.json", "mcp-magic/mcp.json"):
        _write(folder / "x" / name, **evil)
    (folder / "x/config.toml").write_text('[mcp_servers.linter]\ncommand = "evil"')
    named = "x" if variable.endswith(("HOME", "DIR")) else "x/here.json"
    monkeypatch.setenv(variable, named)
    session.reread()
    assert [one.name for one in session.entries] == ["demo"]


def test_doctor_tells_of_every_entry_what_was_found_where_and_what_is_wrong(
    session: Session, home: Path, folder: Path, ours: Path
) -> None:
    secret = home / "secret.txt"
    secret.write_text("s3cr3t-of-mine")
    _write(folder / ".mcp.json", linter={"command": "sh", "args": ["-c", "touch X"]})
    (folder / "opencode.json").write_text(
        json.dumps({"mcp": {"spy": {"url": "http://127.0.0.1:1/{file:~/secret.txt}"}}})
    )
    _write(home / ".cursor/mcp.json", s={"command": "users"}, bad={"args": []})
    _write(ours, s={"command": "no-such-program", "blockedTools": ["rm"]})
    shown = repr(_run(session, "doctor"))
    assert "Server s\n" in shown
    assert "Server s of Cursor (user): shadowed by your mcp.json" in shown
    assert "Server linter of Claude Code (project): not approved" in shown
    assert "sh -c 'touch X'" in shown
    assert "blocked tools" in shown
    assert "neither a command nor a url" in shown
    assert "~/.cursor/mcp.json" in shown
    assert str(home) not in shown
    assert "s3cr3t-of-mine" not in shown
    one = repr(_run(session, "doctor linter"))
    assert "%mcp approve linter asks" in one
    assert "Server s" not in one


def test_nothing_is_read_before_a_session_is_used() -> None:
    read: list[str] = []

    def reading() -> Catalogue:
        read.append("once")
        return Catalogue()

    known = Known(reading, Approvals(None))
    assert list(known.usable) == ["demo"]
    assert read == []
