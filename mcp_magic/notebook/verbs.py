"""What each verb of ``%mcp`` does: from a line that was read to a value to show."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from mcp_magic.config import ServerEntry
from mcp_magic.display import text
from mcp_magic.errors import ArgumentError, McpMagicError, UnknownTool, visible
from mcp_magic.language import VERBS, help_page, read_line, spell_verb, with_body
from mcp_magic.model import Tool
from mcp_magic.naming import Corrected, Exact, Policy, Unresolved, resolve
from mcp_magic.notebook import configuring, signin, targets
from mcp_magic.notebook.job import Job
from mcp_magic.notebook.overview import OVERVIEW, verb_page
from mcp_magic.notebook.pages import Listing, Page
from mcp_magic.session import CallOptions, CallResult, Server, Session, call, protocol
from mcp_magic.session.checkup import examine
from mcp_magic.session.status import status
from mcp_magic.session.telling import about

__all__ = ["KNOWN", "run"]


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
        targets.check_target(session, line, _VERBS)
    return verb(Job(session, namespace, line, cell)), line.options.out


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
    names = job.servers()
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
    entry, tool, arguments, nearby = targets.find(job)
    if tool is None:
        return _listed(job, [entry])
    if job.cell is not None:
        arguments = with_body(arguments, job.cell, options.body)
    bound = targets.binder(job, arguments)
    policy: Policy | None = "off" if options.no_correct else None
    flow = call(
        job.session,
        entry.name,
        tool,
        bound,
        CallOptions(timeout=options.timeout, policy=policy, nearby=nearby),
    )
    result: CallResult = job.session.run(flow, f"{entry.name}.{tool}")
    return result.raw if options.raw else result


def _help(job: Job) -> object:
    session = job.session
    match job.words:
        case []:
            return Page(OVERVIEW)
        case [verb] if verb in VERBS and all(verb != e.name for e in session.entries):
            return Page(verb_page(_existing(verb)))
    line = read_line(f"call {job.line.source[job.line.at :]}")
    entry, tool, _, _ = targets.find(Job(session, job.namespace, line, None))
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
        f"{entry.name} lists no tool {typed!r}; {spell_verb('list', entry.name)} "
        "lists them"
    )


def _close(job: Job) -> object:
    close = job.session.connections.close
    if not job.words:
        closed = close()
    else:
        closed = [one for name in job.servers() for one in close(name)]
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
    entry, name, arguments, _ = targets.find(job)
    if name is None:
        return session.run(protocol.prompts(session, entry.name))
    bound = targets.binder(job, arguments)
    flow = protocol.prompt(session, entry.name, name, bound, job.policy)
    return session.run(flow)


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
