"""What is run for a server's command, and why it could not be run, in words."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from mcp_magic.config import Stdio
from mcp_magic.errors import McpMagicError
from mcp_magic.language import split_command

__all__ = [
    "Command", "NotStarted", "batch_line", "elsewhere", "lacking", "prepare", "why",
]  # fmt: skip

_WINDOWS = sys.platform == "win32"

# Said for the command unless the user's environment or the entry says otherwise.
_DEFAULTS = {
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8",
    "npm_config_yes": "true",  # npx asks on a terminal that nobody sees
    "npm_config_update_notifier": "false",
    "npm_config_color": "false",
    "NO_UPDATE_NOTIFIER": "1",
    "NO_COLOR": "1",
}
# A kernel sets these for what its cells print.
_KERNEL_COLOURS = ("CLICOLOR_FORCE", "FORCE_COLOR")

# Where programs are that a login shell would find, and a kernel often does not.
_LIKELY = (
    "~/.nvm/versions/node/*/bin", "~/.volta/bin", "~/.asdf/shims", "~/.bun/bin",
    "~/.deno/bin", "~/.local/bin", "~/.cargo/bin", "~/.pyenv/shims", "~/go/bin",
    "~/miniconda3/bin", "~/anaconda3/bin", "~/miniforge3/bin", "~/.pixi/bin",
    "/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin",
    "/opt/conda/bin", "/snap/bin",
)  # fmt: skip
_BROUGHT_BY = {
    "node": "Node.js brings it",
    "npm": "Node.js brings it",
    "npx": "Node.js brings it",
    "uv": "pip install uv brings it",
    "uvx": "pip install uv brings it",
    "bunx": "Bun brings it",
}


class NotStarted(Exception):
    """The command cannot be started; the text says why, in one line without a name."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is run, and what was changed about it."""

    words: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None
    note: str = ""

    @property
    def path(self) -> str:
        """The folders in which the first word is looked for."""
        return self.env.get("PATH", os.defpath)

    @property
    def program(self) -> str | None:
        """The file that the first word means, if there is one."""
        return shutil.which(self.file or self.words[0], path=self.path)

    @property
    def file(self) -> str:
        """The path that the first word is; empty if it is a name to look for."""
        name = self.words[0]
        is_path = PurePath(name).name != name
        return str(Path(self.cwd or "", name)) if is_path else ""


def prepare(
    target: Stdio, added: Mapping[str, str], environ: Mapping[str, str]
) -> Command:
    """Return what is run for *target*, with the environment that it gets.

    Args:
        target: The command, its placeholders filled in.
        added: Its own variables, revealed.
        environ: The environment that it inherits.
    """
    inherited = {k: v for k, v in environ.items() if k not in _KERNEL_COLOURS}
    env = {**_DEFAULTS, **inherited, **added}
    command = _apart(Command((target.command, *target.args), env, target.cwd))
    words = command.words
    inner = _inside_cmd(words)
    if inner and not _WINDOWS and command.program is None:
        note = f"{words[0]} {words[1]} is for Windows; {inner[0]} was run without it"
        return Command(inner, env, target.cwd, note)
    return command


def _apart(command: Command) -> Command:
    """Return a command whose one word is a whole command line, in its words.

    Some products write it so. A program whose name holds spaces stays whole.
    """
    line, *args = command.words
    if args or len(line.split()) < 2 or command.program is not None:
        return command
    with contextlib.suppress(McpMagicError):
        split = replace(command, words=split_command(line))
        return command if split.program is None else split
    return command


def _inside_cmd(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what ``cmd /c …`` would run; empty for other commands."""
    name, *rest = words
    if PurePath(name).name.lower() not in ("cmd", "cmd.exe"):
        return ()
    while rest and rest[0].startswith("/"):
        if rest.pop(0).lower() in ("/c", "/k"):
            return tuple(shlex.split(rest[0]) if len(rest) == 1 else rest)
    return ()


def why(error: OSError | ValueError, command: Command) -> str:
    """Explain in words why a command could not be started."""
    name, cwd = command.words[0], command.cwd
    if cwd is not None and not Path(cwd).is_dir():
        return f"its folder {cwd} " + (
            "is a file" if Path(cwd).exists() else "does not exist"
        )
    if cwd is not None and getattr(error, "filename", None) == cwd:
        return f"its folder {cwd} may not be entered"
    match error:
        case FileNotFoundError():
            return _missing(name, command)
        case PermissionError():
            return f"{name} may not be run; is it a program, and executable?"
        case OSError(errno=errno.ENOEXEC):
            return f"{name} is no program for this system, or has no #! line"
        case OSError(strerror=str(said)):
            return f"{name}: {said}"
    return f"{name}: {error}"


def _missing(name: str, command: Command) -> str:
    program = command.program
    if program is not None:
        return f"{name} names an interpreter that is not there: {_first_line(program)}"
    if command.file:
        return f"there is no file {command.file}"
    folders = list(dict.fromkeys(command.path.split(os.pathsep)))
    shown = ", ".join(folders[:8]) + (" …" if len(folders) > 8 else "")
    said = f"the command {name} is not on PATH ({shown})"
    place = elsewhere(name, command.env)
    if place:
        more = f"{os.pathsep}{place}"
        return f"{said}, but in {place}; import os; os.environ['PATH'] += {more!r}"
    return f"{said}; {_BROUGHT_BY.get(name, 'install it, or give its whole path')}"


def elsewhere(name: str, env: Mapping[str, str]) -> str:
    """Return a folder off PATH that has the program *name*, or an empty text."""
    places = _likely_places(env)
    return next((place for place in places if shutil.which(name, path=place)), "")


def lacking(command: Command) -> str:
    """Say why a command cannot be started, as far as can be told without starting it.

    Returns:
        The reason in words, or an empty text.
    """
    program, cwd = command.program, command.cwd
    if program is None and command.file and Path(command.file).is_file():
        return why(PermissionError(), command)
    if program is None or (cwd is not None and not Path(cwd).is_dir()):
        return why(FileNotFoundError(), command)
    first = _first_line(program)
    if _WINDOWS or not first.startswith("#!"):
        return ""
    words = first.removeprefix("#!").split()
    if words and PurePath(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    if not words or shutil.which(words[0], path=command.path):
        return ""
    return f"{program} is run by {words[0]}, which is not there or not on PATH"


def _likely_places(env: Mapping[str, str]) -> Iterator[str]:
    if bin_folder := env.get("NVM_BIN"):
        yield bin_folder
    yield str(Path(sys.executable).parent)
    if prefix := env.get("CONDA_PREFIX"):
        yield str(Path(prefix, "bin"))
    home = env.get("HOME", "")
    for pattern in _LIKELY:
        root, _, rest = pattern.partition("*")
        place = Path(home + root[1:]) if root.startswith("~") else Path(root)
        if rest:
            yield from map(str, sorted(place.glob("*" + rest), reverse=True))
        else:
            yield str(place)


def _first_line(program: str) -> str:
    with contextlib.suppress(OSError), Path(program).open("rb") as file:
        return file.readline(200).decode("utf-8", "replace").strip()
    return program


def batch_line(program: str, args: list[str]) -> str:
    """Return a command line for ``cmd.exe`` that gives a batch file exactly *args*.

    Quotes alone do not keep ``%NAME%`` from being replaced in a batch file; an empty
    part of another variable in front does.
    """
    return " ".join(map(_batch_word, (program, *args)))


def _batch_word(word: str) -> str:
    word = re.sub(r'(\\*)"', r'\1\1""', word).replace("%", "%%cd:~,%")
    return '"' + re.sub(r"(\\+)$", r"\1\1", word) + '"'
