"""Look at everything a server needs before it is started; starts and asks nothing.

The report may be pasted into an issue: it has no secret and names no person.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_magic.client import launch
from mcp_magic.config import (
    Http,
    InProcess,
    Problem,
    ServerEntry,
    Standing,
    Stdio,
    Target,
    expand,
    read_text,
)
from mcp_magic.config.store import own_file
from mcp_magic.display import redact
from mcp_magic.display.limits import plural
from mcp_magic.errors import McpMagicError, visible
from mcp_magic.language import spell_verb
from mcp_magic.model import Secret
from mcp_magic.session import machine
from mcp_magic.session.connections import cache_folder
from mcp_magic.session.report import Finding, Report, Section
from mcp_magic.session.session import Session

__all__ = ["examine"]

_SHELL = (
    "a kernel does not read the start files of your shell: what nvm, conda or Homebrew "
    "put on PATH there is missing when Jupyter is started from a desktop, a hub or an "
    "editor. Start it from a terminal that finds the command, or give the whole path"
)
# A placeholder without a default, which could be a secret.
_PLACEHOLDER = re.compile(r"\$\{\w+(?::[\w.]+)?\}")
_WHO = ("USER", "LOGNAME", "USERNAME", "JUPYTERHUB_USER")


@dataclass(frozen=True, slots=True)
class _Case:
    """What is looked at."""

    session: Session
    standings: Sequence[Standing]
    environ: Mapping[str, str]


def examine(session: Session, names: Iterable[str] = ()) -> Report:
    """Return how this machine, this kernel and the known servers are.

    Args:
        session: Knows the servers.
        names: The exact names of those to look at; none: all, also those that are
            shadowed, disabled or not approved.
    """
    wanted = set(names)
    standings = session.known.standings
    chosen = [one for one in standings if not wanted or one.entry.name in wanted]
    case = _Case(session, chosen, os.environ)
    made = (section for make in _SECTIONS for section in make(case))
    clean = _cleaner(case)
    return Report(
        Section(clean(one.title), tuple(_cleaned(one, clean))) for one in made
    )


def _versions(_case: _Case) -> Iterator[Section]:
    yield Section("Versions", tuple(machine.versions()))


def _python(case: _Case) -> Iterator[Section]:
    yield Section("Python", tuple(machine.python(case.environ)))


def _path(case: _Case) -> Iterator[Section]:
    yield Section("Programs", tuple(machine.programs(case.environ)))
    yield Section("PATH of this kernel", tuple(machine.folders(case.environ)))


def _network(case: _Case) -> Iterator[Section]:
    yield Section("Proxies and certificates", tuple(machine.network(case.environ)))


def _settings(case: _Case) -> Iterator[Section]:
    session, cache = case.session, cache_folder()
    limit = session.call_timeout
    findings = [
        Finding("autocorrect", session.policy),
        Finding("read_only", "on" if session.read_only else "off"),
        Finding("connect_timeout", f"{session.connections.connect_timeout:g} s"),
        Finding("call_timeout", "none" if limit is None else f"{limit:g} s"),
        Finding("cache", machine.folder(cache)),
        Finding("our file", _our_file(case)),
    ]
    yield Section("Settings", tuple(findings))


def _our_file(case: _Case) -> str:
    try:
        file = own_file(case.environ)
    except McpMagicError as error:
        return str(error)
    return f"{file}{'' if file.exists() else ', not there yet'}"


def _files(case: _Case) -> Iterator[Section]:
    problems = case.session.known.problems
    if problems:
        found = [
            Finding(f"{one.file}{f':{one.line}' if one.line else ''}", _said(one))
            for one in problems
        ]
        count = Finding("in all", plural(len(found), "thing"), amiss=True)
        title = "What files say and was not taken as written"
        yield Section(title, (count, *found))


def _said(problem: Problem) -> str:
    return f"{problem.key}: {problem.text}" if problem.key else problem.text


def _servers(case: _Case) -> Iterator[Section]:
    for one in case.standings:
        title = f"Server {one.entry.name}"
        if one.why_not:
            title += f" of {one.entry.origin}: {one.why_not}"
        yield Section(title, tuple(_server(case, one)))


# A section is added here: a function that yields it.
_SECTIONS: Sequence[Callable[[_Case], Iterable[Section]]] = (
    *(_versions, _python, _servers, _files, _path, _network, _settings),
)


# -- a server


def _server(case: _Case, standing: Standing) -> Iterator[Finding]:
    entry = standing.entry
    yield Finding("origin", entry.origin)
    if (source := entry.source) is not None:
        where = f"{source.file}, line {source.line}, {source.key}"
        yield Finding("file", f"{where} ({source.product})")
    if entry.disabled:
        yield Finding("disabled", entry.disabled)
    yield from _filters(entry)
    if not case.session.known.approvals.holds(entry):
        # Not even the files that it refers to are read.
        yield Finding("approved", f"no; {spell_verb('approve', entry.name)} asks")
        yield Finding("would be", str(entry.target))
        return
    yield from _reached(case, entry)
    if not standing.why_not:
        yield from _state(case.session, entry)


def _filters(entry: ServerEntry) -> Iterator[Finding]:
    if entry.allowed is not None:
        yield Finding("allowed tools", ", ".join(entry.allowed) or "none")
    if entry.blocked:
        yield Finding("blocked tools", ", ".join(entry.blocked))
    for label, limit in (
        ("connect_timeout", entry.connect_timeout),
        ("call_timeout", entry.call_timeout),
    ):
        if limit is not None:
            yield Finding(label, f"{limit:g} s")


def _reached(case: _Case, entry: ServerEntry) -> Iterator[Finding]:
    """Yield how a server is reached, and what stands in the way."""
    target: Target = entry.target
    try:
        target = _filled(case, entry)
    except McpMagicError as error:
        yield Finding("placeholders", str(error), amiss=True)
    match entry.target:
        case Stdio() as written:
            yield Finding("runs", str(written))
            if isinstance(target, Stdio):
                yield from _command(target, case.environ)
            yield from _names("variables", written.env)
        case Http() as written:
            yield Finding("url", str(written))
            yield from _names("headers", written.headers)
        case InProcess() as written:
            yield Finding("object", str(written))


def _filled(case: _Case, entry: ServerEntry) -> Target:
    """Return what would be started; what a person would be asked for is left out."""
    return expand(entry, case.environ, ask=lambda _: Secret("…"), read=read_text)


def _command(target: Stdio, environ: Mapping[str, str]) -> Iterator[Finding]:
    added = {name: one.reveal() for name, one in target.env.items()}
    command = launch.prepare(target, added, environ)
    if command.note:
        yield Finding("note", command.note)
    if target.cwd is not None:
        yield Finding("folder", target.cwd)
    problem = launch.lacking(command)
    if problem:
        yield Finding("program", problem, amiss=True)
        if (
            not command.file
            and shutil.which(command.words[0], path=command.path) is None
        ):
            yield Finding("usual cause", _SHELL)
    else:
        yield Finding("program", str(command.program))


def _names(label: str, named: Mapping[str, object]) -> Iterator[Finding]:
    if named:
        yield Finding(label, ", ".join(f"{name}=…" for name in named))


def _state(session: Session, entry: ServerEntry) -> Iterator[Finding]:
    live = session.connections.live(entry.name)
    yield Finding("state", "not connected" if live is None else live.current_state)
    spoken = "" if live is None else live.protocol
    older = session.connections.eras.is_older(entry.target)
    guess = "the older one, as remembered" if older else "not known yet"
    yield Finding("protocol", spoken or guess)
    if live is not None and live.tools is not None:
        yield Finding("tools", str(len(live.tools)))
    count = session.journal.count
    calls = count(entry.name)
    if calls:
        yield Finding("calls", f"{calls}, {calls - count(entry.name, 'ok')} failed")
    for error in () if live is None else (live.error, live.listing_error):
        if error is not None:
            yield Finding("error", str(error), amiss=True)


# -- what must not be read by others


def _cleaner(case: _Case) -> Callable[[str], str]:
    secrets = {one for one in _secrets(case) if not _is_told(one)}
    home = str(Path.home())
    people = {case.environ.get(name, "") for name in _WHO} | {Path(home).name}

    def clean(text: str) -> str:
        text = redact.prose(visible(text), secrets)
        for user in people:
            text = redact.people(text, home=home, user=user)
        return text

    return clean


def _is_told(secret: str) -> bool:
    """Whether what stands for a secret is none.

    A path tells nothing, and stands in many places; a placeholder is the way to write
    no secret.
    """
    return bool(_PLACEHOLDER.fullmatch(secret)) or os.path.exists(secret)  # noqa: PTH110 - of any text


def _cleaned(section: Section, clean: Callable[[str], str]) -> Iterator[Finding]:
    for one in section.findings:
        yield Finding(clean(one.label), clean(one.text), one.amiss)


def _secrets(case: _Case) -> Iterator[str]:
    """Yield every secret that is known, as it is sent."""
    for name, value in case.environ.items():
        if redact.names_secret(name) and len(value) >= 8:
            yield value
    known = case.session.known
    for entry in (one.entry for one in known.standings):
        if not known.approvals.holds(entry):
            continue
        try:
            target = _filled(case, entry)
        except McpMagicError:
            target = entry.target  # a value is missing: there is no more to it
        if isinstance(target, InProcess):
            continue
        named = target.env if isinstance(target, Stdio) else target.headers
        for one in (*named.values(), *target.hidden):
            yield one.reveal()
            yield one.reveal().rpartition(" ")[2]
