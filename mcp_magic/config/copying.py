"""Entries as they stand in our file: what was typed, and what other products wrote.

Placeholders are kept, in the spelling of our file; values never are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mcp_magic.config import syntax
from mcp_magic.config.approvals import needs_approval
from mcp_magic.config.entries import Http, InProcess, Input, ServerEntry, Stdio, Target
from mcp_magic.config.syntax import Reference
from mcp_magic.errors import ArgumentError
from mcp_magic.model import Json, Secret

__all__ = ["copied", "weakens", "written"]

_OURS = "mcp-magic"


def written(target: Target) -> dict[str, object]:
    """Return how a target stands in a file of servers; placeholders stay as they are.

    Raises:
        ArgumentError: It is an object of this process.
    """
    match target:
        case Stdio(command=command, args=args, cwd=cwd, env_file=env_file):
            entry: dict[str, object] = {"command": command}
            given: dict[str, object] = {"args": list(args), "cwd": cwd}
            given["envFile"] = env_file
            pairs, label = target.env, "env"
        case Http(url=url):
            entry, given = {"url": url}, {}
            pairs, label = target.headers, "headers"
        case InProcess():
            raise ArgumentError("an object of this process cannot stand in a file")
    given[label] = {key: one.reveal() for key, one in pairs.items()}
    return entry | {key: value for key, value in given.items() if value}


def copied(entry: ServerEntry) -> dict[str, object]:
    """Return how an entry of another product stands in our file.

    Raises:
        ArgumentError: It holds a placeholder that our file has no word for.
    """
    made = written(_in_our_words(entry))
    limits = {
        "timeout": entry.call_timeout,
        "startup_timeout_sec": entry.connect_timeout,
    }
    for name, limit in limits.items():
        if limit is not None:  # whole seconds are written as a person writes them
            made[name] = int(limit) if limit.is_integer() else limit
    if entry.allowed is not None:
        made["allowedTools"] = list(entry.allowed)
    if entry.blocked:
        made["blockedTools"] = list(entry.blocked)
    if entry.disabled:
        made["disabled"] = True
    oauth = {key: _plain(one, entry) for key, one in entry.oauth.items()}
    if weakens(entry):
        del oauth["private_hosts"]
    if oauth:
        made["oauth"] = oauth
    return made


def weakens(entry: ServerEntry) -> bool:
    """Whether a folder's entry names hosts that only the user may let be private."""
    return needs_approval(entry) and "private_hosts" in entry.oauth


def _plain(value: Json | Secret, entry: ServerEntry) -> Json:
    match value:
        case Secret():
            return _ours(value.reveal(), entry, in_value=True)
        case str():
            return _ours(value, entry, in_value=True)
    return value


def _in_our_words(entry: ServerEntry) -> Target:
    def word(text: str) -> str:
        return _ours(text, entry, in_value=False)

    def values(secrets: Mapping[str, Secret]) -> dict[str, Secret]:
        return {
            name: Secret(_ours(one.reveal(), entry, in_value=True))
            for name, one in secrets.items()
        }

    match entry.target:
        case Stdio() as target:
            return replace(
                target,
                command=word(target.command),
                args=tuple(map(word, target.args)),
                env=values(target.env),
                cwd=None if target.cwd is None else word(target.cwd),
                env_file=_env_file(target, entry),
            )
        case Http() as target:
            url = _ours(target.url, entry, in_value=True)
            return replace(target, url=url, headers=values(target.headers))
        case InProcess() as target:
            return target


def _env_file(target: Stdio, entry: ServerEntry) -> str | None:
    """Return the path of a file of variables, which no longer lies beside the entry."""
    if target.env_file is None or entry.source is None:
        return target.env_file
    path = _ours(target.env_file, entry, in_value=True)
    return path if path[:1] in "~$" else str(entry.source.folder / path)


def _ours(text: str, entry: ServerEntry, *, in_value: bool) -> str:
    product = _OURS if entry.source is None else entry.source.product
    made: list[str] = []

    def spelled(one: Reference) -> str:
        made.append(_spelled(one, entry))
        return made[-1]

    shown = syntax.fill(text, product, in_value=in_value, value=spelled)
    found = [one.written for one in syntax.find(shown, _OURS, in_value=in_value)]
    for one in found:
        if one not in made:
            raise ArgumentError(
                f"it holds {one} as plain text, which would be filled in in our file"
            )
    return shown


def _spelled(one: Reference, entry: ServerEntry) -> str:
    match one.kind:
        case "variable":
            return syntax.variable(one.name, one.default)
        case "input":
            # The variable that gives an input where nobody is there to be asked.
            return syntax.variable(Input(one.name).variable)
        case "word" if one.name.startswith("workspaceFolder") and entry.source:
            folder = entry.source.folder
            return folder.name if one.name.endswith("Basename") else str(folder)
        case "word":
            return one.written
    raise ArgumentError(f"it holds {one.written}, which our file has no word for")
