"""Wait for what happens elsewhere, however slow the machine is."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

__all__ = ["patiently", "until"]

T = TypeVar("T")

_LIMIT = 60.0  # seconds; only what fails takes so long
_PAUSE = 0.01  # seconds
_EVER_MORE = (0.5, 2.0, 8.0)  # seconds


def until(fact: Callable[[], T]) -> T:
    """Wait until something is so, and return what told it.

    What is wrong is told by the last answer, which is for the test to look at.
    """
    end = time.monotonic() + _LIMIT
    while not (told := fact()) and time.monotonic() < end:
        time.sleep(_PAUSE)
    return told


def patiently(attempt: Callable[[float], T]) -> T:
    """Return what *attempt* gives with the first limit in which it succeeds.

    Some things must happen before a limit that is waited for to its end. A machine
    under load may need a longer one; what is wrong fails with the longest one, too.

    Args:
        attempt: Does it all anew with a limit in seconds.
    """
    for limit in _EVER_MORE:
        with contextlib.suppress(Exception, pytest.fail.Exception):
            return attempt(limit)
    return attempt(_LIMIT / 2)
