"""What a server offers besides tools: resources, prompts, skills, its log."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mcp_magic.answer import Answer, Block, Embedded, Text
from mcp_magic.client.loop import OnLoop
from mcp_magic.display import answers, text
from mcp_magic.display.limits import Limits, plural
from mcp_magic.errors import RequestRefused, visible
from mcp_magic.language import Bound, spell_verb
from mcp_magic.model import LogLine, Prompt, Resource, ResourceTemplate, Schema, Skill
from mcp_magic.naming import (
    Corrected,
    Exact,
    Policy,
    Resolution,
    Unresolved,
    resolve,
)
from mcp_magic.session import given
from mcp_magic.session.result import CallResult
from mcp_magic.session.session import Session
from mcp_magic.session.tables import Table

__all__ = [
    "Log",
    "PromptMessages",
    "Prompts",
    "Resources",
    "complete",
    "fill_in",
    "log",
    "prompt",
    "prompts",
    "read",
    "resources",
    "skill",
    "skills",
    "watch",
]


_LOGGED = 200  # lines of a log that are shown
_LOGGED_CHARS = 1000  # characters of one of them
_NO_RESOURCE = (-32602, -32002)  # what servers answer to an address that they lack


class Resources(Table[Resource | ResourceTemplate]):
    """The resources and resource templates of a server; shows itself as a table."""

    __slots__ = ()
    headers = ("uri", "name", "type", "what it is")
    empty = "(no resources)"

    def row(self, one: Resource | ResourceTemplate) -> list[str]:
        """Return address or pattern, name, type and first sentence."""
        where = one.uri if isinstance(one, Resource) else one.uri_template
        return [where, one.title or one.name, one.mime, text.brief(one.description)]


class Prompts(Table[Prompt]):
    """The prompts of a server; shows itself as a table."""

    __slots__ = ()
    headers = ("prompt", "what it is for")
    empty = "(no prompts)"

    def row(self, one: Prompt) -> list[str]:
        """Return name with arguments, and first sentence."""
        said = text.brief(one.description or one.title)
        return [f"{one.name}({_arguments(one)})", said]


def _arguments(one: Prompt) -> str:
    return ", ".join(a.name if a.required else f"{a.name}?" for a in one.arguments)


@dataclass(frozen=True, slots=True, repr=False)
class PromptMessages:
    """A prompt filled in: its messages, ready for a model.

    Attributes:
        description: What the server says about it.
        messages: Who speaks (``user`` or ``assistant``), and a content block each.
    """

    description: str
    messages: tuple[tuple[str, Block], ...]
    _limits: Callable[[], Limits] = field(default=Limits, compare=False)

    @property
    def text(self) -> str:
        """All text of the messages, a line break between them."""
        texts = (b.text for _, b in self.messages if isinstance(b, Text | Embedded))
        return "\n".join(one for one in texts if one is not None)

    def __repr__(self) -> str:
        limits, kept = self._limits(), ".messages holds it all"
        parts = [
            f"{visible(role)}: {answers.block_text(block, limits, kept)}"
            for role, block in self.messages
        ]
        return "\n".join(parts) or "(no messages)"

    def __reduce__(self) -> tuple[object, ...]:
        # How much is shown is known to this process alone.
        return PromptMessages, (self.description, self.messages)


class Log(tuple[LogLine, ...]):
    """The latest lines of a server's log and of a command's standard error."""

    __slots__ = ()

    def __repr__(self) -> str:
        before = len(self) - _LOGGED
        more = [f"… {plural(before, 'earlier line')}"] if before > 0 else []
        lines = [*more, *map(_log_line, self[-_LOGGED:])]
        return "\n".join(lines) or "(nothing logged)"


def _log_line(one: LogLine) -> str:
    where = f" {text.cell(one.logger)}" if one.logger else ""
    said = visible(one.text[:_LOGGED_CHARS]).replace("\n", "\n    ")
    said += "…" if len(one.text) > _LOGGED_CHARS else ""
    return f"{text.cell(one.level)}{where}: {said}"


async def resources(session: Session, server: str) -> Resources:
    """Return the resources and templates of a server; a flow."""
    from mcp_magic.client import requests  # noqa: PLC0415 - imports mcp

    connection = await session.connections.connected(server)
    listed = await OnLoop(lambda _: requests.list_resources(connection))
    templates = await OnLoop(lambda _: requests.list_templates(connection))
    return Resources([*listed, *templates])


async def read(session: Session, server: str, uri: str) -> CallResult:
    """Return the contents of a resource; a flow.

    Raises:
        ArgumentError: *uri* is no text.
        RequestRefused: There is no such resource.
    """
    from mcp_magic.client import requests  # noqa: PLC0415 - imports mcp

    _check_uri(server, uri)
    connection = await session.connections.connected(server)
    started = time.monotonic()
    missing: RequestRefused | None = None
    try:
        answer: Answer = await OnLoop(lambda c: requests.read(connection, uri, c))
    except RequestRefused as error:
        if error.code not in _NO_RESOURCE:
            raise
        missing = error
    if missing is not None:
        hint = f"{str(missing).removesuffix('.')}; {_lists('resources', server)}"
        raise RequestRefused(hint, server, missing.code)
    seconds = time.monotonic() - started
    return CallResult(
        answer, server, uri, uri, seconds, session.meanings.reveal, session.show_limits
    )


def _check_uri(server: str, uri: object) -> None:
    given.text("uri", uri, hint=f"; {_lists('resources', server)}")


def _lists(verb: str, server: str) -> str:
    return f"{spell_verb(verb, server)} lists what there is"


async def prompts(session: Session, server: str) -> Prompts:
    """Return the prompts of a server; a flow."""
    from mcp_magic.client import requests  # noqa: PLC0415 - imports mcp

    connection = await session.connections.connected(server)
    return Prompts(await OnLoop(lambda _: requests.list_prompts(connection)))


async def prompt(
    session: Session,
    server: str,
    name: str,
    bind: Callable[[Schema | None, str], Bound],
    policy: Policy | None = None,
) -> PromptMessages:
    """Return a prompt filled in; a flow. A mistyped name is put right.

    Args:
        session: Knows the servers.
        server: The exact name of a known server.
        name: The prompt's name as typed.
        bind: Makes its arguments for a schema and its full name.
        policy: What happens to a name that is not listed; ``None``: the session's.

    Raises:
        ArgumentError: The arguments do not fit; nothing was sent.
        RequestRefused: There is no such prompt.
    """
    listed = await prompts(session, server)
    names = [one.name for one in listed]
    found = resolve(name, names, policy=policy or session.policy)
    exact = _settled(session, server, found)
    known = next(one for one in listed if one.name == exact)
    bound = bind(_takes(known), f"{server}.{exact}")
    texts = {key: str(value) for key, value in bound.values.items()}
    return await fill_in(session, server, exact, texts)


def _takes(one: Prompt) -> Schema:
    """Return what a prompt takes as a tool would say it: texts."""
    return {
        "type": "object",
        "properties": {each.name: {"type": "string"} for each in one.arguments},
        "required": [each.name for each in one.arguments if each.required],
    }


async def fill_in(
    session: Session, server: str, name: str, arguments: Mapping[str, str]
) -> PromptMessages:
    """Return the prompt of exactly that name filled in; a flow.

    Raises:
        RequestRefused: There is no such prompt, or an argument is missing.
    """
    from mcp_magic.client import requests  # noqa: PLC0415 - imports mcp

    connection = await session.connections.connected(server)
    said, messages = await OnLoop(
        lambda caller: requests.get_prompt(connection, name, arguments, caller)
    )
    return PromptMessages(said, messages, session.show_limits)


def _settled(session: Session, server: str, found: Resolution) -> str:
    """Return the prompt that was found; a correction or suggestions are said."""
    match found:
        case Exact(name):
            return name
        case Corrected(name, typed):
            session.person.say(
                f"Auto-corrected prompt to {server}.{name} (input: {server}.{typed})."
            )
            return name
        case Unresolved(typed, names):
            session.person.suggest([f"{server}.{name}" for name in names])
            what = f"{server} lists no prompt {given.shown(typed)}"
            raise RequestRefused(f"{what}; {_lists('prompts', server)}", server)


async def complete(
    session: Session,
    server: str,
    about: Prompt | ResourceTemplate,
    argument: str,
    typed: str,
) -> tuple[str, ...]:
    """Return how a connected server completes an argument; a flow.

    It waits 0.15 s at most, for a person is typing; what came is kept for next time.
    """
    from mcp_magic.client import requests  # noqa: PLC0415 - imports mcp

    live = session.connections.live(server)
    key = server, about, argument, typed
    if live is None or not live.is_up:
        return ()
    if key not in session.completed:
        found = await OnLoop(lambda _: requests.complete(live, about, argument, typed))
        session.completed[key] = tuple(found)
    return session.completed[key]


async def watch(session: Session, server: str, uri: str, seconds: float | None) -> int:
    """Say every change of a resource until the time is over; a flow.

    Args:
        session: Knows the servers.
        server: The exact name of a known server.
        uri: The resource.
        seconds: How long; ``None`` until stopped.

    Returns:
        How often it changed.

    Raises:
        ArgumentError: *uri* is no text.
    """
    from mcp_magic.client import requests  # noqa: PLC0415 - imports mcp

    _check_uri(server, uri)
    connection = await session.connections.connected(server)
    return await OnLoop(
        lambda caller: requests.watch(connection, uri, caller, seconds=seconds)
    )


def log(session: Session, server: str) -> Log:
    """Return what a server logged in this kernel; connects to nothing."""
    live = session.connections.live(server)
    if live is None:
        return Log()
    written = live.overheard.stderr_lines
    return Log([*live.news.log, *(LogLine("stderr", one) for one in written)])


async def skills(session: Session, server: str) -> tuple[Skill, ...]:
    """Return the skills of a server (SEP-2640); a flow. Their files are not read."""
    from mcp_magic.client.skills import list_skills  # noqa: PLC0415 - imports mcp

    connection = await session.connections.connected(server)
    return tuple(await OnLoop(lambda _: list_skills(connection)))


async def skill(session: Session, server: str, one: Skill, uri: str | None) -> str:
    """Return a skill's text, or one of its files; a flow. It is checked first.

    Raises:
        RequestRefused: It is not what the listing promised.
    """
    from mcp_magic.client import skills as client  # noqa: PLC0415 - imports mcp

    connection = await session.connections.connected(server)
    if uri is None or uri == one.uri:
        return await OnLoop(lambda c: client.read_skill(connection, one, c))
    content = await OnLoop(lambda c: client.read_file(connection, one, uri, c))
    return content.decode("utf-8", "replace")
