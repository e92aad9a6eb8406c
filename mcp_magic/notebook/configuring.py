"""The verbs about which servers there are: servers, add, remove, import, approve."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mcp_magic.config import (
    ServerEntry,
    Stdio,
    Target,
    consent,
    exposed,
    inputs_of,
    needs_approval,
    store,
)
from mcp_magic.config.copying import copied, weakens, written
from mcp_magic.config.private import near_home
from mcp_magic.display.limits import plural
from mcp_magic.errors import ApprovalRequired, ArgumentError, McpMagicError, visible
from mcp_magic.naming import Corrected, Exact, Unresolved, resolve
from mcp_magic.notebook.job import Job, given
from mcp_magic.notebook.pages import Listing, Page
from mcp_magic.session import Server, Session
from mcp_magic.session.known import check_name
from mcp_magic.session.status import everything, status

__all__ = [
    "add",
    "adopt",
    "approve",
    "by_product",
    "import_",
    "remove",
    "servers",
    "tell_waiting",
]


def servers(job: Job) -> object:
    """Show the servers that can be used, or with ``--all`` every entry there is."""
    session = job.session
    job.exactly("servers")
    if "all" not in job.line.options.flags:
        tell_waiting(session)
        _tell_problems(session)
        return status(session)
    problems = [Page(str(one)) for one in session.known.problems]
    return Listing([everything(session), *problems])


def tell_waiting(session: Session) -> None:
    """Say which servers of the folder are left out, because nobody agreed to them."""
    names = [one.name for one in session.known.waiting]
    if not names:
        return
    session.person.say(
        f"Not approved, so left out: {_some(names)}; "
        "%mcp approve shows what they would do, and asks."
    )


def _some(names: Sequence[str]) -> str:
    """Return names in a line, the first ones of many."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    shown = (visible(one).replace("\n", "\\n") for one in names[:5])
    return f"{', '.join(shown)}{more}"


def _tell_problems(session: Session) -> None:
    count = len(session.known.problems)
    if count:
        session.person.say_once(
            f"{plural(count, 'thing')} in files of servers should be looked at: "
            "%mcp servers --all"
        )


# -- add, remove


def add(job: Job) -> object:
    """Make a server known, in this kernel or with ``--save`` in our file."""
    options = job.line.options
    target = given(job, options.stdio or options.url or job.line.rest)
    return Server(job.session, _made(job, target, job.words[0]))


def adopt(job: Job, text: str) -> ServerEntry:
    """Return the entry for a command or URL that stands in the line itself."""
    options, target = job.line.options, given(job, text)
    if not options.save:
        return job.session.adopt(target, options.name)
    if options.name is None:
        raise ArgumentError("--save needs a name: --name NAME")
    return _made(job, target, options.name)


def _made(job: Job, target: Target, name: str) -> ServerEntry:
    session = job.session
    if not job.line.options.save:
        return session.add(ServerEntry(name, target))
    check_name(name)
    for place, word in exposed.secret_places(ServerEntry(name, target)):
        raise ArgumentError(exposed.way_out(name, place, word))
    file = store.own_file(os.environ)
    store.save(file, name, written(_from_anywhere(target)))
    session.remove(name)
    session.reread()
    session.person.say(f"Saved {name} in {near_home(file)}.")
    return session.find(name, "off")


def _from_anywhere(target: Target) -> Target:
    """Return a command that means the same in other folders, files in its words too."""
    if not isinstance(target, Stdio):
        return target
    words = map(Path, (target.command, *target.args))
    relative = any(not one.is_absolute() and one.exists() for one in words)
    if target.cwd is None and not relative:
        return target
    at_home = (target.cwd or "")[:1] in ("~", "$")
    return (
        target
        if at_home
        else replace(target, cwd=str(Path(target.cwd or "").resolve()))
    )


def remove(job: Job) -> object:
    """Forget servers: in this kernel, and in our file."""
    file = store.own_file(os.environ)
    if not job.words:
        raise McpMagicError("remove needs the name of a server: %mcp remove NAME")
    known = job.session.known.names  # all are found before one is removed
    names = [one if one in known else job.server(one).name for one in job.words]
    return Page("\n".join(_removed(job, one, file) for one in dict.fromkeys(names)))


def _removed(job: Job, name: str, file: Path) -> str:
    session = job.session
    places = ["this kernel"] if session.remove(name) else []
    if store.forget(file, name):
        places.append(near_home(file))
    session.reread()
    if not places:
        raise _foreign(session, name)
    left = session.known.usable.get(name)
    now = "" if left is None else f" {name} now means the server of {left.origin}."
    return f"Removed {name} from {' and from '.join(places)}.{now}"


def _foreign(session: Session, name: str) -> ArgumentError:
    (place, *_) = (
        near_home(one.entry.source.file)
        for one in session.known.standings
        if one.entry.name == name and one.entry.source is not None
    )
    return ArgumentError(
        f"{name} stands in {place}, which belongs to another program and is never "
        "changed here; take it out there"
    )


# -- import


def import_(job: Job) -> object:
    """Copy entries of another product into our file; what is there already stays."""
    kind, *names = job.words or [""]
    session = job.session
    found = _of_product(session, kind)
    chosen = [one for one in found if not names or one.name in names]
    missing = sorted(set(names) - {one.name for one in chosen})
    if missing:
        have = ", ".join(one.name for one in found)
        raise ArgumentError(f"there is no {missing[0]!r} among them: {have}")
    done = [_imported(session, one) for one in chosen]
    session.reread()
    return Page("\n".join(done))


def by_product(session: Session) -> dict[str, list[ServerEntry]]:
    """Return the entries of other products by the product's name in one word."""
    found: dict[str, list[ServerEntry]] = {}
    for one in session.known.standings:
        source = one.entry.source
        if source is not None and source.scope != "own":
            found.setdefault(_slug_of(source.product), []).append(one.entry)
    return found


def _of_product(session: Session, kind: str) -> list[ServerEntry]:
    products = by_product(session)
    match resolve(_slug_of(kind), products):
        case Exact(slug) | Corrected(slug, _):
            return products[slug]
        case Unresolved():
            have = ", ".join(sorted(products))
    if not have:
        raise ArgumentError(
            "no file of another product names a server here; "
            "%mcp add NAME TARGET adds one"
        )
    raise ArgumentError(f"import takes the name of a product; here: {have}")


def _slug_of(product: str) -> str:
    return "-".join(product.lower().split())


def _imported(session: Session, entry: ServerEntry) -> str:
    if needs_approval(entry) and not session.known.approvals.holds(entry):
        if not _agreed(session, entry):
            return f"{entry.name}: not approved, so not copied"
        session.known.approvals.grant(entry)
    file = store.own_file(os.environ)
    try:
        made = copied(entry)
    except ArgumentError as error:
        return f"{entry.name}: not copied; {error}"
    if not store.save(file, entry.name, made, overwrite=False):
        return f"{entry.name}: {near_home(file)} has one of that name, which stays"
    open_ones = [place for place, _ in exposed.secret_places(entry)]
    note = f"; secrets in it: {', '.join(open_ones)}" if open_ones else ""
    done = f"{entry.name}: copied into {near_home(file)}{note}"
    return ". ".join([done, *_otherwise(session, entry)])


def _otherwise(session: Session, entry: ServerEntry) -> Iterator[str]:
    """Yield what of an entry is not in its copy, and what to do about it."""
    source = entry.source
    assert source is not None  # noqa: S101 - it is read from a file
    for one in session.known.problems:
        if (one.file, one.key) == (source.file, source.key):
            yield one.text
    if source.unread:
        yield f"Not copied, as nothing here heeds it: {_some(source.unread)}"
    if weakens(entry):
        yield "private_hosts is not copied: add those that you know to be safe"
    variables = [one.variable for one in inputs_of(entry)]
    if variables:
        yield f"It takes what {source.product} asks for from {_some(variables)}; set it"


# -- approve


def approve(job: Job) -> object:
    """Show what servers of this folder would do, and ask whether they may."""
    session, flags = job.session, job.line.options.flags
    approvals = session.known.approvals
    if "list" in flags:
        return Page("\n".join(map(str, approvals.all())) or "Nothing is approved.")
    if "revoke" in flags:
        gone = approvals.revoke(lambda one: not job.words or one.name in job.words)
        session.reread()
        return Page("\n".join(f"Revoked {one}" for one in gone) or "Nothing to revoke.")
    agreed = []
    for entry in _asked_about(session, job.words):
        if _agreed(session, entry):
            approvals.grant(entry)
            agreed.append(entry.name)
    session.reread()
    return Page(f"Approved {', '.join(agreed)}." if agreed else "Nothing was approved.")


def _asked_about(session: Session, names: Sequence[str]) -> list[ServerEntry]:
    waiting = session.known.waiting
    if not waiting:
        raise ArgumentError(
            "no server waits for approval; %mcp servers --all shows all there are"
        )
    for name in names:
        if all(one.name != name for one in waiting):
            have = ", ".join(one.name for one in waiting)
            raise ArgumentError(
                f"{name!r} does not wait for approval; these do: {have}"
            )
    return [one for one in waiting if not names or one.name in names]


def _agreed(session: Session, entry: ServerEntry) -> bool:
    """Show what an entry would do, and return whether the person agrees."""
    now = session.known.usable.get(entry.name)
    print(visible(consent.request(entry, now)))  # noqa: T201 - above the question
    answer = session.person.ask(f"May {entry.name} be used? [y/N] ", masked=False)
    if answer is None:
        trust = session.known.approvals.trusting(entry)
        raise ApprovalRequired(
            "nobody can be asked here; approve it where a person can answer, or start "
            f"this process with MCP_MAGIC_TRUST={trust}",
            entry.name,
        )
    return answer.strip().lower() in ("y", "yes")
