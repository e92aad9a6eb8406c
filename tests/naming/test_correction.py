"""Names that do not exist: what is put right, what is suggested (docs/names.md)."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.naming import Corrected, Exact, Policy, Unresolved, resolve
from tests.naming.simulation import DATA, catalogues

VECTORS = json.loads((DATA / "typo-threshold.json").read_text(encoding="utf-8"))
POLICIES: tuple[Policy, ...] = ("guarded", "threshold", "suggest", "off")
DEMO = ["add", "echo", "list_rows", "fail", "wait", "bridge--chrome--screenshot"]

# Names near one another, so that ties, equal names and guards are met often.
NEAR = st.text("ab_-A1é日💧", max_size=6)
TEXT = st.text(st.characters(), max_size=20)
NAMES = st.lists(NEAR | TEXT, max_size=8)


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["input"] or "(empty)")
def test_the_threshold_policy_is_the_published_rule(case: dict[str, Any]) -> None:
    """The published rule: vectors ``typo-threshold``; a tie goes to the first name."""
    expect, typed = case["expect"], case["input"]
    for names in (case["candidates"], case["candidates"][::-1]):
        found = resolve(typed, names, policy="threshold")
        match found:
            case Exact(name) | Corrected(name):
                assert (expect["kind"], expect["value"]) == ("auto", name)
            case Unresolved(suggestions=(first, *_)):
                assert (expect["kind"], expect["value"]) == ("suggest", first)
            case _:
                pytest.fail(f"nothing found for {typed!r}")


@pytest.mark.parametrize(
    "case",
    [case for case in VECTORS if case["expect"]["kind"] == "suggest"],
    ids=lambda case: case["input"],
)
@pytest.mark.parametrize("policy", ["guarded", "suggest"])
def test_what_the_published_rule_suggests_comes_first(
    case: dict[str, Any], policy: Policy
) -> None:
    """Ours: a guarded name shows the same hint as the published rule."""
    found = resolve(case["input"], case["candidates"], policy=policy)
    assert isinstance(found, Unresolved)
    assert found.suggestions[0] == case["expect"]["value"]


@pytest.mark.parametrize(
    ("typed", "names", "meant"),
    [
        ("ad", DEMO, "add"),
        ("lsit_rows", DEMO, "list_rows"),
        ("dmeo", ["demo", "vercel"], "demo"),
        ("vercek", ["vercel", "linear", "demo"], "vercel"),
        ("listIssues", ["list_issues", "create_issue"], "list_issues"),
        ("LIST-ISSUES", ["list_issues", "create_issue"], "list_issues"),
        ("list.issues", ["list_issues", "create_issue"], "list_issues"),
        ("listissues", ["list_issues", "create_issue"], "list_issues"),
        ("listIsues", ["list_issues", "create_issue"], "list_issues"),
        ("list_isues", ["listIssues", "createIssue"], "listIssues"),
        ("li_st_issues", ["list_issues", "create_issue"], "list_issues"),
        ("serach", ["search", "add"], "search"),
        ("grösse", ["größe", "add"], "größe"),
        ("größse_lesen", ["größe_lesen", "add"], "größe_lesen"),
        ("ﬁnd", ["find", "add"], "find"),
        ("  add ", DEMO, "add"),
        ("get_usr", ["get_user", "list_rows"], "get_user"),
        ("search_v1_isues", ["search_v1_issues", "search_v2_issues"], None),
        ("serch_v1", ["search_v1", "search_v2"], "search_v1"),
        ("прочитать-файл", ["прочитать_файл", "add"], "прочитать_файл"),
        ("作成_項目", ["作成項目", "削除項目"], "作成項目"),
    ],
)
def test_a_slip_is_put_right(typed: str, names: list[str], meant: str | None) -> None:
    """docs/names.md: within the threshold, or equal after normalising."""
    expected = "search_v1_issues" if meant is None else meant
    assert resolve(typed, names) == Corrected(expected, typed)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("get_item", ["set_item", "x"]),
        ("getItem", ["setItem", "x"]),
        ("getitem", ["setitem", "x"]),
        ("itemread", ["itemload", "x"]),
        ("lock", ["unlock", "x"]),
        ("lock_door", ["unlock_door", "x"]),
        ("create_issue", ["delete_issue", "update_issue"]),
        ("enable_feature", ["disable_feature", "x"]),
        ("approve", ["disapprove", "x"]),
        ("reticulate", ["dereticulate", "x"]),
        ("drop_table", ["crop_table", "x"]),
        ("import_db", ["export_db", "x"]),
        ("push_branch", ["purge_branch", "x"]),
        ("send", ["end", "x"]),
        ("copy", ["move", "x"]),
        ("backup_create", ["backup_restore", "x"]),
        ("list_widgets", ["list_gadgets", "show_widgets"]),
        ("get_issues", ["get_uses", "x"]),
        ("list_issue_statuses_all", ["list_issue_statuses", "x"]),
        ("issue_list", ["list_issue", "x"]),
        ("search_v1", ["search_v2", "x"]),
        ("search_v1", ["search_v10", "x"]),
        ("sync_s3", ["sync_s4", "x"]),
        ("deploy_dev", ["deploy_prod", "deploy_test"]),
        ("team_a", ["team_b", "x"]),
        ("get", ["set", "del"]),
        ("run", ["rm", "x"]),
        ("ls", ["rm", "mv"]),
        ("x", ["ab", "cd"]),
        ("gh", ["gl", "x"]),
        ("gitlab", ["github", "x"]),
        ("db1", ["db2", "x"]),
        ("prod-db", ["prod-dc", "x"]),
        ("prod-db", ["prod-db2", "x"]),
        ("slack-eu", ["slack-us", "x"]),
        ("включить", ["выключить", "x"]),
        ("создать", ["удалить", "x"]),
        ("創建用戶列表", ["刪除用戶列表", "x"]),
        ("fire🔥🔥x", ["fire🔥x", "x"]),
        ("аdd", ["add", "x"]),
    ],
)
def test_a_name_that_was_meant_is_only_suggested(typed: str, names: list[str]) -> None:
    """docs/names.md, TYP-01, TYP-03, TYP-05: real words, figures, halves of names."""
    assert isinstance(resolve(typed, names), Unresolved)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("get_rat", ["get_cat", "get_bat"]),
        ("get_usr", ["get_user", "get_usl"]),
        ("get-item", ["get_item", "getItem"]),
        ("a_b", ["a-b", "ab"]),
        ("bridge--gx--list", ["bridge--gh--list", "bridge--gl--list"]),
    ],
)
def test_a_tie_is_never_guessed(typed: str, names: list[str]) -> None:
    """TYP-02: both are shown, in the same order whatever the catalogue's."""
    expected = Unresolved(typed, tuple(sorted(names)))
    assert resolve(typed, names) == expected
    assert resolve(typed, names[::-1]) == expected


@pytest.mark.parametrize("names", [["get_user", "getUser"], ["getUser", "get_user"]])
@pytest.mark.parametrize("policy", POLICIES)
def test_an_exact_name_wins_over_an_equal_one(names: list[str], policy: Policy) -> None:
    """TYP-04: exact first over the whole list."""
    assert resolve("getUser", names, policy=policy) == Exact("getUser")


@pytest.mark.parametrize(
    ("typed", "meant", "read_only", "corrected"),
    [
        ("list_issue", "list_issues", [], True),
        ("find_entry", "findEntries", [], True),
        ("show_boxs", "show_boxes", [], True),
        ("describe_boxes", "describe_box", [], True),
        ("issue_view", "issues_view", ["issues_view"], True),
        ("issue_view", "issues_view", [], False),
        ("delete_user", "delete_users", [], False),
        ("delete_users", "delete_user", [], False),
        ("merge_branch", "merge_branches", [], False),
    ],
)
def test_singular_and_plural_are_exchanged_only_to_read(
    typed: str, meant: str, read_only: list[str], *, corrected: bool
) -> None:
    """docs/names.md: the target is read-only, declared or by its first word."""
    found = resolve(typed, [meant, "x"], read_only=read_only)
    assert found == (
        Corrected(meant, typed) if corrected else Unresolved(typed, (meant,))
    )


def test_a_plural_that_is_listed_under_another_verb_is_no_typo() -> None:
    """Ours: beside ``list_tags``, ``get_tags`` does not mean ``get_tag``."""
    found = resolve("get_tags", ["get_tag", "list_tags"])
    assert found == Unresolved("get_tags", ("get_tag", "list_tags"))


def test_a_destructive_tool_is_corrected_to_only_from_an_equal_name() -> None:
    """docs/names.md: ``destructiveHint`` leaves equality after normalising."""
    names, danger = ["purge_cache", "add"], ("purge_cache",)
    assert resolve("purge_cahce", names) == Corrected("purge_cache", "purge_cahce")
    assert resolve("purge_cahce", names, destructive=danger) == Unresolved(
        "purge_cahce", ("purge_cache",)
    )
    assert resolve("purgeCache", names, destructive=danger) == Corrected(
        "purge_cache", "purgeCache"
    )


def test_without_correction_nothing_is_even_suggested() -> None:
    """docs/names.md: policy ``off``."""
    assert resolve("ad", DEMO, policy="off") == Unresolved("ad")


def test_the_suggesting_policy_never_corrects() -> None:
    """docs/names.md: policy ``suggest``, even for equal names."""
    assert resolve("list-rows", DEMO, policy="suggest") == Unresolved(
        "list-rows", ("list_rows",)
    )


@pytest.mark.parametrize(
    ("typed", "names", "expected"),
    [
        ("issues", ["list_issues", "add", "echo"], ("list_issues",)),
        ("issues_list", ["list_issues", "add"], ("list_issues",)),
        ("linear_list_rows", DEMO, ("list_rows",)),
        ("zzqqxxwwvv", DEMO, ()),
        ("mem", ["ar", "zz"], ()),
        ("", DEMO, ()),
        ("--", DEMO, ()),
        ("anything", [], ()),
        ("start", ["stop", "restart", "x"], ("restart",)),
    ],
)
def test_only_names_worth_a_look_are_suggested(
    typed: str, names: list[str], expected: tuple[str, ...]
) -> None:
    """Ours: near names, then those that share the typed words; no far-fetched hint."""
    assert resolve(typed, names) == Unresolved(typed, expected)


def test_of_many_near_names_three_are_suggested() -> None:
    """Ours: a hint fits on one line."""
    names = [f"get_item_{number}" for number in range(1_000)]
    found = resolve("get_item_x", names)
    assert found == Unresolved("get_item_x", ("get_item_0", "get_item_1", "get_item_2"))


@pytest.mark.parametrize("policy", POLICIES)
@settings(deadline=None)
@given(data=st.data(), typed=NEAR | TEXT, names=NAMES)
def test_the_verdict_does_not_depend_on_the_order_of_the_names(
    data: st.DataObject, policy: Policy, typed: str, names: list[str]
) -> None:
    """TYP-02: the same catalogue gives the same verdict."""
    other = data.draw(st.permutations(names))
    marked = data.draw(st.lists(st.sampled_from(names))) if names else []
    found = resolve(typed, names, policy=policy, read_only=marked)
    assert resolve(typed, other, policy=policy, read_only=marked) == found


@settings(deadline=None)
@given(typed=NEAR | TEXT, names=NAMES)
def test_what_is_found_is_a_known_name(typed: str, names: list[str]) -> None:
    """Ours: any text may be typed and any name may exist; nothing is made up."""
    match resolve(typed, names):
        case Exact(name):
            assert name == typed
        case Corrected(name, said):
            assert name in names
            assert (said, name in (typed, "")) == (typed, False)
        case Unresolved(said, suggestions):
            assert said == typed
            assert set(suggestions) <= set(names)
            assert len(set(suggestions)) == len(suggestions) <= 3


@settings(deadline=None)
@given(typed=NEAR | TEXT, names=NAMES)
def test_guards_only_ever_take_corrections_back(typed: str, names: list[str]) -> None:
    """docs/names.md: inside the threshold we still only suggest, never the reverse."""
    guarded = resolve(typed, names)
    if isinstance(guarded, Corrected):
        bare = resolve(typed, [guarded.name], policy="threshold")
        assert bare == Corrected(guarded.name, typed)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(catalogues()), st.data())
def test_a_repeated_name_is_no_tie(names: list[str], data: st.DataObject) -> None:
    """Ours: a catalogue is a set, also where a server lists a tool twice."""
    name = data.draw(st.sampled_from(names))
    assert resolve(name.upper(), names + names) == Corrected(name, name.upper())


def test_exact_names_cost_no_import() -> None:
    """Ours: what is heavy is loaded when a name is unknown."""
    program = (
        "import sys; from mcp_magic.naming import resolve; resolve('a', ['a']);"
        "sys.exit('rapidfuzz' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
