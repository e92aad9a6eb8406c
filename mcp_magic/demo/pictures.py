"""A tool that draws, and one with a name as bridges to other servers give them."""

from typing import Annotated, Literal, TypeAlias

from mcp.server.mcpserver import Image, MCPServer
from pydantic import Field

from mcp_magic.demo import png
from mcp_magic.demo.offer import READS, offer

__all__ = ["install"]

Paint: TypeAlias = Literal["red", "orange", "yellow", "green", "blue", "violet"]

_PAINTS: dict[Paint, png.Colour] = {
    "red": (214, 66, 56),
    "orange": (236, 138, 48),
    "yellow": (240, 208, 80),
    "green": (76, 170, 96),
    "blue": (70, 130, 220),
    "violet": (150, 96, 200),
}


def install(server: MCPServer) -> None:
    """Offer these tools on *server*, and a picture as a resource."""
    offer(server, draw, "Draw a planet", READS)
    offer(
        server,
        screenshot,
        "Take a pretend screenshot",
        READS,
        name="bridge--chrome--screenshot",
    )

    @server.resource(
        "demo://planet.png",
        title="A planet",
        description="A small picture, the one that draw gives without arguments.",
        mime_type="image/png",
    )
    async def planet_picture() -> bytes:
        return png.planet(160, 120, _PAINTS["blue"])


def draw(
    width: Annotated[int, Field(ge=16, le=400, description="Pixels across.")] = 160,
    height: Annotated[int, Field(ge=16, le=400, description="Pixels down.")] = 120,
    colour: Annotated[Paint, Field(description="The colour of the planet.")] = "blue",
) -> Image:
    """Draw a planet among stars and give it as a PNG image. The same arguments give
    the same picture.
    """
    return Image(data=png.planet(width, height, _PAINTS[colour]), format="png")


async def screenshot(
    page: Annotated[
        str, Field(description="The address of the page.")
    ] = "https://example.org/",
) -> str:
    """Tell what a bridge to a browser would do; nothing is opened. The name of this
    tool is put together as bridges do it: bridge, server, tool.
    """
    return (
        f"To show {page}, a bridge would call bridge--chrome--navigate and then "
        "bridge--chrome--screenshot. Nothing was opened."
    )
