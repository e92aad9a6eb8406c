"""Servers as Python objects, their tools as functions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from inspect import Parameter, Signature
from types import FunctionType
from typing import Self

from mcp_magic.client.loop import Flow
from mcp_magic.config import ServerEntry
from mcp_magic.display import html, text
from mcp_magic.errors import NoSuchAttribute, UnknownServer, visible
from mcp_magic.language import (
    Bound,
    bind,
    help_page,
    signature,
    spell_verb,
    values,
)
from mcp_magic.model import Schema, Tool
from mcp_magic.naming import Corrected, Unresolved, resolve
from mcp_magic.session import given
from mcp_magic.session.call import CallOptions, call
from mcp_magic.session.pickling import carried, received
from mcp_magic.session.result import CallResult
from mcp_magic.session.session import Session, current
from mcp_magic.session.signatures import python_signature

__all__ = ["Server", "ToolFunction", "entry_of"]

# Asked of any object by IPython (which calls ``getdoc``), pandas and the variable
# viewers of editors: no reason to start a server, nor to call a tool.
_PROBED = frozenset(("columns", "dtype", "dtypes", "getdoc", "shape", "size"))

# What stands for the source of a tool, which runs elsewhere: ``??`` shows none.
_ELSEWHERE = FunctionType((lambda: None).__code__.replace(co_filename="<string>"), {})


# ``__call__`` as ``?`` should see it: the tool's signature, and no help of its own.
class _Signed:
    __slots__ = ("_tool",)

    def __init__(self, tool: ToolFunction) -> None:
        self._tool = tool

    def __call__(self, /, *args: object, **kwargs: object) -> CallResult:
        return self._tool(*args, **kwargs)

    @property
    def __signature__(self) -> Signature:
        return self._tool.__signature__


class ToolFunction:
    """A tool of a server as a function, with the tool's own signature and help.

    It is an object rather than a plain function so that it can be pickled: see
    ``Server``.
    """

    def __init__(
        self, server: Server, name: str, tool: Tool | None, options: CallOptions
    ) -> None:
        self._server, self._tool, self._options = server, tool, options
        self.__name__ = name
        self.__qualname__ = visible(f"{_entry(server).name}.{name}")
        self.__module__ = "mcp_magic"
        self.__wrapped__ = _ELSEWHERE
        vars(self)["__call__"] = _Signed(self)

    def __call__(self, /, *args: object, **kwargs: object) -> CallResult:  # noqa: D102 - see _Signed
        session = _session(self._server)
        return session.run(self._flow(args, kwargs), self.__qualname__)

    @cached_property  # a property is what ``server.tool.aio?`` would tell about
    def aio(self) -> Callable[..., Awaitable[CallResult]]:
        """The same tool for async code: ``await server.add.aio(a=2, b=3)``."""

        async def aio(*args: object, **kwargs: object) -> CallResult:
            return await _session(self._server).crossing.arun(self._flow(args, kwargs))

        aio.__qualname__, aio.__module__ = f"{self.__qualname__}.aio", self.__module__
        aio.__doc__ = self.__doc__
        vars(aio).update(__signature__=self.__signature__, __wrapped__=_ELSEWHERE)
        return aio

    def with_options(self, *, timeout: float | None = None) -> ToolFunction:
        """Return the same tool with a limit for its calls.

        Args:
            timeout: Seconds a call may take; ``None`` for the session's limit.

        Raises:
            ArgumentError: It is no number of seconds above 0.
        """
        if timeout is not None:
            timeout = given.seconds("timeout", timeout)
        options = replace(self._options, timeout=timeout)
        return ToolFunction(self._server, self.__name__, self._tool, options)

    def _flow(
        self, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> Flow[CallResult]:
        typed = values(args, kwargs)

        def binder(schema: Schema | None, shown: str) -> Bound:
            return bind(typed, schema, label=shown)

        server = entry_of(self._server).name
        return call(
            _session(self._server), server, self.__name__, binder, self._options
        )

    # Made when they are asked for: a call needs neither. The class thereby has no
    # ``__doc__`` of its own, which ``?`` would show below each tool's.

    @property
    def __doc__(self) -> str:  # type: ignore[override] # it is never set
        if self._tool is None:
            return f"{self.__qualname__} is not listed by its server."
        server = _entry(self._server).name
        return visible(help_page(self._tool, f"{server}.{self._tool.name}"))

    @property
    def __signature__(self) -> Signature:
        return _ANY if self._tool is None else python_signature(self._tool)

    def __repr__(self) -> str:
        if self._tool is None:
            return self.__doc__
        server = visible(_entry(self._server).name)
        said = text.brief(self._tool.description or self._tool.title)
        shown = f"{server}.{signature(self._tool)}"
        return f"{shown}\n  {said}" if said else shown

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolFunction) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._server, self.__name__))

    def _key(self) -> tuple[object, ...]:
        return self._server, self.__name__, self._options

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return ToolFunction, (self._server, self.__name__, self._tool, self._options)


_ANY = Signature(
    (Parameter("args", Parameter.VAR_POSITIONAL),
     Parameter("kwargs", Parameter.VAR_KEYWORD))
)  # fmt: skip


class Server:
    """A server: its tools are attributes and items, nothing else is.

    ``server.add(a=2, b=3)`` or ``server["odd-name"](…)`` calls a tool and returns a
    ``CallResult``. A closed server is connected again by the next call. What else can
    be done with a server are functions: ``mcp_magic.tools(server)``,
    ``mcp_magic.close(server)``.

    A server and its tools can be pickled. What travels is how the server is reached,
    as it was written: each process connects by itself at the first call.
    """

    __slots__ = ("_entry", "_session")

    def __init__(self, session: Session, entry: ServerEntry) -> None:
        self._session = session
        self._entry = entry

    def __getattr__(self, name: str) -> ToolFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _PROBED and name not in _known(self):
            raise _no_attribute(self, name, ())
        listed = _tools(self)
        exact = name if name in listed else _aliases(listed).get(name)
        if exact is not None and exact != "getdoc":
            return _function(self, exact, listed[exact])
        match resolve(name, listed, policy=self._session.policy):
            case Corrected(right):
                return _function(self, name, listed[right])
            case Unresolved(suggestions=nearest):
                raise _no_attribute(self, name, nearest)
        raise _no_attribute(self, name, ())

    def __getitem__(self, name: str) -> ToolFunction:
        label = self._entry.name
        given.text(f"{label}[…]", name, hint=f"; write {label}['TOOL']")
        return _function(self, name, _tools(self).get(name))

    def __dir__(self) -> list[str]:
        listed = _known(self)
        names = {name for name in listed if _plain(name)} | set(_aliases(listed))
        return sorted(names - {"getdoc"})

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

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _server, (carried(self._entry),)

    def _ipython_key_completions_(self) -> list[str]:
        return list(_known(self))

    def __repr__(self) -> str:
        name = visible(self._entry.name)
        if not _is_current(self):
            return f"{name}: not known any more"
        live = self._session.connections.live(self._entry.name)
        if live is None or not live.is_up:
            return text.not_connected(self._entry.name, _known(self))
        return _listing(self, text.tool_list)

    def _repr_mimebundle_(self, **_kinds: object) -> dict[str, object]:
        live = self._session.connections.live(self._entry.name)
        if live is None or not live.is_up or not _is_current(self):
            return {"text/plain": repr(self)}
        shown = _listing(self, html.tool_list)
        return {"text/plain": repr(self), "text/html": shown}


def entry_of(server: Server) -> ServerEntry:
    """Return how a server is reached; servers have no public attributes for it.

    Raises:
        UnknownServer: It was removed, or its name means another server now.
    """
    name = _entry(server).name
    if not _is_current(server):
        raise _session(server).known.refusal(name) or UnknownServer(
            f"{name} is not known any more, or means another server now; "
            "connect to it again",
            typed=name,
        )
    return _entry(server)


def _server(value: object) -> Server:
    """Return the server that was pickled; it is connected to when it is used."""
    session = current()
    return Server(session, received(session, value))


def _entry(server: Server) -> ServerEntry:
    return server._entry  # noqa: SLF001 - same module


def _session(server: Server) -> Session:
    return server._session  # noqa: SLF001 - same module


def _is_current(server: Server) -> bool:
    name, target = _entry(server).name, _entry(server).target
    known = (one.target for one in _session(server).entries if one.name == name)
    return next(known, None) == target


def _known(server: Server) -> Mapping[str, Tool]:
    """Return the tools as last listed; connects to nothing."""
    if not _is_current(server):
        return {}
    live = _session(server).connections.live(_entry(server).name)
    return {} if live is None or live.tools is None else live.tools


def _listing(
    server: Server, write: Callable[[str, Sequence[Tool], text.Meaning], str]
) -> str:
    session, tools = _session(server), list(_known(server).values())
    beside = session.meanings.beside(tools, read_only=session.read_only)
    return write(_entry(server).name, tools, beside)


def _tools(server: Server) -> Mapping[str, Tool]:
    session, name = _session(server), entry_of(server).name
    live = session.connections.live(name)
    if (live is None or not live.is_fresh) and session.person.looks():
        return _known(server)
    connection = session.run(session.connections.connected(name))
    return connection.tools or {}


def _function(server: Server, name: str, tool: Tool | None) -> ToolFunction:
    return ToolFunction(server, name, tool, CallOptions())


def _no_attribute(server: Server, name: str, nearest: Sequence[str]) -> NoSuchAttribute:
    """Return the error for an attribute, which says what to write instead."""
    label = _entry(server).name
    live = _session(server).connections.live(label)
    item = f"{label}[{name!r}]"
    if live is None or live.tools is None:
        why = "is not connected" if live is None else "could not list its tools"
        return NoSuchAttribute(f"{label} {why}; write {item} for its tool {name!r}")
    if name in live.tools:
        return NoSuchAttribute(f"write {item}; IPython asks for attributes {name!r}")
    if nearest:
        meant = " or ".join(
            f"{label}.{one}" if _plain(one) else f"{label}[{one!r}]"
            for one in nearest[:3]
        )
        return NoSuchAttribute(f"{label} has no tool {name!r}. Did you mean {meant}?")
    lists = f"{spell_verb('list', label)} lists them"
    return NoSuchAttribute(f"{label} has no tool {name!r}; {lists}")


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
