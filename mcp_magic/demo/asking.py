"""Tools that ask the person something before they answer."""

from datetime import date
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

from mcp_magic.demo.offer import ADDS, READS, offer

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


class Booking(BaseModel):
    """What is asked for a table."""

    guests: int = Field(ge=1, le=12, title="Guests", description="How many you are.")
    day: date = Field(title="Day", description="When you come.")
    seats: Literal["inside", "terrace", "bar"] = Field(
        default="inside", title="Seats", description="Where you would like to sit."
    )
    birthday: bool = Field(default=False, title="Birthday", description="A cake?")


def install(server: MCPServer) -> None:
    """Offer the tools on *server*."""
    offer(server, ask_name, "Ask for a name", READS)
    offer(server, book_table, "Book a table", ADDS)


async def question(ctx: Context) -> Elicit[Person]:
    """Ask for a name; the SDK asks the way of its protocol era."""
    _needs_forms(ctx)
    return Elicit("What is your name?", Person)


async def details(ctx: Context) -> Elicit[Booking]:
    """Ask for what a booking needs."""
    _needs_forms(ctx)
    return Elicit("Which table shall it be?", Booking)


def _needs_forms(ctx: Context) -> None:
    offered = ctx.client_capabilities and ctx.client_capabilities.elicitation
    # A client of the first days declares neither form nor URL, and means forms.
    if not offered or (offered.form is None and offered.url is not None):
        raise ToolError(
            "This client cannot ask you anything (it does not offer elicitation)."
        )


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


async def book_table(
    restaurant: Annotated[str, Field(description="Where to eat.")],
    answer: Annotated[ElicitationResult[Booking], Resolve(details)],
) -> dict[str, object]:
    """Book a table: a form asks for guests, day and seats. Nothing is really booked."""
    match answer:
        case AcceptedElicitation(data=booking):
            return {
                "restaurant": restaurant,
                "status": "booked",
                **booking.model_dump(mode="json"),
            }
        case DeclinedElicitation():
            return {"restaurant": restaurant, "status": "declined"}
    return {"restaurant": restaurant, "status": "cancelled"}
