"""Take secrets out of what is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

__all__ = ["command", "names_secret", "url", "without"]

# Names of options and variables whose value is likely a secret.
_SECRET_WORD = re.compile(
    r"key|token|secret|passw|auth|credential|bearer", re.IGNORECASE
)
_VALUE = r"('(?:[^']|'\"'\"')*'|\S+)"
_GIVEN = re.compile(rf"(?<!\S)(?:(--?[\w-]+)(=|\s+)|(\w+)(=)){_VALUE}")


def names_secret(name: str) -> bool:
    """Whether an option or variable of that name likely holds a secret."""
    return _SECRET_WORD.search(name) is not None


def url(text: str) -> str:
    """Return a URL without its user, password and fragment, query values hidden."""
    try:
        parts = urlsplit(text)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "(a URL that cannot be read)"
    query = re.sub(r"=[^&]*", "=…", parts.query)
    return urlunsplit((parts.scheme, host, parts.path, query, ""))


def command(text: str) -> str:
    """Return a shell-quoted command line, values of secret-looking options hidden."""
    return _GIVEN.sub(_hide, text)


def without(text: str, secrets: Iterable[str]) -> str:
    """Return a text with ``…`` in place of each of *secrets*."""
    for one in sorted(secrets, key=len, reverse=True):
        text = text.replace(one, "…")
    return text


def _hide(match: re.Match[str]) -> str:
    option, space, variable, equals, _ = match.groups()
    name, between = option or variable, space or equals
    return f"{name}{between}…" if names_secret(name) else match.group()
