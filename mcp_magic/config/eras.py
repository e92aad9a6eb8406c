"""Remember which servers speak the older protocol, so that they are not probed again.

A server that never answers the newer probe costs ten seconds at every start. The era is
a property of the server (MCP specification 2026-07-28, versioning), so it is kept in a
file of the user's cache: hashes of targets, nothing that tells them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path

from mcp_magic.config import private
from mcp_magic.config.entries import Http, InProcess, Stdio, Target
from mcp_magic.errors import McpMagicError

__all__ = ["Eras"]

_KEPT = 500  # servers


class Eras:
    """The servers that are known to speak the older protocol.

    Args:
        file: Where they are kept; ``None`` keeps them in memory alone. A file that
            cannot be read or written is as good as none.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._older: dict[str, bool] | None = None

    def is_older(self, target: Target) -> bool:
        """Whether *target* was last seen to speak the older protocol."""
        return _key(target) in self._known()

    def remember(self, target: Target, *, older: bool) -> None:
        """Keep what was learned of *target*; writes only what is new."""
        key, known = _key(target), self._known()
        if isinstance(target, InProcess) or (key in known) == older:
            return
        if older:
            known[key] = True
        else:
            del known[key]
        with contextlib.suppress(OSError, McpMagicError):
            self._write(known)

    def _known(self) -> dict[str, bool]:
        if self._older is None:
            self._older = {}
            if self._file is not None:
                with contextlib.suppress(OSError, ValueError):
                    kept = json.loads(self._file.read_text(encoding="utf-8"))
                    self._older = {str(key): True for key in list(kept)[-_KEPT:]}
        return self._older

    def _write(self, known: dict[str, bool]) -> None:
        if self._file is None:
            return
        # Another kernel may write too: the last one wins.
        with private.alone(self._file) as real:
            private.replace(real, json.dumps(list(known)[-_KEPT:]).encode())


def _key(target: Target) -> str:
    match target:
        case Stdio(command=command, args=args, cwd=cwd):
            parts: list[object] = ["stdio", command, *args, cwd]
        case Http(url=url):
            parts = ["http", url]
        case InProcess(server=server):
            parts = ["object", id(server)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
