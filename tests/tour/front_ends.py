"""The tour, ``notebooks/01-first-steps.ipynb``, run cell by cell in each front end."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from tests import headless
from tests.terminals import Terminal
from tests.tour.outputs import Shown, from_outputs, from_terminal

__all__ = ["TOUR", "cells", "execute", "in_nbclient", "in_terminal", "saved"]

TOUR = Path(__file__).parents[2] / "notebooks" / "01-first-steps.ipynb"


def cells() -> list[str]:
    """Return the code of the tour, cell by cell."""
    notebook = nbformat.read(TOUR, as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def in_nbclient(folder: Path) -> list[Shown]:
    """Run the tour without a person, as papermill and nbconvert do."""
    return execute(nbformat.read(TOUR, as_version=4), folder)


def execute(
    notebook: NotebookNode, home: Path, folder: Path | None = None
) -> list[Shown]:
    """Run the cells of a notebook of a person at *home*, there or in *folder*."""
    env = {**os.environ, "HOME": str(home)}
    headless.execute(notebook, folder or home, env, may_fail=True)
    return [_at_home(one, str(home)) for one in saved(notebook)]


def _at_home(one: Shown, home: str) -> Shown:
    return Shown(one.source, one.text.replace(home, "~"), one.html.replace(home, "~"))


def saved(notebook: Mapping[str, Any]) -> list[Shown]:
    """Return what the cells of a notebook show in its file."""
    return [
        from_outputs(cell["source"], cell["outputs"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def in_terminal(home: Path) -> Iterator[Shown]:
    """Type the tour into IPython in a terminal."""
    with Terminal(home) as ipython:
        for source in cells():
            yield from_terminal(source, ipython.run(source))
