"""What each verb of ``%mcp`` does: from a line that was read to a value to show."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from mcp_magic.config import Http, ServerEntry
from mcp_magic.display import text
from mcp_magic.errors import (
    ArgumentError,
    LineError,
    McpMagicError,
    UnknownServer,
    UnknownTool,
    visible,
)
from mcp_magic.language import (
    VERBS,
    Arguments,
    Bound,
    Given,
    Line,
    Url,
    bind,
    evaluate,
    help_page,
    read_line,
    split_target,
    split_tool,
    with_body,
)
from mcp_magic.model import Schema, Tool
from mcp_magic.naming import (
    Corrected,
    Exact,
    Policy,
    Resolution,
    Unresolved,
    resolve,
)
from mcp_magic.notebook import configuring, signin
from mcp_magic.notebook.job import Job
from mcp_magic.notebook.overview import OVERVIEW, verb_page
from mcp_magic.notebook.pages import Listing, Page
from mcp_magic.session import CallOptions, CallResult, Server, Session, call, protocol
from mcp_magic.session.checkup import examine
from mcp_magic.session.status import status
from mcp_magic.session.telling import about

__all__ = ["KNOWN", "run"]

_ANEW = frozenset({"cwd", "env", "header", "name", "save"})


def run(
    session: Session, namespace: Mapping[str, object], source: str, cell: str | None
) -> tuple[object, str | None]:
    """Carry out one line.

    Args:
        session: Knows the servers.
        namespace: The names of the cell.
        source: What stands after ``%mcp`` or ``%%mcp``.
        cell: The body of a cell, if there is one.

    Returns:
        The value, and the variable of ``--out`` that takes it.

    Raises:
        McpMagicError: Anything that a person can put right.
    """
    line = read_line(
        source, namespace=namespace, cell=cell is not None, environ=os.environ
    )
    verb = _VERBS[_existing(line.verb or "call")]
    line.options.check(line.verb or "call", line.source)
    calls = line.verb in (None, "call")
    if not (calls and session.connections.is_connected(line.source[line.at :])):
        session.reread()
    if line.verb is None:
        _check_target(session, line)
    return verb(Job(session, namespace, line, cell)), line.options.out


def _check_target(session: Session, line: Line) -> None:
    """Refuse a word that is nobody's name, and nearly a verb; it is not carried out."""
    word = re.match(r"[a-z]+(?!\S)", line.source[line.at :])
    if word is None or line.options.stdio or line.options.url:
        return
    typed = word[0]
    server = resolve(typed, session.known.usable, policy=session.policy)
    found = resolve(typed, _VERBS)
    if isinstance(server, Unresolved) and isinstance(found, Corrected):
        if session.known.refusal(typed) or _owners(session, typed):
            return
        meant = f"There is no server {typed!r}. Did you mean %mcp {found.name}?"
        raise UnknownServer(meant, typed=typed, suggestions=server.suggestions)


def _owners(session: Session, tool: str) -> list[str]:
    """Return the servers that are known to have a tool."""
    tools = session.connections.tool_names
    return [one for one in session.known.usable if tool in tools(one)]


def _existing(verb: str) -> str:
    """Return a verb of the language that can be carried out."""
    if verb not in _VERBS:
        raise McpMagicError(
            f"%mcp {verb} does not exist yet; %mcp help shows what does"
        )
    return verb


def _status(job: Job) -> object:
    shown = status(job.session, long=True)
    if not job.words:
        return shown
    names = [job.server(word).name for word in job.words]
    return type(shown)(one for one in shown if one.name in names)


def _list(job: Job) -> object:
    session = job.session
    if "all" in job.line.options.flags:
        entries = list(session.entries)
        configuring.tell_waiting(session)
    elif job.words:
        entries = [job.server(word) for word in job.words]
    else:
        return status(session)
    return _listed(job, entries)


def _listed(job: Job, entries: list[ServerEntry]) -> object:
    """Connect to servers at once and show their tools; one alone may fail the line."""
    session = job.session
    outcomes = session.run(
        session.connections.relisted(*(entry.name for entry in entries))
    )
    if len(entries) == 1:
        (outcome,) = outcomes.values()
        if isinstance(outcome, McpMagicError):
            raise outcome
        return _shown(session, entries[0])
    return Listing(
        Page(about(entry.name, outcome))
        if isinstance(outcome := outcomes[entry.name], McpMagicError)
        else _shown(session, entry)
        for entry in entries
    )


def _shown(session: Session, entry: ServerEntry) -> object:
    live = session.connections.live(entry.name)
    if live is not None and live.listing_error is not None:
        session.person.say(
            f"{entry.name}'s tools could not be listed: {live.listing_error}"
        )
    for note in () if live is None else live.listing.notes:
        session.person.say_once(f"{entry.name}: {note}")
    return Server(session, entry)


def _call(job: Job) -> object:
    options = job.line.options
    entry, tool, arguments, nearby = _target(job)
    if tool is None:
        return _listed(job, [entry])
    if job.cell is not None:
        arguments = with_body(arguments, job.cell, options.body)
    binder = _binder(job, arguments)
    policy: Policy | None = "off" if options.no_correct else None
    flow = call(
        job.session,
        entry.name,
        tool,
        binder,
        CallOptions(timeout=options.timeout, policy=policy, nearby=nearby),
    )
    result: CallResult = job.session.run(flow, f"{entry.name}.{tool}")
    return result.raw if options.raw else result


def _binder(job: Job, arguments: Arguments) -> Callable[[Schema | None, str], Bound]:
    """Return what makes the arguments of a line fit a schema, once it is known."""
    typed = evaluate(arguments, job.namespace)

    def bound(schema: Schema | None, label: str) -> Bound:
        return bind(
            typed,
            schema,
            label=label,
            namespace=job.namespace,
            read_file=_read_file,
        )

    return bound


class _Found(NamedTuple):
    """What a line is about: a server, perhaps a tool, and what is given to it."""

    entry: ServerEntry
    tool: str | None
    arguments: Arguments
    nearby: tuple[str, ...]


def _target(job: Job) -> _Found:
    """Find the server of a line and what it calls there, if anything."""
    session, options = job.session, job.line.options
    servers = session.known.usable
    listed = session.connections.listed().items()
    target = split_target(
        job.line,
        servers,
        catalogue={name: tools for name, tools in listed if tools and name in servers},
        urls=_urls(session) if "://" in job.line.source else (),
        policy=job.policy,
    )
    match target.server:
        case Given():
            entry = configuring.adopt(job, options.stdio or options.url or "")
        case Url(text):
            entry = configuring.adopt(job, text)
        case found:
            entry = _settled(job, found)
            _not_anew(job, entry)
    if target.tool is not None:
        return _Found(entry, *split_tool(target, None), target.nearby)
    if job.cell is not None and not job.line.source[target.at :].strip():
        raise LineError(
            f"%%mcp calls one tool: write %%mcp {entry.name}.TOOL",
            job.line.source,
            target.at,
        )
    connection = session.run(session.connections.connected(entry.name))
    return _Found(entry, *split_tool(target, connection.tools), ())


def _not_anew(job: Job, entry: ServerEntry) -> None:
    """Refuse options that say how a server is reached, where a known one is meant."""
    for name, column in job.line.options.places.items():
        if name in _ANEW:
            message = f"--{name} is for a new server, and {entry.name} is known"
            raise LineError(message, job.line.source, column)


def _urls(session: Session) -> list[str]:
    return [one.target.url for one in session.entries if isinstance(one.target, Http)]


def _settled(job: Job, found: Resolution) -> ServerEntry:
    """Return the server that a line means; one that nobody agreed to is no typo."""
    if not isinstance(found, Exact):
        # Its name may hold dots, and its tools are not known.
        start = job.line.source[job.line.at :]
        for one in sorted(job.session.known.refused, key=len, reverse=True):
            if re.match(rf"[\"']?{re.escape(one)}(?![\w-])", start):
                job.session.find(one, "off")
    return job.session.settle(found)


def _read_file(path: str, limit: int) -> bytes:
    with Path(path).expanduser().open("rb") as file:
        return file.read(limit)


def _help(job: Job) -> object:
    session = job.session
    match job.words:
        case []:
            return Page(OVERVIEW)
        case [verb] if verb in VERBS and all(verb != e.name for e in session.entries):
            return Page(verb_page(_existing(verb)))
    line = read_line(f"call {job.line.source[job.line.at :]}")
    entry, tool, _, _ = _target(Job(session, job.namespace, line, None))
    connection = session.run(session.connections.connected(entry.name))
    if tool is None:
        said = visible(connection.instructions).strip()
        tools = list((connection.tools or {}).values())
        beside = session.meanings.beside(tools, read_only=session.read_only)
        shown = text.tool_list(entry.name, tools, beside)
        return Page(f"{said}\n\n{shown}" if said else shown)
    found = _listed_tool(job, entry, connection.tools or {}, tool)
    return Page(help_page(found, f"{entry.name}.{found.name}"))


def _listed_tool(
    job: Job, entry: ServerEntry, listed: Mapping[str, Tool], typed: str
) -> Tool:
    """Return the tool that *typed* means, for help: nothing is called."""
    match resolve(typed, listed, policy=job.policy):
        case Exact(name):
            return listed[name]
        case Corrected(name):
            job.session.person.say(
                f"Help for {entry.name}.{name} (input: {entry.name}.{typed})."
            )
            return listed[name]
        case Unresolved(suggestions=names):
            job.session.person.suggest([f"{entry.name}.{name}" for name in names])
    raise UnknownTool(
        f"{entry.name} lists no tool {typed!r}; %mcp {entry.name} lists them"
    )


def _close(job: Job) -> object:
    close = job.session.connections.close
    if not job.words:
        closed = close()
    else:
        closed = [one for name in job.some("close") for one in close(name)]
    return Page(f"Closed {', '.join(closed)}." if closed else "Nothing was connected.")


def _resources(job: Job) -> object:
    entry = job.one("resources")
    return job.session.run(protocol.resources(job.session, entry.name))


def _read(job: Job) -> object:
    name, uri = job.exactly("read", "SERVER", "URI")
    entry = job.server(name)
    return job.session.run(protocol.read(job.session, entry.name, uri))


def _watch(job: Job) -> object:
    name, uri = job.exactly("watch", "SERVER", "URI")
    entry, seconds = job.server(name), job.line.options.timeout
    return job.session.run(protocol.watch(job.session, entry.name, uri, seconds))


def _prompts(job: Job) -> object:
    entry = job.one("prompts")
    return job.session.run(protocol.prompts(job.session, entry.name))


def _prompt(job: Job) -> object:
    session = job.session
    entry, name, arguments, _ = _target(job)
    if name is None:
        return session.run(protocol.prompts(session, entry.name))
    binder = _binder(job, arguments)
    return session.run(protocol.prompt(session, entry.name, name, binder))


def _logs(job: Job) -> object:
    return protocol.log(job.session, job.one("logs").name)


def _doctor(job: Job) -> object:
    known = job.session.known.names
    names = [word if word in known else job.server(word).name for word in job.words]
    return examine(job.session, names)


def _sampling(job: Job) -> object:
    name, function = job.exactly("sampling", "SERVER", "FUNCTION")
    entry, sampler = job.server(name), job.namespace.get(function)
    if not callable(sampler):
        raise ArgumentError(
            f"{function} is no function of this notebook; define it first: it takes "
            "what is asked, and returns a text"
        )
    job.session.connections.let_sample(entry.name, sampler)
    return Page(f"{function} answers when {entry.name} asks for a model's answer.")


_VERBS: Mapping[str, Callable[[Job], object]] = {
    "add": configuring.add,
    "approve": configuring.approve,
    "auth": signin.auth,
    "call": _call,
    "close": _close,
    "doctor": _doctor,
    "help": _help,
    "import": configuring.import_,
    "list": _list,
    "logs": _logs,
    "prompt": _prompt,
    "prompts": _prompts,
    "read": _read,
    "remove": configuring.remove,
    "resources": _resources,
    "sampling": _sampling,
    "servers": configuring.servers,
    "status": _status,
    "watch": _watch,
}

KNOWN = frozenset(_VERBS)  # the verbs that exist
