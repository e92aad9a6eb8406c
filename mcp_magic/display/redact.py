"""Take secrets out of what is shown."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

__all__ = ["command", "url"]

# Option names whose value is likely a secret, in command lines that people typed.
_SECRET_WORD = re.compile(r"key|token|secret|passw|auth|credential", re.IGNORECASE)
_GIVEN = re.compile(r"(--?[\w-]+|\w+)(=|\s+)(\S+)")


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
    """Return a command line with the values of secret-looking options hidden."""
    return _GIVEN.sub(_hide, text)


def _hide(match: re.Match[str]) -> str:
    name, between, _ = match.groups()
    flag = name.startswith("-") or between == "="
    if flag and _SECRET_WORD.search(name):
        return f"{name}{between}…"
    return match.group()
