"""Questions that a server asks in the middle of a call, and who gets to answer them."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from mcp_types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    ErrorData,
    ListRootsResult,
    Root,
)
from pydantic import ValidationError

from mcp_magic.client.caller import Caller, Nobody
from mcp_magic.model import (
    Accepted,
    Declined,
    FormQuestion,
    Json,
    Notice,
    Question,
    Reply,
    SamplingQuestion,
    UrlQuestion,
)

__all__ = ["Questions", "Sampler"]

Sampler: TypeAlias = Callable[[Mapping[str, Json]], "str | Mapping[str, Json]"]
"""Answers a sampling request: from its parameters to a text or a whole result."""

_caller: contextvars.ContextVar[Caller | None] = contextvars.ContextVar(
    "caller", default=None
)
_REFUSED = -32600  # JSON-RPC: invalid request


class Questions:
    """The SDK's callbacks of one connection.

    Args:
        server: The configured name of the server.
        sampler: Answers sampling requests.
        roots: Folders that the server may know of; none does not offer roots.
        people: Whether the person of a call is asked where there is no *sampler*;
            with neither, sampling is not offered.
    """

    def __init__(
        self,
        server: str,
        sampler: Sampler | None = None,
        roots: Sequence[Path] = (),
        *,
        people: bool = False,
    ) -> None:
        self.server = server
        self.sampler = sampler
        self.roots = tuple(roots)
        self.samples = people or sampler is not None
        self._active: list[Caller] = []

    @contextmanager
    def during(self, caller: Caller) -> Iterator[None]:
        """Let *caller* answer what is asked while its request runs."""
        token = _caller.set(caller)
        self._active.append(caller)
        try:
            yield
        finally:
            self._active.remove(caller)
            _caller.reset(token)

    @property
    def _answering(self) -> Caller:
        # In the 2026-07-28 era a question is dispatched in the task of its call. Before
        # that it comes on its own and does not say whose it is: most likely the latest.
        return _caller.get() or (self._active[-1] if self._active else Nobody())

    async def elicit(
        self,
        context: object,  # noqa: ARG002 - the SDK's protocol
        params: ElicitRequestFormParams | ElicitRequestURLParams,
    ) -> ElicitResult | ErrorData:
        """Ask the person of the call that is running."""
        question: Question
        if isinstance(params, ElicitRequestURLParams):
            question = UrlQuestion(self.server, params.message, str(params.url))
        else:
            shape = dict(params.requested_schema)
            question = FormQuestion(self.server, params.message, shape)
        try:
            reply: Reply = await self._answering.ask(question)
        except Exception as error:  # noqa: BLE001 - the server is told, the call goes on
            return ErrorData(code=_REFUSED, message=_line(error))
        match reply:
            case Accepted(content):
                return ElicitResult(action="accept", content=dict(content))  # type: ignore[arg-type] # checked by the SDK
            case Declined(dismissed):
                return ElicitResult(action="cancel" if dismissed else "decline")

    async def sample(
        self,
        context: object,  # noqa: ARG002 - the SDK's protocol
        params: CreateMessageRequestParams,
    ) -> CreateMessageResult | ErrorData:
        """Let the registered function answer, in a thread of its own, or the person."""
        raw = params.model_dump(mode="json", by_alias=True, exclude_none=True)
        if self.sampler is None:
            return await self._sample_by_hand(SamplingQuestion(self.server, raw))
        try:
            answer = await asyncio.to_thread(self.sampler, raw)
            name = getattr(self.sampler, "__name__", type(self.sampler).__name__)
            message = _message(answer, f"python:{name}")
            return CreateMessageResult.model_validate(message)
        except (Exception, ValidationError) as error:  # noqa: BLE001 - as above
            said = _line(error)
            self._answering.tell(Notice(f"The sampling function failed: {said}"))
            return ErrorData(
                code=_REFUSED, message=f"the model's answer failed: {said}"
            )

    async def _sample_by_hand(
        self, question: SamplingQuestion
    ) -> CreateMessageResult | ErrorData:
        try:
            reply = await self._answering.ask(question)
        except Exception as error:  # noqa: BLE001 - the server is told, the call goes on
            return ErrorData(code=_REFUSED, message=_line(error))
        match reply:
            case Accepted({"text": str(text)}):
                message = _message(text, "person")
                return CreateMessageResult.model_validate(message)
        # MCP specification, sampling: "User rejected sampling request".
        return ErrorData(code=-1, message="the person did not answer for a model")

    async def list_roots(
        self,
        context: object,  # noqa: ARG002 - the SDK's protocol
    ) -> ListRootsResult:
        """Name the folders that the person named."""
        made = [Root(uri=one.as_uri(), name=one.name or None) for one in self.roots]  # type: ignore[arg-type] # parsed by pydantic
        return ListRootsResult(roots=made)


def _message(answer: str | Mapping[str, Json], model: str) -> Mapping[str, Json]:
    if isinstance(answer, Mapping):
        return answer
    content: Json = {"type": "text", "text": str(answer)}
    return {"role": "assistant", "content": content, "model": model}


def _line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
