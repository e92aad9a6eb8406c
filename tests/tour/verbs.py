"""What every verb shows, run as cells of one notebook."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from nbformat.v4 import new_code_cell, new_notebook

from tests.tour.front_ends import execute
from tests.tour.outputs import Shown

__all__ = ["CASES", "run_all"]

_SERVER = '''
import warnings

import mcp_magic
from mcp.server.mcpserver import Context, MCPServer

warnings.simplefilter("ignore")  # the SDK's, about logs
mine = MCPServer("mine")

@mine.tool()
async def chat(ctx: Context) -> str:
    """Write to the log."""
    await ctx.info("Here I am.")
    return "said"

mcp_magic.connect(mine).chat()
'''.strip()

_OF_CURSOR = {"weather": {"url": "https://example.org/weather", "disabled": True}}
_OF_THE_FOLDER = {"brought": {"command": "no-such-command", "args": ["--all"]}}

CASES: Mapping[str, tuple[str, ...]] = {
    "servers": ("%mcp", "%mcp servers --all"),
    "import": (
        "%mcp import cursor",
        "%mcp import cursr weather",
        "%mcp import",
    ),
    "approve": (
        "%mcp approve brought",
        "%mcp approve --list",
        "%mcp approve --revoke",
        "%mcp approve nothing_like",
    ),
    "add": (
        "%mcp add docs https://example.org/mcp",
        "%mcp add --env 'TOKEN=hush' tickets no-such-command --api-key=hush",
        "%mcp add --save kept https://example.org/kept",
        "%mcp add demo https://example.org/mcp",
        "%mcp add docs",
        "%mcp add --save --header 'Authorization=Bearer hush' docs https://example.org",
    ),
    "list": (_SERVER, "%mcp list mine", "%mcp list mine tickets", "%mcp list dem0"),
    "call": (
        "%mcp call demo.add a=2 b=3",
        "%mcp demo.add a=2",
        "%mcp --raw demo.add a=2 b=3",
    ),
    "help": (
        "%mcp help",
        "%mcp help demo",
        "%mcp help watch",
        "%mcp help demo.list_rows",
        "%mcp help demo.lst_rows",
        "%mcp help demo.nothing_like_it",
    ),
    "resources": ("%mcp resources demo", "%mcp resources mine"),
    "read": (
        "%mcp read demo demo://worlds/Titan",
        "%mcp read demo demo://planet.png",
        "%mcp read demo demo://worlds/Nowhere",
        "%mcp read demo",
    ),
    "watch": (
        "%mcp --timeout 0.1 watch demo demo://notes",
        "%mcp --timeout 0.1 watch demo",
    ),
    "prompts": ("%mcp prompts demo", "%mcp prompts mine"),
    "prompt": (
        "%mcp prompt demo.introduce world=Titan",
        "%mcp prompt demo.introduc world=Titan",
        "%mcp prompt demo.introduce",
        "%mcp prompt demo.nothing_like_it",
    ),
    "sampling": (
        "answer = str\n%mcp sampling mine answer",
        "%mcp sampling mine nothing",
    ),
    "logs": ("%mcp mine.chat", "%mcp logs mine", "%mcp logs demo"),
    "status": ("%mcp status", "%mcp status tickets"),
    "auth": ("%mcp auth demo", "%mcp auth nothing_like_it", "%mcp auth"),
    "doctor": ("%mcp doctor demo", "%mcp doctor tickets", "%mcp doctor nothing_like"),
    "remove": ("%mcp remove docs tickets kept", "%mcp remove demo", "%mcp remove docs"),
    "close": ("%mcp close demo", "%mcp close", "%mcp close nothing_like_it"),
    "trace": ("%mcp trace",),
}
"""By verb the cells that show it, in the order in which they run."""


def run_all(home: Path) -> dict[str, Shown]:
    """Run the cells of every verb and return what each showed.

    Args:
        home: The person's home folder, where Cursor knows a server; the folder of the
            notebook brings one along.
    """
    folder = home / "work"
    _servers(home / ".cursor" / "mcp.json", _OF_CURSOR)
    _servers(folder / ".mcp.json", _OF_THE_FOLDER)
    sources = [source for cells in CASES.values() for source in cells]
    notebook = new_notebook(
        cells=[new_code_cell(one) for one in ("%load_ext mcp_magic", *sources)]
    )
    return {one.source: one for one in execute(notebook, home, folder)[1:]}


def _servers(path: Path, entries: Mapping[str, object]) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
