"""A tool that asks the person something before it answers."""

from typing import Annotated, Literal

from mcp.server.mcpserver import (
    AcceptedElicitation,
    Context,
    DeclinedElicitation,
    Elicit,
    ElicitationResult,
    MCPServer,
    Resolve,
)
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from mcp_magic.demo.offer import READS, offer

__all__ = ["install"]

_HELLO = {"English": "Hello", "Deutsch": "Hallo", "Français": "Bonjour"}


class Person(BaseModel):
    """What the person is asked."""

    name: str = Field(
        title="Name", min_length=1, max_length=60, description="What you are called."
    )
    language: Literal["English", "Deutsch", "Français"] = Field(
        default="English", title="Language", description="The language to greet you in."
    )
    loudly: bool = Field(
        default=False, title="Loudly", description="Whether to greet in capitals."
    )


def install(server: MCPServer) -> None:
    """Offer the tool on *server*."""
    offer(server, ask_name, "Ask for a name", READS)


async def question(ctx: Context) -> Elicit[Person]:
    """Ask, if the client can show a form; the SDK asks the way of its protocol era."""
    offered = ctx.client_capabilities and ctx.client_capabilities.elicitation
    # A client of the first days declares neither form nor URL, and means forms.
    if not offered or (offered.form is None and offered.url is not None):
        raise ToolError(
            "This client cannot ask you anything (it does not offer elicitation)."
        )
    return Elicit("What is your name?", Person)


async def ask_name(
    answer: Annotated[ElicitationResult[Person], Resolve(question)],
) -> str:
    """Ask you for your name with a small form, and greet you. You may decline."""
    match answer:
        case AcceptedElicitation(data=person):
            hello = f"{_HELLO[person.language]}, {person.name}!"
            return hello.upper() if person.loudly else hello
        case DeclinedElicitation():
            return "You would rather not say. That is fine."
    return "The question was closed without an answer."
