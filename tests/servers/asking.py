"""A server that asks in every way: by forms, for pages, for a model."""

from __future__ import annotations

import contextlib
import os
from typing import Annotated, Any, Literal

import anyio
from mcp.server.mcpserver import Context, MCPServer, Resolve, Sample
from mcp_types import CreateMessageResult, SamplingMessage, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("asking")
_HARMLESS = ToolAnnotations(read_only_hint=True)


class Login(BaseModel):
    """A form with a secret in it, which a server should not send."""

    name: str
    password: str = Field(min_length=3)
    colours: list[Literal["red", "blue"]] = Field(default=["red"])


class Number(BaseModel):
    """A form of one number."""

    number: int = Field(ge=0)


@server.tool(annotations=_HARMLESS)
async def login(ctx: Context[Any, Any], message: str = "Who are you?") -> str:
    """Ask for a name and a password."""
    found = await ctx.elicit(message, Login)
    if found.action != "accept":
        return found.action
    given = found.data
    return f"{given.name}, {len(given.password)} characters, {given.colours}"


@server.tool(annotations=_HARMLESS)
async def form(ctx: Context[Any, Any], message: str, schema: dict[str, Any]) -> str:
    """Ask with a form of any kind."""
    found = await ctx.session.elicit_form(message, schema, ctx.request_id)
    return str(found.action)


@server.tool(annotations=_HARMLESS)
async def twice(ctx: Context[Any, Any]) -> str:
    """Ask two questions, one after the other."""
    said = []
    for which in ("first", "second"):
        found = await ctx.elicit(f"The {which} number?", Number)
        said.append(
            str(found.data.number) if found.action == "accept" else found.action
        )
    return " and ".join(said)


@server.tool(annotations=_HARMLESS)
async def page(ctx: Context[Any, Any], url: str, message: str = "Please read.") -> str:
    """Ask to open a page."""
    found = await ctx.elicit_url(message, url, "page-1")
    return found.action


@server.tool(annotations=_HARMLESS)
async def leave(ctx: Context[Any, Any], port: int) -> str:
    """Ask, and end before there is an answer: when a bell is taken away."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ctx.elicit, "Still there?", Number)
        bell = await anyio.connect_tcp("127.0.0.1", port)
        with contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            await bell.receive()
        os._exit(3)
    return "still there"


async def _thought(ctx: Context[Any, Any]) -> Sample:
    said = SamplingMessage(role="user", content=TextContent(text="A word for sea?"))
    return Sample([said], max_tokens=9, system_prompt="Be brief.")


@server.tool(annotations=_HARMLESS)
async def think(
    answer: Annotated[CreateMessageResult, Resolve(_thought)],
) -> str:
    """Ask for a model's answer."""
    content: Any = answer.content
    return f"{answer.model} said {content.text}"


if __name__ == "__main__":
    server.run()
