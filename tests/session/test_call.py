"""Every call's one way: who judges a name, what is corrected, what is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import CallToolResult

from mcp_magic.config import InProcess, ServerEntry
from mcp_magic.errors import (
    ArgumentError,
    McpMagicError,
    NamesNeeded,
    RequestRefused,
    ToolFailed,
    UnknownTool,
)
from mcp_magic.language import bind, values
from mcp_magic.naming import Policy
from mcp_magic.session import CallOptions, CallResult, Session, call
from tests.scripted import Scripted, says, tool


def _ask(
    session: Session,
    server: Scripted,
    name: str,
    *args: object,
    policy: Policy | None = None,
    **kwargs: object,
) -> CallResult:
    if not any(entry.name == "srv" for entry in session.entries):
        session.add(ServerEntry("srv", InProcess(server.server)))
    typed = values(args, kwargs)
    flow = call(
        session,
        "srv",
        name,
        lambda schema, label: bind(typed, schema, label=label),
        CallOptions(policy=policy),
    )
    return session.run(flow)


def _raises(code: int, message: str) -> Callable[[str], CallToolResult]:
    def missing(name: str) -> CallToolResult:
        raise MCPError(code, message.format(name))

    return missing


def _error(message: str) -> Callable[[str], CallToolResult]:
    return lambda name: says(message.format(name), error=True)


_NOT_FOUND = {
    "the SDK": _error("Unknown tool: {}"),
    "fastmcp": _error("Unknown tool: '{}'"),
    "the TypeScript SDK": _error("MCP error -32602: Tool {} not found"),
    "no such": _error('no such tool "{}"'),
    "does not exist": _error("The tool {} does not exist."),
    "-32602 in German": _raises(-32602, "Unbekanntes Werkzeug: {}"),
    "-32601": _raises(-32601, "Méthode inconnue"),
}


@pytest.mark.parametrize("missing", _NOT_FOUND.values(), ids=_NOT_FOUND)
def test_a_typo_is_put_right_once_the_server_does_not_know_the_name(
    session: Session, said: list[str], missing: Callable[[str], CallToolResult]
) -> None:
    server = Scripted([tool("add", "a", "b"), tool("echo")], missing=missing)
    result = _ask(session, server, "ad", a=2, b=3)
    assert result.text == "add {'a': 2, 'b': 3}"
    assert (result.requested, result.called) == ("ad", "add")
    assert said == ["Auto-corrected tool call to srv.add (input: srv.ad)."]
    assert [name for name, _ in server.calls] == ["ad", "add"]


def test_a_listed_tool_runs_once_whatever_its_error_says(
    session: Session, said: list[str]
) -> None:
    lie = says("Tool ad not found. Unknown tool: ad", error=True)
    server = Scripted([tool("ad"), tool("add")], {"ad": lambda _: lie})
    with pytest.raises(ToolFailed, match="Tool ad not found"):
        _ask(session, server, "ad")
    assert (server.calls, said) == ([("ad", {})], [])


@pytest.mark.parametrize(
    ("missing", "error"),
    [
        (_error("quota exceeded for ad"), ToolFailed),
        (_error("File ad.txt not found"), ToolFailed),
        (_raises(-32603, "Internal error"), RequestRefused),
        (_raises(-32000, "Unknown tool: ad"), RequestRefused),
    ],
    ids=["quota", "another thing not found", "internal", "server error"],
)
def test_another_error_is_not_asked_twice(
    session: Session,
    said: list[str],
    missing: Callable[[str], CallToolResult],
    error: type[McpMagicError],
) -> None:
    server = Scripted([tool("add", "a")], missing=missing)
    with pytest.raises(error):
        _ask(session, server, "ad", a=1)
    assert (len(server.calls), said) == (1, [])


def test_a_name_too_far_is_suggested_and_the_failure_stands(
    session: Session, said: list[str]
) -> None:
    server = Scripted([tool("list_issue_statuses")])
    with pytest.raises(ToolFailed, match="Unknown tool: issue_status"):
        _ask(session, server, "issue_status")
    assert said == ["Did you mean srv.list_issue_statuses?"]
    assert server.calls == [("issue_status", {})]


def test_a_destructive_tool_is_only_suggested(
    session: Session, said: list[str]
) -> None:
    server = Scripted([tool("wipe_disk", destructive=True)])
    with pytest.raises(ToolFailed):
        _ask(session, server, "wipe_dis")
    assert said == ["Did you mean srv.wipe_disk?"]
    assert [name for name, _ in server.calls] == ["wipe_dis"]


def test_without_a_listing_there_is_neither_correction_nor_hint(
    session: Session, said: list[str]
) -> None:
    server = Scripted(None)
    with pytest.raises(ToolFailed, match="Unknown tool: ad"):
        _ask(session, server, "ad", a=1)
    assert said == []
    with pytest.raises(NamesNeeded, match="no listing today"):
        _ask(session, server, "ad", 1)
    assert len(server.calls) == 1


def test_a_tool_that_appeared_since_is_found_by_listing_again(session: Session) -> None:
    server = Scripted([tool("old")])
    _ask(session, server, "old")
    assert server.tools is not None
    server.tools.append(tool("new", "n"))
    assert _ask(session, server, "new", 5).text == "new {'n': 5}"
    assert server.listings == 2


def test_a_tool_that_is_callable_but_not_listed_answers(session: Session) -> None:
    server = Scripted([tool("add")], {"hidden": lambda given: says(f"here {given}")})
    assert _ask(session, server, "hidden", x="1").text.startswith("here")


def test_values_without_names_take_the_fresh_listing_for_the_servers_word(
    session: Session, said: list[str]
) -> None:
    server = Scripted([tool("add", "a", "b")])
    assert _ask(session, server, "ad", 2, 3).text == "add {'a': 2, 'b': 3}"
    assert server.calls == [("add", {"a": 2, "b": 3})]
    assert len(said) == 1
    with pytest.raises(UnknownTool, match="lists no tool 'entirely_else'"):
        _ask(session, server, "entirely_else", 1)


def test_arguments_are_bound_again_for_the_right_tool(session: Session) -> None:
    server = Scripted([tool("add", "a", "b")])
    with pytest.raises(ArgumentError, match="c"):
        _ask(session, server, "ad", a=1, c=2)
    assert [name for name, _ in server.calls] == ["ad"]


@pytest.mark.parametrize(
    ("policy", "lines"),
    [("suggest", ["Did you mean srv.add?"]), ("off", [])],
    ids=["suggest", "off"],
)
def test_the_policy_of_a_call_decides(
    session: Session, said: list[str], policy: Policy, lines: list[str]
) -> None:
    server = Scripted([tool("add", "a")])
    with pytest.raises(ToolFailed):
        _ask(session, server, "ad", a=1, policy=policy)
    assert said == lines


def test_the_bare_rule_exchanges_verbs_and_the_guarded_one_does_not(
    session: Session, said: list[str]
) -> None:
    server = Scripted([tool("set_item")])
    with pytest.raises(ToolFailed):
        _ask(session, server, "get_item")
    assert _ask(session, server, "get_item", policy="threshold").called == "set_item"


def test_missing_arguments_are_told_before_anything_is_sent(session: Session) -> None:
    server = Scripted([tool("add", "a", "b")])
    with pytest.raises(ArgumentError, match="b"):
        _ask(session, server, "add", a=1)
    assert server.calls == []


def test_each_call_leaves_one_entry_in_the_journal(session: Session) -> None:
    server = Scripted(
        [tool("add", "a"), tool("fail")], {"fail": lambda _: says("x", error=True)}
    )
    _ask(session, server, "ad", a=1)
    with pytest.raises(ToolFailed):
        _ask(session, server, "fail")
    with pytest.raises(ArgumentError):
        _ask(session, server, "add")
    seen: list[Any] = [
        (one.requested, one.called, one.outcome) for one in session.journal.calls
    ]
    assert seen == [
        ("ad", "add", "ok"),
        ("fail", "fail", "tool error"),
        ("add", "add", "failed"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("first\nsecond\nthird", "first … (2 more lines in .result.text)"),
        ("first\nsecond\n", "first … (1 more line in .result.text)"),
        ("x" * 5000, f"{'x' * 500} … (5,000 characters in .result.text)"),
        ("", "the tool reported an error without a text; .result holds what came"),
    ],
    ids=["lines", "line", "characters", "nothing"],
)
def test_a_long_error_is_shown_as_one_line_and_kept_whole(
    session: Session, text: str, told: str
) -> None:
    server = Scripted([tool("bad")], {"bad": lambda _: says(text, error=True)})
    with pytest.raises(ToolFailed) as caught:
        _ask(session, server, "bad")
    assert str(caught.value) == f"srv.bad: {told}"
    assert isinstance(caught.value.result, CallResult)
    assert caught.value.result.text == text
