"""The one way of every call, whichever door it came through.

Find the server, connect, bind the arguments, send, correct a mistyped name once,
record what happened, give the result back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcp_magic.answer import Answer
from mcp_magic.client.loop import OnLoop
from mcp_magic.config import permits, why_refused
from mcp_magic.display.limits import plural
from mcp_magic.errors import (
    McpMagicError,
    NamesNeeded,
    RequestRefused,
    ServerExited,
    ToolFailed,
    ToolRefused,
    UnknownTool,
    visible,
)
from mcp_magic.language import Bound, spell_verb
from mcp_magic.model import Call, Outcome, Schema, Tool
from mcp_magic.naming import Corrected, Policy, Unresolved, reports_missing, resolve
from mcp_magic.session.result import CallResult
from mcp_magic.session.session import Session

__all__ = ["Binder", "CallOptions", "call"]

Binder = Callable[[Schema | None, str], Bound]
"""Makes the arguments for a schema (``None``: not known) and a tool's full name."""

_LONGEST = 500  # characters of a tool's complaint that stand in its error
_WORDLESS = "the tool reported an error without a text; .result holds what came"
_INVALID = -32600  # JSON-RPC: invalid request
_NOT_FOUND = (-32601, -32602)  # JSON-RPC: method not found, invalid params


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """How a call is made.

    Attributes:
        timeout: Seconds to wait for the answer; ``None`` waits as long as it takes.
        policy: What happens to a tool name that is not listed; ``None``: the session's.
        nearby: Targets at other servers that may have been meant instead.
    """

    timeout: float | None = None
    policy: Policy | None = None
    nearby: tuple[str, ...] = ()


async def call(
    session: Session,
    server: str,
    tool: str,
    bind: Binder,
    options: CallOptions = CallOptions(),
) -> CallResult:
    """Call a tool; a flow, to be driven by ``Crossing.run`` or ``Crossing.arun``.

    Args:
        session: Knows the servers.
        server: The exact name of a known server.
        tool: The tool's name as typed.
        bind: Makes the arguments from what was typed; again after a correction.
        options: How the call is made.

    Raises:
        ArgumentError: The arguments do not fit; nothing was sent.
        ToolFailed: The tool reported an error.
        ServerError: The server could not be reached, or answered with an error.
    """
    attempt = _Attempt(session, server, tool, bind, options)
    started = time.monotonic()
    failure: BaseException | None = None
    try:
        return await attempt.run()
    except BaseException as error:
        failure = error
        raise
    finally:
        seconds = time.monotonic() - started
        said = "" if failure is None else str(failure)
        session.journal.record(
            Call(server, tool, attempt.called, _outcome(failure), seconds, said)
        )


def _outcome(failure: BaseException | None) -> Outcome:
    match failure:
        case None:
            return "ok"
        case ToolFailed():
            return "tool error"
        case McpMagicError():
            return "failed"
    return "cancelled"


def _lacks_back_channel(error: RequestRefused) -> bool:
    """Whether a server could not ask, for want of a channel back (sdk 2026-07-28)."""
    return error.code == _INVALID and "back-channel" in str(error)


class _Attempt:
    def __init__(
        self,
        session: Session,
        server: str,
        typed: str,
        bind: Binder,
        options: CallOptions,
    ) -> None:
        self.session = session
        self.server = server
        self.typed = typed
        self.called = typed
        self.bind = bind
        self.options = options

    async def run(self) -> CallResult:
        entry = self.session.known.entry(self.server)
        if self.typed in entry.blocked:
            raise ToolRefused(why_refused(entry, self.typed))
        connection = await self.session.connections.connected(self.server)
        listed = connection.tools
        if listed is not None and self.typed not in listed:
            await OnLoop(lambda _: connection.refresh())
            listed = connection.tools
        if listed is None:
            return await self._send_unlisted(connection.listing_error)
        if self.typed in listed:
            return await self._send(listed[self.typed])
        failure = await self._as_typed()
        if isinstance(failure, CallResult):
            return failure
        right = self._right_name(listed)
        if right is None:
            raise failure
        return await self._send(right)

    async def _as_typed(self) -> CallResult | McpMagicError:
        """Send an unlisted name as typed; return the result, or the "not found"."""
        refused = self._refusal(self.typed, None)
        if refused is not None:
            return refused  # never sent, but perhaps a typo of one that may run
        try:
            return await self._send_unlisted(None)
        except NamesNeeded:
            # Nothing can be formed: the fresh listing is the server's "not found".
            return UnknownTool(
                f"{self.server} lists no tool {self.typed!r}; "
                f"{spell_verb('list', self.server)} lists them"
            )
        except (ToolFailed, RequestRefused) as error:
            if not self._is_missing(error):
                raise
            # Raised again by the caller, outside this block.
            return error.with_traceback(None)

    def _is_missing(self, error: ToolFailed | RequestRefused) -> bool:
        if isinstance(error, RequestRefused):
            return error.code in _NOT_FOUND
        result = error.result
        said = result.text if isinstance(result, CallResult) else str(error)
        return reports_missing(said, self.typed)

    def _right_name(self, listed: Mapping[str, Tool]) -> Tool | None:
        found = resolve(
            self.typed,
            listed,
            policy=self.options.policy or self.session.policy,
            destructive=[n for n, t in listed.items() if t.annotations.destructive],
            read_only=[n for n, t in listed.items() if t.annotations.read_only],
        )
        match found:
            case Corrected(name):
                self.session.person.say(
                    f"Auto-corrected tool call to {self.server}.{name} "
                    f"(input: {self.server}.{self.typed})."
                )
                return listed[name]
            case Unresolved(suggestions=names):
                labels = [self._label(name) for name in names]
                self.session.person.suggest([*labels, *self.options.nearby])
        return None

    async def _send_unlisted(self, why: McpMagicError | None) -> CallResult:
        self._permit(self.typed, None)
        try:
            bound = self.bind(None, self._label(self.typed))
        except NamesNeeded as error:
            if why is None:
                raise
            problem = f"{error} ({self.server}'s tools could not be listed: {why})"
            raise NamesNeeded(problem) from None
        return await self._deliver(self.typed, bound)

    async def _send(self, tool: Tool) -> CallResult:
        self._permit(tool.name, tool)
        bound = self.bind(tool.input_schema, self._label(tool.name))
        refusal: RequestRefused | None = None
        try:
            return await self._deliver(tool.name, bound)
        except RequestRefused as error:
            if not _lacks_back_channel(error):
                raise
            refusal = error
        return await self._older_way(tool, bound, refusal)

    async def _older_way(
        self, tool: Tool, bound: Bound, refusal: RequestRefused
    ) -> CallResult:
        """Reconnect to a server that asks questions as before 2026-07-28.

        The call may have done something before it asked, so it is repeated only if the
        server says that this does no harm.
        """
        connection = self.session.connections.of(self.server)
        if connection.is_older:
            raise refusal
        await OnLoop(lambda _: connection.speak_older())
        hints = tool.annotations
        if not (hints.read_only or hints.idempotent):
            raise RequestRefused(
                f"{self.server} asks the older way; reconnected, run the cell again",
                self.server,
                refusal.code,
            )
        return await self._deliver(tool.name, bound)

    def _permit(self, name: str, tool: Tool | None) -> None:
        refused = self._refusal(name, tool)
        if refused is not None:
            raise refused

    def _refusal(self, name: str, tool: Tool | None) -> ToolRefused | None:
        """Return why the server's entry or read-only mode keeps a tool from running."""
        entry = self.session.known.entry(self.server)
        if not permits(entry, name):
            return ToolRefused(why_refused(entry, name))
        if self.session.read_only and not (tool and tool.annotations.read_only):
            return ToolRefused(
                f"{self._label(name)} does not declare that it only reads; "
                "%config McpMagics.read_only = False lets it run"
            )
        return None

    async def _deliver(self, name: str, bound: Bound) -> CallResult:
        # Imports mcp; a connection is up, so it is there.
        from mcp_magic.client.requests import call_tool  # noqa: PLC0415

        for note in bound.notes:
            self.session.person.say(note)
        for warning in bound.warnings:
            self.session.person.say_once(f"{self._label(name)}: {warning}")
        self.called = name
        connection = self.session.connections.of(self.server)
        timeout = self.options.timeout or self.session.call_limit(self.server)
        started = time.monotonic()
        died: ServerExited | None = None
        try:
            answer: Answer = await OnLoop(
                lambda caller: call_tool(
                    connection, name, bound.values, caller, timeout=timeout
                )
            )
        except ServerExited as error:
            died = error
        if died is not None:
            raise ServerExited(
                f"{died}; whether {name} ran is unknown, so it was not called again",
                self.server,
            )
        seconds = time.monotonic() - started
        session = self.session
        result = CallResult(
            *(answer, self.server, self.typed, name, seconds),
            *(session.meanings.reveal, session.show_limits),
        )
        session.latest[self.server] = result
        if answer.is_error:
            raise ToolFailed(self._complaint(answer, name), result)
        return result

    def _complaint(self, answer: Answer, name: str) -> str:
        said = answer.text.strip() or _WORDLESS
        head, _, rest = said.partition("\n")
        more = ""
        if len(head) > _LONGEST:
            more = f" … ({plural(len(said), 'character')} in .result.text)"
        elif rest:
            more = f" … ({plural(len(rest.splitlines()), 'more line')} in .result.text)"
        said = self.session.meanings.reveal(visible(head[:_LONGEST]))
        return f"{self._label(name)}: {said}{more}"

    def _label(self, name: str) -> str:
        return f"{self.server}.{name}"
