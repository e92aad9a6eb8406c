"""A long list of tools as a widget: what making it costs the kernel."""

from __future__ import annotations

from typing import Any

from benchmarks.clock import in_turns, timed
from benchmarks.registry import AtLeast, Measured, Scale, row
from mcp_magic.model import Tool

__all__ = ["tool_list"]

_TOOLS = 1000
_PROPERTIES: Any = {
    "query": {"type": "string"},
    "limit": {"type": "integer"},
    "mode": {"enum": ["a", "b", "c"]},
    "verbose": {"type": "boolean"},
}


@row("a list of 1,000 tools with forms", "an accordion of ipywidgets", AtLeast(50))
def tool_list(scale: Scale) -> Measured:
    """Made and serialised in the kernel; what the browser then draws is not counted."""
    listed = [
        Tool(
            f"space{at % 8}.tool_{at}",
            description=f"Tool number {at}. Does something useful and returns text.",
            input_schema={"type": "object", "properties": _PROPERTIES},
        )
        for at in range(_TOOLS)
    ]
    _widget(listed[:1])  # imports what both sides need
    return in_turns(
        lambda: timed(lambda: _widget(listed))[0],
        lambda: timed(lambda: _accordion(listed))[0],
        scale.repeats,
    )


def _widget(listed: list[Tool]) -> None:
    from mcp_magic.display.text import no_meaning  # noqa: PLC0415 - a row of one
    from mcp_magic.notebook.widgets.catalogue import Listed, rows  # noqa: PLC0415
    from mcp_magic.notebook.widgets.front import ToolList  # noqa: PLC0415

    made = ToolList(rows([Listed("s", one) for one in listed], no_meaning), [])
    made.close()


def _accordion(listed: list[Tool]) -> None:
    import ipywidgets as w  # noqa: PLC0415 - the peer

    boxes = [
        w.VBox(
            [
                w.Label(one.description),
                w.Text(description="query"),
                w.IntText(description="limit"),
                w.Dropdown(options=["a", "b", "c"], description="mode"),
                w.Checkbox(description="verbose"),
                w.Button(description="Call"),
            ]
        )
        for one in listed
    ]
    w.Accordion(boxes, titles=[one.name for one in listed])
    w.Widget.close_all()
