"""Values that verbs return to be looked at: pages of text and lists of servers."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_magic.display import html
from mcp_magic.errors import visible

__all__ = ["Listing", "Page"]


class Page(str):
    """A text that shows itself as written, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return visible(self)


class Listing(tuple[object, ...]):
    """Several servers, one below the other; those that failed as one line each."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self))

    def _repr_mimebundle_(self, **_kinds: object) -> dict[str, object]:
        page = "".join(f"<div>{_page(one)}</div>" for one in self)
        return {"text/plain": repr(self), "text/html": page}


def _page(one: object) -> str:
    bundle: Mapping[str, object] = getattr(one, "_repr_mimebundle_", dict)()
    return str(bundle.get("text/html") or html.paragraph(repr(one)))
