"""Measure every row, show the table, and write it down."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import (
    large,
    loading,
    peer,
    reading,
    report,
    signed,
    starting,
    typos,
    warm,
    widgets,
)
from benchmarks.clock import say
from benchmarks.registry import Measured, NotMeasured, Row, Scale, rows

# Their import registers the rows; this is the order of the table.
_MODULES = (warm, peer, large, starting, typos, loading, reading, signed, widgets)
_LATEST = Path(__file__).with_name("latest.json")


def main(argv: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    asked = _parser().parse_args(argv)
    scale = Scale.full() if asked.full else Scale.tiny() if asked.tiny else Scale()
    wanted = [one for one in ordered() if asked.only in one.name]
    results = [(one, _measure(one, scale)) for one in wanted]
    sys.stdout.write(report.table(results))
    if asked.out is not None:
        report.write(asked.out, results)
    elif len(wanted) == len(rows()) and not asked.tiny:
        report.write(_LATEST, results)


def ordered() -> list[Row]:
    """Return every row in the order of the table."""
    names = [module.__name__ for module in _MODULES]
    return sorted(rows(), key=lambda one: names.index(one.measure.__module__))


def _measure(one: Row, scale: Scale) -> Measured | NotMeasured:
    say(f"{one.what}, against {one.against} …")
    try:
        return one.measure(scale)
    except NotMeasured as why:
        return why
    except Exception as error:  # noqa: BLE001 - the other rows are worth having
        return NotMeasured(f"{type(error).__name__}: {error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Ratios against the package's peers."
    )
    parser.add_argument(
        "--full", action="store_true", help="the bare SDK gets 50 MB, too: minutes more"
    )
    parser.add_argument(
        "--tiny", action="store_true", help="only to see that it works; without npm"
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="rows whose short name holds TEXT"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write there, not to latest.json"
    )
    return parser


if __name__ == "__main__":
    main()
