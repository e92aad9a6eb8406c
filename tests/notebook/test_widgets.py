"""Widgets without a browser: forms on their way to the screen and back."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest

from mcp_magic.errors import McpMagicError
from mcp_magic.language import fields
from mcp_magic.model import Accepted, FormQuestion, Json, Schema
from mcp_magic.notebook.widgets.forms import entered, sheet
from mcp_magic.notebook.widgets.inquiry import summary
from mcp_magic.notebook.widgets.keeping import secrets_in
from tests import headless
from tests.kernels import Kernel
from tests.language.reading import SCHEMAS, schema

_VIEW = "application/vnd.jupyter.widget-view+json"

_DEFAULT: Schema = {"properties": {"n": {"type": "integer", "default": 2**64}}}
_LOGIN: Schema = {
    "properties": {
        "who": {"type": "object", "properties": {"password": {"type": "string"}}},
        "api_key": {"type": "string", "pattern": "^[0-9]+$"},
        "page": {"type": "integer"},
    }
}


def _members(**marks: Json) -> dict[str, Json]:
    return {"members": [[name, mark] for name, mark in marks.items()]}


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda p: p.stem)
def test_every_field_case_can_be_drawn(path: Path) -> None:
    assert json.loads(json.dumps(sheet(fields(schema(path.stem[:2])))))["kind"]


def test_a_sheet_holds_what_a_person_sees_and_no_values() -> None:
    field = fields({"properties": {"v": {"enum": ["1", 1, True]}}}).root.fields[0]
    assert sheet(field)["choices"] == ["1", "1", "true"]


@pytest.mark.parametrize(
    ("of", "mark", "values"),
    [
        (schema("01"), _members(tab_id={"typed": "0123"}), {"tab_id": "0123"}),
        (schema("23"), _members(big={"typed": str(2**64 - 1)}), {"big": 2**64 - 1}),
        (schema("02"), _members(a={"null": True}), {"a": None}),
        (schema("03"), _members(color={"chosen": [2]}), {"color": "1"}),
        (_DEFAULT, _members(n={"default": True}), {"n": 2**64}),
        (_DEFAULT, _members(), {}),
        (
            schema("05"),
            _members(tree=_members(value={"typed": "1"}, children={"rows": []})),
            {"tree": {"value": 1, "children": []}},
        ),
        (
            schema("11"),
            _members(pair={"rows": [{"typed": "a"}, {"typed": "2"}, None]}),
            {"pair": ["a", 2]},
        ),
        (
            schema("07"),
            {"variant": 1, "mark": _members(source_url={"typed": "https://h"})},
            {"source_url": "https://h"},
        ),
        (
            schema("16"),
            _members(**{"__proto__": {"typed": "@x"}, "from": {"typed": "$y {z}"}}),
            {"from": "$y {z}", "__proto__": "@x"},
        ),
    ],
    ids=str,
)
def test_what_comes_back_is_read_as_it_was_typed(
    of: Schema, mark: Json, values: Json
) -> None:
    reading = entered(fields(of), json.loads(json.dumps(mark)))
    assert (reading.values, reading.problems) == (values, ())


@pytest.mark.parametrize(
    ("of", "mark", "pointer", "says"),
    [
        (
            schema("21"),
            {"members": [["headers", {"members": [["A", {"typed": "1"}]] * 2}]]},
            "/headers/A",
            "twice",
        ),
        (
            schema("11"),
            _members(pair={"rows": [None, {"typed": "2"}]}),
            "/pair/0",
            "needed",
        ),
    ],
    ids=["a key twice", "a gap"],
)
def test_what_only_rows_can_get_wrong_is_told(
    of: Schema, mark: Json, pointer: str, says: str
) -> None:
    (problem, *_) = entered(fields(of), mark).problems
    assert (problem.pointer, says in problem.message) == (pointer, True)


@pytest.mark.parametrize(
    "mark",
    [
        None,
        {"typed": 1},
        {"chosen": [True]},
        {"rows": [{"row": 1}]},
        {"members": ["a"]},
        {"variant": 9, "mark": {}},
        {"hidden": True},
    ],
    ids=str,
)
def test_what_no_form_sends_is_refused(mark: Json) -> None:
    with pytest.raises(McpMagicError):
        entered(fields(schema("07")), mark)


def test_a_secret_that_stayed_in_the_browser_is_not_checked() -> None:
    mark = _members(api_key={"hidden": True}, page={"typed": "x"})
    problems = entered(fields(_LOGIN), mark, draft=True).problems
    assert [one.pointer for one in problems] == ["/page"]


def test_parameters_with_secrets_are_named_at_any_depth() -> None:
    who = _members(password={"hidden": True})
    mark = _members(who=who, api_key={"typed": "1"}, page={"typed": "2"})
    assert secrets_in(fields(_LOGIN).root, mark) == ("who", "api_key")
    assert secrets_in(fields(_LOGIN).root, _members(page={"typed": "2"})) == ()


def test_a_live_view_stands_beside_the_static_table(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)}
    with Kernel(tmp_path, env) as kernel:
        kernel.run("%load_ext mcp_magic")
        shown = kernel.run("%mcp demo").result
        assert shown[_VIEW]["model_id"]
        assert "<table>" in shown["text/html"]
        assert shown["text/plain"].startswith("demo: ")
        kernel.run("%config McpMagics.widgets = False")
        assert sorted(kernel.run("%mcp").result) == ["text/html", "text/plain"]
        kernel.run("%unload_ext mcp_magic")
        bare = kernel.run("import mcp_magic; mcp_magic.connect('demo')").result
        assert sorted(bare) == ["text/html", "text/plain"]


def test_a_server_that_fails_is_told_above_the_live_list_of_the_others(
    tmp_path: Path,
) -> None:
    with Kernel(tmp_path, dict(os.environ)) as kernel:
        kernel.run("%load_ext mcp_magic")
        kernel.run("%mcp add gone /no/such/program")
        model = kernel.run("%mcp list gone demo").result[_VIEW]["model_id"]
        kernel.run("from ipywidgets.widgets.widget import _instances")
        notes = kernel.run(f"print(*_instances[{model!r}].notes)").stdout
    assert notes == "gone cannot be started: there is no file /no/such/program\n"


def test_what_runs_without_a_person_holds_no_widget(tmp_path: Path) -> None:
    """WID-03: nbclient saves widgets' states, and pages made of them need scripts."""
    cells = ["%load_ext mcp_magic", "%mcp demo", "%mcp"]
    notebook = headless.execute(headless.of_cells(cells), tmp_path)
    assert "widget" not in nbformat.writes(notebook)
    assert "<table>" in notebook.cells[1].outputs[0].data["text/html"]


_PASSWORD: Json = {"type": "object", "properties": {"password": {"type": "string"}}}
_MAP: Json = {"type": "object", "additionalProperties": {"type": "string"}}
_USER: Json = {"type": "object", "properties": {"user": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (_PASSWORD, {"password": "hunter2"}),
        ({"properties": {"login": _PASSWORD}}, {"login": {"password": "hunter2"}}),
        (
            {"properties": {"all": {"type": "array", "items": _PASSWORD}}},
            {"all": [{"password": "hunter2"}]},
        ),
        ({"oneOf": [_USER, _PASSWORD]}, {"password": "hunter2"}),
        ({"properties": {"h": _MAP}}, {"h": {"Authorization": "hunter2"}}),
        ({"type": "object"}, {"token": "hunter2"}),
    ],
    ids=["flat", "group", "list", "union", "map", "added"],
)
def test_what_is_left_of_a_question_tells_no_secret_however_deep(
    schema: Mapping[str, Json], answer: Mapping[str, Json]
) -> None:
    left = summary(FormQuestion("srv", "Who?", schema), Accepted(answer))
    assert left == f"srv asked: Who?\nAnswered: {next(iter(answer))}: •••."
