"""An IPython shell with the magics loaded, as a person has it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from typing import TypeAlias

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from mcp_magic import CallResult
from mcp_magic.config import Target
from mcp_magic.session import current

__all__ = ["Magic", "magics"]

Magic: TypeAlias = Callable[[str], CallResult]
"""Runs the line of a call and returns what it gives."""


@contextlib.contextmanager
def magics(**servers: Target) -> Iterator[Magic]:
    """Give ``%mcp``, with servers known by name."""
    with tempfile.TemporaryDirectory() as folder:
        config = Config()
        config.HistoryManager.enabled = False
        shell = InteractiveShell(config=config, ipython_dir=folder)  # type: ignore[no-untyped-call] # IPython's
        shell.run_line_magic("load_ext", "mcp_magic")
        for name, target in servers.items():
            current().adopt(target, name)

        def run(line: str) -> CallResult:
            result = shell.run_line_magic("mcp", line)
            if not isinstance(result, CallResult):
                raise TypeError(f"%mcp {line} gave no result")
            return result

        try:
            yield run
        finally:
            shell.run_line_magic("unload_ext", "mcp_magic")
