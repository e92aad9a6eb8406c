"""How the demo presents itself: names, descriptions, hints, schemas."""

import asyncio
import subprocess
import sys
from importlib.metadata import version
from itertools import combinations

import pytest
from mcp import Client
from mcp_types import Tool
from rapidfuzz.distance import Levenshtein

from mcp_magic.demo.server import build

READ_ONLY = {
    "add",
    "ask_name",
    "bridge--chrome--screenshot",
    "convert",
    "draw",
    "echo",
    "fail",
    "list_notes",
    "list_rows",
    "search_rows",
}
CHANGING = {"add_note", "book_table", "delete_note", "order", "slow"}


@pytest.fixture(name="tools", scope="module")
def _tools() -> dict[str, Tool]:
    async def talk() -> list[Tool]:
        async with Client(build()) as client:
            return (await client.list_tools()).tools

    return {tool.name: tool for tool in asyncio.run(talk())}


def test_the_tools_are_these(tools: dict[str, Tool]) -> None:
    assert set(tools) == READ_ONLY | CHANGING


def test_only_deleting_is_destructive_and_nothing_leaves_the_machine(
    tools: dict[str, Tool],
) -> None:
    hints = {name: tool.annotations for name, tool in tools.items()}
    for name, hint in hints.items():
        assert hint is not None
        assert hint.read_only_hint is (name in READ_ONLY)
        assert hint.destructive_hint is (name == "delete_note")
        assert hint.idempotent_hint is (name in READ_ONLY | {"delete_note"})
        assert hint.open_world_hint is False


def test_every_tool_and_parameter_is_described_in_one_paragraph(
    tools: dict[str, Tool],
) -> None:
    for tool in tools.values():
        parameters = tool.input_schema.get("properties", {}).values()
        texts = [tool.description, *(p.get("description") for p in parameters)]
        assert tool.title
        assert all(text and text.endswith(".") for text in texts)
        assert all("\n" not in text for text in texts if text)


def test_every_tool_says_what_it_returns_unless_it_is_an_image_or_an_error(
    tools: dict[str, Tool],
) -> None:
    without = {name for name, tool in tools.items() if tool.output_schema is None}
    assert without == {"draw", "fail"}


def test_names_are_more_than_two_edits_apart(tools: dict[str, Tool]) -> None:
    near = [
        (one, two)
        for one, two in combinations(tools, 2)
        if Levenshtein.distance(one, two) <= 2
    ]
    assert near == []


@pytest.mark.parametrize(
    ("typed", "meant"), [("ad", "add"), ("lsit_rows", "list_rows"), ("ech", "echo")]
)
def test_typos_are_near_one_name_only(
    tools: dict[str, Tool], typed: str, meant: str
) -> None:
    assert [n for n in tools if Levenshtein.distance(typed, n) <= 2] == [meant]


def test_the_server_introduces_itself() -> None:
    server = build()
    assert (server.name, server.version) == ("demo", version("mcp-magic"))
    assert "list_rows" in (server.instructions or "")


def test_looking_at_the_package_does_not_import_the_sdk() -> None:
    code = "import sys, mcp_magic.demo; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
