"""``python -m tests.conformance``: the conformance suite, a line a scenario.

An argument is a pattern: only scenarios in whose name or leg it is found are run.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence

from tests.conformance.suite import (
    Scenario,
    Verdict,
    differences,
    expected_failures,
    install,
    run,
    scenarios,
)


def main(pattern: str = "") -> int:
    """Run the suite, and return 1 if anything is not as expected."""
    install()
    wanted = [one for one in scenarios() if re.search(pattern, str(one))]
    expected = expected_failures()

    def tell(verdict: Verdict) -> None:
        _say(_line(verdict, verdict.scenario in expected))

    verdicts = run(wanted, tell)
    _say("")
    for line in _totals(verdicts):
        _say(line)
    found = differences(verdicts, expected)
    if not pattern:
        found += _unknown(expected, wanted)
    for difference in found:
        _say(f"\n{difference}")
    _say("" if found else "Everything is as expected.")
    return 1 if found else 0


def _line(verdict: Verdict, known: bool) -> str:  # noqa: FBT001 - a fact, no option
    word = "pass" if verdict.passed else "fail (expected)" if known else "FAIL"
    return f"{word:<16}{verdict.scenario.leg:<11} {verdict.scenario.name}" + (
        f"  {verdict.checks}" if verdict.checks else ""
    )


def _totals(verdicts: Sequence[Verdict]) -> list[str]:
    runs = Counter(verdict.scenario.leg for verdict in verdicts)
    passed = Counter(one.scenario.leg for one in verdicts if one.passed)
    checks = sum(verdict.checks for verdict in verdicts)
    legs = [f"{leg}: {passed[leg]} of {runs[leg]} scenarios pass" for leg in runs]
    whole = f"all: {passed.total()} of {runs.total()} scenarios pass, {checks} checks"
    return [*legs, whole]


def _unknown(expected: frozenset[Scenario], known: Sequence[Scenario]) -> list[str]:
    gone = sorted(expected - set(known))
    return [f"expected_failures.txt names {one}, which is no scenario" for one in gone]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
