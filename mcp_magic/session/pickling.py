"""Server entries on their way to another process: no connection goes, and no secret.

Other processes get the entry as it was written, with its placeholders, and connect by
themselves when a tool is called there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain, count
from typing import cast
from urllib.parse import parse_qsl, urlsplit

from mcp_magic.config import Http, InProcess, ServerEntry, Stdio, literals
from mcp_magic.display import redact
from mcp_magic.errors import NotPortable
from mcp_magic.model import Secret
from mcp_magic.session.session import Session

__all__ = ["carried", "received"]

# What may stand around the placeholders of a secret: no secret is such a word.
_HARMLESS = frozenset(
    "bearer basic token apikey 0 1 true false yes no on off".split()
)  # fmt: skip
_URL = re.compile(r"\b[A-Za-z][\w+.-]*://\S+")


@dataclass(frozen=True, slots=True)
class _Open:
    """A ``Secret`` that holds nothing but placeholders."""

    text: str


@dataclass(frozen=True, slots=True)
class _Parts:
    """A data class taken apart; the fields it will have one day are carried too."""

    kind: type
    fields: Mapping[str, object]


def carried(entry: ServerEntry) -> object:
    """Return an entry as a value that can be pickled.

    Args:
        entry: How the server is reached, its placeholders not filled in.

    Raises:
        NotPortable: It is an object of this process, or holds a literal secret.
    """
    if isinstance(entry.target, InProcess):
        kind = type(entry.target.server).__name__
        raise NotPortable(
            f"a {kind} object lives in this process alone, so its handle cannot be "
            "pickled; start it as a command or behind a URL"
        )
    for found in _given_away(entry):
        raise _refusal(entry, found)
    return _taken_apart(entry, entry, "")


def received(session: Session, value: object) -> ServerEntry:
    """Make the entry that *carried* gave known in this process; starts nothing.

    A known server of the same name and target is that server. A name that means another
    server here gets a number. The entry keeps its origin and all else that decides
    whether it may be started here: it is asked when it is connected to, as for an entry
    that was read in this process.

    Raises:
        NotPortable: It comes from another version of this package.
    """
    try:
        entry = cast("ServerEntry", _put_together(value))
    except TypeError:
        entry = None
    if entry is None:
        raise NotPortable(
            "this handle comes from another version of mcp-magic; "
            "install the same one in every process"
        )
    known = {one.name: one for one in session.entries}
    numbered = (f"{entry.name}-{number}" for number in count(2))
    for name in chain([entry.name], numbered):
        if name not in known:
            return session.add(replace(entry, name=name))
        if _same(known[name], entry):
            return known[name]
    raise AssertionError  # the numbers do not end


def _same(known: ServerEntry, entry: ServerEntry) -> bool:
    # The bundled server is run by each process's own Python.
    bundled = known.origin == entry.origin == "bundled"
    return bundled or known.target == entry.target


def _refusal(entry: ServerEntry, what: str) -> NotPortable:
    return NotPortable(
        f"{entry.name} cannot be pickled: {what} is written out; "
        "write ${VARIABLE} instead, and set VARIABLE wherever it is used"
    )


def _taken_apart(value: object, entry: ServerEntry, where: str) -> object:
    match value:
        case Secret():
            text = value.reveal()
            bare = literals(entry, text, in_value=True)
            if not _HARMLESS.issuperset(bare.lower().split()):
                raise _refusal(entry, where)
            return _Open(text)
        case Mapping():
            return {k: _taken_apart(v, entry, f"{where} {k}") for k, v in value.items()}
        case tuple() | list() | frozenset():
            return type(value)(_taken_apart(one, entry, where) for one in value)
        case _ if is_dataclass(value):
            parts = {
                one.name: _taken_apart(getattr(value, one.name), entry, one.name)
                for one in fields(value)
            }
            return _Parts(cast("type", type(value)), parts)
    return value


def _put_together(value: object) -> object:
    match value:
        case _Open(text):
            return Secret(text)
        case _Parts(kind, parts):
            return kind(**{key: _put_together(one) for key, one in parts.items()})
        case Mapping():
            return {key: _put_together(one) for key, one in value.items()}
        case tuple() | list() | frozenset():
            return type(value)(map(_put_together, value))
    return value


def _given_away(entry: ServerEntry) -> Iterator[str]:
    """Yield which secrets stand in the open texts of an entry."""
    match entry.target:
        case Stdio(command=command, args=args):
            bare = [literals(entry, one, in_value=False) for one in (command, *args)]
            yield from _in_words(bare)
        case Http(url=url):
            yield from _in_url(literals(entry, url, in_value=True))
    for wanted in entry.inputs.values():
        if wanted.secret and wanted.default:
            yield f"the default of the input {wanted.id}"


def _in_words(words: Iterable[str]) -> Iterator[str]:
    before = ""
    for word in words:
        for url in _URL.findall(word):
            yield from _in_url(url)
        if redact.holds_secret(_URL.sub("", word), before):
            yield _named(before, word)
        before = word


def _named(before: str, word: str) -> str:
    """Say which argument it is, and nothing of what it holds."""
    option = before if before.startswith("-") else ""
    key = re.match(r"([\w-]+)\s*[=:]", word)
    names = (option, key[1] if key else "")
    found = next(filter(redact.names_secret, names), "")
    return f"the value of {found}" if found else "an argument"


def _in_url(url: str) -> Iterator[str]:
    """Yield which secrets a URL without its placeholders holds."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    if parts.password or (parts.username and redact.is_token(parts.username)):
        yield "the password in its URL"
    for key, value in parse_qsl(parts.query):
        if redact.names_secret(key) or redact.is_token(value):
            yield f"the value of {key} in its URL"
    if redact.is_token(parts.path):
        yield "a token in its URL"
