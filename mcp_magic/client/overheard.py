"""What a server process says: messages told apart from noise, and its last words."""

from __future__ import annotations

import json
import re
import signal
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    INTERNAL_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError
from pydantic_core import from_json

__all__ = ["Overheard", "Said", "paired", "read_line", "secret_texts"]

_LINES = 200  # lines kept of standard error
_STRAYS = 20  # lines kept of standard output that were no messages
_WIDE = 500  # characters kept of a line
_UNENDED = 65536  # bytes kept of a line whose end has not come
_NEAR = 15  # lines from the end in which the telling one is looked for
_SHOWN = 8  # lines of last words
_TRIES = 8  # places of one line where a message is looked for in vain

# A message begins with one of these members; trying every brace would take quadratic
# time on a long line that was cut off.
_START = re.compile(
    r'(?:\[\s*)?\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:', re.ASCII
)
_LONE = re.compile(r"\\u[dD][89a-fA-F]")
_COLOUR = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])"
)
_LINE_END = re.compile(rb"[\r\n]")
_DECODER = json.JSONDecoder(strict=False)

# What a server may ask of a client. Any other request that stands behind log text is
# our own, echoed by a server that logs what it receives.
_ASKED_BY_SERVERS = frozenset(
    ("ping", "elicitation/create", "roots/list", "sampling/createMessage")
)

# The line of a stack trace or log that says what went wrong.
_TELLING = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception|Exit)\b|(?i:\b(?:error:|fatal|panic|not found|cannot"
    r"|can't|could not|no such|denied|refused|unable to|is required|missing|invalid"
    r"|usage:))"
)
_FRAME = re.compile(r"\s+at |\s*File \"")

# Variables whose value is a secret however short it is.
_SECRET_NAME = re.compile(
    r"key|token|secret|pass|pwd|auth|credential|cookie|session", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Said:
    """One line of a server's standard output.

    Attributes:
        messages: The messages on it, as a rule one.
        noise: The rest.
    """

    messages: tuple[JSONRPCMessage, ...] = ()
    noise: str = ""


def read_line(line: bytes) -> Said:
    """Return the messages of a line, also when log text stands before or behind them.

    Nothing is fatal: invalid bytes are replaced, and what is no message is noise.
    """
    try:
        # Far faster than the SDK's own reading, which tries each kind of message.
        value = from_json(line)
    except ValueError:
        return _search(line.decode("utf-8", "replace"))
    messages = _messages(value)
    noise = "" if messages or not line.strip() else line.decode("utf-8", "replace")
    return Said(messages, noise)


def _search(text: str) -> Said:
    """Look for messages in a line that is not one JSON value."""
    found: list[JSONRPCMessage] = []
    noise: list[str] = []
    end = start = misses = 0
    while misses < _TRIES and (match := _START.search(text, start)):
        try:
            value, stop = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            misses, start = misses + 1, match.end()
            continue
        messages = _messages(
            paired(value) if _LONE.search(text, match.start(), stop) else value
        )
        start = stop
        if messages and not any(map(_is_echo, messages)):
            found += messages
            noise.append(text[end : match.start()])
            end = stop
    noise.append(text[end:])
    return Said(tuple(found), " ".join(part for part in map(_plain, noise) if part))


def paired(value: object) -> Any:
    """Return a JSON value with every half of a surrogate pair replaced.

    Many readers refuse a message that holds one, and then never answer.
    """
    wide = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass")
    return json.loads(wide.decode("utf-16", "replace"))


def _is_echo(message: JSONRPCMessage) -> bool:
    return (
        isinstance(message, JSONRPCRequest) and message.method not in _ASKED_BY_SERVERS
    )


def _messages(value: object) -> tuple[JSONRPCMessage, ...]:
    values = value if isinstance(value, list) else [value]
    found = (_message(one) for one in values if isinstance(one, Mapping))
    return tuple(one for one in found if one is not None)


def _message(value: Mapping[str, Any]) -> JSONRPCMessage | None:
    """Return a JSON value as the message it is, small slips mended."""
    if value.get("jsonrpc") != "2.0":
        return None
    given = {**value, "id": _number(value.get("id"))}
    if given["id"] is None and "error" not in given:
        del given["id"]
    kind: type[JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError]
    if "method" in given:
        kind = JSONRPCRequest if "id" in given else JSONRPCNotification
        if not isinstance(given.get("params"), Mapping):
            given.pop("params", None)  # PHP writes {} as []
    elif given.get("error") is not None:
        kind = JSONRPCError
        given["error"] = _error(given["error"])
    else:
        kind = JSONRPCResponse
        given["result"] = _result(given.get("result"))
    try:
        return kind.model_validate(given, by_name=False)
    except ValidationError:
        return None


def _number(value: object) -> object:
    """Return 7 for 7.0, as languages without whole numbers write it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _error(raw: object) -> dict[str, Any]:
    """Return an error object that has a code and a message."""
    given = dict(raw) if isinstance(raw, Mapping) else {"message": raw}
    code, message = _number(given.get("code")), given.get("message")
    if not isinstance(code, int) or isinstance(code, bool):
        code = INTERNAL_ERROR
    if not isinstance(message, str):
        message = json.dumps(raw if message is None else message, ensure_ascii=False)
    return {**given, "code": code, "message": message}


def _result(raw: object) -> Mapping[str, Any]:
    """Return a result object; PHP writes ``{}`` as ``[]``, others as ``null``."""
    if isinstance(raw, Mapping):
        return raw
    return {} if raw in ([], None) else {"result": raw}


def _plain(text: str) -> str:
    """Return *text* without colours and byte order mark."""
    return _COLOUR.sub("", text).replace("\ufeff", "").strip()


class Overheard:
    """The end of what a process wrote besides its messages, and how it ended.

    Attributes:
        exit_code: Its exit code if it ended by itself, negative for a signal.
        notes: What was changed about its command to run it here.
    """

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.notes: list[str] = []
        self._stray: deque[str] = deque(maxlen=_STRAYS)
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._unended = bytearray()
        self._secrets: re.Pattern[str] | None = None

    def conceal(self, secrets: Iterable[str]) -> None:
        """Show ``…`` instead of these texts in everything heard from now on."""
        found = sorted({text for text in secrets if text}, key=len, reverse=True)
        self._secrets = re.compile("|".join(map(re.escape, found))) if found else None

    def stray(self, text: str) -> None:
        """Take a text of standard output that is no message."""
        for line in text[:_UNENDED].splitlines():
            self._keep(line, self._stray)

    def stderr(self, data: bytes) -> None:
        """Take some bytes of standard error."""
        *ended, rest = _LINE_END.split(data)
        if ended:
            self._unended += ended[0]
            for line in [bytes(self._unended), *ended[1:]][-_LINES:]:
                self._keep(line.decode("utf-8", "replace"), self._lines)
            self._unended.clear()
        self._unended += rest
        # The end of an endless line is let go, never its beginning: a secret that
        # was cut in front would not be found.
        del self._unended[_UNENDED:]

    @property
    def stderr_lines(self) -> tuple[str, ...]:
        """The last lines of standard error, oldest first."""
        rest = self._clean(self._unended.decode("utf-8", "replace"))
        return (*self._lines, rest) if rest else tuple(self._lines)

    @property
    def stray_lines(self) -> tuple[str, ...]:
        """The last lines of standard output that were no messages, oldest first."""
        return tuple(self._stray)

    def last_words(self) -> str:
        """Return a few lines that end with the one that says most; or an empty text."""
        lines = [*self.stray_lines, *self.stderr_lines]
        for at in range(len(lines) - 1, max(-1, len(lines) - 1 - _NEAR), -1):
            if _TELLING.search(lines[at]) and not _FRAME.match(lines[at]):
                lines = lines[: at + 1]
                break
        return "\n".join(lines[-_SHOWN:]).strip()

    def how_it_ended(self) -> str:
        """Return ``exited with code 3`` or the like; empty if it did not by itself."""
        code = self.exit_code
        if code is None:
            return ""
        if code >= 0:
            return f"exited with code {code if code < 0x10000 else hex(code)}"
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"

    def _keep(self, line: str, lines: deque[str]) -> None:
        shown = self._clean(line)
        if shown:
            lines.append(shown)

    def _clean(self, line: str) -> str:
        if self._secrets is not None:
            line = self._secrets.sub("…", line)
        return _COLOUR.sub("", line).replace("\ufeff", "").rstrip()[:_WIDE]


def secret_texts(
    env: Mapping[str, str], args: Iterable[str], environ: Mapping[str, str]
) -> set[str]:
    """Return the texts to conceal when a command's output is quoted.

    Args:
        env: The variables given to the command: each value is a secret, and so are
            its lines and long words. A value of up to three characters is none, unless
            its name says so: ``1`` and ``on`` are everywhere.
        args: Its arguments: values of secret-looking variables are taken out of them.
        environ: The environment from which their placeholders were filled.
    """
    found: set[str] = set()
    for name, value in env.items():
        least = 1 if _SECRET_NAME.search(name) else 4
        found |= {text for text in (value, *value.splitlines()) if len(text) >= least}
        found |= {word for word in value.split() if len(word) >= 8}
    given, shown = "\n".join(env.values()), "\n".join(args)
    for name, value in environ.items():
        if len(value) < 8 or value.startswith("/"):
            continue  # short values and paths are no secrets, and would hide much
        if value in given or (_SECRET_NAME.search(name) and value in shown):
            found.add(value)
    return {text.strip() for text in found}
