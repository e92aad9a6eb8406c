"""Reads this package's own options, which stand before the target (rules 23, 43)."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import PurePath

from mcp_magic.errors import LineError
from mcp_magic.language.jsontext import BadJson, read_json
from mcp_magic.language.paths import PathFault, dollar, look_up, read_path
from mcp_magic.language.scan import Scanner, Token, unquote

__all__ = ["OPTIONS", "SWITCHES", "OptionReader", "Options", "options_of"]

SWITCHES = frozenset("raw no-correct save all forget list paste reset revoke".split())
"""The names of the options that take no value."""
_PAIRS = frozenset({"env", "header"})
_TEXTS = frozenset("stdio url cwd name scope body out args timeout".split())

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")

_COMMAND = ("add", "call", "help", "prompt")
_ADDRESS = ("auth", *_COMMAND)
_GOES_WITH: Mapping[str, tuple[str, ...]] = {
    "all": ("list", "servers"),
    "args": ("call", "prompt"),
    "body": ("call",),
    "cwd": _COMMAND,
    "env": _COMMAND,
    "forget": ("auth",),
    "header": _ADDRESS,
    "list": ("approve",),
    "name": ("auth", "call", "help", "prompt"),
    "paste": ("auth",),
    "raw": ("call",),
    "reset": ("auth",),
    "revoke": ("approve",),
    "save": ("add", "call"),
    "scope": ("auth",),
    "stdio": _COMMAND,
    "timeout": ("auth", "call", "watch"),
    "url": _ADDRESS,
}
"""The verbs of options that not every verb takes."""

_APART: Mapping[tuple[str, str], str] = {
    ("stdio", "url"): "name two servers",
    ("forget", "paste"): "sign out and in",
    ("forget", "reset"): "sign out and in",
    ("forget", "scope"): "sign out and in",
    ("forget", "timeout"): "sign out and in",
    ("list", "revoke"): "show and take back",
}
"""Options that contradict each other, and what both would do."""

OPTIONS: tuple[str, ...] = tuple(sorted(SWITCHES | _PAIRS | _TEXTS))
"""The names of all options, without their dashes."""


def options_of(verb: str) -> list[str]:
    """Return the options that do something on a line with that verb."""
    return [one for one in OPTIONS if verb in _GOES_WITH.get(one, (verb,))]


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked of this package rather than of a tool.

    ``${VAR}`` stays as written in the texts that describe a server; whoever starts
    the server expands it.

    Attributes:
        timeout: How many seconds a call may take.
        out: The variable that takes the result.
        raw: Whether to show the answer as received.
        no_correct: Whether names are taken as typed.
        stdio: A command that starts a server.
        url: The address of a server.
        env: Environment variables for the command.
        cwd: The folder in which the command starts.
        headers: HTTP headers for the address.
        name: What to call the server of ``--stdio`` or ``--url``.
        save: Whether to keep the server for later kernels.
        args: The whole argument object.
        body: The parameter that takes the cell's text.
        scope: The scopes to ask for when signing in.
        flags: The switches of single verbs, such as ``all`` and ``reset``.
        places: Where each option stands, by its name.
    """

    timeout: float | None = None
    out: str | None = None
    raw: bool = False
    no_correct: bool = False
    stdio: str | None = None
    url: str | None = None
    env: tuple[tuple[str, str], ...] = ()
    cwd: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    name: str | None = None
    save: bool = False
    args: Mapping[str, object] | None = None
    body: str | None = None
    scope: str | None = None
    flags: frozenset[str] = frozenset()
    places: Mapping[str, int] = field(default_factory=dict, compare=False)

    def check(self, verb: str, source: str) -> None:
        """Refuse an option that would do nothing.

        Args:
            verb: What the line does.
            source: The line.

        Raises:
            LineError: An option goes with other verbs, or contradicts another one.
        """
        for name, column in self.places.items():
            verbs = _GOES_WITH.get(name, (verb,))
            if verb not in verbs:
                known = " or ".join(verbs)
                message = f"--{name} goes with {known}, not with {verb}."
                raise LineError(message, source, column)
        for (one, other), would in _APART.items():
            if one in self.places and other in self.places:
                message = f"--{one} and --{other} {would}; give one of them."
                raise LineError(message, source, self.places[other])

    @property
    def server_given(self) -> bool:
        """Whether the options name the server, so that the line need not."""
        return self.stdio is not None or self.url is not None


@dataclass(slots=True)
class OptionReader:
    """Collects options from a line, one at a time.

    Attributes:
        scanner: The place in the line.
        namespace: The cell's names, for ``$name``.
        environ: The process's environment, for ``--timeout ${VAR}``.
        options: What was read so far.
    """

    scanner: Scanner
    namespace: Mapping[str, object]
    environ: Mapping[str, str]
    options: Options = field(default_factory=Options)

    def here(self) -> bool:
        """Return whether an option stands here; call it only after ``more``."""
        return self.scanner.source.startswith("--", self.scanner.at)

    def leading(self) -> None:
        """Read all options up to the first other word."""
        while self.scanner.more() and self.here():
            if self.read() is None:
                return

    def read(self) -> str | None:
        """Read one option and its value; ``None`` for a lone ``--``.

        Raises:
            LineError: There is no such option, it came before, or its value is
                missing or of the wrong kind.
        """
        token = self.scanner.token()
        if token.text == "--":
            return None
        name, equals, inline = token.text[2:].partition("=")
        self._known(name, token)
        if name in SWITCHES:
            if equals:
                self.scanner.fail(f"--{name} takes no value.", token.start)
            self.options = self._switch(name)
            return name
        if equals:
            value = Token(inline, token.start + 3 + len(name), _quoted(inline))
        else:
            value = self._next(name, token)
        self.options = self._set(name, value)
        return name

    def _known(self, name: str, token: Token) -> None:
        if name == "help":
            said = "There is no option --help. Write help, or help SERVER.TOOL."
            self.scanner.fail(said, token.start)
        if name not in OPTIONS:
            near = get_close_matches(name[:40], OPTIONS, 1)
            hint = f" Did you mean --{near[0]}?" if near else ""
            self.scanner.fail(
                f"There is no option --{name[:40]}.{hint} Arguments of a tool stand"
                " after its name.",
                token.start,
            )
        places = self.options.places
        if name in places and name not in _PAIRS:
            self.scanner.fail(f"--{name} is given twice.", token.start)
        self.options = replace(self.options, places={**places, name: token.start})

    def _next(self, name: str, option: Token) -> Token:
        if not self.scanner.more():
            self.scanner.fail(f"--{name} needs a value.", option.start)
        return self.scanner.token()

    def _switch(self, name: str) -> Options:
        match name:
            case "raw":
                return replace(self.options, raw=True)
            case "no-correct":
                return replace(self.options, no_correct=True)
            case "save":
                return replace(self.options, save=True)
        return replace(self.options, flags=self.options.flags | {name})

    def _set(self, name: str, token: Token) -> Options:
        options = self.options
        match name:
            case "timeout":
                return replace(options, timeout=self._seconds(token))
            case "args":
                return replace(options, args=self._object(token))
            case "out":
                return replace(options, out=self._variable(token))
            case "env":
                return replace(options, env=(*options.env, self._pair(token)))
            case "header":
                return replace(options, headers=(*options.headers, self._pair(token)))
        return self._set_text(name, self._text(token))

    def _set_text(self, name: str, text: str) -> Options:
        match name:
            case "stdio":
                return replace(self.options, stdio=text)
            case "url":
                return replace(self.options, url=text)
            case "cwd":
                return replace(self.options, cwd=text)
            case "name":
                return replace(self.options, name=text)
            case "scope":
                return replace(self.options, scope=text)
        return replace(self.options, body=text)

    def _value(self, token: Token) -> object:
        """Return the text of a value, or the object a whole ``$name`` stands for."""
        if token.whole:
            return unquote(token.text)
        try:
            path = dollar(token.text)
            if path is not None:
                return look_up(path, self.namespace)
        except PathFault as fault:
            raise self._error(str(fault), token) from None
        if token.text[:1] == "{" and token.text[-1:] == "}":
            inside = token.text[1:-1]
            if read_path(inside) is not None:
                raise self._error(f"In options write ${inside} for a variable.", token)
        return token.text

    def _text(self, token: Token) -> str:
        value = self._value(token)
        if isinstance(value, str | PurePath):
            return str(value)
        raise self._error(f"This takes a text, not {type(value).__name__}.", token)

    def _pair(self, token: Token) -> tuple[str, str]:
        text = unquote(token.text) if token.whole else token.text
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise self._error("Write it as NAME=value.", token)
        if token.whole:
            return key, value
        column = token.start + len(key) + 1
        return key, self._text(Token(value, column, _quoted(value)))

    def _seconds(self, token: Token) -> float:
        value = self._value(token)
        if isinstance(value, str):
            variable = re.fullmatch(r"\$\{(\w+)\}", value)
            value = self.environ.get(variable[1], value) if variable else value
        seconds = 0.0
        if isinstance(value, str):
            seconds = float(value) if _NUMBER.fullmatch(value) else seconds
        elif isinstance(value, int | float) and not isinstance(value, bool):
            seconds = float(value)
        if not 0 < seconds < math.inf:
            raise self._error("--timeout takes seconds, such as 30.", token)
        return seconds

    def _variable(self, token: Token) -> str:
        name = token.text
        if not name.isidentifier() or keyword.iskeyword(name):
            raise self._error("--out takes the name of a variable.", token)
        return name

    def _object(self, token: Token) -> Mapping[str, object]:
        value = self._value(token)
        if isinstance(value, str):
            try:
                value = read_json(value)
            except BadJson as bad:
                raise self._error(f"--args takes a JSON object: {bad}", token) from None
        if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value):
            raise self._error(
                "--args takes a JSON object or a $mapping of names to values.", token
            )
        return value

    def _error(self, message: str, token: Token) -> LineError:
        return LineError(message, self.scanner.source, token.start)


def _quoted(text: str) -> int:
    return len(text) if text[:1] in ('"', "'") and len(text) > 1 else 0
