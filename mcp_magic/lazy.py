"""Import the names of a package when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping

__all__ = ["lazily"]


def lazily(package: str, homes: Mapping[str, Iterable[str]]) -> Callable[[str], object]:
    """Return a ``__getattr__`` for a package whose names live in modules of its own.

    Args:
        package: The package's full name.
        homes: By full name of a module, the names that it gives.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def getattribute(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(importlib.import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return getattribute
