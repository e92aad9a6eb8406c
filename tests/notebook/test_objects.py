"""Servers and tools as a person looks at them in a notebook: ?, ??, Shift-Tab, Tab."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest

from tests.kernels import Kernel


@pytest.fixture(name="kernel", scope="module")
def _kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    home = tmp_path_factory.mktemp("home")
    env = {**os.environ, "HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
    with Kernel(home, env) as kernel:
        shown = kernel.run("%load_ext mcp_magic\ndemo = %mcp demo")
        assert shown.error == ""
        yield kernel


@pytest.mark.parametrize("level", [0, 1], ids=["?", "??"])
@pytest.mark.parametrize("code", ["demo.add", "demo.add(", "demo.add.aio"])
def test_a_tools_help_is_its_own(kernel: Kernel, code: str, level: int) -> None:
    shown = kernel.inspect(code, level)
    assert shown.startswith("Signature:")
    assert f"{code.rstrip('(')}(a: float, b: float)" in shown.splitlines()[0]
    assert "Add two numbers." in shown
    assert "%mcp demo.add a=1 b=1" in shown
    for ours in ("Source:", "Class docstring", "Call ", "self", "object", ".py"):
        assert ours not in shown


def test_a_servers_help_shows_its_tools(kernel: Kernel) -> None:
    shown = kernel.inspect("demo")
    assert re.search(r"demo: \d+ tools", shown)
    assert "mcp_magic.tools(server)" in shown


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("demo.ad", {"add", "demo.add"}),
        ("demo['ec", {"echo"}),
        ("demo.add(", {"a=", "b="}),
        ("demo.add.a", {"demo.add.aio", "aio"}),
        ("demo.add.w", {"demo.add.with_options", "with_options"}),
    ],
    ids=str,
)
def test_tab_offers_tools_and_their_parameters(
    kernel: Kernel, typed: str, offered: set[str]
) -> None:
    assert offered & set(kernel.complete(typed))


def test_a_function_shows_what_it_is(kernel: Kernel) -> None:
    assert kernel.run("demo.add").text == (
        "demo.add(a: number, b: number) -> number\n  Add two numbers."
    )


def test_an_attribute_that_is_no_tool_is_one_line(kernel: Kernel) -> None:
    shown = kernel.run("demo.get_rows")
    assert shown.traceback == (
        "NoSuchAttribute: demo has no tool 'get_rows'. "
        "Did you mean demo.list_rows or demo.search_rows?"
    )


def test_looking_at_a_closed_server_starts_nothing(kernel: Kernel) -> None:
    """A front end asks for help wherever the cursor goes; a start may take a minute."""
    kernel.run("%mcp close")
    for typed in ("demo.", "demo.add.", "demo.add(", "demo['ad", "demo['add']."):
        kernel.complete(typed)
    for code in ("demo", "demo.add", "demo['add']", "len(demo", "'add' in demo"):
        kernel.inspect(code)
    assert re.search("demo .*not connected", kernel.run("demo?\n%mcp").text)
    assert kernel.run("demo.add(2, 3)").text == "5"


def test_a_secret_that_would_travel_is_refused_in_one_line(kernel: Kernel) -> None:
    line = "mine = %mcp add --env TOKEN=canary4711 mine no-such-command"
    shown = kernel.run(f"{line}\nimport pickle\npickle.dumps(mine)")
    assert shown.traceback.startswith("NotPortable: mine cannot be pickled: env TOKEN")
    assert "\n" not in shown.traceback
    assert "canary" not in shown.traceback
