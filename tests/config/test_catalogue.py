"""Which entry a name means, when several files have one of that name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from mcp_magic.config import ServerEntry, Source, Stdio, standings
from mcp_magic.config.catalogue import apart

_Scope = Literal["own", "project", "user"]


def _entry(
    name: str, scope: _Scope | None, product: str = "", off: str = ""
) -> ServerEntry:
    if scope is None:
        return ServerEntry(name, Stdio("kernel"))
    file = Path(f"/{scope}/{product}.json")
    source = Source(product, scope, file, f"s.{name}", 3, Path("/"), "0")
    origin = f"{product} ({scope})"
    return ServerEntry(name, Stdio(scope), origin, source, disabled=off)


_ALL = [
    _entry("a", None),
    _entry("a", "own"),
    _entry("a", "project", "Cursor"),
    _entry("a", "project", "VS Code"),
    _entry("a", "user", "Cursor"),
]


def _used(entries: list[ServerEntry], *, approved: bool = True) -> list[int]:
    found = standings(entries, lambda _: approved)
    return [at for at, one in enumerate(found) if not one.why_not]


@pytest.mark.parametrize("first", range(len(_ALL)))
def test_the_first_entry_of_a_name_is_meant(first: int) -> None:
    assert _used(_ALL[first:]) == [0]
    others = standings(_ALL[first:], lambda _: True)[1:]
    assert {one.why_not for one in others} <= {f"shadowed by {_ALL[first].origin}"}


def test_what_nobody_agreed_to_shadows_nothing() -> None:
    """SEC-01."""
    found = standings(_ALL[2:], lambda _: False)
    assert [one.why_not for one in found] == ["not approved", "not approved", ""]


def test_approval_is_asked_of_projects_alone() -> None:
    asked: list[str] = []

    def approved(entry: ServerEntry) -> bool:
        asked.append(entry.origin)
        return True

    standings(_ALL, approved)
    assert asked == ["Cursor (project)", "VS Code (project)"]


def test_a_disabled_entry_leaves_its_name_to_the_next() -> None:
    entries = [
        _entry("a", "user", "Cursor", off="disabled"),
        _entry("a", "user", "Zed"),
    ]
    found = standings(entries, lambda _: True)
    assert [one.why_not for one in found] == ["disabled", ""]


def test_our_own_file_can_switch_a_server_of_another_off() -> None:
    entries = [_entry("a", "own", off="disabled"), _entry("a", "user", "Zed")]
    assert _used(entries) == []


def test_names_that_differ_in_case_alone_are_told_apart() -> None:
    entries = [_entry("GitHub", "user", "Cursor"), _entry("github", "user", "Zed")]
    kept, (problem,) = apart(entries)
    assert kept == (entries[0],)
    assert (problem.file, problem.key, problem.line) == (
        Path("/user/Zed.json"), "s.github", 3,
    )  # fmt: skip
    assert problem.text == (
        "github differs from GitHub of Cursor (user) in nothing but case; rename one"
    )


def test_what_a_project_brings_never_takes_a_name_by_case() -> None:
    project, user = (
        _entry("GitHub", "project", "Cursor"),
        _entry("github", "user", "Zed"),
    )
    assert apart([project, user])[0] == (user,)
    kernel = _entry("github", None)
    assert apart([kernel, project])[0] == (kernel,)


def test_the_same_name_in_two_files_is_no_collision() -> None:
    assert apart(_ALL) == (tuple(_ALL), [])


def test_wide_letters_make_no_other_name() -> None:
    entries = [_entry("a", "user", "Cursor"), _entry("ａ", "user", "Zed")]
    assert apart(entries)[0] == (entries[0],)
