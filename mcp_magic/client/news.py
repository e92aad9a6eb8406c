"""What comes of a server unasked: its log, what changed, and that it ended."""

from __future__ import annotations

import asyncio
from collections import deque

from mcp_types import (
    LoggingMessageNotificationParams,
    ResourceUpdatedNotification,
    ToolListChangedNotification,
)

from mcp_magic.client.reading import read_log
from mcp_magic.model import LogLine

__all__ = ["News"]

_LOG = 1000  # lines of a server's log that are kept


class News:
    """What came of one server unasked, over all the times that it was connected.

    Attributes:
        log: The latest lines of its log; untrusted text.
        tool_changes: How often it announced that its tools changed.
        obituary: That its command ended unnoticed, in a sentence; cleared once said.
    """

    def __init__(self) -> None:
        self.log: deque[LogLine] = deque(maxlen=_LOG)
        self.tool_changes = 0
        self.obituary = ""
        self._updated: dict[str, asyncio.Event] = {}

    async def heard(self, message: object) -> None:
        """Take note of what changed at the server."""
        match message:
            case ToolListChangedNotification():
                self.tool_changes += 1
            case ResourceUpdatedNotification(params=params):
                if (uri := str(params.uri)) in self._updated:
                    self._updated[uri].set()

    async def logged(self, params: LoggingMessageNotificationParams) -> None:
        """Keep a line of the server's log."""
        self.log.append(read_log(params.level, params.logger, params.data))

    def updates(self, uri: str) -> asyncio.Event:
        """Return the event that is set when the server says that *uri* changed."""
        return self._updated.setdefault(uri, asyncio.Event())
