"""What each verb of ``%mcp`` does: from a line that was read to a value to show."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mcp_magic.config import Http, ServerEntry, Target, read_target
from mcp_magic.display import text
from mcp_magic.errors import LineError, McpMagicError, UnknownTool, visible
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
from mcp_magic.model import Schema, Secret, Tool
from mcp_magic.naming import Corrected, Exact, Policy, Unresolved, resolve
from mcp_magic.notebook.overview import OVERVIEW, verb_page
from mcp_magic.notebook.pages import Listing, Page
from mcp_magic.session import CallOptions, CallResult, Server, Session, call, protocol
from mcp_magic.session.checkup import examine
from mcp_magic.session.status import status

__all__ = ["KNOWN", "run"]


@dataclass(frozen=True, slots=True)
class _Job:
    """One line to carry out."""

    session: Session
    namespace: Mapping[str, object]
    line: Line
    cell: str | None

    @property
    def policy(self) -> Policy:
        return "off" if self.line.options.no_correct else self.session.policy

    @property
    def words(self) -> list[str]:
        return [word.text for word in self.line.words]

    def server(self, name: str) -> ServerEntry:
        return self.session.find(name, self.policy)


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
    if line.options.save:
        raise McpMagicError(
            "--save does not exist yet; servers last while the kernel does"
        )
    verb = _VERBS[_existing(line.verb or "call")]
    return verb(_Job(session, namespace, line, cell)), line.options.out


def _existing(verb: str) -> str:
    """Return a verb of the language that can be carried out."""
    if verb not in _VERBS:
        raise McpMagicError(
            f"%mcp {verb} does not exist yet; %mcp help shows what does"
        )
    return verb


def _servers(job: _Job) -> object:
    return status(job.session)


def _status(job: _Job) -> object:
    shown = status(job.session, long=True)
    if not job.words:
        return shown
    names = [job.server(word).name for word in job.words]
    return type(shown)(one for one in shown if one.name in names)


def _list(job: _Job) -> object:
    session = job.session
    if "all" in job.line.options.flags:
        entries = list(session.entries)
    elif job.words:
        entries = [job.server(word) for word in job.words]
    else:
        return status(session)
    return _listed(job, entries)


def _listed(job: _Job, entries: list[ServerEntry]) -> object:
    """Connect to servers at once and show their tools; one alone may fail the line."""
    session = job.session
    outcomes = session.run(session.relisted(*(entry.name for entry in entries)))
    if len(entries) == 1:
        (outcome,) = outcomes.values()
        if isinstance(outcome, McpMagicError):
            raise outcome
        return _shown(session, entries[0])
    return Listing(
        Page(f"{entry.name}: {outcome}")
        if isinstance(outcome := outcomes[entry.name], McpMagicError)
        else _shown(session, entry)
        for entry in entries
    )


def _shown(session: Session, entry: ServerEntry) -> object:
    live = session.live(entry.name)
    if live is not None and live.listing_error is not None:
        session.say(f"{entry.name}'s tools could not be listed: {live.listing_error}")
    for note in () if live is None else live.notes:
        session.say_once(f"{entry.name}: {note}")
    return Server(session, entry)


def _call(job: _Job) -> object:
    options = job.line.options
    entry, tool, arguments, nearby = _target(job)
    if tool is None:
        return _listed(job, [entry])
    if job.cell is not None:
        arguments = with_body(arguments, job.cell, options.body)
    typed = evaluate(arguments, job.namespace)

    def binder(schema: Schema | None, label: str) -> Bound:
        return bind(
            typed,
            schema,
            label=label,
            namespace=job.namespace,
            read_file=_read_file,
        )

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


class _Found(NamedTuple):
    """What a line is about: a server, perhaps a tool, and what is given to it."""

    entry: ServerEntry
    tool: str | None
    arguments: Arguments
    nearby: tuple[str, ...]


def _target(job: _Job) -> _Found:
    """Find the server of a line and what it calls there, if anything."""
    session, options = job.session, job.line.options
    live = {entry.name: session.tool_names(entry.name) for entry in session.entries}
    target = split_target(
        job.line,
        live,
        catalogue={name: tools for name, tools in live.items() if tools},
        urls=[
            one.target.url for one in session.entries if isinstance(one.target, Http)
        ],
        policy=job.policy,
    )
    match target.server:
        case Given():
            given = _given(job, options.stdio or options.url or "")
            entry = session.adopt(given, options.name)
        case Url(text):
            entry = session.adopt(_given(job, text), options.name)
        case found:
            entry = session.settle(found)
    if target.tool is not None:
        return _Found(entry, *split_tool(target, None), target.nearby)
    if job.cell is not None and not job.line.source[target.at :].strip():
        raise LineError(
            f"%%mcp calls one tool: write %%mcp {entry.name}.TOOL",
            job.line.source,
            target.at,
        )
    connection = session.run(session.connected(entry.name))
    return _Found(entry, *split_tool(target, connection.tools), ())


def _given(job: _Job, text: str) -> Target:
    """Return the target of a command or URL, with the options that go with it."""
    options = job.line.options
    return read_target(
        text,
        is_file=lambda path: Path(path).is_file(),
        env={name: Secret(value) for name, value in options.env},
        headers={name: Secret(value) for name, value in options.headers},
        cwd=options.cwd,
    )


def _read_file(path: str, limit: int) -> bytes:
    with Path(path).expanduser().open("rb") as file:
        return file.read(limit)


def _help(job: _Job) -> object:
    session = job.session
    match job.words:
        case []:
            return Page(OVERVIEW)
        case [verb] if verb in VERBS and all(verb != e.name for e in session.entries):
            return Page(verb_page(_existing(verb)))
    line = read_line(f"call {job.line.source[job.line.at :]}")
    entry, tool, _, _ = _target(_Job(session, job.namespace, line, None))
    connection = session.run(session.connected(entry.name))
    if tool is None:
        said = visible(connection.instructions).strip()
        tools = list((connection.tools or {}).values())
        shown = text.tool_list(entry.name, tools, session.meaning)
        return Page(f"{said}\n\n{shown}" if said else shown)
    found = _listed_tool(job, entry, connection.tools or {}, tool)
    return Page(help_page(found, f"{entry.name}.{found.name}"))


def _listed_tool(
    job: _Job, entry: ServerEntry, listed: Mapping[str, Tool], typed: str
) -> Tool:
    """Return the tool that *typed* means, for help: nothing is called."""
    match resolve(typed, listed, policy=job.policy):
        case Exact(name):
            return listed[name]
        case Corrected(name):
            job.session.say(
                f"Help for {entry.name}.{name} (input: {entry.name}.{typed})."
            )
            return listed[name]
        case Unresolved(suggestions=names):
            job.session.suggest([f"{entry.name}.{name}" for name in names])
    raise UnknownTool(f"{entry.name} lists no tool {typed!r}")


def _add(job: _Job) -> object:
    name = job.words[0]
    options = job.line.options
    given = options.stdio or options.url or job.line.rest
    entry = job.session.add(ServerEntry(name, _given(job, given)))
    return Server(job.session, entry)


def _remove(job: _Job) -> object:
    names = _some(job, "remove")
    for name in names:
        job.session.remove(name)
    return Page(f"Removed {', '.join(names)}.")


def _close(job: _Job) -> object:
    if not job.words:
        closed = job.session.close()
    else:
        closed = [
            one for name in _some(job, "close") for one in job.session.close(name)
        ]
    return Page(f"Closed {', '.join(closed)}." if closed else "Nothing was connected.")


def _some(job: _Job, verb: str) -> list[str]:
    if not job.words:
        raise McpMagicError(f"{verb} needs the name of a server: %mcp {verb} NAME")
    return [job.server(word).name for word in job.words]


def _one(job: _Job, verb: str) -> ServerEntry:
    return job.server(_words(job, verb, "SERVER")[0])


def _words(job: _Job, verb: str, *wanted: str) -> list[str]:
    """Return the words after a verb, which must be as many as *wanted*."""
    if len(job.words) != len(wanted):
        raise LineError(
            f"{verb} takes {len(wanted)} words: %mcp {verb} {' '.join(wanted)}",
            job.line.source,
            min(job.line.at, len(job.line.source)),
        )
    return job.words


def _resources(job: _Job) -> object:
    entry = _one(job, "resources")
    return job.session.run(protocol.resources(job.session, entry.name))


def _read(job: _Job) -> object:
    name, uri = _words(job, "read", "SERVER", "URI")
    entry = job.server(name)
    return job.session.run(protocol.read(job.session, entry.name, uri))


def _watch(job: _Job) -> object:
    name, uri = _words(job, "watch", "SERVER", "URI")
    entry, seconds = job.server(name), job.line.options.timeout
    return job.session.run(protocol.watch(job.session, entry.name, uri, seconds))


def _prompts(job: _Job) -> object:
    entry = _one(job, "prompts")
    return job.session.run(protocol.prompts(job.session, entry.name))


def _prompt(job: _Job) -> object:
    session = job.session
    entry, name, arguments, _ = _target(job)
    listed = session.run(protocol.prompts(session, entry.name))
    if name is None:
        return listed
    exact = protocol.prompt_name(session, entry.name, name, listed)
    known = next(one for one in listed if one.name == exact)
    schema: Schema = {
        "type": "object",
        "properties": {one.name: {"type": "string"} for one in known.arguments},
        "required": [one.name for one in known.arguments if one.required],
    }
    bound = bind(
        evaluate(arguments, job.namespace),
        schema,
        label=f"{entry.name}.{exact}",
        namespace=job.namespace,
        read_file=_read_file,
    )
    given = {key: str(value) for key, value in bound.values.items()}
    return session.run(protocol.fill_in(session, entry.name, exact, given))


def _logs(job: _Job) -> object:
    return protocol.log(job.session, _one(job, "logs").name)


def _doctor(job: _Job) -> object:
    return examine(job.session, [job.server(word).name for word in job.words])


def _sampling(job: _Job) -> object:
    name, function = _words(job, "sampling", "SERVER", "FUNCTION")
    entry, sampler = job.server(name), job.namespace.get(function)
    if not callable(sampler):
        raise McpMagicError(f"{function} is no function of this notebook")
    job.session.let_sample(entry.name, sampler)
    return Page(f"{function} answers when {entry.name} asks for a model's answer.")


_VERBS: Mapping[str, Callable[[_Job], object]] = {
    "add": _add,
    "call": _call,
    "close": _close,
    "doctor": _doctor,
    "help": _help,
    "list": _list,
    "logs": _logs,
    "prompt": _prompt,
    "prompts": _prompts,
    "read": _read,
    "remove": _remove,
    "resources": _resources,
    "sampling": _sampling,
    "servers": _servers,
    "status": _status,
    "watch": _watch,
}

KNOWN = frozenset(_VERBS)  # the verbs that exist
