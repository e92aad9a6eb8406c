"""Play the code cells of a notebook in this terminal, each with what it shows.

Usage: ``python notebooks/play.py NOTEBOOK``. Cells tagged ``raises-exception`` may
fail; any other failing cell ends the play with status 1.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from IPython.terminal.interactiveshell import TerminalInteractiveShell
from traitlets.config import Config

__all__ = ["main"]


def main(path: str) -> int:
    """Run the cells of the notebook at *path*; return the exit status."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    config = Config()
    config.HistoryManager.enabled = False
    shell = TerminalInteractiveShell(config=config, colors="nocolor")
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            print(f"\n\x1b[1m{source}\x1b[0m" if sys.stdout.isatty() else f"\n{source}")  # noqa: T201
        elif not _run(shell, source) and not _may_fail(cell):
            return 1
    return 0


def _run(shell: TerminalInteractiveShell, source: str) -> bool:
    lines = source.splitlines()
    prompt = f"In [{shell.execution_count}]: "
    indent = " " * (len(prompt) - 5) + "...: "
    shown = [prompt + lines[0], *(indent + line for line in lines[1:])]
    print("\n" + "\n".join(shown))  # noqa: T201 - this program prints
    outcome = shell.run_cell(source, store_history=True)  # type: ignore[no-untyped-call] # IPython's
    return bool(outcome.success)


def _may_fail(cell: dict[str, Any]) -> bool:
    return "raises-exception" in cell["metadata"].get("tags", [])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
