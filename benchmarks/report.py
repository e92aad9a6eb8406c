"""Show what was measured, and write it down for later comparison."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

from benchmarks import npm
from benchmarks.registry import Measured, NotMeasured, Row

__all__ = ["Results", "table", "write"]

Results: TypeAlias = Sequence[tuple[Row, Measured | NotMeasured]]

_PACKAGES = ("mcp-magic", "mcp", "ipython", "rapidfuzz")
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def table(results: Results) -> str:
    """Return the rows as a Markdown table."""
    head = ("what", "against", "ours", "theirs", "ratio", "reach", "", "note")
    lines = [head, ("---",) * len(head), *(_cells(*result) for result in results)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cells(row: Row, result: Measured | NotMeasured) -> tuple[str, ...]:
    if isinstance(result, NotMeasured):
        why = f"not measured: {result}"
        return row.what, row.against, "", "", "", str(row.reach), "-", why
    ratio = result.ratio(row.reach)
    return (
        row.what,
        row.against,
        _time(result.ours),
        _time(result.theirs),
        f"{ratio:.3g}x",
        str(row.reach),
        "yes" if row.reach.is_met(ratio) else "NO",
        result.note,
    )


def _time(seconds: float) -> str:
    for unit, name in _UNITS:
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e6:.3g} µs"


def write(path: Path, results: Results) -> None:
    """Write everything to a JSON file, with what it depends on."""
    report = {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "versions": _versions(),
        "rows": {row.name: _entry(row, result) for row, result in results},
    }
    text = json.dumps(report, indent=2, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def _entry(row: Row, result: Measured | NotMeasured) -> dict[str, object]:
    head: dict[str, object] = {
        "what": row.what,
        "against": row.against,
        "reach": str(row.reach),
    }
    if isinstance(result, NotMeasured):
        return {**head, "not_measured": str(result)}
    ratio = result.ratio(row.reach)
    return {
        **head,
        "ratio": _short(ratio),
        "met": row.reach.is_met(ratio),
        "ours_seconds": _short(result.ours),
        "theirs_seconds": _short(result.theirs),
        "note": result.note,
    }


def _short(number: float) -> float:
    return float(f"{number:.4g}")


def _versions() -> dict[str, str]:
    found = {name: version(name) for name in _PACKAGES}
    mcporter = npm.version("mcporter")
    if mcporter is not None:
        found["mcporter"] = mcporter
    try:
        node = subprocess.run(
            [npm.node(), "--version"], capture_output=True, text=True, check=True
        )
    except (NotMeasured, OSError, subprocess.CalledProcessError):
        return found
    return {**found, "node": node.stdout.strip().removeprefix("v")}
