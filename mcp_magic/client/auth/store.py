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
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from mcp_magic.client.auth.record import Record, canonical, read_record, write_record
from mcp_magic.config import private
from mcp_magic.errors import McpMagicError, SignInFailed

__all__ = ["Store", "folder_for"]

_PATIENCE = 60.0  # seconds that another kernel may take to renew a token
_ON_BINDER = ("BINDER_LAUNCH_HOST", "BINDER_SERVICE_HOST")
_POSIX = os.name == "posix"  # elsewhere the person's own folder is protected as such


def folder_for(environ: Mapping[str, str]) -> Path | None:
    """Return where sign-ins are kept; ``None``: in memory alone.

    ``MCP_MAGIC_TOKENS`` is ``memory`` or a folder; without it they are kept in the
    person's own data folder, and in memory on Binder, where anybody may look.
    """
    asked = environ.get("MCP_MAGIC_TOKENS", "")
    if asked == "memory" or (not asked and any(map(environ.get, _ON_BINDER))):
        return None
    if asked:
        return Path(asked).expanduser()
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
        self._memory: dict[str, Record] = {}
        self._locks: dict[tuple[str, int], asyncio.Lock] = {}
        self._seen: dict[Path, tuple[tuple[int, int, int], Record]] = {}

    def read(self, url: str) -> Record | None:
        """Return what is kept of the server at *url*; a spoilt file is set aside."""
        if self.folder is None:
            return self._memory.get(canonical(url))
        path = self._path(self.folder, url)
        try:
            record = self._read_file(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            self._set_aside(path)
            return None
        return record if record.resource == canonical(url) else None

    def write(self, url: str, record: Record) -> None:
        """Keep *record*; hold the lock meanwhile.

        Raises:
            SignInFailed: The folder cannot be used.
        """
        if self.folder is None:
            self._memory[canonical(url)] = record
            return
        content = write_record(record).encode()
        try:
            _make_private(self.folder)
            private.replace(self._path(self.folder, url), content)
        except (OSError, McpMagicError) as error:
            raise self._unusable(error) from None

    def forget(self, url: str) -> None:
        """Delete what is kept of the server at *url*."""
        if self.folder is None:
            self._memory.pop(canonical(url), None)
        else:
            self._path(self.folder, url).unlink(missing_ok=True)

    def lock(self, url: str) -> AbstractAsyncContextManager[object]:
        """Return what to hold while the record of *url* is read and changed."""
        if self.folder is None:
            key = (canonical(url), id(asyncio.get_running_loop()))
            return self._locks.setdefault(key, asyncio.Lock())
        return self._file_lock(self._path(self.folder, url).with_suffix(".lock"))

    @contextlib.asynccontextmanager
    async def _file_lock(self, path: Path) -> AsyncIterator[None]:
        # A cost at import that only a renewal or a sign-in needs.
        from filelock import AsyncFileLock, Timeout  # noqa: PLC0415

        try:
            _make_private(path.parent)
            lock = AsyncFileLock(path, _PATIENCE, mode=0o600, run_in_executor=False)
            await lock.acquire()
        except Timeout:
            raise SignInFailed(
                "another kernel has been renewing this token for a minute; try again"
            ) from None
        except OSError as error:
            raise self._unusable(error) from None
        try:
            yield
        finally:
            await lock.release()

    def _read_file(self, path: Path) -> Record:
        # A link could lead to a file that others can read, or that is somebody else's.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(handle, encoding="utf-8") as file:  # noqa: PTH123 - an open handle
            status = os.fstat(handle)
            if _POSIX and stat.S_IMODE(status.st_mode) & 0o077:
                os.fchmod(handle, 0o600)
                self._warn(f"Others could read {path.name}; now only you can.")
            stamp = (status.st_mtime_ns, status.st_ino, status.st_size)
            seen = self._seen.get(path)
            if seen is None or seen[0] != stamp:
                seen = self._seen[path] = (stamp, read_record(file.read()))
        return seen[1]

    def _set_aside(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.replace(path.with_suffix(".spoilt"))
        self._warn(
            f"The sign-in kept in {path.name} cannot be read: sign in again "
            "(the file is kept aside)."
        )

    def _unusable(self, error: OSError | McpMagicError) -> SignInFailed:
        why = getattr(error, "strerror", None) or error
        return SignInFailed(
            f"tokens cannot be kept ({why}); MCP_MAGIC_TOKENS names another folder, "
            "or memory"
        )

    @staticmethod
    def _path(folder: Path, url: str) -> Path:
        address = canonical(url)
        host = re.sub(r"[^\w.-]+", "-", urlsplit(address).hostname or "server")
        digest = hashlib.sha256(address.encode()).hexdigest()
        return folder / f"{host[:60]}-{digest[:20]}.json"


def _make_private(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    private.tighten(folder)
