"""The lines that people type, as they arrive at a tool from kernel and terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pexpect
import pytest

from tests.kernels import Kernel, plain

_SERVER = dedent("""
    import json
    from mcp.server import Server
    from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool
    import mcp_magic
    kinds = dict(id="string", n="integer", price="number", q="string", path="string",
                 handle="string", msg="string", limit="integer", title="string",
                 done="boolean", a="integer")
    schema = dict(type="object", properties={k: dict(type=v) for k, v in kinds.items()})
    whole = dict(type="object", properties=dict(value=dict(type="object")))
    async def listing(ctx, params):
        return ListToolsResult(tools=[Tool(name="f", input_schema=schema),
                                      Tool(name="g", input_schema=whole)])
    async def calling(ctx, params):
        text = json.dumps(params.arguments, sort_keys=True)
        return CallToolResult(content=[TextContent(text="got " + text)])
    server = Server("t", on_list_tools=listing, on_call_tool=calling)
    _ = mcp_magic.connect(server, name="t")
""")

# What is typed, and what the server receives.
_LINES = [
    ("%mcp t.f id=007", '{"id": "007"}'),
    ("%mcp t.f n=725653563933458432", '{"n": 725653563933458432}'),
    ("%mcp t.f price:=5.20", '{"price": 5.2}'),
    ("%mcp t.f q=it's fine", '{"id": "fine", "q": "it\'s"}'),
    ("%mcp t.g some words", None),
    ("%mcp t.f q=it's", '{"q": "it\'s"}'),
    (r'%mcp t.f path="C:\new\a.txt"', r'{"path": "C:\\new\\a.txt"}'),
    ("%mcp t.f handle='@alice'", '{"handle": "@alice"}'),
    ("%mcp t.f handle=@@alice", '{"handle": "@alice"}'),
    ("%mcp t.g({'a': 1})", '{"value": {"a": 1}}'),
    ('%mcp t.f(title: "x", done: true)', '{"done": true, "title": "x"}'),
    ("%mcp t.f n=$count q=$text", '{"n": 5, "q": "two  words {x} $y"}'),
    ("%mcp t.f n={holder[0]}", '{"n": 7}'),
    ("%mcp t.f(n=count + 1)", '{"n": 6}'),
    ("%mcp t.f --n 3 --done --q text", '{"done": true, "n": 3, "q": "text"}'),
    ("%mcp t.f n=1;", '{"n": 1}'),
    ("%mcp t.f n=1   # a note", '{"n": 1}'),
    ("%mcp t.f q=color#fff", '{"q": "color#fff"}'),
]  # fmt: skip
_NAMES = "count = 5; text = 'two  words {x} $y'; holder = [7]"

# The body of a cell, and what the server receives.
_CELLS = [
    ("msg: fixes #12", None),
    ('msg: "fixes #12"', '{"msg": "fixes #12"}'),
    ("limit: {{ count }}\nid: 007", '{"id": "007", "limit": 5}'),
    ("q: |\n  several\n  lines\nn: 3", '{"n": 3, "q": "several\\nlines\\n"}'),
    ('{"q": "{name} {{{{ count }}", "n": 3}', '{"n": 3, "q": "{name} {{ count }}"}'),
]


@pytest.fixture(name="kernel", scope="module")
def _kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    home = tmp_path_factory.mktemp("home")
    with Kernel(home, {**os.environ, "HOME": str(home)}) as kernel:
        kernel.run("%load_ext mcp_magic")
        assert kernel.run(_SERVER + _NAMES).error == ""
        yield kernel


@pytest.mark.parametrize(("typed", "received"), _LINES, ids=[one for one, _ in _LINES])
def test_a_line_arrives_from_a_kernel(
    kernel: Kernel, typed: str, received: str | None
) -> None:
    shown = kernel.run(typed)
    if received is None:
        assert shown.error.startswith(("LineError", "ArgumentError"))
        assert "quote" in shown.error
    else:
        assert shown.text == f"got {received}"


@pytest.mark.parametrize(("body", "received"), _CELLS, ids=[one for one, _ in _CELLS])
def test_a_cell_arrives_from_a_kernel(
    kernel: Kernel, body: str, received: str | None
) -> None:
    shown = kernel.run(f"%%mcp t.f\n{body}")
    if received is None:
        assert shown.error.startswith("LineError")
        assert "quote" in shown.error
    else:
        assert shown.text == f"got {received}"


def test_a_cell_can_be_one_text_unchanged(kernel: Kernel) -> None:
    shown = kernel.run("%%mcp --body q t.f n=1\n  a: b # {{ c }}\n\n\ttab\\\n")
    assert shown.text == r'got {"n": 1, "q": "  a: b # {{ c }}\n\n\ttab\\\n"}'


def test_a_large_text_is_bound_at_once(kernel: Kernel) -> None:
    kernel.run("big = 'x' * 1_000_000")
    assert kernel.run("r = %mcp t.f q=$big\nlen(r.text)").text == "1000013"


def test_nothing_outside_the_call_form_calls_or_evaluates(kernel: Kernel) -> None:
    kernel.run("""
        class Counting:
            touched = []
            def __getattr__(self, name):
                Counting.touched.append(name)
                return "value"
            def __call__(self, *args):
                Counting.touched.append("called")
            def __getitem__(self, key):
                Counting.touched.append(key)
                return "item"
        c = Counting()
    """)
    assert kernel.run("%mcp t.f q=$c.name").text == 'got {"q": "value"}'
    assert kernel.run("%mcp t.f q={c['k']}").text == 'got {"q": "item"}'
    for typed in ("q={c()}", "q=$c()", "q={c.name()}", "q={c.__class__}", "q=$c._x"):
        kernel.run(f"%mcp t.f {typed}")
    assert kernel.run("Counting.touched").text == "['name', 'k']"


def test_the_same_lines_arrive_from_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "names.py").write_text(_SERVER + _NAMES, encoding="utf-8")
    child = pexpect.spawn(
        sys.executable,
        ["-m", "IPython", "--simple-prompt", "--no-banner", "--no-confirm-exit"],
        cwd=str(tmp_path),
        env={**os.environ, "HOME": str(tmp_path), "TERM": "dumb", "COLUMNS": "300"},
        encoding="utf-8",
        timeout=120,
        dimensions=(50, 300),
    )

    def run(line: str) -> str:
        child.expect(r"In \[\d+\]: ")
        child.sendline(line)
        child.expect(r"\r\n\r?\n?(?=In \[\d+\]: )")
        return plain(str(child.before))

    run("%load_ext mcp_magic")
    run("%run -i names.py")
    for typed, received in _LINES:
        shown = run(typed)
        assert (f"got {received}" if received else "quote") in shown, typed
    child.sendline("exit()")
    child.expect(pexpect.EOF)
