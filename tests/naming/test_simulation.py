"""The figures that correction must reach on the tools of real servers."""

from __future__ import annotations

import pytest

from mcp_magic.naming import Corrected, resolve
from tests.naming.simulation import absent, score, swapped, typos

STARTS = (7, 2024, 31337)


@pytest.mark.parametrize("start", STARTS)
def test_one_edit_is_put_right_and_never_runs_a_wrong_tool(start: int) -> None:
    """Ours: 99 % right, none wrong."""
    found = score(typos(1, start))
    assert found.right >= 99
    assert found.wrong == 0


@pytest.mark.parametrize("start", STARTS)
def test_two_edits_are_mostly_put_right(start: int) -> None:
    """Ours: 93 % right, at most 0.1 % wrong."""
    found = score(typos(2, start))
    assert found.right >= 93
    assert found.wrong <= 0.1


def test_a_tool_that_does_not_exist_is_not_taken_for_a_typo() -> None:
    """Ours: at most 1 %; the bare rule runs another tool in two of five cases."""
    assert score(absent()).wrong <= 1
    assert score(absent(), "threshold").wrong > 30


def test_another_verb_is_not_taken_for_a_typo() -> None:
    """Ours: at most 0.1 %; what is left is singular for plural, to read."""
    found = [resolve(typed, names) for typed, names, _ in swapped()]
    corrected = [one for one in found if isinstance(one, Corrected)]
    assert len(corrected) <= 0.001 * len(found)
    for one in corrected:
        assert one.name.startswith(one.typed[:-1]) or one.typed.startswith(one.name)
        assert one.name.split("_")[0] in {"get", "list", "read", "search"}
