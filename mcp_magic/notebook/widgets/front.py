"""The widgets as ipywidgets sees them; the one module that imports anywidget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anywidget

__all__ = ["QuestionForm", "SignInForm"]


def _text(*names: str) -> str:
    folder = Path(__file__).parent
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


class QuestionForm(anywidget.AnyWidget):
    """A question of a server; it comes by message, so no widget state holds it."""

    _esm = _text("base.js", "form.js", "question.js", "asked.js")
    _css = _text("widgets.css")

    def attend(self, receive: Callable[[object], None]) -> None:
        """Pass what the views send to *receive*."""
        self.on_msg(lambda _widget, content, _buffers: receive(content))


class SignInForm(anywidget.AnyWidget):
    """The prompt of a sign-in; link and answer travel by message."""

    _esm = _text("base.js", "signin.js")
    _css = _text("widgets.css")

    def attend(self, receive: Callable[[object], None]) -> None:
        """Pass what the views send to *receive*."""
        self.on_msg(lambda _widget, content, _buffers: receive(content))
