"""The public API as a person uses it; only the type checker reads this file."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import mcp_magic
from mcp_magic.naming import Codec, Corrected, Exact, Unresolved, decode, resolve


async def use() -> None:
    """Use it."""
    demo = mcp_magic.connect("demo")
    assert_type(demo, mcp_magic.Server)
    result = demo.add(a=2, b=3)
    assert_type(result, mcp_magic.CallResult)
    assert_type(result.text, str)
    assert_type(result.save(Path()), list[Path])
    assert_type(await demo.add.aio(a=2, b=3), mcp_magic.CallResult)
    assert_type(demo["odd-name"].with_options(timeout=5)(x=1), mcp_magic.CallResult)
    for tool in mcp_magic.tools(demo):
        assert_type(tool.name, str)
    assert_type(mcp_magic.read(demo, "demo://readme").text, str)
    assert_type(mcp_magic.watch(demo, "demo://notes", seconds=1), int)
    assert_type(mcp_magic.servers()[0].state, str)
    try:
        demo.fail(message="x")
    except mcp_magic.ToolFailed as error:
        assert_type(error.result, object)
    match resolve("ad", ["add"]):
        case Exact(name) | Corrected(name):
            assert_type(name, str)
        case Unresolved(suggestions=names):
            assert_type(names, tuple[str, ...])
    assert_type(Codec([("a", "b")]).decode("bridge--a--b"), tuple[str, str])
    assert decode("a--b") is not None
