"""Forms in a real JupyterLab, row by row against what the server received as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.driving import LOAD, Tools, open_notebook
from tests.browser.lab import Lab, opened_page
from tests.language.reading import schema
from tests.noting import Noting

Fill = Callable[[Tools], object]

_X1: Any = {
    "type": "object",
    "properties": {
        "s": {"type": "string", "default": "a"},
        "n": {"type": "integer", "default": 10},
        "b": {"type": "boolean", "default": True},
        "e": {"enum": ["x", "y"], "default": "x"},
    },
}
_QTY: Any = {
    "type": "object",
    "properties": {"qty": {"type": "integer", "minimum": 1}},
}
_NUMENUM: Any = {
    "type": "object",
    "properties": {"numenum": {"type": "integer", "enum": [1, 2, 3]}},
}
_TITLED: Any = {
    "type": "object",
    "properties": {
        "speed": {
            "oneOf": [
                {"const": "w", "title": "Warp"},
                {"const": 1, "title": "Impulse"},
            ]
        }
    },
}
_UNION: Any = {
    "type": "object",
    "properties": {"v": {"type": ["string", "integer"]}},
}


def _type(**texts: str) -> Fill:
    def fill(tools: Tools) -> None:
        for name, text in texts.items():
            tools.box(name).fill(text)

    return fill


def _choose(name: str, state: str) -> Fill:
    return lambda tools: tools.state(name).select_option(state)


def _pick(name: str, label: str) -> Fill:
    return lambda tools: tools.box(name).select_option(label=label)


def _all(*fills: Fill) -> Fill:
    def fill(tools: Tools) -> None:
        for one in fills:
            one(tools)

    return fill


def _add(name: str, *texts: str) -> Fill:
    def fill(tools: Tools) -> None:
        if tools.state(name).count():
            tools.state(name).select_option("value")
        for at, text in enumerate(texts, 1):
            tools.form.get_by_role("button", name=f"Add to {name}").click()
            tools.box(f"{name} {at}").fill(text)

    return fill


def _key(name: str, key: str, text: str) -> Fill:
    def fill(tools: Tools) -> None:
        if name:
            tools.state(name).select_option("value")
        more = f"Add a key to {name}" if name else "Add a key"
        tools.form.get_by_role("button", name=more, exact=True).click()
        tools.form.get_by_role("textbox", name="Key").fill(key)
        tools.box("value").fill(text)

    return fill


def _nested(levels: int) -> str:
    return '{"l": ' * levels + '"leaf"' + "}" * levels


def _nothing(_tools: Tools) -> None:
    pass


class Sent(NamedTuple):
    """A form that is filled in and what the server then receives."""

    of: Any
    fill: Fill
    received: str


class Refused(NamedTuple):
    """A form that is filled in and what is said instead of a call."""

    of: Any
    fill: Fill
    says: str


_ID = _type(tab_id="1")
_CASES: dict[str, Sent | Refused] = {
    "text stays text": Sent(schema("01"), _type(tab_id="0123"), '{"tab_id": "0123"}'),
    "small number": Sent(
        schema("01"), _type(tab_id="1", ratio="1e-3"), '{"tab_id": "1", "ratio": 0.001}'
    ),
    "no whole number": Refused(schema("01"), _type(tab_id="1", limit="3.7"), "whole"),
    "leading zeros": Refused(schema("01"), _type(tab_id="1", limit="007"), "zeros"),
    "pattern": Refused(schema("01"), _type(tab_id="1", pin="12"), "pattern"),
    "big": Sent(schema("23"), _type(big=str(2**64 - 1)), f'{{"big": {2**64 - 1}}}'),
    "too small": Refused(schema("23"), _type(big="-5"), "at least 0"),
    "repeated": Refused(schema("23"), _add("uniq", "1", "1", "1", "1"), "items"),
    "minimum": Refused(_QTY, _type(qty="0"), "at least 1"),
    "required nullable": Refused(schema("02"), _nothing, "a is needed"),
    "null chosen": Sent(schema("02"), _choose("a", "null"), '{"a": null}'),
    "text null": Sent(schema("02"), _type(a="null"), '{"a": "null"}'),
    "untouched": Sent(_X1, _nothing, "{}"),
    "defaults": Sent(
        _X1,
        _all(
            *(_choose(name, "default") for name in "snb"),
            lambda tools: tools.box("e").select_option("default"),
        ),
        '{"s": "a", "n": 10, "b": true, "e": "x"}',
    ),
    "cleared": Sent(_X1, _all(_type(s="x"), _type(s="")), "{}"),
    "empty on purpose": Sent(_X1, _choose("s", "value"), '{"s": ""}'),
    "ticked": Sent(_X1, lambda tools: tools.box("b").check(), '{"b": true}'),
    "unticked": Sent(
        _X1,
        _all(lambda tools: tools.box("b").check(), lambda t: t.box("b").uncheck()),
        '{"b": false}',
    ),
    "unticked again": Sent(
        _X1,
        _all(lambda tools: tools.box("b").check(), _choose("b", "absent")),
        "{}",
    ),
    "choice of text": Sent(schema("03"), _pick("color", "1"), '{"color": "1"}'),
    "choice of number": Sent(_NUMENUM, _pick("numenum", "2"), '{"numenum": 2}'),
    "titled": Sent(_TITLED, _pick("speed", "Impulse"), '{"speed": 1}'),
    "several choices": Sent(
        schema("03"),
        _all(
            _choose("colors", "value"),
            lambda tools: tools.box("null").check(),
            lambda tools: tools.box("red").check(),
        ),
        '{"colors": ["red", "null"]}',
    ),
    "recursive": Sent(
        schema("05"),
        _all(
            _choose("tree", "value"),
            _type(value="1"),
            _choose("children", "value"),
            lambda t: t.form.get_by_role("button", name="Add to children").click(),
            lambda t: t.box("value").nth(1).fill("2"),
        ),
        '{"tree": {"value": 1, "children": [{"value": 2}]}}',
    ),
    "root of several ways": Sent(
        schema("07"),
        _all(
            lambda t: t.form.get_by_label("Arguments: which way").select_option(
                label="file_id"
            ),
            _type(file_id="007"),
        ),
        '{"file_id": "007"}',
    ),
    "any value as text": Sent(
        schema("10"), _type(payload="plain words"), '{"payload": "plain words"}'
    ),
    "any value as JSON": Sent(
        schema("10"), _type(payload="[1.50]"), '{"payload": [1.5]}'
    ),
    "tuple": Sent(
        schema("11"),
        _all(_choose("pair", "value"), _type(**{"1": "a", "2": "2"})),
        '{"pair": ["a", 2]}',
    ),
    "odd names": Sent(
        schema("12"),
        _type(**{"from": "@x $y {z}", "a=b": "", "(empty name)": "e", "$top": "3"}),
        '{"from": "@x $y {z}", "$top": 3, "": "e"}',
    ),
    "names of a client": Sent(
        schema("13"),
        _all(*(_type(**{name: "1"}) for name in ("self", "server", "tool"))),
        '{"self": "1", "server": "1", "tool": "1"}',
    ),
    "bare object": Sent(schema("16"), _key("", "k", "007"), '{"k": "007"}'),
    "deep": Sent(
        schema("19"),
        lambda t: t.box("l").last.fill(_nested(34)),
        _nested(40),
    ),
    "map": Sent(schema("21"), _key("headers", "A", "1"), '{"headers": {"A": "1"}}'),
    "key outside the pattern": Refused(schema("21"), _key("metrics", "zz", "1"), "zz"),
    "dangling": Sent(schema("22"), _type(a="[1]"), '{"a": [1]}'),
    "date": Sent(schema("23"), _type(day="2026-11-30"), '{"day": "2026-11-30"}'),
    "union of types": Sent(
        _UNION,
        _all(
            _choose("v", "value"),
            lambda t: t.form.get_by_label("v: which way").select_option("integer"),
            lambda t: t.form.get_by_label("integer", exact=True).fill("5"),
        ),
        '{"v": 5}',
    ),
    "no schema of an object": Sent(schema("27"), _key("", "k", "[1]"), '{"k": [1]}'),
    "no type": Sent(schema("14"), _type(q="1"), '{"q": 1}'),
}


@pytest.fixture(name="noting", scope="module")
def _noting(tmp_path_factory: pytest.TempPathFactory) -> Noting:
    return Noting(tmp_path_factory.mktemp("noting"))


@pytest.fixture(name="tools", scope="module")
def _tools(browser: Browser, lab: Lab, noting: Noting) -> Iterator[Tools]:
    """A list with a tool for each case, in one notebook for all of them."""
    listed = [{"name": name, "inputSchema": case.of} for name, case in _CASES.items()]
    with opened_page(browser) as page:
        open_notebook(page, lab, [LOAD, noting.cell(listed)])
        yield Tools(page)


@pytest.mark.parametrize(
    "name", [name for name, case in _CASES.items() if isinstance(case, Sent)]
)
def test_what_is_entered_is_what_the_server_receives(
    tools: Tools, noting: Noting, name: str
) -> None:
    case = _CASES[name]
    assert isinstance(case, Sent)
    tools.open(name)
    case.fill(tools)
    before = len(noting.received())
    expect(tools.run()).to_contain_text("noted")
    (received,) = noting.received()[before:]
    assert json.loads(received) == json.loads(case.received)
    assert received == json.dumps(json.loads(case.received))


@pytest.mark.parametrize(
    "name", [name for name, case in _CASES.items() if isinstance(case, Refused)]
)
def test_what_does_not_fit_is_told_and_the_first_of_it_has_the_focus(
    tools: Tools, noting: Noting, name: str
) -> None:
    case = _CASES[name]
    assert isinstance(case, Refused)
    tools.open(name)
    case.fill(tools)
    before = len(noting.received())
    tools.el.get_by_role("button", name="Run ").first.click()
    expect(tools.el.locator(".mcp-problems")).to_contain_text("to fix:")
    problems = tools.form.locator(".mcp-problem > div")
    expect(problems.filter(has_text=case.says)).to_have_count(1)
    expect(tools.form.locator(":focus")).to_have_count(1)
    assert len(noting.received()) == before


def test_what_the_schema_forbids_cannot_be_entered(tools: Tools) -> None:
    tools.open("any value as JSON")
    never = tools.form.locator(".mcp-kind-never")
    expect(never).to_contain_text("The schema allows no value here.")
    expect(never.locator("input,textarea,select")).to_have_count(0)


def test_values_and_calls_stay_when_another_tool_is_looked_at(tools: Tools) -> None:
    tools.open("minimum")
    tools.box("qty").fill("5")
    tools.run()
    tools.open("no type")
    expect(tools.box("qty")).to_have_count(0)
    tools.open("minimum")
    expect(tools.box("qty")).to_have_value("5")
    expect(tools.calls.first).to_contain_text("n.minimum qty=5")


def test_a_problem_is_shown_when_its_field_is_left(tools: Tools) -> None:
    tools.open("titled")
    tools.open("leading zeros")
    tools.box("limit").fill("x")
    tools.box("limit").press("Tab")
    problem = tools.form.locator(".mcp-problem > div")
    expect(problem).to_contain_text("limit takes a whole number")
    tools.box("limit").fill("3")
    tools.box("limit").press("Tab")
    expect(problem).to_have_count(0)
