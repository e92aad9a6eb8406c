"""The benchmarks work, and what they last wrote down is complete; no time is tested."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.__main__ import ordered
from benchmarks.registry import AtLeast, AtMost, Measured, Reach

_ROOT = Path(__file__).parent.parent
_NEEDS_NODE = {"mcporter-warm", "mcporter-cold", "one-typo"}


def _read(path: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return report


def test_every_row_that_needs_python_alone_can_be_measured(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", "benchmarks", "--tiny", "--out", str(out)]
    done = subprocess.run(
        command, cwd=_ROOT, capture_output=True, encoding="utf-8", check=True
    )
    found = _read(out)["rows"]
    assert list(found) == [row.name for row in ordered()]
    left_out = {name for name, row in found.items() if "not_measured" in row}
    assert left_out <= _NEEDS_NODE, done.stdout


def test_what_was_last_measured_has_every_row() -> None:
    latest = _read(_ROOT / "benchmarks" / "latest.json")
    assert set(latest["rows"]) == {row.name for row in ordered()}
    assert {"mcp-magic", "mcp"} <= set(latest["versions"])


@pytest.mark.parametrize(
    ("reach", "ratio", "is_met"),
    [(AtMost(1.5), 2.0, False), (AtMost(2), 2.0, True), (AtLeast(5), 0.5, False)],
    ids=["too slow", "just enough", "slower, not faster"],
)
def test_a_ratio_speaks_the_language_of_its_reach(
    reach: Reach,
    ratio: float,
    is_met: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert Measured(2.0, 1.0).ratio(reach) == ratio
    assert reach.is_met(ratio) is is_met
