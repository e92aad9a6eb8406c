"""Reads the files in which servers are named; the only way to files of others.

Our own file is written elsewhere, and read here as well.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from mcp_magic.config import places
from mcp_magic.config.catalogue import Catalogue, Problem, apart
from mcp_magic.config.dialects import Place, Reading, problem, read
from mcp_magic.config.dialects.claude import OffList, disable
from mcp_magic.config.entries import ServerEntry

__all__ = ["project_folders", "read_all", "read_bytes", "read_file", "read_text"]

_LARGEST = 32_000_000  # bytes of a file
_BROUGHT = 4_000_000  # bytes of one that a folder brings along
_TEXT = 1_000_000  # bytes of a file that a placeholder refers to
_FILES = 30  # files of a pattern
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_KEPT = 2_000  # readings

# What files said, by place, with the time and size of the file; shared by the process.
_readings: dict[Place, tuple[tuple[int, int], Reading]] = {}


def read_all(
    home: Path,
    folder: Path,
    environ: Mapping[str, str],
    *,
    own: Iterable[ServerEntry] = (),
) -> Catalogue:
    """Read every file in which a server may be named; never raises.

    A file is parsed once for each time it is modified.

    Args:
        home: The user's home folder.
        folder: The folder of the notebook. Files of the project are looked for from
            here upwards to the root of the repository, never above *home*.
        environ: The environment variables, which move some of the files.
        own: The entries of our own file, which come first.
    """
    folders = project_folders(home, folder)
    known = _named(folders, folder)
    # A file may be named by a variable as well as be the usual one.
    found = places.of_user(home, known, environ, sys.platform)
    users = list({place.file: place for place in found}.values())
    real = Path(os.path.realpath(home))
    theirs = {_moved(place.file, home, real) for place in users}
    brought = (one for one in places.of_project(folders) if one.file not in theirs)
    readings = [
        read_file(one) for place in chain(brought, users) for one in _all(place)
    ]
    return _catalogue(own, readings)


def _catalogue(own: Iterable[ServerEntry], readings: list[Reading]) -> Catalogue:
    off = [one for reading in readings for one in reading.off]
    found = disable([one for reading in readings for one in reading.entries], off)
    entries, collisions = apart([*own, *found])
    problems = [one for reading in readings for one in reading.problems]
    problems += [*collisions, *_unknown(off, found)]
    return Catalogue(entries, tuple(problems))


def _unknown(lists: list[OffList], entries: list[ServerEntry]) -> Iterator[Problem]:
    """Yield a problem for each name that a list of this project has in vain."""
    for one in lists:
        if one.place.scope == "user" and not one.key.startswith("projects."):
            continue  # about other projects too
        known = {entry.name for entry in entries if one.means(entry)}
        for name in one.names:
            if name not in known:
                text = f"{name} is switched off here, but no server is called so"
                yield problem(one.place, one.key, 0, text)


def project_folders(home: Path, folder: Path) -> tuple[Path, ...]:
    """Return the folders of a notebook's project, its own first.

    They end at the root of the repository or at the home folder. Outside of both it is
    the one folder: what is above may belong to anybody.
    """
    folder, home = Path(os.path.realpath(folder)), Path(os.path.realpath(home))
    found = []
    for one in (folder, *folder.parents):
        found.append(one)
        if one == home or os.path.lexists(one / ".git"):
            return tuple(found)
    return (folder,)


def _moved(file: Path, home: Path, real: Path) -> Path:
    """Return a file with the home folder spelled as in folders of a project."""
    return real / file.relative_to(home) if file.is_relative_to(home) else file


def _named(folders: tuple[Path, ...], folder: Path) -> tuple[Path, ...]:
    """Return the folders of a project under each name that products may know."""
    return folders if folder in folders else (*folders, folder)


def _all(place: Place) -> Iterator[Place]:
    """Yield a place, or those that its pattern matches."""
    if "*" not in place.file.name:
        yield place
        return
    try:
        found = sorted(place.file.parent.glob(place.file.name))
    except OSError:
        return
    for file in found[:_FILES]:
        if file.suffix in (".json", ".yaml", ".yml"):
            yield replace(place, file=file)


def read_file(place: Place) -> Reading:
    """Read one file, unless it is as it was; never raises.

    Args:
        place: Whose file it is. One that does not exist says nothing.
    """
    try:
        return _as_it_was(place) or _anew(place)
    except (FileNotFoundError, NotADirectoryError):
        return Reading()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return Reading(problems=(problem(place, "", 0, f"cannot be read: {why}"),))


def _as_it_was(place: Place) -> Reading | None:
    kept = _readings.get(place)
    return kept[1] if kept is not None and kept[0] == _state(place) else None


def _anew(place: Place) -> Reading:
    # Should it change meanwhile, it is read once more the next time.
    state = _state(place)
    largest = _BROUGHT if place.scope == "project" else _LARGEST
    reading = read(place, read_bytes(place.file, largest))
    if len(_readings) >= _KEPT:
        _readings.clear()
    _readings[place] = state, reading
    return reading


def _state(place: Place) -> tuple[int, int]:
    now = place.file.stat()
    return now.st_mtime_ns, now.st_size


def is_file(path: str) -> bool:
    """Whether there is a file of that name; a text that cannot be a path names none."""
    with contextlib.suppress(OSError, ValueError):
        return Path(path).is_file()
    return False


def read_text(file: Path) -> str:
    """Return the text of a file that an entry refers to.

    Raises:
        OSError: It cannot be read, is no ordinary file, or is too large.
        ValueError: It is not UTF-8.
    """
    return read_bytes(file, _TEXT).decode("utf-8-sig")


def read_bytes(file: Path, largest: int = _LARGEST) -> bytes:
    """Return what an ordinary file holds.

    Args:
        file: The file.
        largest: How many bytes it may have.

    Raises:
        OSError: It cannot be read, is no ordinary file, or is too large.
    """
    # Whoever wrote a folder can put a pipe or a device there, which never ends.
    with os.fdopen(os.open(file, _FLAGS), "rb") as opened:
        now = os.fstat(opened.fileno())
        if not stat.S_ISREG(now.st_mode):
            raise OSError(0, "it is no ordinary file")
        if now.st_size > largest:
            raise OSError(0, f"it has more than {largest // 1_000_000} MB")
        return opened.read(largest)
