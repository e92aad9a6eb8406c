"""Lists of things that show themselves as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from mcp_magic.display import html, text

__all__ = ["Table"]

T = TypeVar("T")


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
        rows = [[text.cell(value, 80) for value in self.row(one)] for one in self]
        return text.table(self.headers, rows)

    def _repr_mimebundle_(self, **_kinds: object) -> dict[str, object]:
        bundle: dict[str, object] = {"text/plain": repr(self)}
        if self:
            bundle["text/html"] = html.table(self.headers, list(map(self.row, self)))
        return bundle
