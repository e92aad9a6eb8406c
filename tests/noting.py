"""A server that lists what a test says and notes what it receives."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Noting"]

_SERVER = Path(__file__).parent / "servers" / "noting.py"


@dataclass(frozen=True)
class Noting:
    """Its files in a folder of the test's.

    Attributes:
        folder: Where its list and its notes are.
    """

    folder: Path

    def write(
        self,
        tools: Sequence[Any],
        results: Mapping[str, Any] | None = None,
        progress: Mapping[str, str] | None = None,
    ) -> str:
        """Write what it lists and answers, and return the command that starts it.

        Args:
            tools: Its tools as they are to be listed, odd ones too.
            results: By tool name what a call gives; else a text.
            progress: By tool name the message of a report before that.
        """
        said = {"tools": tools, "results": results or {}, "progress": progress or {}}
        (self.folder / "list.json").write_text(json.dumps(said), encoding="utf-8")
        words = [sys.executable, _SERVER, self.folder / "list.json", self.notes]
        return " ".join(map(str, words))

    def cell(
        self, tools: Sequence[Any], results: Mapping[str, Any] | None = None
    ) -> str:
        """Return the cell that lists its tools as those of the server ``n``."""
        return f'%mcp --name n --stdio "{self.write(tools, results)}"'

    @property
    def notes(self) -> Path:
        """The file that gets the arguments of each call."""
        return self.folder / "notes.jsonl"

    def received(self) -> list[str]:
        """Return the arguments of all calls as the server read them, as JSON text."""
        if not self.notes.exists():
            return []
        return self.notes.read_text(encoding="utf-8").splitlines()
