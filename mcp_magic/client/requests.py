"""What can be asked of a connected server: every request of the protocol."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from mcp import Client
from mcp_types import (
    EmptyResult,
    PromptReference,
    ResourceTemplateReference,
    SubscribeRequest,
    SubscribeRequestParams,
    UnsubscribeRequest,
    UnsubscribeRequestParams,
)

from mcp_magic.answer import Answer, Block
from mcp_magic.client.caller import Caller
from mcp_magic.client.connection import Connection
from mcp_magic.client.listing import pages_if_offered
from mcp_magic.client.mending import Raw
from mcp_magic.client.reading import (
    read_contents,
    read_list,
    read_messages,
    read_prompt,
    read_resource,
    read_template,
)
from mcp_magic.errors import CallTimedOut, McpMagicError
from mcp_magic.model import (
    Notice,
    Progress,
    Prompt,
    Question,
    Reply,
    Resource,
    ResourceTemplate,
)

__all__ = [
    "call_tool",
    "complete",
    "get_prompt",
    "list_prompts",
    "list_resources",
    "list_templates",
    "read",
    "watch",
]

_COMPLETING = 0.15  # seconds; a person is typing


async def call_tool(
    to: Connection,
    tool: str,
    arguments: Mapping[str, object],
    caller: Caller,
    *,
    timeout: float | None = None,
) -> Answer:
    """Send one ``tools/call``; cancelling the task cancels it at the server.

    Args:
        to: A connection that is up.
        tool: The exact name to send.
        arguments: JSON values by parameter.
        caller: Hears of progress and answers the server's questions.
        timeout: Seconds to wait, without the time in which a person is asked;
            ``None``: no limit.

    Raises:
        ServerError: No answer came, or a JSON-RPC error.
    """

    async def told(progress: float, total: float | None, message: str | None) -> None:
        caller.tell(Progress(progress, total, message or ""))

    def request(client: Client) -> Any:
        return client.call_tool(tool, dict(arguments), progress_callback=told)

    raw = await _in_time(to, request, caller, timeout)
    schema = None
    if to.tools is not None and tool in to.tools:
        schema = to.tools[tool].output_schema
    warnings: tuple[str, ...] = ()
    if schema is not None and raw.get("isError") is not True:
        warnings = await to.outputs.check(tool, schema, raw)
    return Answer.read(raw, schema, warnings=warnings)


async def _in_time(
    to: Connection,
    request: Callable[[Client], Any],
    caller: Caller,
    timeout: float | None,
) -> Raw:
    """Send a request; cancel it after *timeout* seconds.

    Not by the SDK's own limit: that one counts each round of a call anew.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(timeout) as limit:
            with to.questions.during(_Unhurried(caller, limit)):
                return await to.send(request)
    name = to.entry.name
    raise CallTimedOut(
        f"{name} did not answer within {timeout:g} s; the call was cancelled", name
    )


class _Unhurried:
    """A caller whose thinking does not count against the limit of the call."""

    def __init__(self, caller: Caller, limit: asyncio.Timeout) -> None:
        self._caller = caller
        self._limit = limit
        self.tell = caller.tell

    async def ask(self, question: Question) -> Reply:
        end, asked = self._limit.when(), asyncio.get_running_loop().time()
        self._limit.reschedule(None)
        try:
            return await self._caller.ask(question)
        finally:
            if end is not None:
                spent = asyncio.get_running_loop().time() - asked
                self._limit.reschedule(end + spent)


async def list_resources(to: Connection) -> list[Resource]:
    """Return the resources of a server; none if it offers none."""
    pages = await pages_if_offered(to, "resources", Client.list_resources)
    notes: list[str] = []
    found = [r for p in pages for r in read_list(p, "resources", read_resource, notes)]
    to.resources = tuple(found)
    return found


async def list_templates(to: Connection) -> list[ResourceTemplate]:
    """Return the resource templates of a server; none if it offers none."""
    pages = await pages_if_offered(to, "resources", Client.list_resource_templates)
    key, notes = "resourceTemplates", list[str]()
    found = [t for page in pages for t in read_list(page, key, read_template, notes)]
    to.templates = tuple(found)
    return found


async def list_prompts(to: Connection) -> list[Prompt]:
    """Return the prompts of a server; none if it offers none."""
    pages = await pages_if_offered(to, "prompts", Client.list_prompts)
    notes: list[str] = []
    found = [
        p for page in pages for p in read_list(page, "prompts", read_prompt, notes)
    ]
    to.prompts = tuple(found)
    return found


async def read(to: Connection, uri: str, caller: Caller) -> Answer:
    """Return the contents of a resource as blocks.

    Raises:
        RequestRefused: There is no such resource.
    """
    with to.questions.during(caller):
        raw = await to.send(lambda client: client.read_resource(uri))
    warnings: list[str] = []
    blocks = read_contents(raw, warnings)
    return Answer(blocks, raw, None, tuple(warnings))


async def get_prompt(
    to: Connection, name: str, arguments: Mapping[str, str], caller: Caller
) -> tuple[str, tuple[tuple[str, Block], ...]]:
    """Return a prompt's description and its messages: who speaks, and what.

    Raises:
        RequestRefused: There is no such prompt, or an argument is missing.
    """
    given = dict(arguments)
    with to.questions.during(caller):
        raw = await to.send(lambda client: client.get_prompt(name, given))
    said = raw.get("description")
    return said if isinstance(said, str) else "", read_messages(raw, [])


async def complete(
    to: Connection,
    about: Prompt | ResourceTemplate,
    argument: str,
    typed: str,
    others: Mapping[str, str] | None = None,
) -> list[str]:
    """Return how a server would complete an argument; none if it does not in time.

    Args:
        to: A connection that is up.
        about: The prompt or the template whose argument it is.
        argument: The argument's name.
        typed: What stands there so far.
        others: What other arguments are already known.
    """
    reference: Any = (
        PromptReference(name=about.name)
        if isinstance(about, Prompt)
        else ResourceTemplateReference(uri=about.uri_template)
    )
    asked = {"name": argument, "value": typed}
    known = dict(others or {}) or None
    try:
        async with asyncio.timeout(_COMPLETING):
            raw = await to.send(lambda c: c.complete(reference, asked, known))
    except (McpMagicError, TimeoutError):
        return []
    found = raw.get("completion")
    values = found.get("values") if isinstance(found, Mapping) else None
    return [one for one in values or () if isinstance(one, str)]


async def watch(
    to: Connection, uri: str, caller: Caller, *, seconds: float | None
) -> int:
    """Tell the caller of every change of a resource until the time is over.

    Args:
        to: A connection that is up.
        uri: The resource.
        caller: Hears of changes; cancelling its call ends the watching.
        seconds: How long; ``None`` until cancelled.

    Returns:
        How often the server said that it changed.
    """
    count = 0

    def changed() -> None:
        nonlocal count
        count += 1
        caller.tell(Notice(f"{uri} changed."))

    follow = _follow_older if to.is_older else _follow_newer
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await follow(to, uri, changed)
    return count


async def _follow_newer(to: Connection, uri: str, changed: Callable[[], None]) -> None:
    """Hear of changes as 2026-07-28 tells them, until cancelled."""

    async def listen(client: Client) -> None:
        async with client.listen(resource_subscriptions=[uri]) as changes:
            async for _ in changes:
                changed()

    await to.send(listen)


async def _follow_older(to: Connection, uri: str, changed: Callable[[], None]) -> None:
    """Hear of changes as servers before 2026-07-28 tell them, until cancelled."""
    update = to.news.updates(uri)
    update.clear()
    here, nothing = SubscribeRequestParams(uri=uri), EmptyResult
    await to.send(
        lambda c: c.session.send_request(SubscribeRequest(params=here), nothing)
    )
    gone = UnsubscribeRequest(params=UnsubscribeRequestParams(uri=uri))
    try:
        while True:
            await update.wait()
            update.clear()
            changed()
    finally:
        with contextlib.suppress(McpMagicError):
            await to.send(lambda c: c.session.send_request(gone, nothing))
