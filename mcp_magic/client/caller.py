"""Who waits for a running call: hears its events and answers a server's questions."""

from __future__ import annotations

import asyncio
import concurrent.futures
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from mcp_magic.errors import CallStopped, McpMagicError, visible
from mcp_magic.model import (
    Declined,
    Event,
    FormQuestion,
    Notice,
    Question,
    Reply,
    SamplingQuestion,
    UrlQuestion,
)

__all__ = ["IDLE", "Asked", "Caller", "News", "Nobody", "Waiting", "declined"]

_SHOWN = 100  # characters of a question in a line


class Caller(Protocol):
    """Whoever waits for a step of a flow."""

    def tell(self, event: Event) -> None:
        """Hand over an event; returns at once, on any thread."""

    async def ask(self, question: Question) -> Reply:
        """Return the answer to a question; runs on the background loop."""


class Nobody:
    """A caller who answers nothing: every question is declined at once.

    Args:
        tell: Receives events, if somebody reads them.
    """

    def __init__(self, tell: Callable[[Event], None] | None = None) -> None:
        self._tell = tell

    def tell(self, event: Event) -> None:
        """Hand the event over, or drop it."""
        if self._tell is not None:
            self._tell(event)

    async def ask(self, question: Question) -> Reply:
        """Decline, and say so."""
        self.tell(Notice(declined(question)))
        return Declined()


def declined(question: Question) -> str:
    """Say that a question was declined because nobody is there, and what to do."""
    match question:
        case FormQuestion(message=message) | UrlQuestion(message=message):
            asked = " ".join(visible(message).split())
        case SamplingQuestion():
            asked = "for a model's answer"
    short = asked if len(asked) <= _SHOWN else f"{asked[: _SHOWN - 1]}…"
    return (
        f"{question.server} asked: {short} It was declined, because nobody can answer "
        "here; call the tool in a cell of its own, in a notebook or a terminal."
    )


class Asked:
    """A question on its way to the thread that waits, its reply on the way back.

    Attributes:
        question: What is asked.
        reply: Takes the answer.
        over: Done when nobody waits for the answer any more: it was given, or the call
            was cancelled, ran into its limit, or lost its server.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.reply: concurrent.futures.Future[Reply] = concurrent.futures.Future()
        self.over: concurrent.futures.Future[None] = concurrent.futures.Future()


News: TypeAlias = "queue.SimpleQueue[Event | Asked | None]"
"""What a thread that waits hears; ``None`` at the end."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the thread that waits for a step does meanwhile, in that thread.

    Attributes:
        on_event: Receives events.
        on_question: Answers a question; ``None`` declines all.
        stop: Cancels the call when it is set, from whatever thread.
    """

    on_event: Callable[[Event], None]
    on_question: Callable[[Asked], Reply] | None = None
    stop: threading.Event | None = None

    def caller(self, news: News) -> Caller:
        """Return the caller that brings its news to this thread."""
        return Nobody(news.put) if self.on_question is None else _InThread(news)

    def heed(self) -> None:
        """Raise ``CallStopped`` if the call is to be cancelled."""
        if self.stop is not None and self.stop.is_set():
            raise CallStopped("stopped")

    def attend(self, item: Event | Asked) -> None:
        """Handle one piece of news."""
        if not isinstance(item, Asked):
            self.on_event(item)
            return
        if not item.reply.set_running_or_notify_cancel():
            return  # the server has withdrawn its question
        try:
            reply = (self.on_question or _decline)(item)
        except Exception as error:  # noqa: BLE001 - the server is told, the call goes on
            item.reply.set_exception(error)
        except BaseException:
            item.reply.set_exception(McpMagicError("the person who was asked has gone"))
            raise
        else:
            item.reply.set_result(reply)


def _decline(_asked: Asked) -> Reply:
    return Declined()


class _InThread:
    """The caller is a thread that waits for news."""

    def __init__(self, news: News) -> None:
        self._news = news

    def tell(self, event: Event) -> None:
        self._news.put(event)

    async def ask(self, question: Question) -> Reply:
        asked = Asked(question)
        self._news.put(asked)
        try:
            return await asyncio.wrap_future(asked.reply)
        finally:
            asked.over.set_result(None)


IDLE = Waiting(lambda _: None)
"""A thread that only waits."""
