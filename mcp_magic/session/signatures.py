"""The Python signature of a tool, for ``?``, Shift-Tab and argument completion."""

from __future__ import annotations

import inspect
import keyword

from mcp_magic.errors import visible
from mcp_magic.language.schema import Node, read_schema
from mcp_magic.model import Tool

__all__ = ["python_signature"]

_KINDS = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_LONGEST = 100  # characters of a default that is shown
_TYPES: dict[object, object] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "number": float,
    "object": dict,
    "string": str,
}


def python_signature(tool: Tool) -> inspect.Signature:
    """Return the signature of a tool as a function.

    Parameters stand in the schema's order. One that may be left out shows its default
    or ``...``, which is never sent; what has no Python name, or one that hides a
    character, is behind ``**others``.
    """
    parameters = read_schema(tool.input_schema).parameters
    made: list[inspect.Parameter] = []
    in_order, optional = True, False
    for name, node in parameters.nodes.items():
        if not name.isidentifier() or keyword.iskeyword(name) or _hides(name):
            continue
        required = name in parameters.required
        in_order = in_order and not (required and optional)
        optional = optional or not required
        default = inspect.Parameter.empty if required else _default(node)
        made.append(
            inspect.Parameter(
                name, _KINDS[in_order], default=default, annotation=_type(node)
            )
        )
    if len(made) < len(parameters.nodes) or parameters.open:
        names = {one.name for one in made}
        rest = next(n for n in ("others", "others_", "others__") if n not in names)
        made.append(inspect.Parameter(rest, inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(made)


def _default(node: Node) -> object:
    value = node.annotation("default")
    shown = repr(value)
    return ... if value is None or len(shown) > _LONGEST or _hides(shown) else value


def _hides(shown: str) -> bool:
    return visible(shown) != shown


def _type(node: Node) -> object:
    kinds = {str(one.get("type")) for one in node.alternatives} - {"null"}
    if len(kinds) != 1:
        return inspect.Parameter.empty
    return _TYPES.get(kinds.pop(), inspect.Parameter.empty)
