"""How a widget stands among the other ways to show a value."""

from __future__ import annotations

__all__ = ["view"]


def view(model: str) -> dict[str, object]:
    """Return the entry of a bundle that draws a widget.

    Args:
        model: The identifier of the widget's model.
    """
    drawn = {"version_major": 2, "version_minor": 0, "model_id": model}
    return {"application/vnd.jupyter.widget-view+json": drawn}
