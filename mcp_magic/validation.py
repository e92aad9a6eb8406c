"""Imports jsonschema without what takes nine tenths of its time, and few need.

Every Jupyter environment has rfc3987_syntax, which builds 39 parsers when it is
imported: 1.4 s. jsonschema imports it with itself, and uses it for texts of the formats
``iri`` and ``iri-reference`` where a checker of formats is asked for. So it gets a
stand-in, which imports the package itself when it is first used.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from types import ModuleType

__all__ = ["load"]

_SLOW = "rfc3987_syntax"


def load() -> None:
    """Import jsonschema, in some 0.1 s; again, and after others did, it is free."""
    loaded = sys.modules.keys() & {"jsonschema", _SLOW}
    if loaded or find_spec(_SLOW) is None:
        importlib.import_module("jsonschema")
        return
    stand_in = sys.modules[_SLOW] = _StandIn(_SLOW)
    try:
        importlib.import_module("jsonschema")
    finally:
        if sys.modules.get(_SLOW) is stand_in:
            del sys.modules[_SLOW]


class _StandIn(ModuleType):
    """What jsonschema keeps of the package: one function, and that for later."""

    @staticmethod
    def is_valid_syntax(term: str, value: str) -> bool:
        """Answer as the package does; the first time, it is imported."""
        return bool(importlib.import_module(_SLOW).is_valid_syntax(term, value))
