"""Every error this package raises on purpose, each shown as one line.

::

    McpMagicError
    ├── LineError                the text of a cell cannot be read; shows a caret
    ├── ArgumentError            the arguments do not fit the schema; nothing was sent
    │   └── NamesNeeded          values without names, and no schema to name them
    ├── UnknownServer            no known server has that name
    ├── UnknownTool              the server lists no such tool; nothing could be sent
    │   └── NoSuchAttribute      nor an attribute of that name, for Python
    ├── NotPortable              a handle that cannot go to another process
    ├── ToolFailed               the tool ran and reported an error; carries the result
    ├── ToolRefused              a filter or read-only mode keeps the tool from running
    └── ServerError              something went wrong on the way to a server
        ├── ServerUnreachable    it could not be started, reached or talked to
        ├── ServerExited         its process ended
        ├── CallTimedOut         no answer within the limit
        ├── AuthorizationRequired  it wants a person to sign in
        ├── ApprovalRequired     a folder brought it along, and nobody agreed to it
        ├── SignInFailed         signing in, or renewing a token, did not work
        │   └── AnswerRefused    a pasted address does not fit; another may be pasted
        └── RequestRefused       it answered a request with a JSON-RPC error

    KeyboardInterrupt
    └── CallStopped              Stop or Ctrl-C, with one line instead of a stack trace
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AnswerRefused",
    "ApprovalRequired",
    "ArgumentError",
    "AuthorizationRequired",
    "CallStopped",
    "CallTimedOut",
    "LineError",
    "McpMagicError",
    "NamesNeeded",
    "NoSuchAttribute",
    "NotPortable",
    "RequestRefused",
    "ServerError",
    "ServerExited",
    "ServerUnreachable",
    "SignInFailed",
    "ToolFailed",
    "ToolRefused",
    "UnknownServer",
    "UnknownTool",
    "show_as_line",
    "visible",
]

# Characters that move the cursor, colour, reorder or hide text: C0 but tab and
# newline, C1, soft hyphen, bidi and other invisible format characters, fillers, line
# and paragraph separators, tag characters and lone surrogates. Words and emoji need a
# joiner and one variation selector after a letter that is not ASCII, keycaps after a
# digit, # or *; further ones could carry hidden text.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ud800-\udfff]"
    "|(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]"
    "|(?<![^\x00-\x22\x24-\x29\x2b-\x2f\x3a-\x7f\u200c\u200d\ufe00-\ufe0f])[\ufe00-\ufe0f]"
)

_AROUND = 200  # characters of a line that are shown on each side of a fault
_LONGEST = 2000  # characters of an error; what to do stands at its end


def visible(text: str) -> str:
    r"""Return *text* with every character that could hide or forge output spelled out.

    ``ESC`` becomes ``\x1b``, a right-to-left override ``\u202e``; new lines and tabs
    stay. Server text passes through here before it reaches a terminal or a page.
    """
    return _UNSEEN.sub(_spell, text.replace("\r\n", "\n"))


def _spell(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class McpMagicError(Exception):
    """Base of every error this package raises on purpose."""

    def __str__(self) -> str:
        said = super().__str__()
        if len(said) <= _LONGEST:
            return said
        return f"{said[: _LONGEST // 2]} … {said[-_LONGEST // 2 :]}"

    def _render_traceback_(self) -> list[str]:
        """Show one line in IPython instead of a stack trace."""
        return [f"\x1b[31m{type(self).__name__}\x1b[0m: {visible(str(self))}"]


def show_as_line(error: BaseException, text: str) -> None:
    """Have IPython show *error*, of whatever class, as one line that says *text*."""
    line = f"\x1b[31m{type(error).__name__}\x1b[0m: {visible(text)}"
    vars(error)["_render_traceback_"] = lambda: [line]


class CallStopped(KeyboardInterrupt):
    """A person pressed Stop or Ctrl-C while a call was running; it was cancelled."""

    def _render_traceback_(self) -> list[str]:
        return [f"\x1b[31mKeyboardInterrupt\x1b[0m: {self}"]


class LineError(McpMagicError):
    """The text of a line or cell cannot be read.

    Attributes:
        message: What is wrong and how to write it.
        source: The line in which the fault is.
        column: Where, counted in characters from 0; at most ``len(source)``.
        line: Which line of the cell body, counted from 1; ``None`` for the magic line.
    """

    def __init__(
        self, message: str, source: str, column: int, *, line: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.column = column
        self.line = line

    def __str__(self) -> str:
        where = "" if self.line is None else f" (line {self.line} of the cell body)"
        if not self.source.strip():
            return f"{self.message}{where}"  # a mark below nothing points at nothing
        # A line may be a megabyte of JSON: the part around the fault tells enough.
        start = max(0, self.column - _AROUND)
        end = self.column + _AROUND
        before = "…" if start else ""
        after = "…" if end < len(self.source) else ""
        # Spelled-out characters are longer than those typed: measure what is shown.
        left = before + visible(self.source[start : self.column])
        shown = left + visible(self.source[self.column : end]) + after
        return f"{self.message}{where}\n  {shown}\n  {' ' * len(left)}^"

    def __reduce__(self) -> tuple[object, ...]:
        return _line_error, (self.message, self.source, self.column, self.line)


def _line_error(message: str, source: str, column: int, line: int | None) -> LineError:
    return LineError(message, source, column, line=line)


class ArgumentError(McpMagicError):
    """The arguments do not fit the tool's schema; nothing was sent."""


class NamesNeeded(ArgumentError):
    """Values stand without parameter names, and no schema is known that names them."""


class UnknownServer(McpMagicError):
    """No known server has the name that was typed.

    Attributes:
        typed: The name as typed.
        suggestions: Known names that come near it, best first.
    """

    def __init__(
        self, message: str, *, typed: str = "", suggestions: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.typed = typed
        self.suggestions = tuple(suggestions)


class UnknownTool(McpMagicError):
    """The server lists no such tool, and the arguments could not be sent without it."""


class NoSuchAttribute(UnknownTool, AttributeError):
    """A server has no tool of the name that was asked for as its attribute.

    This package raises it too, for a name that it does not have.
    """


class NotPortable(McpMagicError):
    """A server cannot be reached from another process: its handle is not pickled."""


class ToolFailed(McpMagicError):
    """The tool ran and reported an error.

    Attributes:
        result: The whole result, a ``CallResult``.
    """

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result


class ToolRefused(McpMagicError):
    """A filter of the server's entry or read-only mode keeps the tool from running."""


class ServerError(McpMagicError):
    """Something went wrong on the way to a server or back.

    Attributes:
        server: The configured name of the server.
        status: The HTTP status of its answer, if that was the trouble.
        retry_after: Its ``Retry-After`` header, or an empty text; untrusted.
    """

    def __init__(self, message: str, server: str = "") -> None:
        super().__init__(message)
        self.server = server
        self.status: int | None = None
        self.retry_after = ""


class ServerUnreachable(ServerError):
    """The server could not be started, reached or talked to."""


class ServerExited(ServerError):
    """The server's process ended; the message has its last words."""


class CallTimedOut(ServerError):
    """The server did not answer within the limit; the call was cancelled there."""


class AuthorizationRequired(ServerError):
    """The server wants a person to sign in.

    Attributes:
        challenge: The ``WWW-Authenticate`` header of its refusal; untrusted.
    """

    def __init__(self, message: str, server: str = "", challenge: str = "") -> None:
        super().__init__(message, server)
        self.challenge = challenge


class SignInFailed(ServerError):
    """Signing in, or renewing a token, did not work; nothing secret is in its text."""


class AnswerRefused(SignInFailed):
    """A pasted address does not belong to the sign-in that waits; it goes on."""


class ApprovalRequired(ServerError):
    """A folder brought the server along, and nobody has agreed to it yet."""


class RequestRefused(ServerError):
    """The server answered a request with a JSON-RPC error.

    Attributes:
        code: The JSON-RPC error code, such as -32602.
        data: What the server said about it besides its message, as JSON.
    """

    def __init__(
        self, message: str, server: str = "", code: int = 0, data: object = None
    ) -> None:
        super().__init__(message, server)
        self.code = code
        self.data = data
