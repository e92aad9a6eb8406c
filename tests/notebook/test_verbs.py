"""Lines carried out without a shell: which server, which tool, what is suggested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_magic.config import Http, InProcess, ServerEntry, Stdio
from mcp_magic.errors import LineError, McpMagicError, ToolFailed, UnknownServer
from mcp_magic.language import read_line
from mcp_magic.notebook import verbs
from mcp_magic.notebook.overview import HELP
from mcp_magic.session import CallResult, Session
from mcp_magic.session.telling import about
from tests.scripted import Scripted, tool


def _run(session: Session, line: str, cell: str | None = None) -> object:
    return verbs.run(session, {}, line, cell)[0]


@pytest.fixture(name="gateway")
def _gateway(session: Session) -> Scripted:
    server = Scripted([tool("x"), tool("list"), tool("a.b")])
    session.add(ServerEntry("gw", InProcess(server.server)))
    session.add(ServerEntry("gw.calendar", Http("https://h.test/mcp")))
    return server


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("auth", "auth takes 1 word: %mcp auth SERVER"),
        ("logs demo demo", "logs takes 1 word: %mcp logs SERVER"),
        ("read demo", "read takes 2 words: %mcp read SERVER URI"),
    ],
)
def test_how_many_words_a_verb_takes_is_said_in_good_english(
    session: Session, line: str, says: str
) -> None:
    with pytest.raises(LineError) as caught:
        _run(session, line)
    assert caught.value.message == says


def test_a_server_that_fails_among_others_is_named_once(session: Session) -> None:
    session.add(ServerEntry("gone", Stdio("/no/such/program")))
    session.add(ServerEntry("mine", InProcess(Scripted([tool("x")]).server)))
    shown = repr(_run(session, "list gone mine"))
    assert shown.startswith("gone cannot be started: ")
    assert about("gone", ValueError("gonemad")) == "gone: gonemad"
    assert about("gone", ValueError("the server gone left")) == "the server gone left"


@pytest.mark.parametrize("verb", sorted(HELP.keys() - {"call"}))
def test_the_readme_shows_each_verb_of_the_overview(verb: str) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    rows = [line for line in readme.splitlines() if line.startswith("| `")]
    typed = re.findall(r"`%mcp ([^`]+)`", "\n".join(rows))
    assert any(verb in line.split() for line in typed)


def test_the_longest_known_server_wins(session: Session, gateway: Scripted) -> None:
    with pytest.raises(McpMagicError, match=r"gw\.calendar"):
        _run(session, "gw.calendar.list")
    result = _run(session, "gw.a.b")
    assert isinstance(result, CallResult)
    assert result.called == "a.b"


def test_a_server_near_a_longer_prefix_is_suggested_too(
    session: Session, gateway: Scripted, said: list[str]
) -> None:
    with pytest.raises(ToolFailed):
        _run(session, "gw.calendr.list")
    assert "gw.calendar.list" in said[-1]


def test_a_server_called_like_a_verb_is_reached_with_the_verb_written_out(
    session: Session,
) -> None:
    server = Scripted([tool("x")])
    session.add(ServerEntry("list", InProcess(server.server)))
    assert "list: 1 tool" in repr(_run(session, "list list"))
    result = _run(session, "call list.x")
    assert isinstance(result, CallResult)


def test_a_tool_without_its_server_is_not_called(
    session: Session, gateway: Scripted, said: list[str]
) -> None:
    _run(session, "gw")
    with pytest.raises(UnknownServer):
        _run(session, "a.b")
    assert said == ["Did you mean gw.a.b?"]
    assert gateway.calls == []


def test_a_cell_joins_the_line_and_a_doubled_parameter_is_refused(
    session: Session,
) -> None:
    server = Scripted([tool("f", "a", "b")])
    session.add(ServerEntry("srv", InProcess(server.server)))
    _run(session, "srv.f a=1", "b: 2")
    assert server.calls == [("f", {"a": 1, "b": 2})]
    with pytest.raises(McpMagicError, match="a"):
        _run(session, "srv.f a=1", "a: 2\nb: 3")
    with pytest.raises(LineError, match="calls one tool"):
        _run(session, "srv", "a: 1")


def test_out_names_the_variable_and_raw_gives_what_arrived(session: Session) -> None:
    server = Scripted([tool("f")])
    session.add(ServerEntry("srv", InProcess(server.server)))
    value, name = verbs.run(session, {}, "--out r --raw srv.f", None)
    assert name == "r"
    assert isinstance(value, dict)
    assert value["content"] == [{"type": "text", "text": "f {}"}]


def test_what_does_not_exist_yet_says_so(session: Session) -> None:
    with pytest.raises(McpMagicError, match="%mcp record does not exist yet"):
        _run(session, "record x")


def test_every_verb_that_exists_has_help(session: Session) -> None:
    assert HELP.keys() == verbs._VERBS.keys()
    for verb, one in HELP.items():
        page = repr(_run(session, f"help {verb}"))
        assert page.startswith(f"%mcp {one.usage}\n\n")
        assert page.endswith(f"\n\n  %mcp {one.example}")
        assert max(map(len, page.splitlines())) <= 88
    overview = repr(_run(session, "help"))
    assert all(one.brief in overview for one in HELP.values())


def test_the_examples_of_the_help_work(session: Session) -> None:
    names: dict[str, object] = {"ask_my_model": str}
    for verb, one in HELP.items():
        if verb in ("auth", "watch", "import"):
            # No network; it would watch a minute; no product has servers here.
            assert read_line(one.example).verb == verb
        else:
            assert repr(verbs.run(session, names, one.example, None)[0])


@pytest.mark.parametrize(
    ("line", "verb"),
    [
        ("hlep", "help"),
        ("resorces demo", "resources"),
        ("servres --all", "servers"),
        ("tools demo", "list"),
        ("run demo.add a=1", "call"),
        ("login x", "auth"),
    ],
)
def test_a_mistyped_verb_is_suggested_and_nothing_is_done(
    session: Session, line: str, verb: str
) -> None:
    with pytest.raises(UnknownServer, match=rf"Did you mean %mcp {verb}\?$"):
        _run(session, line)


def test_a_server_or_a_tool_of_that_name_comes_before_a_mistyped_verb(
    session: Session,
) -> None:
    server = Scripted([tool("staus")])
    session.add(ServerEntry("clos", InProcess(server.server)))
    assert repr(_run(session, "clos")).startswith("clos: 1 tool")
    assert repr(_run(session, "closs")).startswith("clos: 1 tool")
    with pytest.raises(UnknownServer, match="Unknown MCP server 'staus'"):
        _run(session, "staus")


def test_help_of_a_verb_that_does_not_exist_yet_says_so(session: Session) -> None:
    with pytest.raises(McpMagicError, match="%mcp record does not exist yet"):
        _run(session, "help record")


def test_a_known_server_called_like_a_verb_comes_before_the_verb(
    session: Session,
) -> None:
    server = Scripted([tool("x")])
    session.add(ServerEntry("read", InProcess(server.server)))
    assert repr(_run(session, "help read")).startswith("read: 1 tool")


def test_doctor_takes_names_and_corrects_them(
    session: Session, said: list[str]
) -> None:
    session.add(ServerEntry("other", Http("https://h.test/mcp")))
    report = repr(_run(session, "doctor dmeo"))
    assert said == ["Auto-corrected server name to demo (input: dmeo)."]
    assert "Server demo" in report
    assert "other" not in report
    assert "Server other" in repr(_run(session, "doctor"))
    with pytest.raises(UnknownServer):
        _run(session, "doctor nobody-knows-this")
