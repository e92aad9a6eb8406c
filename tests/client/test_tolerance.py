"""What servers send although the protocol says otherwise: kept, and told."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.server import Server
from mcp_types import methods

from mcp_magic.answer import Embedded, Text, UnknownBlock
from mcp_magic.client import reading, sdk
from mcp_magic.client.mending import mended
from mcp_magic.client.news import News
from mcp_magic.client.questions import Questions
from mcp_magic.config import ServerEntry
from mcp_magic.model import Annotations, LogLine, PromptArgument

_VERSIONS = ["2025-11-25", "2026-07-28"]
_METHODS = [
    "tools/call", "tools/list", "resources/list", "resources/templates/list",
    "resources/read", "prompts/list", "prompts/get", "completion/complete",
]  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    ["tools", "content", "contents", "messages", "prompts", "resources", "nextCursor",
     "isError", "structuredContent", "_meta", "ttlMs", "cacheScope", "completion"]
)  # fmt: skip


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("method", _METHODS)
@settings(max_examples=25)  # of each row: 400 in all
@given(raw=st.dictionaries(_KEYS, _JSON))
def test_any_result_passes_the_sdks_checks_once_mended(
    method: str, version: str, raw: dict[str, Any]
) -> None:
    if version == "2026-07-28":
        raw = {**raw, "resultType": "complete"}
    made = mended(method, raw)
    if not isinstance(raw.get("_meta", {}), Mapping) or not raw.get("_meta"):
        methods.validate_server_result(method, version, made)


def test_what_is_asked_in_return_is_left_as_it_is() -> None:
    asked = {"resultType": "input_required", "inputRequests": {}, "requestState": "s"}
    assert mended("tools/call", asked) == asked


@pytest.mark.parametrize(
    "greeting",
    [
        {"capabilities": []},
        {"capabilities": {"tools": [], "logging": None}},
        {"capabilities": {}, "serverInfo": "me"},
        {"capabilities": {}, "instructions": 7},
    ],
    ids=["a list", "lists inside", "no server info", "odd instructions"],
)
def test_an_odd_greeting_is_understood(greeting: dict[str, Any]) -> None:
    made = mended("initialize", {"protocolVersion": "2025-11-25", **greeting})
    methods.validate_server_result("initialize", "2025-11-25", made)


def test_one_bad_tool_never_hides_the_others() -> None:
    notes: list[str] = []
    raw = {
        "tools": [
            {"name": "good", "inputSchema": {"type": "object"}},
            {"name": "no schema"},
            {"name": "php", "inputSchema": []},
            {"name": "true", "inputSchema": True},
            {"name": "text", "inputSchema": "object"},
            {"inputSchema": {"type": "object"}},
            None,
            {"name": 7},
        ]
    }
    tools = reading.read_list(raw, "tools", reading.read_tool, notes)
    assert [one.name for one in tools] == ["good", "no schema", "php", "true", "text"]
    assert [one.input_schema for one in tools] == [
        {"type": "object"}, {}, {}, True, {},
    ]  # fmt: skip
    assert len(notes) == 4


def test_hints_and_titles_are_read_where_they_are() -> None:
    item = {
        "name": "t",
        "description": None,
        "annotations": {"title": "T", "readOnlyHint": True, "destructiveHint": "no"},
    }
    tool = reading.read_tool(item, [])
    assert tool is not None
    assert (tool.title, tool.description) == ("T", "")
    assert tool.annotations == Annotations(read_only=True)


def test_odd_prompts_contents_messages_and_logs_are_read() -> None:
    prompt = reading.read_prompt({"name": "p", "arguments": [{"name": "a"}, {}]}, [])
    assert prompt is not None
    assert prompt.arguments == (PromptArgument("a"),)
    blocks = reading.read_contents({"contents": [{"uri": "u", "text": "t"}, 5]}, [])
    assert blocks == (
        Embedded("u", text="t"),
        UnknownBlock({"type": "resource", "resource": 5}),
    )
    messages = reading.read_messages(
        {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}, 1]},
        [],
    )
    assert messages[0] == ("user", Text("hi"))
    assert reading.read_log("info", None, {"a": 1}) == LogLine("info", "{'a': 1}")


_ODD = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        answer = {"protocolVersion": "2025-11-25", "capabilities": {"tools": []}}
    elif asked.get("method") == "tools/list":
        answer = {"tools": [{"name": "odd", "inputSchema": []}, {"bad": 1}], "x": 1}
    elif asked.get("method") == "tools/call":
        answer = json.loads(sys.argv[1])
    elif "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"],
                          "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    else:
        continue
    reply = {"jsonrpc": "2.0", "id": asked["id"], "result": answer}
    print(json.dumps(reply), flush=True)
"""


@pytest.mark.parametrize(
    ("answer", "data"),
    [
        ('{"structuredContent": {"rows": 3}}', {"rows": 3}),
        ('{"content": null, "structuredContent": {"rows": 3}}', {"rows": 3}),
        ('{"content": [{"type": "text", "text": "kept"}], "isError": "no"}', "kept"),
        ('{"content": [{"type": "new", "x": 1}]}', {"type": "new", "x": 1}),
        ('{"content": "words"}', None),
        ('{"content": []}', None),
        ('{"content": [{"type": "text", "text": ""}]}', ""),
        ("{}", None),
    ],
    ids=["no content", "null content", "odd error flag", "new block", "text content",
         "empty", "empty text", "nothing"],
)  # fmt: skip
def test_an_odd_answer_over_the_wire_is_kept(
    session: Any, answer: str, data: object
) -> None:
    from mcp_magic.config import Stdio
    from mcp_magic.session import Server as Handle

    target = Stdio(sys.executable, ("-c", _ODD, answer))
    server = Handle(session, session.add(ServerEntry("odd", target)))
    assert server.odd(n=1).data == data


def test_the_private_pieces_of_the_sdk_are_where_we_take_them() -> None:
    """``client/sdk.py`` reaches for these; a new SDK that moves them fails here."""

    async def go() -> None:
        client = sdk.make_client(Server("it"), Questions("it"), News(), older=False)
        assert callable(client._connect)
        async with client:
            sdk.keep_answers(client)
            assert callable(client.session.validate_tool_result)
            assert client.session._x_mcp_header_maps == {}
            dispatcher: Any = client.session._dispatcher
            assert dispatcher.send_raw_request.__module__ == "mcp_magic.client.mending"

    asyncio.run(go())
    assert hasattr(Client, "listen")
