"""Servers as Python objects, their tools as functions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Protocol, cast

from mcp_magic.client.loop import Flow
from mcp_magic.config import ServerEntry
from mcp_magic.display import html, text
from mcp_magic.errors import visible
from mcp_magic.language import Bound, bind, help_page, values
from mcp_magic.model import Schema, Tool
from mcp_magic.naming import Corrected, Unresolved, resolve
from mcp_magic.session.call import CallOptions, call
from mcp_magic.session.result import CallResult
from mcp_magic.session.session import Session
from mcp_magic.session.signatures import python_signature

__all__ = ["Server", "ToolFunction", "entry_of"]


class ToolFunction(Protocol):
    """A tool of a server as a function."""

    __name__: str

    def __call__(self, *args: object, **kwargs: object) -> CallResult:
        """Call the tool and wait for its result."""

    def aio(self, *args: object, **kwargs: object) -> Awaitable[CallResult]:
        """Call the tool from async code."""

    def with_options(self, *, timeout: float | None = None) -> ToolFunction:
        """Return the same tool with a limit for its calls, in seconds."""


class Server:
    """A server: its tools are attributes and items, nothing else is.

    ``server.add(a=2, b=3)`` or ``server["odd-name"](…)`` calls a tool and returns a
    ``CallResult``. A closed server is connected again by the next call. What else can
    be done with a server are functions: ``mcp_magic.tools(server)``,
    ``mcp_magic.close(server)``.
    """

    __slots__ = ("_entry", "_session")

    def __init__(self, session: Session, entry: ServerEntry) -> None:
        self._session = session
        self._entry = entry

    def __getattr__(self, name: str) -> ToolFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        listed = _tools(self)
        exact = name if name in listed else _aliases(listed).get(name)
        if exact is not None:
            return _function(self, exact, listed[exact])
        label = self._entry.name
        match resolve(name, listed, policy=self._session.policy):
            case Corrected():
                return _function(self, name, None)
            case Unresolved(suggestions=(best, *_)):
                raise AttributeError(
                    f"{label} has no tool {name!r}. Did you mean {label}.{best}?"
                )
        raise AttributeError(f"{label} has no tool {name!r}")

    def __getitem__(self, name: str) -> ToolFunction:
        return _function(self, name, _tools(self).get(name))

    def __dir__(self) -> list[str]:
        listed = _known(self)
        return sorted({name for name in listed if _plain(name)} | set(_aliases(listed)))

    def __iter__(self) -> Iterator[str]:
        return iter(_tools(self))

    def __contains__(self, name: object) -> bool:
        return name in _tools(self)

    def __len__(self) -> int:
        return len(_tools(self))

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Server) and self._entry == other._entry

    def __hash__(self) -> int:
        return hash(self._entry.name)

    def _ipython_key_completions_(self) -> list[str]:
        return list(_known(self))

    def __repr__(self) -> str:
        live = self._session.live(self._entry.name)
        if live is None or not live.is_up:
            return text.not_connected(self._entry.name, _known(self))
        tools = list(_known(self).values())
        return text.tool_list(self._entry.name, tools, self._session.meaning)

    def _repr_mimebundle_(self, **_kinds: object) -> dict[str, object]:
        live = self._session.live(self._entry.name)
        if live is None or not live.is_up:
            return {"text/plain": repr(self)}
        tools = list(_known(self).values())
        shown = html.tool_list(self._entry.name, tools, self._session.meaning)
        return {"text/plain": repr(self), "text/html": shown}


def entry_of(server: Server) -> ServerEntry:
    """Return how a server is reached; servers have no public attributes for it."""
    return server._entry  # noqa: SLF001 - same module


def _known(server: Server) -> Mapping[str, Tool]:
    """Return the tools as last listed; connects to nothing."""
    live = server._session.live(server._entry.name)  # noqa: SLF001 - same module
    return {} if live is None or live.tools is None else live.tools


def _tools(server: Server) -> Mapping[str, Tool]:
    session, name = server._session, server._entry.name  # noqa: SLF001 - same module
    connection = session.run(session.connected(name))
    if connection.tools is None and connection.listing_error is not None:
        return {}
    return connection.tools or {}


def _plain(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and name[:1] != "_"


def _aliases(listed: Mapping[str, Tool]) -> dict[str, str]:
    """Return attribute names for tools that are no identifiers, where only one fits."""
    made: dict[str, list[str]] = {}
    for name in listed:
        alias = re.sub(r"\W", "_", name)
        alias = f"{alias}_" if keyword.iskeyword(alias) else alias
        if not _plain(name) and _plain(alias):
            made.setdefault(alias, []).append(name)
    return {
        alias: names[0]
        for alias, names in made.items()
        if len(names) == 1 and alias not in listed
    }


def _function(
    server: Server, name: str, tool: Tool | None, options: CallOptions | None = None
) -> ToolFunction:
    session, entry = server._session, server._entry  # noqa: SLF001 - same module
    label = f"{entry.name}.{name}"

    def flow(args: tuple[object, ...], kwargs: dict[str, object]) -> Flow[CallResult]:
        typed = values(args, kwargs)

        def binder(schema: Schema | None, shown: str) -> Bound:
            return bind(typed, schema, label=shown)

        return call(session, entry.name, name, binder, options or CallOptions())

    def function(*args: object, **kwargs: object) -> CallResult:
        return session.run(flow(args, kwargs), label)

    async def aio(*args: object, **kwargs: object) -> CallResult:
        return await session.arun(flow(args, kwargs))

    def with_options(*, timeout: float | None = None) -> ToolFunction:
        return _function(server, name, tool, CallOptions(timeout=timeout))

    return _dressed(function, label, name, tool, aio=aio, with_options=with_options)


def _dressed(
    function: Callable[..., CallResult],
    label: str,
    name: str,
    tool: Tool | None,
    **extras: Callable[..., Any],
) -> ToolFunction:
    """Give a function the name, signature and help of its tool."""
    made = cast("Any", function)
    made.__name__ = name
    made.__qualname__ = visible(label)
    made.__module__ = "mcp_magic"
    for key, extra in extras.items():
        extra.__qualname__ = f"{visible(label)}.{key}"
        setattr(made, key, extra)
    if tool is None:
        made.__doc__ = f"{label} is not listed by its server."
        return cast("ToolFunction", made)
    made.__doc__ = visible(help_page(tool, label))
    made.__signature__ = python_signature(tool)
    made.aio.__doc__, made.aio.__signature__ = made.__doc__, made.__signature__
    return cast("ToolFunction", made)
