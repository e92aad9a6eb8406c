"""What a person sees while a cell waits: the progress of a call."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator

from mcp_magic.display import html, progress, text
from mcp_magic.model import Progress
from mcp_magic.notebook.person import kernel

__all__ = ["watch"]

_EVERY = 0.1  # seconds between two drawings
_BAR = 24  # characters of a bar in a terminal
_NARROW = 60  # columns of a terminal in which a bar leaves too few for the words


@contextlib.contextmanager
def watch(label: str) -> Iterator[Callable[[Progress], None]]:
    """Show the progress of one call while its cell waits.

    Nothing appears before the server reports progress. A notebook keeps the last
    state as a line of text; a terminal's line is wiped.
    """
    bar = _NotebookBar(label) if kernel() is not None else _TerminalBar(label)
    try:
        yield bar.show
    except BaseException:
        bar.ending = " · not finished"
        raise
    finally:
        bar.end()


class _Bar:
    def __init__(self, label: str) -> None:
        self.label = label
        self.started = time.monotonic()
        self.drawn = 0.0
        self.first: tuple[Progress, float] | None = None
        self.latest: Progress | None = None
        self.ending = ""

    def show(self, latest: Progress) -> None:
        now = time.monotonic()
        self.latest = latest
        self.first = self.first or (latest, now)
        if now - self.drawn >= _EVERY:
            self.draw(latest)
            self.drawn = now

    def draw(self, latest: Progress) -> None:
        raise NotImplementedError

    def end(self) -> None:
        raise NotImplementedError

    def words(self, latest: Progress) -> str:
        now = time.monotonic()
        first, since = self.first or (latest, now)
        speed = progress.rate(first, latest, now - since)
        return progress.words(self.label, latest, now - self.started, speed)


class _TerminalBar(_Bar):
    def draw(self, latest: Progress) -> None:
        if not sys.stdout.isatty():
            return
        # A line that wraps could not be wiped.
        width = shutil.get_terminal_size().columns - 1
        bar = progress.bar(latest, _BAR) if width >= _NARROW else ""
        line = text.fit(f"{bar} {self.words(latest)}".strip(), width)
        sys.stdout.write(f"\r\x1b[K{line}")
        sys.stdout.flush()

    def end(self) -> None:
        if self.drawn and sys.stdout.isatty():
            sys.stdout.write("\r\x1b[K")
            sys.stdout.flush()


class _NotebookBar(_Bar):
    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.shown: str | None = None

    def draw(self, latest: Progress) -> None:
        words = self.words(latest)
        self._put(words, progress.page(self.label, latest, words))

    def end(self) -> None:
        if self.latest is not None:
            words = f"{self.words(self.latest)}{self.ending}"
            self._put(words, f"<div>{html.note(words)}</div>")

    def _put(self, words: str, page: str) -> None:
        from IPython.display import display, update_display  # noqa: PLC0415 - as above

        bundle = {"text/plain": words, "text/html": page}
        if self.shown is None:
            self.shown = f"mcp-magic-{id(self)}-{self.started}"
            display(bundle, raw=True, display_id=self.shown)  # type: ignore[no-untyped-call] # IPython's
        else:
            update_display(bundle, raw=True, display_id=self.shown)  # type: ignore[no-untyped-call] # IPython's
