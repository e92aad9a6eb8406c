"""What a line is about: the server that it names, a tool there, and its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from mcp_magic.config import Http, ServerEntry
from mcp_magic.errors import LineError, UnknownServer
from mcp_magic.language import (
    Arguments,
    Bound,
    Given,
    Line,
    Url,
    bind,
    evaluate,
    spell,
    split_target,
    split_tool,
)
from mcp_magic.model import Schema
from mcp_magic.naming import Corrected, Exact, Resolution, Unresolved, resolve
from mcp_magic.notebook import configuring
from mcp_magic.notebook.job import Job
from mcp_magic.session import Session

__all__ = ["Found", "binder", "check_target", "find", "refuse_anew"]

_ANEW = frozenset({"cwd", "env", "header", "name", "save"})
# By the words that other programs have for it, the verb.
_MEANT = {
    word: verb
    for verb, words in {
        "auth": "login signin",
        "call": "execute exec invoke run use",
        "close": "disconnect kill",
        "doctor": "debug version",
        "help": "describe info usage",
        "list": "connect ls open show start tools",
        "remove": "delete forget rm",
    }.items()
    for word in words.split()
}


def check_target(session: Session, line: Line, verbs: Collection[str]) -> None:
    """Refuse a word that is nobody's name, and means a verb; it is not carried out.

    Raises:
        UnknownServer: The line begins with such a word; it names the verb.
    """
    word = re.match(r"[a-z]+(?!\S)", line.source[line.at :])
    if word is None or line.options.stdio or line.options.url:
        return
    typed = word[0]
    server = resolve(typed, session.known.usable, policy=session.policy)
    near = resolve(typed, verbs)
    verb = near.name if isinstance(near, Corrected) else _MEANT.get(typed)
    if isinstance(server, Unresolved) and verb is not None:
        if session.known.refusal(typed) or _owners(session, typed):
            return
        meant = f"There is no server {typed!r}. Did you mean %mcp {verb}?"
        raise UnknownServer(meant, typed=typed, suggestions=server.suggestions)


def _owners(session: Session, tool: str) -> list[str]:
    """Return the servers that are known to have a tool."""
    tools = session.connections.tool_names
    return [one for one in session.known.usable if tool in tools(one)]


class Found(NamedTuple):
    """What a line is about: a server, perhaps a tool, and what is given to it."""

    entry: ServerEntry
    tool: str | None
    arguments: Arguments
    nearby: tuple[str, ...]


def find(job: Job) -> Found:
    """Find the server of a line and what it calls there, if anything.

    Raises:
        McpMagicError: Nothing is meant, or what is meant cannot be used.
    """
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
            refuse_anew(job, entry)
    if target.tool is not None:
        return Found(entry, *split_tool(target, None), target.nearby)
    if job.cell is not None and not job.line.source[target.at :].strip():
        raise LineError(
            f"%%mcp calls one tool: write %{spell(entry.name, 'TOOL', {})}",
            job.line.source,
            target.at,
        )
    connection = session.run(session.connections.connected(entry.name))
    return Found(entry, *split_tool(target, connection.tools), ())


def refuse_anew(job: Job, entry: ServerEntry) -> None:
    """Refuse options that say how a server is reached, where a known one is meant.

    Raises:
        LineError: There is one.
    """
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


def binder(job: Job, arguments: Arguments) -> Callable[[Schema | None, str], Bound]:
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


def _read_file(path: str, limit: int) -> bytes:
    with Path(path).expanduser().open("rb") as file:
        return file.read(limit)
