"""What a person sees while a cell waits: the progress of a call."""

from __future__ import annotations

import contextlib
import html
import sys
import time
from collections.abc import Callable, Iterator

from mcp_magic.errors import visible
from mcp_magic.model import Progress

__all__ = ["watch"]

_EVERY = 0.1  # seconds between two drawings
_BAR = 24  # characters of a bar in a terminal


def _in_kernel() -> bool:
    from IPython import get_ipython  # noqa: PLC0415 - only once IPython is in use

    return getattr(get_ipython(), "kernel", None) is not None


@contextlib.contextmanager
def watch(label: str) -> Iterator[Callable[[Progress], None]]:
    """Show the progress of one call while its cell waits.

    Nothing appears before the server reports progress. A notebook keeps the last
    state; a terminal's line is wiped.
    """
    bar = _NotebookBar(label) if _in_kernel() else _TerminalBar(label)
    try:
        yield bar.show
    finally:
        bar.end()


class _Bar:
    def __init__(self, label: str) -> None:
        self.label = visible(label)
        self.started = time.monotonic()
        self.drawn = 0.0
        self.latest: Progress | None = None

    def show(self, progress: Progress) -> None:
        self.latest = progress
        if time.monotonic() - self.drawn >= _EVERY:
            self.draw(progress)
            self.drawn = time.monotonic()

    def draw(self, progress: Progress) -> None:
        raise NotImplementedError

    def end(self) -> None:
        raise NotImplementedError

    def words(self, progress: Progress) -> str:
        seconds = time.monotonic() - self.started
        amount = f"{progress.done:g}"
        if progress.total:
            amount = f"{progress.done:g}/{progress.total:g}"
        message = " ".join(visible(progress.message).split())[:80]
        return " · ".join(
            part for part in (self.label, amount, message, f"{seconds:.1f} s") if part
        )


class _TerminalBar(_Bar):
    def draw(self, progress: Progress) -> None:
        if not sys.stdout.isatty():
            return
        bar = ""
        if progress.total:
            share = min(1.0, max(0.0, progress.done / progress.total))
            bar = "█" * round(share * _BAR) + "░" * (_BAR - round(share * _BAR)) + " "
        sys.stdout.write(f"\r\x1b[K{bar}{self.words(progress)}")
        sys.stdout.flush()

    def end(self) -> None:
        if self.drawn and sys.stdout.isatty():
            sys.stdout.write("\r\x1b[K")
            sys.stdout.flush()


class _NotebookBar(_Bar):
    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.shown: str | None = None

    def draw(self, progress: Progress) -> None:
        from IPython.display import display, update_display  # noqa: PLC0415 - as above

        words = self.words(progress)
        share = ""
        if progress.total:
            share = f'value="{progress.done:g}" max="{progress.total:g}"'
        page = (
            f'<progress {share} aria-label="{html.escape(self.label)}"></progress> '
            f"<span>{html.escape(words)}</span>"
        )
        bundle = {"text/plain": words, "text/html": page}
        if self.shown is None:
            self.shown = f"mcp-magic-{id(self)}-{self.started}"
            display(bundle, raw=True, display_id=self.shown)  # type: ignore[no-untyped-call] # IPython's
        else:
            update_display(bundle, raw=True, display_id=self.shown)  # type: ignore[no-untyped-call] # IPython's

    def end(self) -> None:
        if self.shown is not None and self.latest is not None:
            self.draw(self.latest)
