"""Put values where an entry has placeholders, at the moment that a server is started.

Done so late, a variable that is set in the notebook counts, and an entry on display
never holds a value.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from mcp_magic.config import syntax
from mcp_magic.config.entries import (
    Http,
    InProcess,
    Input,
    ServerEntry,
    Stdio,
    Target,
    is_url,
)
from mcp_magic.config.syntax import Reference
from mcp_magic.display import redact
from mcp_magic.errors import ServerUnreachable
from mcp_magic.model import Json, Secret

__all__ = [
    "Ask",
    "expand",
    "expand_oauth",
    "inputs_of",
    "literals",
    "nobody",
]

_BARE = re.compile(r"\s*(?:bearer|basic|token)?\s*", re.IGNORECASE)
_SHORT = 4  # letters; hiding a shorter value would take it out of ordinary words
_LONG = 8  # letters of a value that is hidden whatever its variable is called


Ask: TypeAlias = Callable[[Input], Secret | None]
"""Gives the value of an input; ``None`` if nobody was there to be asked."""


def nobody(_: Input) -> None:
    """Give no value."""


def expand(
    entry: ServerEntry,
    environ: Mapping[str, str],
    *,
    ask: Ask = nobody,
    read: Callable[[Path], str],
) -> Target:
    """Return the entry's target with its placeholders filled in.

    Args:
        entry: A known server.
        environ: The environment variables.
        ask: Gives the values of inputs. It is called on the background loop, and so
            must not wait for a person: see ``Answers``.
        read: Gives the text of a file; raises ``OSError``.

    Raises:
        ServerUnreachable: A value is missing; a placeholder is never sent.
    """
    filler = _Filler(entry, environ, ask, read)
    match entry.target:
        case Stdio() as target:
            command = filler.command(target)
            return replace(command, hidden=filler.secrets)
        case Http() as target:
            address = filler.address(target)
            return replace(address, hidden=filler.secrets)
        case InProcess() as target:
            return target


def expand_oauth(
    entry: ServerEntry,
    environ: Mapping[str, str],
    *,
    ask: Ask = nobody,
    read: Callable[[Path], str],
) -> Mapping[str, Json | Secret]:
    """Return the settings of an entry's sign-in, placeholders filled in.

    Args and errors are those of ``expand``.
    """
    filler = _Filler(entry, environ, ask, read)

    def filled(value: Json | Secret) -> Json | Secret:
        match value:
            case Secret():
                return Secret(filler.value(value.reveal()))
            case str():
                return filler.value(value)
        return value

    return {name: filled(value) for name, value in entry.oauth.items()}


def inputs_of(entry: ServerEntry) -> tuple[Input, ...]:
    """Return what an entry asks a person for, in the order of its fields."""
    names = (one.name for one in _references(entry) if one.kind == "input")
    found = dict.fromkeys(names)
    return tuple(entry.inputs[name] for name in found if name in entry.inputs)


def literals(entry: ServerEntry, text: str, *, in_value: bool) -> str:
    """Return a text of an entry without its placeholders: what it says to any reader.

    The default of a placeholder stays, because it is as open as the rest.

    Args:
        entry: Tells by where it comes from what is a placeholder.
        text: A text of it.
        in_value: Whether the text is a variable, header, URL or the like, and no word
            of a command.
    """
    return syntax.fill(
        text, _product(entry), in_value=in_value, value=lambda one: one.default or ""
    )


def _references(entry: ServerEntry) -> Iterator[Reference]:
    product = _product(entry)
    for text, in_value in _texts(entry):
        yield from syntax.find(text, product, in_value=in_value)


def _texts(entry: ServerEntry) -> Iterator[tuple[str, bool]]:
    """Yield every text of an entry, and whether it is a value."""
    values: list[Json | Secret] = list(entry.oauth.values())
    match entry.target:
        case Stdio() as target:
            for word in (target.command, *target.args, target.cwd or ""):
                yield word, False
            values = [target.env_file, *target.env.values(), *values]
        case Http() as target:
            values = [target.url, *target.headers.values(), *values]
    for one in values:
        text = one.reveal() if isinstance(one, Secret) else one
        if isinstance(text, str):
            yield text, True


def _product(entry: ServerEntry) -> str:
    return "mcp-magic" if entry.source is None else entry.source.product


@dataclass(slots=True)
class _Filler:
    """Fills in the texts of one entry, and keeps what must not be shown."""

    entry: ServerEntry
    environ: Mapping[str, str]
    ask: Ask
    read: Callable[[Path], str]
    hidden: set[str] = field(default_factory=set)

    @property
    def secrets(self) -> frozenset[Secret]:
        return frozenset(map(Secret, self.hidden))

    # -- targets

    def command(self, target: Stdio) -> Stdio:
        env = self.env_file(target.env_file) | self.values(target.env)
        for value in env.values():
            self.hidden |= {value.reveal()} if len(value.reveal()) >= _LONG else set()
        return Stdio(
            self.at_home(self.word(target.command)),
            tuple(map(self.word, target.args)),
            env,
            None if target.cwd is None else self.at_home(self.word(target.cwd)),
        )

    def address(self, target: Http) -> Http:
        url = self.value(target.url)
        if not is_url(url):
            raise self.trouble(
                "has a URL that is none once its placeholders are filled in; check them"
            )
        headers = self.values(target.headers)
        for name, value in headers.items():
            if target.headers[name] != value and _BARE.fullmatch(value.reveal()):
                raise self.trouble(
                    f"has a header {name} whose variable is empty; set it"
                )
        return Http(url, headers)

    def env_file(self, written: str | None) -> dict[str, Secret]:
        """Return the variables of a file, each as it stands there."""
        if not written:
            return {}
        source = self.entry.source
        beside = Path() if source is None else source.folder
        text = self.file(beside, self.value(written), f"envFile {written}")
        import dotenv  # noqa: PLC0415 - few entries need it

        found = dotenv.dotenv_values(stream=io.StringIO(text), interpolate=False)
        return {name: Secret(one) for name, one in found.items() if one is not None}

    # -- texts

    def word(self, text: str) -> str:
        return self.fill(text, in_value=False)

    def value(self, text: str) -> str:
        return self.fill(text, in_value=True)

    def values(self, secrets: Mapping[str, Secret]) -> dict[str, Secret]:
        return {name: Secret(self.value(one.reveal())) for name, one in secrets.items()}

    def fill(self, text: str, *, in_value: bool) -> str:
        product = _product(self.entry)
        return syntax.fill(text, product, in_value=in_value, value=self.resolve)

    def at_home(self, path: str) -> str:
        return self.home() + path[1:] if re.match(r"~(?=[\\/]|$)", path) else path

    # -- placeholders

    def resolve(self, one: Reference) -> str:
        match one.kind:
            case "variable":
                return self.variable(one)
            case "input":
                return self.input(one)
            case "file":
                source = self.entry.source
                beside = Path() if source is None else source.file.parent
                text = self.file(beside, one.name, one.written)
                return self.hide(text.strip(), always=True)
            case "word":
                return self.place(one)
            case "nested":
                raise self.trouble(
                    f"has a placeholder inside of another ({one.written}…); write one"
                )
        product = _product(self.entry)
        raise self.trouble(
            f"refers to {one.written}, which only {product} knows; write the value"
        )

    def variable(self, one: Reference) -> str:
        found = self.environ.get(one.name)
        if not found and one.default is not None:
            return one.default
        if found is None:
            raise self.trouble(
                f"needs the environment variable {one.name}, which is not set; "
                f"import os; os.environ[{one.name!r}] = …"
            )
        return self.hide(found, always=redact.names_secret(one.name))

    def input(self, one: Reference) -> str:
        wanted = self.entry.inputs.get(one.name)
        if wanted is None:
            raise self.trouble(
                f"refers to {one.written}, which is not among the inputs of its file"
            )
        if wanted.unsupported:
            raise self.trouble(
                f"refers to {one.written}, which {wanted.unsupported}; write the value"
            )
        variable = wanted.variable
        given = self.environ.get(variable)
        answer = self.ask(wanted) if given is None else Secret(given)
        if answer is None:
            raise self.trouble(
                f"asks for the input {one.name}, and nobody is there to answer; "
                f"set the environment variable {variable}"
            )
        return self.hide(answer.reveal(), always=wanted.secret)

    def place(self, one: Reference) -> str:
        match one.name:
            case "userHome":
                return self.home()
            case "pathSeparator" | "/":
                return os.sep
        if self.entry.source is None:
            raise self.trouble(
                f"refers to {one.written}, which no typed server has; "
                "write the folder itself"
            )
        folder = self.entry.source.folder
        return folder.name if one.name == "workspaceFolderBasename" else str(folder)

    def home(self) -> str:
        found = self.environ.get("HOME") or self.environ.get("USERPROFILE")
        if not found:
            raise self.trouble("refers to the home folder, and HOME is not set; set it")
        return found

    def file(self, beside: Path, path: str, what: str) -> str:
        """Return the text of a file at a path that may be relative to *beside*."""
        try:
            return self.read(beside / self.at_home(path))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is no text"
            raise self.trouble(
                f"refers to {what}, which cannot be read ({why}); check the file"
            ) from None

    def hide(self, value: str, *, always: bool) -> str:
        """Keep a value as one to hide, unless it is a path or too short to matter."""
        is_path = value.startswith("/") and not always
        if len(value) >= (_SHORT if always else _LONG) and not is_path:
            self.hidden.add(value)
        return value

    def trouble(self, why: str) -> ServerUnreachable:
        source, home = self.entry.source, self.environ.get("HOME", "")
        file = "" if source is None else str(source.file)
        if home and file.startswith(home + os.sep):
            file = "~" + file[len(home) :]
        where = f" ({file})" if file else ""
        return ServerUnreachable(f"{self.entry.name}{where} {why}", self.entry.name)
