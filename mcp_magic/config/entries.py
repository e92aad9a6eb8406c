"""Server entries: how a server is reached, read from what a person typed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from mcp_magic.display import redact
from mcp_magic.errors import ArgumentError
from mcp_magic.language import split_command
from mcp_magic.model import Json, Secret

__all__ = [
    "Http",
    "InProcess",
    "Input",
    "ServerEntry",
    "Source",
    "Stdio",
    "Target",
    "demo_entry",
    "is_url",
    "name_for",
    "read_target",
]

# Words of a command line that start other programs, and so name no server.
_LAUNCHERS = frozenset(
    "npx uvx uv pipx pnpm pnpx yarn bunx bun node deno tsx docker podman env sh bash "
    "python python3 py run exec dlx tool cmd java go".split()
)
_INTERPRETERS: Mapping[str, tuple[str, ...]] = {
    ".py": (sys.executable,),
    ".js": ("node",),
    ".mjs": ("node",),
}


@dataclass(frozen=True, slots=True, repr=False)
class Stdio:
    """A command that is started here and spoken to over its standard streams.

    Attributes:
        command: The program.
        args: Its arguments.
        env: Variables added to the kernel's environment.
        cwd: Its working folder; ``None`` for the kernel's.
        env_file: A file of more variables; those in *env* win.
        hidden: Texts that were filled in and that no output may repeat.
    """

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, Secret] = field(default_factory=dict)
    cwd: str | None = None
    env_file: str | None = None
    hidden: frozenset[Secret] = field(default=frozenset(), compare=False)

    def __str__(self) -> str:
        """Return the command line as it may be shown."""
        return redact.command((self.command, *self.args))

    __repr__ = __str__


@dataclass(frozen=True, slots=True, repr=False)
class Http:
    """A server reached over HTTP.

    Attributes:
        url: Its endpoint.
        headers: Headers sent with every request.
        hidden: Texts that were filled in and that no output may repeat.
    """

    url: str
    headers: Mapping[str, Secret] = field(default_factory=dict)
    hidden: frozenset[Secret] = field(default=frozenset(), compare=False)

    def __str__(self) -> str:
        """Return the address as it may be shown."""
        return redact.url(self.url)

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class InProcess:
    """A server object that lives in this process.

    Attributes:
        server: The object: the SDK's ``Server`` or ``MCPServer``, or fastmcp's
            ``FastMCP``.
    """

    server: object

    def __str__(self) -> str:
        return f"a {type(self.server).__name__} object"


Target: TypeAlias = Stdio | Http | InProcess


@dataclass(frozen=True, slots=True)
class Source:
    """The place of a file from which an entry was read.

    Attributes:
        product: Whose file it is, in words such as ``Claude Code``; it decides which
            placeholders mean something in the entry.
        scope: Whether it is our own file, one that a folder brings along, or one of
            the user's for another product.
        file: The file.
        key: Where the entry stands in it, such as ``mcpServers.github``.
        line: In which line, counted from 1; 0 if that is not known.
        folder: What ``${workspaceFolder}`` means in it.
        digest: SHA-256, in hexadecimal, of the entry's name and content as written.
        unread: The members of the entry that mean nothing here.
    """

    product: str
    scope: Literal["own", "project", "user"]
    file: Path
    key: str
    line: int
    folder: Path
    digest: str
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Input:
    """A value that an entry wants from a person, as VS Code declares it.

    Attributes:
        id: What ``${input:id}`` refers to.
        description: What to ask for, in the file's words; untrusted text.
        secret: Whether it is masked while it is typed.
        options: The values to choose from; empty for any text.
        default: The value that is offered.
        unsupported: Why nobody can be asked for it, in words; else empty.
    """

    id: str
    description: str = ""
    secret: bool = True
    options: tuple[str, ...] = ()
    default: str = ""
    unsupported: str = ""

    @property
    def variable(self) -> str:
        """The environment variable that gives it where nobody can be asked."""
        return "MCP_MAGIC_INPUT_" + re.sub(r"\W", "_", self.id.upper())


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """A server that is known by a name.

    Attributes:
        name: The name people use.
        target: How it is reached.
        origin: Where the entry comes from, in words.
        source: The place of a file that it was read from; ``None`` if it was typed.
        allowed: The only tools that may be used; ``None`` for all.
        blocked: Tools that may not be used.
        disabled: Why the server is not to be used, in words; else empty.
        connect_timeout: Seconds it may take to start; ``None`` for the usual.
        call_timeout: Seconds a call may take; ``None`` for the usual.
        inputs: What it asks a person for, by id.
        oauth: Settings of its sign-in as written, their names in snake_case:
            ``client_id``, ``client_secret`` (a ``Secret``), ``scope``,
            ``redirect_port``, ``metadata_url``.
    """

    name: str
    target: Target
    origin: str = "this kernel"
    source: Source | None = None
    allowed: tuple[str, ...] | None = None
    blocked: tuple[str, ...] = ()
    disabled: str = ""
    connect_timeout: float | None = None
    call_timeout: float | None = None
    inputs: Mapping[str, Input] = field(default_factory=dict)
    oauth: Mapping[str, Json | Secret] = field(default_factory=dict)

    @property
    def transport(self) -> str:
        """The transport in one word."""
        match self.target:
            case Stdio():
                return "stdio"
            case Http():
                return "http"
            case InProcess():
                return "in process"


def demo_entry() -> ServerEntry:
    """Return the entry of the bundled server.

    ``-P`` keeps files of the notebook's folder from shadowing modules.
    """
    command = Stdio(sys.executable, ("-P", "-m", "mcp_magic.demo"))
    return ServerEntry("demo", command, origin="bundled")


def read_target(
    text: str,
    *,
    is_file: Callable[[str], bool],
    env: Mapping[str, Secret] | None = None,
    headers: Mapping[str, Secret] | None = None,
    cwd: str | None = None,
) -> Target:
    """Read a URL or a command line.

    Args:
        text: A text with ``://`` in its first word is a URL; an existing file is a
            command, run by Python or Node if it ends in ``.py``, ``.js`` or ``.mjs``;
            anything else a command with arguments, split as a shell would.
        is_file: Tells whether a path is an existing file.
        env: Variables for a command.
        headers: Headers for a URL.
        cwd: Working folder for a command.

    Raises:
        ArgumentError: The text is neither, or an option does not fit it.
    """
    text = text.strip()
    if not text:
        raise ArgumentError("a server needs a command or a URL, such as https://…/mcp")
    if re.match(r"\w+://", text):
        return _http(text, env, headers, cwd)
    if headers:
        raise ArgumentError(
            "--header goes with a URL; give a command its secrets by --env"
        )
    words = [text] if is_file(text) else list(split_command(text))
    if not words[0].strip():
        raise ArgumentError("a command begins with a program, not with an empty text")
    interpreter = _INTERPRETERS.get(PurePath(words[0]).suffix.lower(), ())
    if interpreter and is_file(words[0]):
        words = [*interpreter, *words]
    return Stdio(words[0], tuple(words[1:]), env or {}, cwd)


def _http(
    url: str,
    env: Mapping[str, Secret] | None,
    headers: Mapping[str, Secret] | None,
    cwd: str | None,
) -> Http:
    if env or cwd:
        raise ArgumentError("--env and --cwd go with a command, not with a URL")
    if not is_url(url):
        raise ArgumentError(f"{url!r} is no http or https URL of a server")
    return Http(url, headers or {})


def is_url(text: str) -> bool:
    """Whether *text* is a URL at which a server can be."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        usable = usable and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    return usable and not re.search(r"\s", text)


def name_for(target: Target, taken: Collection[str]) -> str:
    """Make up a name for a server that was given without one.

    Returns:
        The URL without user and query, or the program's, package's or object's own
        name; with a number when *taken* holds it already.
    """
    match target:
        case Http(url=url):
            # What may be secret in it must not be shown wherever the name is.
            base = redact.url(url).partition("?")[0]
        case InProcess(server=server):
            base = str(getattr(server, "name", "") or "server")
        case Stdio(command=command, args=args):
            base = _program(command, args)
    names = (base if count == 1 else f"{base}-{count}" for count in _from_one())
    return next(name for name in names if name not in taken)


def _from_one() -> range:
    return range(1, sys.maxsize)


def _program(command: str, args: tuple[str, ...]) -> str:
    words = (command, *args)
    for before, word in zip(("", *words), words, strict=False):
        if "=" in word or (before.startswith("-") and redact.names_secret(before)):
            continue
        stem = re.split(r"[\\/]", word)[-1]
        stem = re.sub(
            r"(?<=.)@[^@]*$|\.(exe|cmd|py|js|mjs|ts)$", "", stem, flags=re.IGNORECASE
        )
        if stem and not word.startswith("-") and not _launches(stem):
            return re.sub(r"^mcp_magic\.", "", stem)
    return "server"


def _launches(stem: str) -> bool:
    return re.sub(r"[\d.]+$", "", stem.lower()) in _LAUNCHERS
