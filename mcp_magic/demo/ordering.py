"""A tool with nested and optional parameters, as forms and schemas have them."""

from datetime import date
from itertools import count
from typing import Annotated, Literal, TypeAlias

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, ConfigDict, Field

from mcp_magic.demo.offer import ADDS, offer

__all__ = ["install"]

Product: TypeAlias = Literal["globe", "lamp", "map", "telescope"]


class Address(BaseModel):
    """Where to send something."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, description="Who receives it.")
    street: str = Field(min_length=1, description="Street and house number.")
    postcode: str = Field(description="The postcode; it may begin with zeros.")
    city: str = Field(min_length=1, description="The town or city.")
    country: str = Field(
        default="DE", pattern="^[A-Z]{2}$", description="The country, as two letters."
    )


class Item(BaseModel):
    """One line of an order."""

    model_config = ConfigDict(extra="forbid")

    product: Product = Field(description="What to order.")
    quantity: int = Field(default=1, ge=1, le=99, description="How many of them.")
    engraving: str | None = Field(default=None, description="A text to engrave.")


class Order(BaseModel):
    """An order as the server understood it."""

    number: int = Field(description="The number of the order, counted from 1.")
    address: Address
    items: list[Item]
    pieces: int = Field(description="How many things it has in all.")
    shipping: str
    deliver_on: date | None
    note: str


def install(server: MCPServer) -> None:
    """Offer the tool on *server*."""
    numbers = count(1)

    async def order(
        address: Annotated[Address, Field(description="Where to send it.")],
        items: Annotated[
            list[Item], Field(min_length=1, description="What to order, one a line.")
        ],
        shipping: Annotated[
            Literal["standard", "express"], Field(description="How fast it shall go.")
        ] = "standard",
        deliver_on: Annotated[
            date | None, Field(description="The day it shall arrive; any without it.")
        ] = None,
        note: Annotated[
            str, Field(max_length=200, description="A word to those who pack it.")
        ] = "",
    ) -> Order:
        """Order something from a shop that does not exist, and see what was understood.
        Nothing is sent and nothing is to pay.
        """
        return Order(
            number=next(numbers),
            address=address,
            items=items,
            pieces=sum(item.quantity for item in items),
            shipping=shipping,
            deliver_on=deliver_on,
            note=note,
        )

    offer(server, order, "Place a pretend order", ADDS)
