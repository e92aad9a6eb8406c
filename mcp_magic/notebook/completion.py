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

_FILES = "IPCompleter.file_matcher"
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
    fragment, texts, is_python = found
    some = [SimpleCompletion(text=one, type="mcp") for one in texts]
    return {
        "completions": some if some or is_python else _Nothing(),
        "matched_fragment": fragment,
        "suppress": True,
        # A command or the text of an argument may be in a file.
        "do_not_suppress": set() if some else {_FILES},
        "ordered": True,
    }


class _Nothing(list[SimpleCompletion]):
    """No completions, without those of Python that IPython would show instead."""

    def __len__(self) -> int:
        """Return what IPython wants to see before it leaves others out."""
        return 1


def _find(
    context: CompletionContext, session: Session, names: Iterable[str]
) -> tuple[str, list[str], bool] | None:
    """Return what is typed, what it could be, and whether Python may stand there."""
    lines = context.full_text.split("\n")
    row = context.cursor_line
    up_to = lines[row][: context.cursor_position]
    first = _LINE.match(lines[0])
    if row > 0 and first is not None and first[1] == "%%":
        called = given_call(session, first["rest"])
        if called is None:
            return "", [], True
        before = "\n".join([*lines[1:row], up_to])
        after = "\n".join([lines[row][len(up_to) :], *lines[row + 1 :]])
        return *in_body(called, before, after), True
    match = _LINE.match(up_to)
    if match is None or (match[1] == "%%" and row > 0):
        return None
    rest = match["rest"]
    found = candidates(session, rest, names, cell=match[1] == "%%")
    return *found, "(" in rest
