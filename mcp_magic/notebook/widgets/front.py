"""The widgets as ipywidgets sees them; the one module that imports anywidget."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets
from traitlets.log import get_logger

from mcp_magic.display import redact

__all__ = ["QuestionForm", "ServerTable", "SignInForm", "ToolList"]


_FORM = ("base.js", "form.js", "boxes.js", "nests.js", "rows.js", "question.js")
_RULES = f"const SECRET_WORD = {json.dumps(redact.SECRET_WORD.pattern)};\n"


def _text(*names: str) -> str:
    folder = Path(__file__).parent
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


class _Unspoken(logging.Filter):
    """Keeps what is typed in our widgets out of what Jupyter logs of messages."""

    def __init__(self) -> None:
        super().__init__()
        self.models: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        said = f"{record.msg} {record.args}"
        if any(model in said for model in self.models):
            record.msg, record.args = "a message of a widget, which may be private", ()
        return True


_unspoken = _Unspoken()


class _Live(anywidget.AnyWidget):
    """A widget whose views send messages."""

    def __init__(self, **state: object) -> None:
        super().__init__(**state)
        _unspoken.models.add(str(self.model_id))
        kernels: Any = get_logger()
        for log in (logging.getLogger("Comm"), getattr(kernels, "logger", kernels)):
            log.addFilter(_unspoken)

    def attend(self, receive: Callable[[object], None]) -> None:
        """Pass what the views send to *receive*."""
        self.on_msg(lambda _widget, content, _buffers: receive(content))


class QuestionForm(_Live):
    """A question of a server; it comes by message, so no widget state holds it."""

    _esm = _RULES + _text(*_FORM, "asked.js")
    _css = _text("widgets.css")


class SignInForm(_Live):
    """The prompt of a sign-in; link and answer travel by message."""

    _esm = _text("base.js", "signin.js", "prompted.js")
    _css = _text("widgets.css")


class ToolList(_Live):
    """The list of tools; its state holds what servers list, and nothing entered.

    Args:
        rows: The tools, see ``catalogue.rows``.
        notes: What was odd about the listing, a sentence each.
    """

    _esm = _RULES + _text(
        *_FORM, "signin.js", "calls.js", "list.js", "whole.js", "pane.js", "tools.js"
    )
    _css = _text("widgets.css")
    rows: traitlets.List[object] = traitlets.List().tag(sync=True)
    notes: traitlets.List[object] = traitlets.List().tag(sync=True)

    def __init__(self, rows: list[dict[str, object]], notes: list[str]) -> None:
        super().__init__(rows=rows, notes=notes)


class ServerTable(_Live):
    """The table of known servers.

    Args:
        rows: The servers, see ``servers.ServerDesk.rows``.
    """

    _esm = _text("base.js", "signin.js", "servers.js")
    _css = _text("widgets.css")
    rows: traitlets.List[object] = traitlets.List().tag(sync=True)

    def tell(self, rows: list[object]) -> None:
        """Show other rows in all views."""
        self.rows = rows
