"""``asyncio.run`` in a cell for those who want it, and nothing patched for others."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.kernels import Kernel

pytestmark = pytest.mark.kernel

_SET = "%config McpMagics.nest_asyncio = True"

# What the packages for nested loops replace.
_PATCHED = """
import asyncio
loop = type(asyncio.get_running_loop())
def patched():
    names = asyncio.Task, asyncio.Future, asyncio.run, asyncio.get_event_loop
    turns = loop.run_forever, loop.run_until_complete, loop._run_once
    return [*names, *turns, sorted(vars(asyncio)), sorted(vars(loop))]
before = patched()
"""

_OURS = """
import asyncio, mcp_magic
demo = mcp_magic.connect("demo")
async def main():
    sums = await asyncio.gather(*(demo.add.aio(a=n, b=1) for n in range(3)))
    return [one.data for one in sums]
asyncio.run(main())
"""

# As examples of the SDK are written.
_SDK = """
import asyncio, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
async def main():
    demo = StdioServerParameters(command=sys.executable, args=["-m", "mcp_magic.demo"])
    async with Client(stdio_client(demo)) as client:
        result = await client.call_tool("add", {"a": 2, "b": 3})
        return result.content[0].text
asyncio.run(main())
"""


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture(name="kernel")
def _kernel(home: Path) -> Iterator[Kernel]:
    env = {**os.environ, "HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
    with Kernel(home, env) as kernel:
        yield kernel


def _in_turn(kernel: Kernel, *cells: str) -> list[str]:
    """Queue all cells at once, and return what they showed in the order they ran."""
    begun = [kernel.start(cell) for cell in cells]
    return [shown.error or shown.text for shown in map(kernel.finish, begun)]


def test_asyncio_run_works_in_a_cell_and_queued_cells_follow_in_order(
    kernel: Kernel,
) -> None:
    kernel.run("%load_ext mcp_magic\norder = []")
    assert "running event loop" in kernel.run(_OURS).error
    assert kernel.run(_SET).stderr == ""
    assert _in_turn(
        kernel,
        f"order.append(1){_OURS}",
        "order.append(2); order",
        _SDK,
        "%mcp demo.add a=4 b=4",
        "(await demo.add.aio(a=5, b=5)).data",
        "order.append(3); order",
    ) == ["[1, 2, 3]", "[1, 2]", "'5'", "8", "10", "[1, 2, 3]"]


def test_a_configuration_file_can_set_it_before_the_kernel_starts(
    home: Path, kernel: Kernel
) -> None:
    profile = home / "ipython" / "profile_default" / "ipython_kernel_config.py"
    profile.write_text(
        "c.McpMagics.nest_asyncio = True\n"
        "c.InteractiveShellApp.extensions = ['mcp_magic']\n",
        encoding="utf-8",
    )
    kernel.restart()
    assert _in_turn(kernel, _OURS, "'after'") == ["[1, 2, 3]", "'after'"]


def test_without_the_setting_nothing_is_patched(kernel: Kernel) -> None:
    kernel.run(f"{_PATCHED}\n%load_ext mcp_magic")
    kernel.run("%mcp demo.add a=1 b=1\nimport mcp_magic")
    kernel.run("await mcp_magic.connect('demo').add.aio(a=1, b=1)")
    assert kernel.run("%config McpMagics.nest_asyncio = False").stdout == ""
    assert kernel.run("patched() == before").text == "True"
    kernel.run(_SET)
    assert kernel.run("patched() == before").text == "False"


def test_once_on_it_lasts_and_says_so(kernel: Kernel) -> None:
    kernel.run(f"%load_ext mcp_magic\n{_SET}")
    shown = kernel.run("%config McpMagics.nest_asyncio = False")
    assert shown.stdout == (
        "asyncio.run works in cells until the kernel restarts: "
        "nest-asyncio2 cannot be taken back.\n"
    )
    assert kernel.run("%config McpMagics.nest_asyncio").text == "False"
    assert kernel.run(_OURS).text == "[1, 2, 3]"


@pytest.mark.parametrize(
    ("first", "says"),
    [
        (
            "import sys; sys.modules['nest_asyncio2'] = None",
            '%pip install "mcp-magic[nest]"',
        ),
        ("import nest_asyncio; nest_asyncio.apply()", "restart the kernel"),
    ],
    ids=["not installed", "older package applied"],
)
def test_where_it_cannot_be_set_one_line_says_what_to_do(
    kernel: Kernel, first: str, says: str
) -> None:
    kernel.run(f"{first}\n{_PATCHED}")
    # As a configuration file does, and then by hand.
    kernel.run("get_ipython().config.McpMagics.nest_asyncio = True")
    for shown in (kernel.run("%load_ext mcp_magic"), kernel.run(_SET)):
        assert says in shown.stderr
        assert len(shown.stderr.splitlines()) == 1
    assert kernel.run("patched() == before").text == "True"
    assert kernel.run("%config McpMagics.nest_asyncio").text == "False"
    assert kernel.run("%mcp demo.add a=1 b=1").text == "2"


@pytest.mark.parametrize("package", ["nest_asyncio", "nest_asyncio2"])
@pytest.mark.parametrize("when", ["before", "after", "connected"])
def test_a_person_may_nest_loops_on_their_own(
    kernel: Kernel, package: str, when: str
) -> None:
    steps = ["%load_ext mcp_magic", "%mcp demo.add a=1 b=1"]
    place = ("before", "after", "connected").index(when)
    steps.insert(place, f"import {package}; {package}.apply()")
    for step in steps:
        assert kernel.run(step).error == ""
    kernel.run(
        "import asyncio, mcp_magic; demo = mcp_magic.connect('demo'); order = []"
    )
    pending = "pending = asyncio.create_task(asyncio.sleep(600))"
    assert _in_turn(
        kernel,
        f"{pending}\norder.append(1)\n%mcp demo.add a=1 b=2",
        "order.append(2); (await demo.add.aio(a=2, b=2)).data",
        "order.append(3); demo.add(a=2, b=3).data",
        "order, pending.done(), pending.cancel()",
    ) == ["3", "4", "5", "([1, 2, 3], False, True)"]
    _progress_and_stop(kernel)


def _progress_and_stop(kernel: Kernel) -> None:
    shown = kernel.run("%mcp demo.slow seconds=0.5 steps=5")
    assert "demo.slow · 5/5" in shown.displays[-1]["text/plain"]
    began = kernel.start("%mcp demo.slow seconds=60 steps=600")
    kernel.until("display_data")
    kernel.interrupt()
    assert kernel.finish(began).error.startswith("CallStopped: stopped")
    assert "slow was stopped" in kernel.run("%mcp demo.list_notes").text


def test_it_can_be_set_in_a_terminal_too(tmp_path: Path) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "IPython", "--simple-prompt", "--no-banner", "--no-confirm-exit"],
        env={**os.environ, "HOME": str(tmp_path), "TERM": "dumb"},
        encoding="utf-8",
        timeout=120,
        dimensions=(50, 200),
    )
    for line, answer in (
        ("%load_ext mcp_magic", ""),
        (_SET, ""),
        ("import asyncio, mcp_magic; demo = mcp_magic.connect('demo')", ""),
        ("asyncio.run(demo.add.aio(a=2, b=3)).data", r"Out\[4\]: 5\b"),
        ("%mcp demo.add a=20 b=22", r"Out\[5\]: 42\b"),
    ):
        child.expect(r"In \[\d+\]: ")
        child.sendline(line)
        child.expect(answer)
    child.sendline("exit()")
    child.expect(pexpect.EOF)
