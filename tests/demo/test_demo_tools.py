"""What each tool of the demo answers, and how it refuses."""

import asyncio
import base64
import json
import struct
import zlib
from collections.abc import Callable
from typing import Literal, TypeAlias

import pytest
from mcp import Client
from mcp_types import CallToolResult, ImageContent, TextContent

from mcp_magic.demo.server import build

Call: TypeAlias = Callable[..., CallToolResult]
Era: TypeAlias = Literal["auto", "legacy"]

ADDRESS = {"name": "Ada", "street": "Kai 1", "postcode": "01067", "city": "Dresden"}


def _text(result: CallToolResult) -> str:
    return "\n".join(b.text for b in result.content if isinstance(b, TextContent))


def _result(result: CallToolResult) -> object:
    assert not result.is_error, _text(result)
    return (result.structured_content or {})["result"]


@pytest.mark.parametrize(
    ("a", "b", "total"),
    [(2, 3, "5"), (2, 0.5, "2.5"), (2.0, 3, "5.0"), (10**30, 1, f"{10**30 + 1}")],
)
def test_whole_numbers_stay_whole(call: Call, a: float, b: float, total: str) -> None:
    assert json.dumps(_result(call("add", a=a, b=b))) == total


@pytest.mark.parametrize(
    "text", ["", " 007 ", "true", '{"result": 1}', "zwei\nZeilen\t🪐", "\u202e\x1b["]
)
def test_echo_keeps_every_character(call: Call, text: str) -> None:
    result = call("echo", text=text)
    assert (_result(result), _text(result)) == (text, text)


@pytest.mark.parametrize(
    ("value", "unit_from", "unit_to", "expected"),
    [
        (98.6, "fahrenheit", "celsius", 37),
        (100, "celsius", "fahrenheit", 212),
        (0, "kelvin", "celsius", -273.15),
        (20, "celsius", "celsius", 20),
    ],
)
def test_temperatures_are_converted(
    call: Call, value: float, unit_from: str, unit_to: str, expected: float
) -> None:
    result = call("convert", value=value, unit_from=unit_from, unit_to=unit_to)
    assert _result(result) == expected


def test_fail_says_the_message_and_nothing_else(call: Call) -> None:
    result = call("fail", message="Tool fail not found")
    assert (result.is_error, _text(result)) == (True, "Tool fail not found")


def test_a_picture_has_the_size_asked_for(call: Call) -> None:
    (image,) = call("draw", width=40, height=30, colour="violet").content
    assert isinstance(image, ImageContent)
    assert image.mime_type == "image/png"
    chunks = _png_chunks(base64.b64decode(image.data))
    assert struct.unpack(">II", chunks["IHDR"][:8]) == (40, 30)
    assert len(zlib.decompress(chunks["IDAT"])) == 30 * (1 + 40)


def _png_chunks(data: bytes) -> dict[str, bytes]:
    """Read a PNG as its specification says, checksums included."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, rest = {}, data[8:]
    while rest:
        (size,) = struct.unpack(">I", rest[:4])
        named = rest[4 : 8 + size]
        assert rest[8 + size : 12 + size] == struct.pack(">I", zlib.crc32(named))
        chunks[named[:4].decode()] = named[4:]
        rest = rest[12 + size :]
    assert list(chunks) == ["IHDR", "PLTE", "IDAT", "IEND"]
    return chunks


def test_a_bridged_tool_speaks_of_namespaced_names(call: Call) -> None:
    text = _result(call("bridge--chrome--screenshot"))
    assert "bridge--chrome--navigate" in str(text)


def test_an_order_comes_back_with_its_defaults(call: Call) -> None:
    items = [{"product": "globe", "quantity": 2}, {"product": "map"}]
    result = call("order", address=ADDRESS, items=items, deliver_on="2026-12-24")
    understood = result.structured_content or {}
    assert understood.pop("number") > 0
    assert understood == {
        "address": {**ADDRESS, "country": "DE"},
        "items": [
            {"product": "globe", "quantity": 2, "engraving": None},
            {"product": "map", "quantity": 1, "engraving": None},
        ],
        "pieces": 3,
        "shipping": "standard",
        "deliver_on": "2026-12-24",
        "note": "",
    }


def test_notes_come_and_go_and_numbers_are_not_given_again(era: Era) -> None:
    async def talk() -> None:
        async with Client(build(), mode=era) as client:
            for text in ("two", "three"):
                await client.call_tool("add_note", {"text": text})
            gone = await client.call_tool("delete_note", {"id": 3})
            assert gone.structured_content == {"id": 3, "text": "three"}
            four = await client.call_tool("add_note", {"text": "four"})
            assert four.structured_content == {"id": 4, "text": "four"}
            assert await _numbers(client) == [1, 2, 4]

    asyncio.run(talk())


def test_each_server_has_notes_of_its_own() -> None:
    async def talk() -> None:
        async with Client(build()) as one, Client(build()) as other:
            await one.call_tool("add_note", {"text": "here"})
            assert await _numbers(other) == [1]

    asyncio.run(talk())


async def _numbers(client: Client) -> list[int]:
    rows = _result(await client.call_tool("list_notes"))
    assert isinstance(rows, list)
    return [row["id"] for row in rows]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("add", {"a": "x", "b": 1}, "a.int"),
        ("add", {"a": 1e308, "b": 1e308}, "too large"),
        ("add", {"a": 10**400, "b": 0.5}, "too large"),
        ("echo", {"text": 7}, "valid string"),
        (
            "convert",
            {"value": -1, "unit_from": "kelvin", "unit_to": "celsius"},
            "below absolute zero",
        ),
        ("convert", {"value": 1, "unit_from": "ell", "unit_to": "kelvin"}, "unit_from"),
        ("fail", {"message": None}, "valid string"),
        ("draw", {"width": 401}, "less than or equal to 400"),
        ("draw", {"colour": "beige"}, "colour"),
        ("bridge--chrome--screenshot", {"page": 1}, "valid string"),
        ("slow", {"steps": 0}, "greater than or equal to 1"),
        ("slow", {"seconds": -1}, "greater than or equal to 0"),
        ("add_note", {"text": ""}, "at least 1 character"),
        ("delete_note", {"id": 99}, "No note has the number 99."),
        ("order", {"address": ADDRESS, "items": []}, "at least 1 item"),
        ("order", {"address": {}, "items": [{"product": "map"}]}, "address.city"),
        (
            "order",
            {
                "address": ADDRESS,
                "items": [{"product": "map"}],
                "deliver_on": "24.12.2026",
            },
            "valid date",
        ),
        ("list_rows", {"limit": 0}, "greater than or equal to 1"),
        ("list_rows", {"kind": "comet"}, "kind"),
        ("search_rows", {"where": {"radius": {}}}, "where.radius"),
        ("search_rows", {"columns": ["gravity"]}, "columns.0"),
    ],
)
def test_bad_input_is_an_error_that_says_what_is_wrong(
    call: Call, tool: str, arguments: dict[str, object], said: str
) -> None:
    result = call(tool, **arguments)
    assert result.is_error
    assert said in _text(result)


def test_an_unknown_tool_is_called_unknown(call: Call) -> None:
    result = call("ad", a=2, b=3)
    assert (result.is_error, _text(result)) == (True, "Unknown tool: ad")
