"""Every notebook of the repository runs from top to bottom, offline."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from tests import headless

_FOLDER = Path(__file__).parents[2] / "notebooks"
_NOTEBOOKS = sorted(_FOLDER.glob("*.ipynb"))
_SHOWS = {  # what a notebook must have come to
    "01-first-steps.ipynb": "Auto-corrected tool call to demo.add (input: demo.ad).",
    "02-sign-in.ipynb": "The company is called Ajax now",
}


@pytest.mark.kernel
@pytest.mark.parametrize("path", _NOTEBOOKS, ids=lambda path: path.name)
def test_the_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = headless.execute(nbformat.read(path, as_version=4), tmp_path)
    shown = nbformat.writes(notebook)
    assert "Traceback (most recent call last)" not in shown
    assert _SHOWS[path.name] in shown


@pytest.mark.parametrize("path", _NOTEBOOKS, ids=lambda path: path.name)
def test_the_notebook_is_kept_without_outputs(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_there_are_notebooks() -> None:
    assert [path.name for path in _NOTEBOOKS][:1] == ["01-first-steps.ipynb"]
