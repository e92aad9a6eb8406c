"""Listing what a server offers, page by page, and its tools as last listed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from mcp import Client
from mcp_types import METHOD_NOT_FOUND

from mcp_magic.client import sdk
from mcp_magic.client.mending import Raw
from mcp_magic.client.reading import read_list, read_tool
from mcp_magic.config import Http, permits
from mcp_magic.errors import AuthorizationRequired, McpMagicError
from mcp_magic.model import Tool

if TYPE_CHECKING:
    from mcp_magic.client.connection import Connection

__all__ = ["ToolListing", "pages", "pages_if_offered"]

_PAGES = 1000  # a paginator that never ends must not hang a listing

ListPage = Callable[..., Awaitable[object]]


async def pages(
    of: Connection, list_page: ListPage, *, renew: bool = True
) -> list[Raw]:
    """Return all pages of a listing; one that never ends is cut off.

    Args:
        of: A connection that is up.
        list_page: Asks the SDK client it is given for the page of a ``cursor``.
        renew: Whether a session that the server forgot is opened anew.

    Raises:
        ServerError: A page could not be had.
    """
    found: list[Raw] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(_PAGES):
        page = partial(list_page, cursor=cursor)
        found.append(await of.send(page, renew=renew))
        following = found[-1].get("nextCursor")
        if not isinstance(following, str) or following in ("", *seen):
            break
        seen.add(following)
        cursor = following
    return found


async def pages_if_offered(
    of: Connection, kind: str, list_page: ListPage, *, renew: bool = True
) -> list[Raw]:
    """Return the pages of a listing; none if the server does not offer *kind* at all.

    Args:
        of: A connection that is up.
        kind: The capability of the server, such as ``tools``.
        list_page: As for ``pages``.
        renew: As for ``pages``.

    Raises:
        ServerError: A page could not be had.
    """
    try:
        return await pages(of, list_page, renew=renew)
    except McpMagicError as error:
        if not _offers_none(of, error, kind):
            raise
    return []


def _offers_none(of: Connection, error: McpMagicError, kind: str) -> bool:
    client = of.client
    return (
        client is not None
        and getattr(error, "code", 0) == METHOD_NOT_FOUND
        and getattr(client.server_capabilities, kind) is None
    )


class ToolListing:
    """The tools of one server as last listed.

    Attributes:
        tools: By name; ``None`` if they could not be listed.
        error: Why not.
        notes: What was odd about the listing, one sentence each.
        changes: How many announced changes it knows of; ``None``: list anew.
    """

    def __init__(self) -> None:
        self.tools: Mapping[str, Tool] | None = None
        self.error: McpMagicError | None = None
        self.notes: tuple[str, ...] = ()
        self.changes: int | None = None

    async def refresh(self, of: Connection) -> None:
        """List the tools again; a failure is kept in ``error``, not raised."""
        changes = of.news.tool_changes
        try:
            # Whoever lists holds the lock that a renewal needs.
            raw = await pages_if_offered(of, "tools", Client.list_tools, renew=False)
        except McpMagicError as error:
            self.tools, self.error = None, error
            if not isinstance(error, AuthorizationRequired):  # else: once signed in
                self.changes = changes
            return
        self.tools, self.notes = _read_tools(of, raw)
        self.error, self.changes = None, changes


def _read_tools(
    of: Connection, raw: list[Raw]
) -> tuple[dict[str, Tool], tuple[str, ...]]:
    """Return the tools that can be called and are permitted, and what was odd."""
    notes: list[str] = []
    tools = [t for page in raw for t in read_list(page, "tools", read_tool, notes)]
    dropped: set[str] = set()
    if of.client is not None and isinstance(of.entry.target, Http):
        dropped = {t.name for t in tools} - sdk.callable_over_http(of.client, tools)
    notes += [f"{one} is left out: its x-mcp-header is invalid." for one in dropped]
    kept = {
        one.name: one
        for one in tools
        if one.name not in dropped and permits(of.entry, one.name)
    }
    return kept, tuple(notes)
