"""Files that only their owner may read, replaced whole, by one writer at a time."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from mcp_magic.errors import McpMagicError

__all__ = [
    "alone",
    "is_shared",
    "near_home",
    "replace",
    "state",
    "tighten",
    "unfinished",
]

_PATIENCE = 20.0  # seconds to wait for another writer, who needs milliseconds


@contextlib.contextmanager
def alone(file: Path) -> Iterator[Path]:
    """Hold the lock of *file*, in this and every other process.

    Args:
        file: The file, which need not be there. A link is followed, so that it stays a
            link and everyone who writes to its target waits for the same lock.

    Yields:
        The real path of the file.

    Raises:
        McpMagicError: Another process keeps the lock, or the folder cannot be written.
    """
    import filelock  # noqa: PLC0415 - 40 ms at import, and only writers need it

    problem = ""
    try:
        real = file.resolve()
        lock = filelock.FileLock(
            real.with_name(f".{real.name}.lock"), timeout=_PATIENCE, mode=0o600
        )
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except filelock.Timeout:
        problem = f"{near_home(file)} is being written by another program; try again"
    except OSError as error:
        problem = f"{near_home(file)} cannot be written: {error.strerror or error}"
    except RuntimeError:  # of Python before 3.13
        problem = f"{near_home(file)} cannot be written: it is a link to itself"
    if problem:
        raise McpMagicError(problem)
    try:
        yield real
    finally:
        lock.release()


def replace(real: Path, content: bytes) -> None:
    """Put *content* in the place of a file, all of it or nothing; mode 0600.

    Args:
        real: The path that ``alone`` gave; its lock is held.
        content: All that the file holds afterwards.

    Raises:
        McpMagicError: It cannot be written.
    """
    # Only the holder of the lock is here: what a killed writer left is overwritten.
    made = unfinished(real)
    problem = ""
    try:
        made.unlink(missing_ok=True)
        handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        made.replace(real)
    except OSError as error:
        problem = f"{near_home(real)} cannot be written: {error.strerror or error}"
    if problem:
        raise McpMagicError(problem)


def unfinished(real: Path) -> Path:
    """Return where ``replace`` writes first: a writer that is killed may leave it."""
    return real.with_name(f".{real.name}.new")


def near_home(file: Path) -> str:
    """Return a path as it is shown: notebooks are shared, and name no person."""
    home = Path.home()
    if home != home.parent and file.is_relative_to(home):
        return f"~{os.sep}{file.relative_to(home)}"
    return str(file)


def state(file: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file does: time, size, number; ``None`` if absent."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def is_shared(file: Path) -> bool:
    """Whether others can write to a file, so that it is not to be believed.

    Raises:
        OSError: It is not there, or cannot be looked at.
    """
    return os.name == "posix" and bool(stat.S_IMODE(file.stat().st_mode) & 0o022)


def tighten(folder: Path) -> None:
    """Take a folder of ours from everybody else; without effect where that fails."""
    with contextlib.suppress(OSError):
        if stat.S_IMODE(folder.stat().st_mode) & 0o077:
            folder.chmod(0o700)
