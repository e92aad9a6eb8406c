"""Shows a tool in one line, for help and for errors."""

from __future__ import annotations

from mcp_magic.language.describe import name_word, shown, type_word
from mcp_magic.language.schema import Document, Node, read_schema
from mcp_magic.model import Tool

__all__ = ["returns", "signature", "signature_of"]

_WIDTH = 600


def signature(tool: Tool) -> str:
    """Return a tool's name, parameters and result in one line.

    A parameter that may be left out has its default, or a ``?`` after its name.
    Whatever a server wrote, the line is safe to print.
    """
    call = signature_of(name_word(tool.name), read_schema(tool.input_schema))
    return f"{call}{returns(tool)}"


def signature_of(label: str, document: Document) -> str:
    """Return *label* with the parameters of a schema in brackets."""
    parameters = document.parameters
    words = [
        _parameter(name, node, required=name in parameters.required)
        for name, node in parameters.nodes.items()
    ]
    if parameters.open or parameters.patterns:
        words.append("…")
    return f"{label}({_fitting(words)})"


def _fitting(words: list[str]) -> str:
    text = ", ".join(words)
    if len(text) <= _WIDTH:
        return text
    kept, length = 0, 0
    for word in words:
        length += len(word) + 2
        if length > _WIDTH and kept:
            break
        kept += 1
    return f"{', '.join(words[:kept])}, and {len(words) - kept} more"


def _parameter(name: str, node: Node, *, required: bool) -> str:
    word, kind = name_word(name), type_word(node)
    if required:
        return f"{word}: {kind}"
    default = node.annotation("default")
    if default is None:
        return f"{word}?: {kind}"
    return f"{word}: {kind} = {shown(default, 30)}"


def returns(tool: Tool) -> str:
    """Return `` -> type`` for the value that a caller receives, if it is declared."""
    if tool.output_schema is None:
        return ""
    document = read_schema(tool.output_schema)
    return f" -> {type_word(_unwrapped(document))}"


def _unwrapped(document: Document) -> Node:
    """Return what a caller receives: SDKs wrap a value that is no object."""
    whole = Node(document, document.root)
    nodes = document.parameters.nodes
    title = str(whole.annotation("title") or "")
    marked = whole.annotation("x-fastmcp-wrap-result") is True
    wrapped = title.endswith("Output") and whole.annotation("required") == ["result"]
    if list(nodes) == ["result"] and (marked or wrapped):
        return nodes["result"]
    return whole
