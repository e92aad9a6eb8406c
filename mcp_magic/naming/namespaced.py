"""The published namespaced names, written and read one at a time, without a catalogue.

Three forms are in use: ``{package}--{tool}`` of the tool registry,
``bridge--{server}--{tool}`` of its bridges, and ``mcp__{server}__{tool}`` of MCP hosts.
They lose information; ``Codec`` converts both ways.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

__all__ = ["Form", "NamespacedName", "decode", "encode_bridge", "encode_registry"]

Form: TypeAlias = Literal["registry", "bridge", "mcp"]
"""The published forms of a namespaced name."""

BRIDGE: Final = "bridge--"
HOST: Final = "mcp__"

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")

# As the published parser reads them. A bridge's server has single dashes only, so the
# first double dash ends it; a package may hold double dashes; a tool no line break.
_LINE = r"[^\n\r\u2028\u2029]"
_BRIDGE_NAME = re.compile(rf"bridge--([^-]+(?:-[^-]+)*)--({_LINE}+)")
_HOST_NAME = re.compile(rf"mcp__((?:(?!__){_LINE})+)__({_LINE}+)")
_REGISTRY_NAME = re.compile(rf"({_LINE}+)--({_LINE}+)")


@dataclass(frozen=True, slots=True)
class NamespacedName:
    """The parts of a namespaced name, as written in it.

    Attributes:
        kind: The form that the name has.
        namespace: The package or server; what an encoder replaced stays replaced.
        tool: The tool, likewise.
    """

    kind: Form
    namespace: str
    tool: str


def encode_registry(package: str, tool: str) -> str:
    """Return the registry's name for *tool* of the npm *package*.

    The scope sign, the prefixes ``tpmjs-tools-`` and ``tpmjs-`` and the suffix ``Tool``
    are dropped and slashes become dashes, as the registry publishes its names; nothing
    is shortened (docs/names.md).
    """
    namespace = package.removeprefix("@").replace("/", "-")
    namespace = namespace.removeprefix("tpmjs-tools-").removeprefix("tpmjs-")
    return f"{namespace}--{tool.removesuffix('Tool')}"


def encode_bridge(server: str, tool: str) -> str:
    """Return the bridge name of a server's tool, safe for every model API.

    Characters outside ``[A-Za-z0-9_-]`` become dashes, in the server **and in the
    tool**: the original computes the latter and then publishes the tool as it is
    (docs/names.md).
    """
    return f"{BRIDGE}{safe(server)}--{safe(tool)}"


def encode_host(server: str, tool: str) -> str:
    """Return the name under which MCP hosts offer a server's tool to a model.

    Characters outside ``[A-Za-z0-9_-]`` become underscores, as hosts write them.
    """
    return f"{HOST}{safe(server, '_')}__{safe(tool, '_')}"


def safe(text: str, instead: str = "-") -> str:
    """Return *text* with every character outside ``[A-Za-z0-9_-]`` replaced."""
    return _UNSAFE.sub(instead, text)


def decode(name: str) -> NamespacedName | None:
    """Return the parts of a namespaced *name*, or ``None`` if it has no known form.

    The bridge form is tried first, then ``mcp__`` up to the next ``__``, then the
    registry form at the last ``--`` (docs/grammar.md, rule 19). Where a catalogue is
    known, ``Codec.decode`` is the reliable way.
    """
    if found := _BRIDGE_NAME.fullmatch(name):
        return NamespacedName("bridge", found[1], found[2])
    if found := _HOST_NAME.fullmatch(name):
        return NamespacedName("mcp", found[1], found[2])
    if found := _REGISTRY_NAME.fullmatch(name):
        return NamespacedName("registry", found[1], found[2])
    return None
