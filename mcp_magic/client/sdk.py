"""The SDK's client, made tolerant: the one module that reaches into its private parts.

``tests/client/test_tolerance.py`` has a test that names every private piece in use.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable
from typing import Any

from mcp import Client, MCPError
from mcp.client import advertise
from mcp_types import EmptyResult, SetLevelRequest, SetLevelRequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_magic.client.mending import tolerant
from mcp_magic.client.news import News
from mcp_magic.client.questions import Questions
from mcp_magic.model import Tool

__all__ = ["ask_for_logs", "callable_over_http", "keep_answers", "make_client"]

# The SDK logs tracebacks for what it also raises, and a server in this process logs
# every call: neither belongs into a cell, unless somebody asked for it.
for _name, _level in (
    ("mcp", logging.WARNING),
    ("mcp.client", logging.CRITICAL),
    ("client", logging.CRITICAL),
):
    _logger = logging.getLogger(_name)
    _logger.addHandler(logging.NullHandler())
    if _logger.level == logging.NOTSET:
        _logger.setLevel(_level)


def make_client(
    target: Any, questions: Questions, news: News, *, older: bool
) -> Client:
    """Return a client for one connection, not yet entered.

    Args:
        target: What ``open_line`` gave.
        questions: Answers what the server asks.
        news: Hears what it says by itself.
        older: Speak the protocol from before 2026-07-28, without probing.
    """
    client = Client(
        target,
        mode="legacy" if older else "auto",
        message_handler=news.heard,
        logging_callback=news.logged,
        log_level="info",
        elicitation_callback=questions.elicit,
        sampling_callback=questions.sample if questions.samples else None,
        list_roots_callback=questions.list_roots if questions.roots else None,
        cache=None,
        extensions=[advertise("io.modelcontextprotocol/skills")],
    )
    # The one place where every result passes before it is checked.
    connect = client._connect  # noqa: SLF001

    async def connect_tolerantly(*args: Any) -> Any:
        dispatcher: Any = await connect(*args)
        dispatcher.send_raw_request = tolerant(dispatcher.send_raw_request)
        return dispatcher

    client._connect = connect_tolerantly  # noqa: SLF001
    return client


def keep_answers(client: Client) -> None:
    """Let answers pass that do not fit their output schema; ``Outputs`` tells of them.

    The SDK's own check raises a bare ``RuntimeError``, and the answer is lost.
    """
    session: Any = client.session
    session.validate_tool_result = _accept


async def _accept(_name: str, _result: object) -> None:
    """Take every answer."""


def callable_over_http(client: Client, tools: Iterable[Tool]) -> set[str]:
    """Return the names of tools that may be called over HTTP.

    From 2026-07-28 on, a client must not call a tool whose ``x-mcp-header`` annotations
    are invalid; the SDK leaves such tools out and keeps the header maps of the others.
    """
    names = {tool.name for tool in tools}
    if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return names
    return names & set(client.session._x_mcp_header_maps)  # noqa: SLF001


async def ask_for_logs(client: Client) -> None:
    """Ask an older server for its log; newer ones are asked with every request."""
    with contextlib.suppress(MCPError):
        level = SetLevelRequest(params=SetLevelRequestParams(level="info"))
        await client.session.send_request(level, EmptyResult)
