"""Our own file of servers, ``mcp.json``: where it is, and how entries get in or out."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from mcp_magic.config import editing, private
from mcp_magic.config.catalogue import Catalogue, Problem
from mcp_magic.config.dialects import Place, Reading
from mcp_magic.config.sources import read_all, read_bytes, read_file
from mcp_magic.errors import McpMagicError

__all__ = ["forget", "own_file", "read_files", "save"]

_NAMED_BY = "MCP_MAGIC_CONFIG"
_BOM = "\ufeff"


def own_file(environ: Mapping[str, str]) -> Path:
    """Return the path of our file, which need not exist.

    Args:
        environ: ``MCP_MAGIC_CONFIG`` names another file than the usual, by its full
            path: what a relative one means would be up to the folder of a notebook,
            and so to whoever wrote that.

    Raises:
        McpMagicError: ``MCP_MAGIC_CONFIG`` is no full path.
    """
    named = environ.get(_NAMED_BY, "")
    if named:
        if not Path(named).is_absolute():
            raise McpMagicError(f"{_NAMED_BY} is {named!r}; it takes a full path")
        return Path(named)
    import platformdirs  # noqa: PLC0415 - a cost at import that few calls need

    return platformdirs.user_config_path("mcp-magic") / "mcp.json"


def save(
    file: Path, name: str, entry: Mapping[str, object], *, overwrite: bool = True
) -> bool:
    """Write one entry into our file; all else in it stays as it is.

    Args:
        file: Our file; made if it is not there.
        name: The name of the server.
        entry: What to write.
        overwrite: Whether an entry of that name gives way.

    Returns:
        Whether it was written.

    Raises:
        McpMagicError: The file holds comments, or cannot be read or written.
    """
    added = editing.lines(name, entry)

    def edit(text: str) -> str:
        if not overwrite and name in _names(text):
            return text
        return editing.put(text, name, entry)

    return _edit(file, edit, f"add this yourself: {added}")


def forget(file: Path, name: str) -> bool:
    """Take one entry out of our file.

    Returns:
        Whether it was there.

    Raises:
        McpMagicError: The file holds comments, or cannot be read or written.
    """
    if not file.exists():
        return False
    return _edit(
        file, lambda text: editing.drop(text, name), f"take {name!r} out yourself"
    )


def _names(text: str) -> set[str]:
    held = json.loads(text) if text.strip() else {}
    tables = [held.get(key) for key in ("mcpServers", "servers")]
    return {name for one in tables if isinstance(one, dict) for name in one}


def _edit(file: Path, edit: Callable[[str], str], by_hand: str) -> bool:
    """Read, change and replace the file while nobody else does."""
    shown, problem = private.near_home(file), _open_to_others(file)
    if problem:
        # Replaced, it would be its owner's alone, and what others wrote be used.
        raise McpMagicError(f"{shown}: {problem}")
    with private.alone(file) as real:
        if real.parent.name == "mcp-magic":
            private.tighten(real.parent)
        try:
            before = _read(real)
            text = before.removeprefix(_BOM)
            changed = edit(text)
        except json.JSONDecodeError as error:
            problem = (
                f"{shown}:{error.lineno}: {error.msg}; a file with comments or errors "
                f"is read, but never rewritten: {by_hand}"
            )
        except UnicodeDecodeError:
            problem = f"{shown} cannot be changed: it is not UTF-8; {by_hand}"
        except RecursionError:
            problem = f"{shown} cannot be changed: it is nested too deeply; {by_hand}"
        except ValueError as error:
            problem = f"{shown} cannot be changed: {error}; {by_hand}"
        except OSError as error:
            problem = f"{shown} cannot be read: {error.strerror or error}"
        else:
            if changed == text:
                return False
            mark = _BOM if before.startswith(_BOM) else ""
            private.replace(real, (mark + changed).encode())
            return True
    raise McpMagicError(problem)


def _read(real: Path) -> str:
    # From Python 3.13 on, a link to itself is said not to exist; opening it fails.
    try:
        return read_bytes(real).decode("utf-8")
    except FileNotFoundError:
        return ""


def read_files(home: Path, folder: Path, environ: Mapping[str, str]) -> Catalogue:
    """Read our file and those of others; never raises.

    Args:
        home: The user's home folder.
        folder: The folder of the notebook.
        environ: The environment variables.
    """
    try:
        file = own_file(environ)
    except McpMagicError as error:
        text = f"{error}; our own file is not read"
        ours = Reading(problems=(Problem(Path(environ[_NAMED_BY]), "", 0, text),))
    else:
        ours = _ours(file, folder)
    found = read_all(home, folder, environ, own=ours.entries)
    return replace(found, problems=(*ours.problems, *found.problems))


def _ours(file: Path, folder: Path) -> Reading:
    """Read our file, unless others can write to it: nobody is asked about it."""
    if text := _open_to_others(file):
        return Reading(problems=(Problem(file, "", 0, text),))
    return read_file(Place("mcp-magic", "own", file, folder))


def _open_to_others(file: Path) -> str:
    """Return what to do if others can write to our file, else an empty text."""
    with contextlib.suppress(OSError):
        if private.is_shared(file):
            return (
                "others can write to it, so it is not used; look at what is in it, "
                f"then chmod 600 {private.near_home(file)}"
            )
    return ""
