"""Lists of things that show themselves as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Self, TypeVar

from mcp_magic.display import html, text
from mcp_magic.display.limits import plural
from mcp_magic.model import Tool

__all__ = ["Table", "Tools"]

T = TypeVar("T")

_ROWS = 100  # rows that plain text shows; a page folds the others away


class Table(tuple[T, ...]):
    """A tuple that shows itself as a table, or as a few words when it is empty."""

    __slots__ = ()

    headers: ClassVar[Sequence[str]]
    empty: ClassVar[str]

    def row(self, one: T) -> Sequence[object]:
        """Return the cells of one item."""
        raise NotImplementedError

    def __repr__(self) -> str:
        if not self:
            return self.empty
        shown = text.table(self.headers, list(map(self.row, self[:_ROWS])), 80)
        left = len(self) - _ROWS
        return f"{shown}\n… {plural(left, 'more row')}" if left > 0 else shown

    def _repr_mimebundle_(self, **_kinds: object) -> dict[str, object]:
        bundle: dict[str, object] = {"text/plain": repr(self)}
        if self:
            bundle["text/html"] = f"<div>{self._page()}</div>"
        return bundle

    def _page(self) -> str:
        rows = list(map(self.row, self))
        shown = html.table(self.headers, rows[:_ROWS])
        if len(rows) <= _ROWS:
            return shown
        rest = html.table(self.headers, rows[_ROWS:])
        return shown + html.fold(f"… {plural(len(rows) - _ROWS, 'more row')}", rest)


class Tools(tuple[Tool, ...]):  # noqa: SLOT001 - such a tuple can have none
    """The tools of a server, which show themselves as its list.

    Args:
        server: The server's name.
        tools: What it lists.
        meaning: Says what a namespaced name means, or nothing.
    """

    _server: str
    _meaning: text.Meaning

    def __new__(
        cls,
        server: str,
        tools: Iterable[Tool],
        meaning: text.Meaning = text.no_meaning,
    ) -> Self:
        """Make it."""
        made = super().__new__(cls, tools)
        made._server, made._meaning = server, meaning
        return made

    def __reduce__(self) -> tuple[type[Tools], tuple[str, tuple[Tool, ...]]]:
        # What names mean is asked of a session, which stays where it is.
        return Tools, (self._server, tuple(self))

    def __repr__(self) -> str:
        return text.tool_list(self._server, self, self._meaning)

    def _repr_mimebundle_(self, **_kinds: object) -> dict[str, object]:
        page = html.tool_list(self._server, self, self._meaning)
        return {"text/plain": repr(self), "text/html": page}
