"""The resources of the demo, its prompt, and the completion of their arguments."""

import asyncio
import base64
import csv
import json
from collections.abc import Callable
from typing import Literal, TypeAlias

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    EmbeddedResource,
    PromptReference,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from mcp_magic.demo.server import build

Era: TypeAlias = Literal["auto", "legacy"]


Contents: TypeAlias = TextResourceContents | BlobResourceContents
Read: TypeAlias = Callable[[str], Contents]


@pytest.fixture(name="read")
def _read(server: MCPServer, era: Era) -> Read:
    """Read one resource by its URI."""

    def read(uri: str) -> Contents:
        async def talk() -> Contents:
            async with Client(server, mode=era) as client:
                (content,) = (await client.read_resource(uri)).contents
                return content

        return asyncio.run(talk())

    return read


def _text(content: Contents, mime: str) -> str:
    assert isinstance(content, TextResourceContents)
    assert content.mime_type == mime
    return content.text


def test_the_resources_are_these(server: MCPServer, era: Era) -> None:
    async def talk() -> list[str]:
        async with Client(server, mode=era) as client:
            listed = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
            assert all(resource.description for resource in listed)
            assert all(template.description for template in templates)
            return [r.uri for r in listed] + [t.uri_template for t in templates]

    assert sorted(asyncio.run(talk())) == [
        "demo://notes",
        "demo://planet.png",
        "demo://readme",
        "demo://worlds.csv",
        "demo://worlds/{name}",
    ]


def test_the_data_set_is_a_table_of_comma_separated_values(read: Read) -> None:
    text = _text(read("demo://worlds.csv"), "text/csv")
    rows = list(csv.DictReader(text.splitlines()))
    assert (len(rows), rows[3]["name"], rows[3]["orbits"]) == (40, "Earth", "Sun")


def test_the_readme_explains_every_column(read: Read) -> None:
    text = _text(read("demo://readme"), "text/markdown")
    header = _text(read("demo://worlds.csv"), "text/csv").splitlines()[0]
    assert all(f"| `{column}` |" in text for column in header.split(","))


def test_a_picture_is_read_as_bytes(read: Read) -> None:
    content = read("demo://planet.png")
    assert isinstance(content, BlobResourceContents)
    assert content.mime_type == "image/png"
    assert base64.b64decode(content.blob).startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize("name", ["Titan", "titan"])
def test_a_world_is_read_by_its_name(read: Read, name: str) -> None:
    row = json.loads(_text(read(f"demo://worlds/{name}"), "application/json"))
    assert (row["name"], row["orbits"], row["discovered"]) == ("Titan", "Saturn", 1655)


def test_reading_an_unknown_world_is_refused_as_invalid(
    server: MCPServer, era: Era
) -> None:
    async def talk() -> None:
        async with Client(server, mode=era) as client:
            with pytest.raises(MCPError, match="No world is called 'Vulcan'") as caught:
                await client.read_resource("demo://worlds/Vulcan")
            assert caught.value.code == INVALID_PARAMS

    asyncio.run(talk())


def test_whoever_listens_hears_of_a_new_note() -> None:
    """Listening is of the protocol of 2026-07-28 alone."""

    async def talk() -> str:
        async with asyncio.timeout(60), Client(build()) as client:
            subscribed = client.listen(resource_subscriptions=["demo://notes"])
            async with subscribed as events:
                await client.call_tool("add_note", {"text": "news"})
                await anext(aiter(events))
            (content,) = (await client.read_resource("demo://notes")).contents
            assert isinstance(content, TextResourceContents)
            return content.text

    assert asyncio.run(talk()).endswith("2. news\n")


def test_the_prompt_brings_the_facts_along(server: MCPServer, era: Era) -> None:
    async def talk() -> None:
        async with Client(server, mode=era) as client:
            got = await client.get_prompt("introduce", {"world": "titan"})
            request, facts = (message.content for message in got.messages)
            assert isinstance(request, TextContent)
            assert request.text.startswith("Introduce Titan to a child")
            assert isinstance(facts, EmbeddedResource)
            assert facts.resource.uri == "demo://worlds/Titan"

    asyncio.run(talk())


def test_a_prompt_about_an_unknown_world_is_refused_as_invalid(
    server: MCPServer, era: Era
) -> None:
    async def talk() -> None:
        async with Client(server, mode=era) as client:
            with pytest.raises(MCPError, match="Vulcan") as caught:
                await client.get_prompt("introduce", {"world": "Vulcan"})
            assert caught.value.code == INVALID_PARAMS

    asyncio.run(talk())


PROMPT = PromptReference(type="ref/prompt", name="introduce")
TEMPLATE = ResourceTemplateReference(type="ref/resource", uri="demo://worlds/{name}")


@pytest.mark.parametrize(
    ("ref", "argument", "values"),
    [
        (PROMPT, ("world", "ti"), ["Titan", "Titania"]),
        (TEMPLATE, ("name", "Ti"), ["Titan", "Titania"]),
        (PROMPT, ("audience", "an"), ["an astronomer"]),
        (PROMPT, ("world", "xyz"), []),
        (PROMPT, ("colour", ""), []),
    ],
)
def test_arguments_are_completed(
    server: MCPServer,
    era: Era,
    ref: PromptReference | ResourceTemplateReference,
    argument: tuple[str, str],
    values: list[str],
) -> None:
    async def talk() -> list[str]:
        async with Client(server, mode=era) as client:
            name, typed = argument
            asked = {"name": name, "value": typed}
            return (await client.complete(ref, asked)).completion.values

    assert asyncio.run(talk()) == values
