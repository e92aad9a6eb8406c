"""What could stand at the cursor in the call form: parameters, values, Python names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mcp_magic.notebook.called import Called, choices, find_called, is_clear

if TYPE_CHECKING:
    from mcp_magic.session import Session

__all__ = ["in_form"]

_FORM = re.compile(r"(?:^|\s)(?P<target>[^\s(\"'=]+)\((?P<inside>.*)$", re.DOTALL)
# The value of a parameter of the call form, up to the cursor.
_VALUE = re.compile(r"""(?:^|,)\s*(?P<key>\w+)\s*=\s*(?P<typed>\w*|"[^"\\]*)$""")


def in_form(
    session: Session, rest: str, names: Iterable[str]
) -> tuple[str, list[str]] | None:
    """Return what is typed at the end of ``server.tool(…``, and what could stand there.

    Args:
        session: Knows the servers.
        rest: What stands between ``%mcp`` and the cursor.
        names: The variables of the notebook.

    Returns:
        ``None`` if *rest* is no call form of a known tool.
    """
    match = _FORM.search(rest)
    called = match and find_called(session, [match["target"]])
    if not match or called is None:
        return None
    inside = match["inside"]
    value = _VALUE.search(inside)
    if value and _is_level(inside[: value.start()]):
        typed = value["typed"]
        texts = [
            one for one in _literals(called, value["key"]) if one.startswith(typed)
        ]
        if texts:
            return typed, texts
    word = re.search(r"(?<![\w.])[^\W\d]\w*$|$", inside)
    fragment = word[0] if word else ""
    before = inside[: len(inside) - len(fragment)].rstrip()
    found = [name for name in names if fragment]
    if before[-1:] in ("", ",") and _is_level(before):
        given = set(re.findall(r"(\w+)\s*=", before))
        parameters = called.document.parameters.nodes
        found += [f"{one}=" for one in parameters if one.isidentifier()
                  and one not in given and is_clear(one)]  # fmt: skip
    return fragment, sorted(one for one in found if one.startswith(fragment))


def _literals(called: Called, key: str) -> Iterator[str]:
    """Yield the values that a schema names, as Python writes them."""
    node = called.document.parameters.nodes.get(key)
    for one in () if node is None else choices(node):
        if isinstance(one, str) and is_clear(one):
            yield json.dumps(one, ensure_ascii=False)
        elif isinstance(one, bool | int | float):
            yield repr(one)


def _is_level(text: str) -> bool:
    """Whether every bracket in *text* is closed."""
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
