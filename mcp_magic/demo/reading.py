"""Things to read: the data set and its description, a world by name, a prompt."""

import json
from dataclasses import asdict
from typing import Annotated

from mcp.server.mcpserver import MCPServer, UserMessage
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    Completion,
    CompletionArgument,
    CompletionContext,
    EmbeddedResource,
    PromptReference,
    ResourceTemplateReference,
    TextResourceContents,
)
from pydantic import Field

from mcp_magic.demo.worlds import World, named, shipped, worlds

__all__ = ["install"]

_AUDIENCES = ("a child", "an astronomer", "a poet")
_TEMPLATE = "demo://worlds/{name}"


def install(server: MCPServer) -> None:
    """Offer the resources, the template, the prompt and their completion."""
    _offer_files(server)
    server.resource(
        _TEMPLATE,
        title="One world",
        description="All that the data set says about one world, as JSON.",
        mime_type="application/json",
    )(world)
    server.prompt(
        title="Introduce a world",
        description="Ask a model to introduce a world of the solar system to somebody.",
    )(introduce)
    server.completion()(complete)  # type: ignore[no-untyped-call]  # the SDK's gap


def _offer_files(server: MCPServer) -> None:
    @server.resource(
        "demo://worlds.csv",
        title="Worlds of the solar system",
        description="The data set that list_rows and search_rows read.",
        mime_type="text/csv",
    )
    async def worlds_csv() -> str:
        return shipped("worlds.csv")

    @server.resource(
        "demo://readme",
        title="About this server",
        description="What the columns mean and where the figures come from.",
        mime_type="text/markdown",
    )
    async def readme() -> str:
        return shipped("README.md")


async def world(name: str) -> str:
    """Return the row of one world as JSON."""
    found = named(name)
    if found is None:
        raise ResourceNotFoundError(f"No world is called {name!r}.")
    return _as_json(found)


async def introduce(
    world: Annotated[str, Field(description="The world to introduce, such as Titan.")],
    audience: Annotated[str, Field(description="For whom it is.")] = "a child",
) -> list[UserMessage]:
    """Ask a model to introduce a world, and give it the facts."""
    found = named(world)
    if found is None:
        raise MCPError(code=INVALID_PARAMS, message=f"No world is called {world!r}.")
    facts = TextResourceContents(
        uri=_TEMPLATE.format(name=found.name),
        mime_type="application/json",
        text=_as_json(found),
    )
    request = (
        f"Introduce {found.name} to {audience} in five sentences. Use these facts."
    )
    return [
        UserMessage(request),
        UserMessage(EmbeddedResource(type="resource", resource=facts)),
    ]


async def complete(
    ref: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    _context: CompletionContext | None,
) -> Completion:
    """Return the values that begin with what was typed, in any case."""
    asked = ref.name if isinstance(ref, PromptReference) else ref.uri
    typed = argument.value.casefold()
    values = _choices().get((asked, argument.name), ())
    fitting = [value for value in values if value.casefold().startswith(typed)]
    return Completion(values=fitting, total=len(fitting), has_more=False)


def _choices() -> dict[tuple[str, str], tuple[str, ...]]:
    """Map a prompt or template and its argument to the values that it may have."""
    names = tuple(world.name for world in worlds())
    return {
        (_TEMPLATE, "name"): names,
        ("introduce", "world"): names,
        ("introduce", "audience"): _AUDIENCES,
    }


def _as_json(world: World) -> str:
    return json.dumps(asdict(world), indent=2)
