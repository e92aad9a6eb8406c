"""A list of tools: signature, first sentence, meaning and badges."""

from __future__ import annotations

import re

import pytest

from mcp_magic.display import html, text
from mcp_magic.display.badges import badges
from mcp_magic.model import Annotations, Tool
from tests.hostile import faults_in_page

_ADD = Tool("add", description="Add numbers. And more.")


@pytest.mark.parametrize(
    ("hints", "words"),
    [
        (Annotations(), ()),
        (Annotations(*[False] * 4), ()),
        (Annotations(read_only=True), ("read-only",)),
        (Annotations(*[True] * 4), ("read-only", "open world")),
        (Annotations(destructive=True, idempotent=True), ("destructive", "idempotent")),
        (Annotations(open_world=True), ("open world",)),
    ],
)
def test_badges_say_what_is_declared_and_nothing_else(
    hints: Annotations, words: tuple[str, ...]
) -> None:
    assert badges(hints) == words


def test_a_tool_is_two_lines_of_text() -> None:
    tool = Tool(
        "rm", description="Remove. Now.", annotations=Annotations(destructive=True)
    )
    assert text.tool_list("srv", [_ADD, tool]) == (
        "srv: 2 tools\n"
        "  add(…)\n      Add numbers.\n"
        "  rm(…)  [destructive]\n      Remove."
    )


def test_a_page_has_the_same_and_headings_with_a_scope() -> None:
    tool = Tool("rm", annotations=Annotations(destructive=True))
    page = html.tool_list("srv", [_ADD, tool], lambda name: f"means {name}")
    assert page.startswith("<div><b>srv</b>: 2 tools<table><thead>")
    assert page.count('<th scope="col"') == 2
    assert "<code>rm(…)</code><br><i>means rm</i><br><small" in page
    assert ">destructive</small>" in page
    assert faults_in_page(page) == []


def test_a_thousand_tools_are_counted_in_text_and_folded_in_a_page() -> None:
    tools = [Tool(f"tool_{n}", description=f"Do {n}.") for n in range(1000)]
    said = text.tool_list("srv", tools)
    assert said.startswith("srv: 1,000 tools\n  tool_0(…)\n      Do 0.")
    assert said.endswith("\n  … 900 more tools; mcp_magic.tools('srv') lists all")
    page = html.tool_list("srv", tools)
    shown, folded = page.split("<details>")
    assert folded.startswith("<summary>… 970 more tools</summary><table>")
    assert (shown.count("<tr>"), folded.count("<tr>")) == (31, 971)
    assert len(page) < 600_000


@pytest.mark.parametrize(
    ("server", "known", "says"),
    [
        ("srv", [], "%mcp srv connects"),
        ("srv", ["odd-name", "add"], "%mcp srv or %mcp srv.add … connects"),
        ("my srv", ["add"], '%mcp "my srv" or %mcp "my srv".add … connects'),
        ("list", ["add"], "%mcp list list or %mcp list.add … connects"),
    ],
)
def test_a_server_that_is_not_connected_says_what_to_do(
    server: str, known: list[str], says: str
) -> None:
    assert text.not_connected(server, known) == f"{server}: not connected; {says}"


@pytest.mark.parametrize(
    ("shown", "width", "cut"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u0301e", 2, "e\u0301e"),
    ],
)
def test_text_is_cut_to_columns_of_a_terminal(shown: str, width: int, cut: str) -> None:
    assert text.fit(shown, width) == cut
    assert text.columns(cut) <= width


def test_columns_of_a_table_stand_below_each_other_in_any_script() -> None:
    made = text.table(("name", "n"), [("日本", 5), ("e\u0301", 12)])
    assert made == "name   n\n日本   5\ne\u0301     12"


def test_a_formula_is_never_started_in_a_page() -> None:
    page = html.table(("$x$",), [("costs $5 and $6, \\(x\\)",)])
    assert "<span>$</span>5 and <span>$</span>6, <span>\\</span>(x" in page
    assert page.count("$") == page.count("<span>$</span>")


@pytest.mark.parametrize(
    ("shown", "unbroken"),
    [
        ("2026-07-28", True),
        ("read-only", True),
        ("2026", False),
        ("a sentence with well-known words", False),
        ("a" * 40 + "-b", False),
        (7, False),
    ],
)
def test_a_date_in_a_table_is_not_broken_at_its_hyphens(
    *, shown: object, unbroken: bool
) -> None:
    (cell,) = re.findall("<td [^>]*>", html.table(["x"], [[shown]]))
    assert ("white-space:nowrap" in cell) == unbroken
