"""Tools of a line or two: numbers, units, text, an error."""

import math
from typing import Annotated, Literal, TypeAlias

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import Field, WithJsonSchema

from mcp_magic.demo.offer import READS, offer

__all__ = ["install"]

# An integer stays one on its way in and out: 2 + 3 is 5, not 5.0.
Number: TypeAlias = Annotated[int | float, WithJsonSchema({"type": "number"})]
Unit: TypeAlias = Literal["celsius", "fahrenheit", "kelvin"]

# Each unit is kelvin * factor + shift.
_SCALES: dict[Unit, tuple[float, float]] = {
    "celsius": (1, -273.15),
    "fahrenheit": (9 / 5, -459.67),
    "kelvin": (1, 0),
}


def install(server: MCPServer) -> None:
    """Offer these tools on *server*."""
    offer(server, add, "Add two numbers", READS)
    offer(server, echo, "Say it back", READS)
    offer(server, convert, "Convert a temperature", READS)
    offer(server, fail, "Fail on purpose", READS)


# Tools are coroutines even with nothing to wait for: the SDK would run a plain
# function in a thread.


async def add(
    a: Annotated[Number, Field(description="The first number.")],
    b: Annotated[Number, Field(description="The second number.")],
) -> Number:
    """Add two numbers. Whole numbers of any size give a whole number."""
    try:
        total = a + b
    except OverflowError:
        total = math.inf
    if isinstance(total, float) and not math.isfinite(total):
        raise ToolError("The sum is too large for a number with a decimal point.")
    return total


async def echo(
    text: Annotated[str, Field(description="What to say back, to the letter.")],
) -> str:
    """Give the text back exactly as it came, to see what really arrives."""
    return text


async def convert(
    value: Annotated[float, Field(description="The temperature.")],
    unit_from: Annotated[Unit, Field(description="The unit that it is given in.")],
    unit_to: Annotated[Unit, Field(description="The unit to turn it into.")],
) -> float:
    """Turn a temperature from one unit into another. Nothing is colder than absolute
    zero, so what would be is refused.
    """
    factor, shift = _SCALES[unit_from]
    kelvin = (value - shift) / factor
    if kelvin < 0:
        raise ToolError(f"{value:g} {unit_from} is below absolute zero.")
    factor, shift = _SCALES[unit_to]
    return round(kelvin * factor + shift, 6)


async def fail(
    message: Annotated[
        str, Field(description="What the error shall say.")
    ] = "This tool always fails.",
) -> CallToolResult:
    """Answer with an error that says what you ask for, to see how errors look."""
    # A raised ToolError would put the tool's name in front of the message.
    return CallToolResult(
        content=[TextContent(type="text", text=message)], is_error=True
    )
