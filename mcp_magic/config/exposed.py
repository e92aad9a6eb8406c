"""Secrets that stand in an entry as they are, and how to write them instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from mcp_magic.config.entries import Http, InProcess, ServerEntry, Stdio
from mcp_magic.config.expand import literals
from mcp_magic.display import redact
from mcp_magic.model import Secret

__all__ = ["secret_places", "way_out"]

_SCHEME = re.compile(r"(?:bearer|basic|token)\b\s*", re.IGNORECASE)
_ASSIGNED = re.compile(r"-{0,2}([\w-]+)=(.+)", re.DOTALL)


def secret_places(entry: ServerEntry) -> list[tuple[str, str]]:
    """Return where an entry holds a secret as it is.

    Args:
        entry: How a server is reached, its placeholders not filled in.

    Returns:
        For each a way to say it, such as ``--header Authorization``, and the name that
        an environment variable could have.
    """
    match entry.target:
        case Stdio(args=args, env=env):
            named = [(f"--env {key}", key, one.reveal()) for key, one in env.items()]
            found = [*named, *_in_words(args)]
        case Http(url=url, headers=headers):
            given = [
                (f"--header {key}", key, one.reveal()) for key, one in headers.items()
            ]
            found = [*given, *_in_url(url)]
        case InProcess():
            found = []
    found += [
        (f"oauth {name}", name, one.reveal())
        for name, one in entry.oauth.items()
        if isinstance(one, Secret)
    ]
    return [
        (place, name) for place, name, value in found if _is_secret(entry, name, value)
    ]


def _is_secret(entry: ServerEntry, name: str, value: str) -> bool:
    bare = literals(entry, value, in_value=True).strip()
    rest = _SCHEME.sub("", bare, count=1)
    if not rest:
        return False
    return rest != bare or redact.names_secret(name) or redact.is_token(rest)


def _in_words(words: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    for before, word in zip(("", *words), words, strict=False):
        assigned = _ASSIGNED.fullmatch(word)
        if assigned is not None:
            yield f"the argument {assigned[1]}", assigned[1], assigned[2]
        elif before.startswith("-") and "=" not in before:
            yield f"the argument {before}", before.lstrip("-"), word
        elif "://" in word:
            yield from _in_url(word)
        else:
            yield "an argument", "value", word


def _in_url(url: str) -> Iterator[tuple[str, str, str]]:
    try:
        parts = urlsplit(url)
        password = parts.password
        pairs = parse_qsl(parts.query)
    except ValueError:
        return
    if password:
        yield "the URL's password", "password", password
    for name, value in pairs:
        yield f"the URL's {name}", name, value


def way_out(server: str, place: str, name: str) -> str:
    """Return how to write a secret so that no file holds it."""
    word = "token" if name.lower() == "authorization" else name
    variable = re.sub(r"\W+", "_", f"{server}_{word}").strip("_").upper()
    value = f"${{{variable}}}"
    how = f"{place} {value}"
    if place.startswith("--header"):
        prefix = "Bearer " if name.lower() == "authorization" else ""
        how = f"{place.split(maxsplit=1)[0]} '{name}={prefix}{value}'"
    elif place.startswith("--env"):
        how = f"{place.split(maxsplit=1)[0]} '{name}={value}'"
    return (
        f"{place} holds a secret as it is, and the file is to hold none: set the "
        f"environment variable {variable} and write {how}"
    )
