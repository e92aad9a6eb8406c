"""Put the values of environment variables where an entry has placeholders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from mcp_magic.config.entries import Http, InProcess, ServerEntry, Stdio, Target
from mcp_magic.errors import ServerUnreachable
from mcp_magic.model import Secret

__all__ = ["expand"]

_PLACEHOLDER = re.compile(r"\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}")


def expand(entry: ServerEntry, environ: Mapping[str, str]) -> Target:
    """Return the entry's target with ``${VAR}`` and ``${VAR:-default}`` filled in.

    It is done when a server is started, so that a variable set later counts, and an
    entry on display never holds a value.

    Args:
        entry: A known server.
        environ: The environment variables.

    Raises:
        ServerUnreachable: A variable is not set; a placeholder is never sent.
    """

    def fill(text: str) -> str:
        return _PLACEHOLDER.sub(lambda match: _value(match, entry.name, environ), text)

    def fill_all(secrets: Mapping[str, Secret]) -> dict[str, Secret]:
        return {key: Secret(fill(one.reveal())) for key, one in secrets.items()}

    match entry.target:
        case Stdio() as target:
            return replace(
                target,
                command=fill(target.command),
                args=tuple(map(fill, target.args)),
                env=fill_all(target.env),
                cwd=None if target.cwd is None else fill(target.cwd),
            )
        case Http() as target:
            headers = fill_all(target.headers)
            return replace(target, url=fill(target.url), headers=headers)
        case InProcess() as target:
            return target


def _value(match: re.Match[str], server: str, environ: Mapping[str, str]) -> str:
    name, default = match.groups()
    value = environ.get(name)
    if not value and default is not None:
        return str(default)
    if value is None:
        raise ServerUnreachable(
            f"{server} needs the environment variable {name}, which is not set; "
            f"import os; os.environ[{name!r}] = …",
            server,
        )
    return value
