"""Where sign-ins are kept: one file a server's URL, readable by nobody else.

The file is named for the URL and never for the server's name, so that a name that is
given another URL finds no token. It is replaced as a whole, and whoever changes it
holds its lock, which other kernels respect.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import stat
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

import platformdirs

from mcp_magic.client.auth.record import (
    Record,
    canonical,
    has_typed_secret,
    read_record,
    with_typed_secret,
    write_record,
)
from mcp_magic.config import private
from mcp_magic.errors import McpMagicError, SignInFailed

__all__ = ["Store", "folder_for"]

_PATIENCE = 60.0  # seconds that another kernel may take to renew a token
_ON_BINDER = ("BINDER_LAUNCH_HOST", "BINDER_SERVICE_HOST")
_SPOILT = ".spoilt"
_Stamp: TypeAlias = "tuple[int, int, int] | None"  # of a file, see private.state
_POSIX = os.name == "posix"  # elsewhere the person's own folder is protected as such


def folder_for(environ: Mapping[str, str]) -> Path | None:
    """Return where sign-ins are kept; ``None``: in memory alone.

    ``MCP_MAGIC_TOKENS`` is ``memory`` or the full path of a folder; without it they are
    kept in the person's own data folder, and in memory on Binder, where anybody may
    look. Another path could come from a project's ``.env``, and lead into the project.
    """
    asked = environ.get("MCP_MAGIC_TOKENS", "")
    folder = Path(asked).expanduser()
    if asked != "memory" and folder.is_absolute():
        return folder
    if asked == "memory" or any(map(environ.get, _ON_BINDER)):
        return None
    return platformdirs.user_data_path("mcp-magic", appauthor=False) / "sign-in"


class Store:
    """The sign-ins of all servers.

    Args:
        folder: Holds a file for each; ``None`` keeps them in memory.
        warn: Hears of what is wrong with a file, in a sentence.
    """

    def __init__(self, folder: Path | None, warn: Callable[[str], None]) -> None:
        self.folder = folder
        self._warn = warn
        self._warned: set[str] = set()
        self._memory: dict[str, Record] = {}
        self._unwritten: dict[Path, tuple[_Stamp, Record]] = {}
        self._typed: dict[str, Record] = {}  # with secrets that no file may hold
        self._locks: dict[tuple[str, int], asyncio.Lock] = {}
        self._seen: dict[Path, tuple[_Stamp, Record]] = {}

    def read(self, url: str) -> Record | None:
        """Return what is kept of the server at *url*; a spoilt file is set aside."""
        if self.folder is None:
            return self._memory.get(canonical(url))
        path = self._path(self.folder, url)
        stamp, held = self._unwritten.get(path, (None, None))
        if held is not None and stamp == private.state(path):
            return held
        record = self._from_file(path)
        if record is None or record.resource != canonical(url):
            return None
        typed = self._typed.get(record.resource)
        return record if typed is None else with_typed_secret(record, typed)

    def write(self, url: str, record: Record) -> None:
        """Keep *record*; hold the lock meanwhile.

        Where the folder cannot be used, it is held in memory and that is said once. A
        file that somebody else writes afterwards wins.
        """
        if self.folder is None:
            self._memory[canonical(url)] = record
            return
        if has_typed_secret(record):
            self._typed[record.resource] = record
        path, problem = self._path(self.folder, url), ""
        try:
            _make_private(self.folder)
            private.replace(path, write_record(record).encode())
        except OSError as error:
            problem = f"{private.near_home(self.folder)}: {error.strerror}"
        except McpMagicError as error:
            problem = str(error)
        self._unwritten.pop(path, None)
        if problem:
            self._unwritten[path] = private.state(path), record
            self._warn_once(
                f"Tokens cannot be kept ({problem}): this kernel alone holds them; "
                "MCP_MAGIC_TOKENS names another folder."
            )

    def forget(self, url: str) -> None:
        """Delete what is kept of the server at *url*.

        Raises:
            SignInFailed: A file cannot be deleted.
        """
        self._memory.pop(canonical(url), None)
        self._typed.pop(canonical(url), None)
        if self.folder is None:
            return
        path = self._path(self.folder, url)
        self._unwritten.pop(path, None)
        for one in (path, private.unfinished(path), path.with_suffix(_SPOILT)):
            try:
                one.unlink(missing_ok=True)
            except NotADirectoryError:
                return
            except OSError as error:
                raise SignInFailed(
                    f"{private.near_home(one)} cannot be deleted ({error.strerror}); "
                    "delete it yourself"
                ) from None

    @contextlib.asynccontextmanager
    async def lock(self, url: str) -> AsyncIterator[None]:
        """Hold this while the record of *url* is read and changed.

        Raises:
            SignInFailed: Another kernel keeps it.
        """
        key = (canonical(url), id(asyncio.get_running_loop()))
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._locks.setdefault(key, asyncio.Lock()))
            if self.folder is not None:
                path = self._path(self.folder, url).with_suffix(".lock")
                await _lock_file(path, stack)
            yield

    def _from_file(self, path: Path) -> Record | None:
        try:
            return self._read_file(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ValueError:
            why = "it is spoilt"
        except OSError as error:
            why = f"{error.strerror}"
        self._set_aside(path, why)
        return None

    def _read_file(self, path: Path) -> Record:
        # A link could lead to a file that others can read, or that is somebody else's.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(handle, encoding="utf-8") as file:  # noqa: PTH123 - an open handle
            status = os.fstat(handle)
            if _POSIX and stat.S_IMODE(status.st_mode) & 0o077:
                os.fchmod(handle, 0o600)
                self._warn(f"Others could read {path.name}; now only you can.")
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            seen = self._seen.get(path)
            if seen is None or seen[0] != stamp:
                seen = self._seen[path] = (stamp, read_record(file.read()))
        return seen[1]

    def _set_aside(self, path: Path, why: str) -> None:
        aside = path.with_suffix(_SPOILT)
        with contextlib.suppress(OSError):
            path.replace(aside)
            why = f"it is {aside.name} now"
            self._warned.clear()
        self._warn_once(
            f"The sign-in kept in {path.name} cannot be read ({why}): sign in again."
        )

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warn(text)

    @staticmethod
    def _path(folder: Path, url: str) -> Path:
        address = canonical(url)
        host = re.sub(r"[^\w.-]+", "-", urlsplit(address).hostname or "server")
        digest = hashlib.sha256(address.encode()).hexdigest()
        return folder / f"{host[:60]}-{digest[:20]}.json"


async def _lock_file(path: Path, stack: contextlib.AsyncExitStack) -> None:
    """Hold a lock that other processes respect, until *stack* is left."""
    # A cost at import that only a renewal or a sign-in needs.
    from filelock import AsyncFileLock, Timeout  # noqa: PLC0415

    lock, is_late = (
        AsyncFileLock(path, _PATIENCE, mode=0o600, run_in_executor=False),
        False,
    )
    try:
        _make_private(path.parent)
        await lock.acquire()
    except Timeout:
        is_late = True
    except (OSError, NotImplementedError):
        return  # nobody else can hold it either; what cannot be written is said there
    if is_late:
        raise SignInFailed(
            "another kernel has been renewing this token for a minute; try again"
        )
    stack.push_async_callback(lock.release)


def _make_private(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    private.tighten(folder)
