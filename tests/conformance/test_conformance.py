"""The official conformance suite: what passes, and that the rest is known."""

from __future__ import annotations

import pytest

from tests.conformance import suite
from tests.conformance.suite import Scenario, Verdict

_SCENARIO = Scenario("2026-07-28", "tools_call")


def test_every_scenario_passes_or_is_expected_to_fail() -> None:
    suite.install()
    wanted = suite.scenarios()
    verdicts = suite.run(wanted)
    assert suite.differences(verdicts, suite.expected_failures()) == []


def test_only_extensions_of_signing_in_are_expected_to_fail() -> None:
    assert {str(one) for one in suite.expected_failures()} <= {
        "extension auth/dpop",
        "extension auth/dpop-nonce",
        "extension auth/wif-jwt-bearer",
    }


@pytest.mark.parametrize(
    ("passed", "expected", "said"),
    [
        (True, [], []),
        (False, [_SCENARIO], []),
        (False, [], ["2026-07-28 tools_call fails:\n    no call"]),
        (
            True,
            [_SCENARIO],
            ["2026-07-28 tools_call passes: remove it from expected_failures.txt"],
        ),
    ],
    ids=["passes", "known to fail", "fails", "passes but listed"],
)
def test_a_difference_says_what_to_do(
    passed: bool,  # noqa: FBT001 - a column of the table
    expected: list[Scenario],
    said: list[str],
) -> None:
    verdict = Verdict(_SCENARIO, passed, 1, ("no call",))
    assert suite.differences([verdict], expected) == said
