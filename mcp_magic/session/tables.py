"""Lists of things that show themselves as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from mcp_magic.display import html, text
from mcp_magic.display.limits import plural

__all__ = ["Table"]

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
