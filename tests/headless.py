"""Run notebooks where nobody is, as papermill and nbconvert do."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from tests.kernels import PYTEST, in_files, knocking

__all__ = ["execute", "of_cells"]

_LIMIT = 120  # seconds a kernel or a cell may take; only what fails takes so long


def of_cells(sources: Iterable[str]) -> NotebookNode:
    """Return a notebook with these code cells."""
    return new_notebook(cells=[new_code_cell(source) for source in sources])


def execute(
    notebook: NotebookNode,
    folder: Path,
    env: Mapping[str, str] = os.environ,
    *,
    may_fail: bool = False,
) -> NotebookNode:
    """Run the cells of a notebook by nbclient, and return it with what they showed.

    Args:
        notebook: Which; the outputs are kept in it.
        folder: Where its kernel starts.
        env: The environment of its kernel.
        may_fail: Whether the cells after one that fails are run, too.

    Raises:
        CellExecutionError: A cell failed, and may not.
    """
    with TemporaryDirectory(prefix="k") as sockets, knocking(sockets):
        NotebookClient(
            notebook,
            allow_errors=may_fail,
            config=Config({"KernelManager": in_files(sockets)}),
            # What is shown after a cell's end is waited for as long as the cell itself.
            **dict.fromkeys(("timeout", "startup_timeout", "iopub_timeout"), _LIMIT),
            raise_on_iopub_timeout=True,
            resources={"metadata": {"path": str(folder)}},
        ).execute(env={name: text for name, text in env.items() if name != PYTEST})
    return notebook
