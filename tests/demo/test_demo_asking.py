"""The question of `ask_name`, in the way of each protocol era."""

import asyncio
from typing import Any, Literal, TypeAlias

import pytest
from mcp import Client
from mcp_types import (
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    TextContent,
)

from mcp_magic.demo.server import build

Era: TypeAlias = Literal["auto", "legacy"]


def _ask(era: Era, answer: ElicitResult | None) -> tuple[CallToolResult, list[str]]:
    """Call the tool as a client that gives *answer*, or as one that cannot ask."""
    shown: list[str] = []

    async def person(_context: object, question: ElicitRequestParams) -> ElicitResult:
        assert isinstance(question, ElicitRequestFormParams)
        shown.append(question.message)
        assert set(question.requested_schema["properties"]) == {
            "name",
            "language",
            "loudly",
        }
        assert answer is not None
        return answer

    async def talk() -> CallToolResult:
        callback: Any = person if answer else None
        async with Client(build(), mode=era, elicitation_callback=callback) as client:
            return await client.call_tool("ask_name")

    return asyncio.run(talk()), shown


def _text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


FRENCH: dict[str, Any] = {"name": "Zoé", "language": "Français", "loudly": True}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ElicitResult(action="accept", content={"name": "Ada"}), "Hello, Ada!"),
        (ElicitResult(action="accept", content=FRENCH), "BONJOUR, ZOÉ!"),
        (ElicitResult(action="decline"), "You would rather not say. That is fine."),
        (ElicitResult(action="cancel"), "The question was closed without an answer."),
    ],
    ids=["accepted", "accepted with choices", "declined", "cancelled"],
)
def test_each_answer_gets_a_reply(era: Era, answer: ElicitResult, said: str) -> None:
    result, shown = _ask(era, answer)
    assert (result.is_error, _text(result)) == (False, said)
    assert shown == ["What is your name?"]


def test_an_answer_without_a_name_is_an_error(era: Era) -> None:
    result, _ = _ask(era, ElicitResult(action="accept", content={"name": ""}))
    assert result.is_error


def test_a_client_that_cannot_ask_is_told_so(era: Era) -> None:
    result, shown = _ask(era, None)
    assert result.is_error
    assert "does not offer elicitation" in _text(result)
    assert shown == []
