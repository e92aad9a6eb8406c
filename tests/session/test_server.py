"""Servers as Python objects: doors to tools, help, display, and their functions."""

from __future__ import annotations

import asyncio
import inspect
import pickle

import pytest
from fastmcp import FastMCP
from mcp.server.mcpserver import MCPServer
from mcp_types import Tool

import mcp_magic
from mcp_magic.config import InProcess, ServerEntry
from mcp_magic.errors import (
    ArgumentError,
    CallTimedOut,
    ServerUnreachable,
    UnknownServer,
    UnknownTool,
)
from mcp_magic.session import Server, Session
from tests.scripted import Scripted, says, tool


def _server(session: Session, *tools: Tool) -> Server:
    server = Scripted(list(tools))
    return Server(session, session.add(ServerEntry("srv", InProcess(server.server))))


def test_a_tool_is_an_attribute_or_an_item(session: Session) -> None:
    server = _server(session, tool("add", "a", "b"), tool("odd-name"))
    assert server.add(1, 2).text == "add {'a': 1, 'b': 2}"
    assert server["odd-name"]().called == "odd-name"
    assert server.odd_name().called == "odd-name"


def test_an_alias_that_two_tools_share_is_none(session: Session) -> None:
    server = _server(session, tool("get-x"), tool("get.x"), tool("class"))
    assert len(server) == 3
    assert dir(server) == ["class_"]
    assert server["get.x"]().called == "get.x"


def test_attributes_are_tools_and_nothing_else(session: Session) -> None:
    server = _server(session, tool("timeout"), tool("close"), tool("_hidden"))
    assert "_hidden" in server
    assert [n for n in dir(server) if not n.startswith("_")] == ["close", "timeout"]
    assert server.close().called == "close"
    assert server["_hidden"]().called == "_hidden"
    with pytest.raises(AttributeError):
        _ = server._hidden


def test_an_attribute_far_from_every_tool_is_an_attribute_error(
    session: Session,
) -> None:
    server = _server(session, tool("list_issue_statuses"))
    with pytest.raises(UnknownTool, match=r"Did you mean srv\.list_issue_statuses"):
        _ = server.issue_status
    assert not hasattr(server, "shape")


def test_an_attribute_near_to_none_says_where_the_tools_are(session: Session) -> None:
    with pytest.raises(AttributeError, match=r"no tool 'x'; %mcp srv lists them"):
        _ = _server(session).x


def test_a_mistyped_attribute_or_item_is_put_right_when_called(
    session: Session, said: list[str]
) -> None:
    server = _server(session, tool("add", "a"))
    assert server.ad(a=1).called == "add"
    assert server["ad"](a=1).requested == "ad"
    assert said == ["Auto-corrected tool call to srv.add (input: srv.ad)."] * 2


def test_a_function_has_the_tools_signature_and_help(session: Session) -> None:
    add = _server(session, tool("add", "a", "b")).add
    for function in (add, add.aio, add.with_options(timeout=1), add.__call__):
        assert str(inspect.signature(function)) == "(a: int, b: int)"
    assert (add.__name__, add.aio.__name__) == ("add", "aio")
    assert "srv.add" in str(add.__doc__)
    assert add.aio.__doc__ == add.__doc__
    assert inspect.iscoroutinefunction(add.aio)
    assert repr(add) == "srv.add(a: integer, b: integer)"


def test_a_mistyped_or_unlisted_function_says_what_it_is(session: Session) -> None:
    server = _server(session, tool("add", "a"))
    assert "srv.add(a: integer)" in str(server.ad.__doc__)
    assert str(inspect.signature(server["x"])) == "(*args, **kwargs)"
    assert repr(server["x"]) == "srv.x is not listed by its server."


def test_a_tools_source_is_none_of_ours(session: Session) -> None:
    add = _server(session, tool("add", "a")).add
    for function in (add, add.aio):
        with pytest.raises(OSError, match="source"):
            inspect.getsource(function)


def test_parameters_may_have_any_name(session: Session) -> None:
    server = _server(session, tool("f", "self", "args", "name"))
    assert server.f(1, args=2, name=3).text == "f {'args': 2, 'name': 3, 'self': 1}"
    assert server.f(self=1, args=2, name=3).called == "f"


def test_the_same_tool_is_equal_and_can_be_a_key(session: Session) -> None:
    server = _server(session, tool("add", "a"))
    assert {server.add: 1}[server["add"]] == 1
    assert server.add != server.add.with_options(timeout=1)


def test_what_ipython_and_editors_ask_of_any_object_starts_and_calls_nothing(
    session: Session,
) -> None:
    scripted = Scripted([tool("get_doc"), tool("getdoc"), tool("shape")])
    entry = session.add(ServerEntry("srv", InProcess(scripted.server)))
    server = Server(session, entry)
    for name in ("getdoc", "shape", "dtype"):
        with pytest.raises(AttributeError, match=rf"srv is not connected.*{name}"):
            getattr(server, name)
    assert session.connections.live("srv") is None
    assert server["getdoc"]().called == "getdoc"
    with pytest.raises(AttributeError, match=r"write srv\['getdoc'\]"):
        _ = server.getdoc
    assert server.shape().called == "shape"
    assert not hasattr(server, "dtype")
    assert dir(server) == ["get_doc", "shape"]


def test_tools_that_cannot_be_listed_are_items(session: Session) -> None:
    scripted = Scripted(None, {"x": lambda _: says("y")})
    entry = session.add(ServerEntry("srv", InProcess(scripted.server)))
    server = Server(session, entry)
    with pytest.raises(AttributeError, match=r"could not list.*write srv\['x'\]"):
        _ = server.x
    assert server["x"]().text == "y"


def test_an_item_is_named_by_a_text(session: Session) -> None:
    server = _server(session, tool("x"))
    with pytest.raises(ArgumentError, match=r"srv\['TOOL'\]"):
        server[0]  # type: ignore[index] # what is tested


def test_async_code_awaits_the_same_call(session: Session) -> None:
    add = _server(session, tool("add", "a")).add

    async def both() -> list[str]:
        results = await asyncio.gather(add.aio(a=1), add.aio(a=2))
        return [one.text for one in results]

    assert asyncio.run(both()) == ["add {'a': 1}", "add {'a': 2}"]


def test_a_limit_can_be_set_for_the_calls_of_a_tool(shared: Session) -> None:
    slow = mcp_magic.connect("demo").slow
    with pytest.raises(CallTimedOut, match=r"within 0\.2 s"):
        slow.with_options(timeout=0.2)(seconds=60)


def test_a_server_shows_its_tools_as_text_and_as_escaped_html(
    session: Session,
) -> None:
    evil = Tool(
        name="<script>x</script>",
        description="\x1b[2J<img src=x onerror=y>",
        input_schema={"type": "object"},
    )
    server = _server(session, evil)
    list(server)
    bundle = server._repr_mimebundle_()
    assert "\x1b" not in repr(server)
    assert "srv: 1 tool" in repr(server)
    page = str(bundle["text/html"])
    assert "<script" not in page
    assert "<img" not in page


def test_showing_or_listing_names_of_a_server_connects_to_nothing(
    session: Session,
) -> None:
    server = _server(session, tool("x"))
    assert repr(server) == "srv: not connected; %mcp srv connects"
    assert server._ipython_key_completions_() == []
    assert dir(server) == []
    assert session.connections.live("srv") is None


def test_connect_takes_names_servers_and_objects_of_both_kinds(
    shared: Session, said: list[str]
) -> None:
    mine = MCPServer("mine")

    @mine.tool()
    def shout(text: str) -> str:
        return text.upper()

    server = mcp_magic.connect(mine)
    assert server.shout(text="a").data == "A"
    assert mcp_magic.connect(mine) == server
    assert mcp_magic.connect(server) == server
    assert mcp_magic.connect("mien") == server
    assert said == ["Auto-corrected server name to mine (input: mien)."]
    theirs = FastMCP("theirs")
    theirs.tool(shout)
    assert mcp_magic.connect(theirs, name="fast").shout(text="b").data == "B"


def test_connect_takes_a_command_and_a_file(shared: Session, servers: object) -> None:
    by_file = mcp_magic.connect(f"{servers}/small.py")
    assert by_file.shout(text="a").data == "A"
    assert mcp_magic.connect(f"{servers}/small.py") == by_file
    assert "small" in [one.name for one in mcp_magic.servers()]


def test_a_name_is_not_given_to_what_has_one(shared: Session) -> None:
    with pytest.raises(ArgumentError, match="is a known name"):
        mcp_magic.connect("demo", name="other")
    with pytest.raises(UnknownServer):
        mcp_magic.connect("nobody-knows-this")


def test_the_functions_of_the_package_look_after_servers(shared: Session) -> None:
    mine = MCPServer("mine")

    @mine.tool()
    def shout(text: str) -> str:
        return text.upper()

    server = mcp_magic.connect(mine)
    assert [one.name for one in mcp_magic.tools(server)] == ["shout"]
    assert mcp_magic.servers()[1].state == "connected"
    mcp_magic.close(server)
    assert mcp_magic.servers()[1].state == "not connected"
    assert [one.name for one in mcp_magic.tools("mine")] == ["shout"]
    mcp_magic.close()


def test_tools_show_themselves_as_the_list_of_their_server(shared: Session) -> None:
    mine = MCPServer("mine")

    @mine.tool()
    def shout(text: str) -> str:
        """Say it louder."""
        return text.upper()

    server = mcp_magic.connect(mine)
    found = mcp_magic.tools(server)
    for shown in (found, pickle.loads(pickle.dumps(found))):
        assert repr(shown) == repr(server)
        bundle = shown._repr_mimebundle_()
        assert bundle == server._repr_mimebundle_()
    mcp_magic.close()


@pytest.mark.parametrize("seconds", [0, -1, "5", float("nan"), float("inf"), True])
def test_a_limit_is_a_number_of_seconds_above_0(
    session: Session, seconds: float
) -> None:
    add = _server(session, tool("add")).add
    with pytest.raises(ArgumentError, match="timeout takes seconds above 0, not "):
        add.with_options(timeout=seconds)


@pytest.mark.parametrize("what", [5, None, b"demo", ["demo"]])
def test_what_is_no_server_is_told_and_does_not_become_a_known_one(
    shared: Session, what: object
) -> None:
    with pytest.raises(ServerUnreachable, match="is no MCP server; give a name"):
        mcp_magic.connect(what)
    assert [one.name for one in shared.entries] == ["demo"]


def test_only_a_function_can_answer_for_a_model(shared: Session) -> None:
    with pytest.raises(ArgumentError, match="sampling takes a function, not 5"):
        mcp_magic.sampling("demo", 5)  # type: ignore[arg-type] # a person's mistake
