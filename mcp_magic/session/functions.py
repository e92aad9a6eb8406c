"""The functions of the package: all that can be done with servers but calling tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from mcp_magic.config import InProcess, ServerEntry, is_file, name_for, read_target
from mcp_magic.errors import ArgumentError, McpMagicError
from mcp_magic.language import Bound, bind, values
from mcp_magic.model import Json, Schema, Skill
from mcp_magic.session import given, protocol
from mcp_magic.session.checkup import examine
from mcp_magic.session.protocol import Log, PromptMessages, Prompts, Resources
from mcp_magic.session.report import Report
from mcp_magic.session.result import CallResult
from mcp_magic.session.server import Server, entry_of
from mcp_magic.session.session import Session, current
from mcp_magic.session.signin import PATIENCE, SignIn
from mcp_magic.session.status import Servers, status
from mcp_magic.session.tables import Tools

__all__ = [
    "auth",
    "close",
    "connect",
    "doctor",
    "last",
    "logs",
    "prompt",
    "prompts",
    "read",
    "resources",
    "roots",
    "sampling",
    "servers",
    "skill",
    "skills",
    "tools",
    "watch",
]


def connect(target: object, *, name: str | None = None) -> Server:
    """Connect to a server and return it.

    Args:
        target: The name of a known server (a typo is corrected), a URL, a command (a
            text with white space, or an existing file), or a server object that lives
            in this process: the SDK's or fastmcp's.
        name: What to call a server that is not known yet.

    Raises:
        UnknownServer: No known server has that name.
        ServerError: The server cannot be started, reached or talked to.
    """
    session = current()
    entry = _entry(session, target, name)
    session.run(session.connections.connected(entry.name))
    return Server(session, entry)


def _entry(session: Session, target: object, name: str | None) -> ServerEntry:
    if name is not None:
        given.text("name", name)
    session.reread()
    if isinstance(target, Server):
        if name is not None:
            raise ArgumentError("name= is for new servers, and this one has its name")
        return entry_of(target)
    if not isinstance(target, str):
        for entry in session.entries:
            known = entry.target
            same = isinstance(known, InProcess) and known.server is target
            if same and name in (None, entry.name):
                return entry
        # Imports the SDK, which is needed next in any case.
        from mcp_magic.client.transport import server_inside  # noqa: PLC0415

        server_inside(target)  # what is none does not become a known server
        made = InProcess(target)
        taken = [entry.name for entry in session.entries]
        return session.add(ServerEntry(name or name_for(made, taken), made))
    words = target.split()
    if not words:
        raise ArgumentError("give the name of a server, a URL or a command, not ''")
    if "://" in target or len(words) > 1 or is_file(target):
        return session.adopt(read_target(target, is_file=is_file), name)
    if name is not None:
        what = given.shown(target)
        raise ArgumentError(f"{what} is a known name; name= is for new servers")
    return session.find(target)


def tools(server: Server | str) -> Tools:
    """Return the tools that a server lists now; they show themselves as a list.

    Args:
        server: A ``Server`` or the name of a known one.

    Raises:
        ServerError: The server cannot be reached, or cannot list its tools.
    """
    session, name = _named(server)
    outcome = session.run(session.connections.relisted(name))[name]
    if isinstance(outcome, Exception):
        raise outcome
    if outcome.listing_error is not None:
        raise outcome.listing_error
    listed = (outcome.tools or {}).values()
    beside = session.meanings.beside(listed, read_only=session.read_only)
    return Tools(name, listed, beside)


def auth(
    server: Server | str,
    *,
    scope: str = "",
    reset: bool = False,
    seconds: float = PATIENCE,
) -> SignIn:
    """Sign in to a server; the sign-in goes on in the background.

    Args:
        server: A ``Server``, the name of a known one, or a URL.
        scope: What to ask for, instead of what the server names.
        reset: Whether to forget first what is kept of it.
        seconds: How long the person has.

    Returns:
        The sign-in, which shows itself: its ``url`` is to be visited, its ``submit``
        takes the address of the page that a browser could not open.

    Raises:
        ArgumentError: What was given cannot be, or its configuration brings a token.
        SignInFailed: Nobody can sign in there.
    """
    given.seconds("seconds", seconds)
    if scope != "":
        given.text("scope", scope)
    session, name = _named(server)
    connection = session.connections.of(name)
    begin = session.sign_ins.begin(connection, scope=scope, reset=reset, limit=seconds)
    return session.run(begin)


def close(server: Server | str | None = None) -> None:
    """Close a server's connection, or all; a process that was started here ends.

    Args:
        server: A ``Server``, the name of a known one, or ``None`` for all.
    """
    session = current()
    session.connections.close(
        None if server is None else _entry(session, server, None).name
    )


def last(server: Server | str) -> CallResult:
    """Return the result of the call that ended last, whichever door it came through.

    So a call that was made by pressing Run is at hand in Python. The result of a call
    that a tool reported as failed is one too.

    Args:
        server: A ``Server`` or the name of a known one.

    Raises:
        McpMagicError: No call to it has given a result yet.
    """
    session, name = _named(server)
    if name not in session.latest:
        raise McpMagicError(
            f"no call to {name} has given a result yet; call one of its tools first"
        )
    return session.latest[name]


def servers() -> Servers:
    """Return the known servers and how they are; starts nothing."""
    session = current()
    session.reread()
    return status(session)


def doctor(server: Server | str | None = None) -> Report:
    """Return how this machine and the known servers are; starts nothing.

    The report has no secret and names no person: it can be pasted into an issue.

    Args:
        server: A ``Server`` or the name of a known one; ``None`` for all.
    """
    session = current()
    session.reread()
    if server is None:
        return examine(session)
    known = isinstance(server, str) and server in session.known.names
    name = str(server) if known else _entry(session, server, None).name
    return examine(session, [name])


def resources(server: Server | str) -> Resources:
    """Return the resources and resource templates of a server.

    Args:
        server: A ``Server`` or the name of a known one.

    Raises:
        ServerError: The server cannot be reached, or cannot list them.
    """
    session, name = _named(server)
    return session.run(protocol.resources(session, name))


def read(server: Server | str, uri: str) -> CallResult:
    """Return the contents of a resource, as a call returns its result.

    Args:
        server: A ``Server`` or the name of a known one.
        uri: The resource's address.

    Raises:
        ArgumentError: *uri* is no text.
        RequestRefused: There is no such resource.
    """
    session, name = _named(server)
    return session.run(protocol.read(session, name, uri))


def watch(server: Server | str, uri: str, *, seconds: float | None = None) -> int:
    """Say every change of a resource, and return how often it changed.

    Args:
        server: A ``Server`` or the name of a known one.
        uri: The resource's address.
        seconds: How long to watch; ``None`` until you press Stop.

    Raises:
        ArgumentError: *uri* is no text, or *seconds* no number above 0.
        ServerError: The server does not tell of changes.
    """
    if seconds is not None:
        given.seconds("seconds", seconds)
    session, name = _named(server)
    return session.run(protocol.watch(session, name, uri, seconds))


def prompts(server: Server | str) -> Prompts:
    """Return the prompts of a server.

    Args:
        server: A ``Server`` or the name of a known one.
    """
    session, name = _named(server)
    return session.run(protocol.prompts(session, name))


def prompt(
    server: Server | str, name: str, /, **arguments: str | float
) -> PromptMessages:
    """Return a prompt filled in.

    Args:
        server: A ``Server`` or the name of a known one.
        name: The prompt's name; a typo is corrected.
        arguments: Its arguments; prompts take texts alone, so numbers go as texts.

    Raises:
        ArgumentError: An argument is missing, unknown or no text.
        RequestRefused: There is no such prompt.
    """
    given.text("name", name)
    session, known = _named(server)
    typed = values((), {key: _spelled(value) for key, value in arguments.items()})

    def binder(schema: Schema | None, label: str) -> Bound:
        return bind(typed, schema, label=label)

    return session.run(protocol.prompt(session, known, name, binder))


def _spelled(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def skills(server: Server | str) -> tuple[Skill, ...]:
    """Return the skills of a server (SEP-2640); their files are not read.

    Args:
        server: A ``Server`` or the name of a known one.
    """
    session, name = _named(server)
    return session.run(protocol.skills(session, name))


def skill(server: Server | str, one: Skill, uri: str | None = None) -> str:
    """Return the text of a skill, or of one of its files, checked before it is used.

    Args:
        server: A ``Server`` or the name of a known one.
        one: The skill.
        uri: One of its files; ``None`` for its own text.

    Raises:
        ArgumentError: *one* is no skill, or *uri* no text.
        RequestRefused: It is not what the listing promised.
    """
    skill: object = one
    if not isinstance(skill, Skill):
        what = given.shown(skill)
        raise ArgumentError(f"one takes a skill from skills(), not {what}")
    if uri is not None:
        given.text("uri", uri)
    session, name = _named(server)
    return session.run(protocol.skill(session, name, one, uri))


def logs(server: Server | str) -> Log:
    """Return the latest lines of a server's log; connects to nothing.

    Args:
        server: A ``Server`` or the name of a known one.
    """
    session, name = _named(server)
    return protocol.log(session, name)


def sampling(
    server: Server | str,
    function: Callable[[Mapping[str, Json]], str | Mapping[str, Json]] | None,
) -> None:
    """Let a function answer when a server asks for a model's answer.

    Args:
        server: A ``Server`` or the name of a known one. It is closed, because what a
            client offers is told when it connects.
        function: Takes the parameters of ``sampling/createMessage`` and returns a text
            or a whole result; it runs in a thread of its own. ``None`` ends it.

    Raises:
        ArgumentError: It is no function.
    """
    if function is not None and not callable(function):
        raise ArgumentError(f"sampling takes a function, not {given.shown(function)}")
    session, name = _named(server)
    session.connections.let_sample(name, function)


def roots(server: Server | str, *folders: str | Path) -> None:
    """Tell a server of folders that it may work in, and of no others.

    Args:
        server: A ``Server`` or the name of a known one. It is closed, because what a
            client offers is told when it connects.
        folders: The folders.

    Raises:
        ArgumentError: One of them is no path, or there is no such folder.
    """
    paths = [given.folder("roots", one) for one in folders]
    for one in paths:
        if not given.is_folder(one):
            where = given.shown(str(one))
            raise ArgumentError(f"roots: there is no folder {where}; make it first")
    session, name = _named(server)
    session.connections.set_roots(name, paths)


def _named(server: Server | str) -> tuple[Session, str]:
    session = current()
    return session, _entry(session, server, None).name
