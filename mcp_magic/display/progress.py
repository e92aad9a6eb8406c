"""How far a running call is, in words, as a bar, and as HTML."""

from __future__ import annotations

import math

from mcp_magic.display import html, text
from mcp_magic.model import Progress

__all__ = ["bar", "page", "rate", "share", "words"]


def share(progress: Progress) -> float | None:
    """Return how much is done, from 0 to 1; ``None`` if the total is not known."""
    done, total = progress.done, progress.total
    if total is None or not math.isfinite(total) or total <= 0:
        return None
    return min(1.0, max(0.0, done / total)) if math.isfinite(done) else None


def rate(first: Progress, latest: Progress, seconds: float) -> float | None:
    """Return how much is done in a second, once that says something.

    Args:
        first: The first report.
        latest: The latest one.
        seconds: The time between them.
    """
    more = latest.done - first.done
    return more / seconds if seconds >= 1 and 0 < more < math.inf else None


def words(label: str, progress: Progress, seconds: float, speed: float | None) -> str:
    """Return one line: what is called, how much is done, the message, time and rate.

    Args:
        label: What is called.
        progress: The latest report.
        seconds: How long the call has been running.
        speed: How much is done in a second, if it is known.
    """
    amount = _number(progress.done)
    if share(progress) is not None:
        amount += f"/{_number(progress.total or 0)}"
    message = text.cell(" ".join(progress.message[:400].split()), 80)
    pace = "" if speed is None else f"{speed:.3g}/s"
    parts = (text.cell(label, 200), amount, message, f"{seconds:.1f} s", pace)
    return " · ".join(part for part in parts if part)


def _number(amount: float) -> str:
    return f"{amount:,.0f}" if float(amount).is_integer() else f"{amount:,.4g}"


def bar(progress: Progress, width: int) -> str:
    """Return a bar of *width* characters, or nothing if the total is not known."""
    done = share(progress)
    if done is None:
        return ""
    full = round(done * width)
    return "█" * full + "░" * (width - full)


def page(label: str, progress: Progress, shown: str) -> str:
    """Return a bar and the words beside it as HTML.

    Args:
        label: What is called; a screen reader says it.
        progress: The latest report; without a total the bar only moves.
        shown: The words.
    """
    done = share(progress)
    value = "" if done is None else f'value="{done:.4f}" max="1" '
    return (
        f'<div><progress {value}aria-label="{html.escape(text.cell(label, 200))}">'
        f"</progress> <span>{html.prose(shown)}</span></div>"
    )
