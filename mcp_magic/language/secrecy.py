"""Which parameters hold secrets: their values are neither shown nor kept."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_magic.language.describe import shown
from mcp_magic.language.schema import Node, spelling

__all__ = ["HIDDEN", "is_secret", "shown_unless_secret"]

HIDDEN = "…"
"""Stands for a value that is not shown."""

# Words of a name whose value is to be kept; cursors are tokens too, and no secrets.
_SECRET = re.compile(
    r"passw(?:or)?d|passphrase|secret|credentials?|(?:api|access|private)_?key"
    r"|(?<!page_)(?<!next_)(?<!sync_)(?<!continuation_)token\Z"
)


def is_secret(name: str, node: Node) -> bool:
    """Whether what stands at *node*, called *name*, must not be shown or kept."""
    if node.annotation("format") == "password" or node.annotation("writeOnly") is True:
        return True
    return bool(node.kinds & {"string", "any"}) and _names_secret(name)


def _names_secret(name: object) -> bool:
    return isinstance(name, str) and _SECRET.search(spelling(name)) is not None


def shown_unless_secret(value: object, name: str, node: Node) -> str:
    """Return a value for a message, or a mark in its place if it is a secret."""
    holds = isinstance(value, Mapping) and any(map(_names_secret, value))
    return HIDDEN if holds or is_secret(name, node) else shown(value)
