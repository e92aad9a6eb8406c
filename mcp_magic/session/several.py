"""What is done with several connections at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp_magic.client.loop import OnLoop
from mcp_magic.errors import AuthorizationRequired, McpMagicError

if TYPE_CHECKING:
    from mcp_magic.client.connection import Connection

__all__ = ["close_all", "relist_all"]


async def relist_all(
    connections: Sequence[Connection],
) -> list[McpMagicError | None]:
    """Connect and list tools; return of each connection why that failed, or nothing."""
    return await asyncio.gather(*map(_relist, connections))


async def _relist(connection: Connection) -> McpMagicError | None:
    try:
        if connection.is_fresh:
            await connection.refresh()
        else:
            await connection.up()
    except McpMagicError as error:
        return error
    refused = connection.listing_error
    return refused if isinstance(refused, AuthorizationRequired) else None


async def close_all(connections: Sequence[Connection]) -> None:
    """Close connections; a flow."""

    async def down(_: object) -> None:
        await asyncio.gather(*(one.down() for one in connections))

    await OnLoop(down)
