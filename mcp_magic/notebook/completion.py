"""Tab after ``%mcp`` and in the body of ``%%mcp``: where the cursor is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
)

from mcp_magic.notebook.bodies import in_body
from mcp_magic.notebook.called import given_call
from mcp_magic.notebook.offers import candidates

if TYPE_CHECKING:
    from mcp_magic.session import Session

__all__ = ["complete"]

# ``%mcp …``, ``x = %mcp …`` and the first line of ``%%mcp …``, up to the cursor.
_LINE = re.compile(
    r"^\s*(?:[\w.\[\]'\", ]+(?::[\w.\[\]'\", |]+)?=\s*)?(%{1,2})mcp(?P<rest>[ \t].*)$",
    re.DOTALL,
)


def complete(
    context: CompletionContext, session: Session, names: Iterable[str]
) -> SimpleMatcherResult:
    """Return what IPython's completer should offer for a cursor after ``%mcp``.

    Args:
        context: The cell and the cursor.
        session: Knows the servers.
        names: The variables of the notebook.
    """
    found = _find(context, session, names)
    if found is None:
        return {"completions": [], "suppress": False}
    fragment, texts = found
    return {
        "completions": [SimpleCompletion(text=one, type="mcp") for one in texts],
        "matched_fragment": fragment,
        "suppress": True,
        "ordered": True,
    }


def _find(
    context: CompletionContext, session: Session, names: Iterable[str]
) -> tuple[str, list[str]] | None:
    lines = context.full_text.split("\n")
    row = context.cursor_line
    up_to = lines[row][: context.cursor_position]
    first = _LINE.match(lines[0])
    if row > 0 and first is not None and first[1] == "%%":
        called = given_call(session, first["rest"])
        if called is None:
            return "", []
        before = "\n".join([*lines[1:row], up_to])
        after = "\n".join([lines[row][len(up_to) :], *lines[row + 1 :]])
        return in_body(called, before, after)
    match = _LINE.match(up_to)
    if match is None or (match[1] == "%%" and row > 0):
        return None
    return candidates(session, match["rest"], names, cell=match[1] == "%%")
