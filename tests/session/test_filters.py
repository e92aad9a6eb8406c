"""Tools that are kept out, that only read, or that changed: told, through any door."""

from __future__ import annotations

import asyncio

import pytest

from mcp_magic.config import InProcess, ServerEntry
from mcp_magic.errors import ToolFailed, ToolRefused
from mcp_magic.notebook import verbs
from mcp_magic.notebook.offers import candidates
from mcp_magic.session import Server, Session
from tests.scripted import Scripted, tool


@pytest.fixture(name="scripted")
def _scripted() -> Scripted:
    return Scripted(
        [
            tool("search_issues", read_only=True),
            tool("create_issue"),
            tool("delete_issue", destructive=True),
        ]
    )


def _known(
    session: Session,
    scripted: Scripted,
    allowed: tuple[str, ...] | None = None,
    blocked: tuple[str, ...] = (),
) -> Server:
    target = InProcess(scripted.server)
    entry = ServerEntry("tickets", target, allowed=allowed, blocked=blocked)
    return Server(session, session.add(entry))


def _run(session: Session, line: str) -> object:
    return verbs.run(session, {}, line, None)[0]


def test_a_blocked_tool_is_neither_listed_nor_completed(
    session: Session, scripted: Scripted
) -> None:
    server = _known(session, scripted, blocked=("delete_issue",))
    assert list(server) == ["search_issues", "create_issue"]
    assert "delete" not in repr(_run(session, "list tickets"))
    assert "delete_issue" not in dir(server)
    _, offered = candidates(session, " tickets.d")
    assert offered == []


@pytest.mark.parametrize(
    "line",
    [
        "tickets.delete_issue",
        "tickets delete_issue",
        "--no-correct tickets.delete_issue",
    ],
)
def test_a_blocked_tool_is_not_called_as_typed(
    session: Session, scripted: Scripted, said: list[str], line: str
) -> None:
    _known(session, scripted, blocked=("delete_issue",))
    with pytest.raises(ToolRefused, match="delete_issue is blocked by blockedTools"):
        _run(session, line)
    assert scripted.calls == []
    assert said == []


def test_a_blocked_tool_is_not_called_from_python_either(
    session: Session, scripted: Scripted
) -> None:
    server = _known(session, scripted, blocked=("delete_issue",))
    with pytest.raises(ToolRefused):
        server["delete_issue"]()
    with pytest.raises(ToolRefused):
        asyncio.run(_wait(server))
    assert scripted.calls == []


async def _wait(server: Server) -> None:
    await server["delete_issue"].aio()


def test_nothing_is_corrected_to_a_blocked_tool(
    session: Session, scripted: Scripted, said: list[str]
) -> None:
    _known(session, scripted, blocked=("search_issues",))
    with pytest.raises(ToolFailed):
        _run(session, "tickets.serch_issues")
    assert said == []
    # Sent as typed, which is what the server itself is asked about.
    assert scripted.calls == [("serch_issues", {})]


def test_where_tools_are_named_nothing_else_is_sent(
    session: Session, scripted: Scripted, said: list[str]
) -> None:
    server = _known(session, scripted, allowed=("search_issues", "no_such_tool"))
    assert list(server) == ["search_issues"]
    with pytest.raises(ToolRefused, match="not among allowedTools"):
        _run(session, "tickets.create_issue")
    with pytest.raises(ToolRefused, match="not among allowedTools"):
        _run(session, "tickets.something")
    assert scripted.calls == []
    _run(session, "tickets.serch_issues")
    assert scripted.calls == [("search_issues", {})]
    assert said[-1].startswith("Auto-corrected tool call to tickets.search_issues")


def test_a_filter_names_tools_exactly(session: Session, scripted: Scripted) -> None:
    _known(session, scripted, blocked=("Search_Issues", "search-issues", "create*"))
    _run(session, "tickets.search_issues")
    _run(session, "tickets.create_issue")
    assert [name for name, _ in scripted.calls] == ["search_issues", "create_issue"]


def test_a_filter_holds_when_the_tools_cannot_be_listed(session: Session) -> None:
    scripted = Scripted(None)
    _known(session, scripted, blocked=("delete_issue",))
    with pytest.raises(ToolRefused):
        _run(session, "tickets.delete_issue")
    assert scripted.calls == []


def test_read_only_mode_runs_only_what_declares_that_it_reads(
    session: Session, scripted: Scripted, said: list[str]
) -> None:
    server = _known(session, scripted)
    session.read_only = True
    _run(session, "tickets.search_issues")
    for line in ("tickets.create_issue", "tickets.unlisted", "tickets.creat_issue"):
        with pytest.raises(ToolRefused, match="read_only = False"):
            _run(session, line)
    with pytest.raises(ToolRefused):
        server.create_issue()
    with pytest.raises(ToolRefused):
        asyncio.run(_create(server))
    assert [name for name, _ in scripted.calls] == ["search_issues"]
    _run(session, "tickets.serch_issues")
    assert said[-1].startswith("Auto-corrected tool call to tickets.search_issues")


async def _create(server: Server) -> None:
    await server.create_issue.aio()


def test_a_tool_that_changed_since_it_was_listed_is_pointed_out(
    session: Session, scripted: Scripted, said: list[str]
) -> None:
    _known(session, scripted)
    _run(session, "list tickets")
    _run(session, "list tickets")
    assert said == []
    assert scripted.tools is not None
    scripted.tools[0] = tool("search_issues", "limit", destructive=True)
    scripted.tools.append(tool("one_more"))
    _run(session, "list tickets")
    _run(session, "list tickets")
    (line,) = said
    assert line.startswith("tickets.search_issues has changed: its parameters, what it")


def test_read_only_mode_marks_what_does_not_run(
    session: Session, scripted: Scripted
) -> None:
    server = _known(session, scripted)
    list(server)
    assert "does not run" not in repr(server)
    session.read_only = True
    lines = repr(server).splitlines()
    assert [line.strip() for line in lines if "does not run" in line] == [
        "create_issue()  (read_only: does not run)",
        "delete_issue()  (read_only: does not run)  [destructive]",
    ]
    assert str(server._repr_mimebundle_()["text/html"]).count("does not run") == 2
