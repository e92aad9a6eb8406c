"""The published namespaced names, one at a time (docs/grammar.md, rule 19)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.naming import NamespacedName, decode, encode_bridge, encode_registry
from tests.naming.simulation import DATA

VECTORS = json.loads((DATA / "namespaced-names.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", VECTORS["decode"], ids=lambda case: repr(case["name"]))
def test_a_name_is_read_as_published(case: dict[str, Any]) -> None:
    """The registry's parser: vectors ``namespaced-names``."""
    expect = case["expect"]
    if expect is not None:
        namespace = expect.get("package", expect.get("serverId"))
        expect = NamespacedName(expect["type"], namespace, expect["toolName"])
    assert decode(case["name"]) == expect


@pytest.mark.parametrize("case", VECTORS["encode_registry"], ids=lambda c: c["package"])
def test_a_registry_name_is_written_as_published(case: dict[str, str]) -> None:
    """The registry's encoder: vectors ``namespaced-names``."""
    assert encode_registry(case["package"], case["tool"]) == case["expect"]


@pytest.mark.parametrize("case", VECTORS["encode_bridge"], ids=lambda c: c["server"])
def test_a_bridge_name_is_safe_in_both_parts(case: dict[str, str]) -> None:
    """docs/names.md: as published, but the tool is sanitised, too."""
    assert encode_bridge(case["server"], case["tool"]) == case["ours"]


@pytest.mark.parametrize(
    ("name", "expect"),
    [
        ("mcp__a__b__c", NamespacedName("mcp", "a", "b__c")),
        ("mcp__a__b", NamespacedName("mcp", "a", "b")),
        ("mcp__a___b", NamespacedName("mcp", "a", "_b")),
        ("mcp___a__b", NamespacedName("mcp", "_a", "b")),
        ("mcp__a--b__c--d", NamespacedName("mcp", "a--b", "c--d")),
        ("mcp__a--b", NamespacedName("registry", "mcp__a", "b")),
        ("mcp__a__", None),
        ("mcp____b", None),
        ("mcp__", None),
        ("bridge--mcp__a__b--c", NamespacedName("bridge", "mcp__a__b", "c")),
        ("node--inspect", NamespacedName("registry", "node", "inspect")),
    ],
)
def test_a_host_name_ends_its_server_at_the_first_double_underscore(
    name: str, expect: NamespacedName | None
) -> None:
    """Rule 19 of the grammar: bridge first, then ``mcp__``, then the registry form."""
    assert decode(name) == expect


@settings(deadline=None)
@given(st.text(st.characters()) | st.text("bridgemcp-_\n", max_size=30))
def test_any_text_can_be_asked_about(name: str) -> None:
    """Ours: the parts never are empty, and stand in the name."""
    found = decode(name)
    if found is not None:
        assert found.namespace
        assert name.endswith(found.tool)


def test_a_long_name_is_read_in_linear_time() -> None:
    """Ours: a megabyte of separators neither hangs nor overflows."""
    found = decode("bridge--" + "a--" * 300_000 + "b")
    assert found is not None
    assert found.namespace == "a"
    assert decode("mcp__" + "a_" * 500_000) is None
