"""What cells showed, in a form that two runs on two machines share."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kernels import plain
from tests.terminals import drawn

__all__ = ["Shown", "from_outputs", "from_terminal", "steady"]

_VIEW = "application/vnd.jupyter.widget-view+json"
_DEMO = "python -P -m mcp_magic.demo"
_CUT = (60, 80)  # widths at which a table cell ends with an ellipsis
_UNSTEADY = [
    (re.compile(r"\b\d+(?:\.\d+)? (ms|s)\b"), r"N \1"),
    (re.compile(r"(?<=not on PATH )\((?:[^)\n<]*\)|[^)\n<]*…)"), "(…)"),
    (re.compile(r"(MCP_MAGIC_TRUST=)\S+"), r"\1…"),
    (re.compile(r"\b0x[0-9a-f]+\b"), "0x…"),
    (re.compile(r"(data:[\w/+-]+;base64,)[\w+/=]+"), r"\1…"),
    (re.compile(r"(127\.0\.0\.1|localhost):\d+"), r"\1:PORT"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?"), "TIME"),
]


@dataclass(frozen=True, slots=True)
class Shown:
    """What one cell showed.

    Attributes:
        source: The cell.
        text: What it said, its value and its error as plain text. Lines that only a
            notebook keeps, such as progress, begin with ``~``.
        html: Its values as HTML, a line break before each row; empty in a terminal.
    """

    source: str
    text: str
    html: str = ""

    @property
    def in_terminal(self) -> str:
        """The text without what a terminal wipes."""
        lines = self.text.split("\n")
        return "\n".join(line for line in lines if not line.startswith("~ "))


def from_outputs(source: str, outputs: Iterable[Mapping[str, Any]]) -> Shown:
    """Read the outputs of a notebook's cell."""
    found = [(_plain(one), _html(one)) for one in outputs]
    text = "\n".join(one.strip("\n") for one, _ in found if one)
    html = "\n".join(one for _, one in found if one)
    if source.startswith("%mcp doctor "):
        text, html = _of_servers(text, "\n"), _of_servers(html, "&#10;")
    return Shown(source, steady(text), steady(html))


def _of_servers(report: str, line_break: str) -> str:
    """Keep of a report what is not about the machine: headings, and servers."""
    gap = 2 * line_break
    unwrapped = re.sub(rf"{line_break} {{9,}}", " ", report)
    _, *sections = unwrapped.split(gap)
    return gap.join(
        one if one.startswith("Server ") else one.partition(line_break)[0]
        for one in sections or [unwrapped]
    )


def _plain(output: Mapping[str, Any]) -> str:
    match output["output_type"]:
        case "stream":
            return plain(output["text"])
        case "error":
            return plain("\n".join(output["traceback"]))
        case "execute_result":
            return str(output["data"]["text/plain"])
    text = str(output["data"]["text/plain"])
    return "\n".join(f"~ {line}" for line in text.split("\n"))


def _html(output: Mapping[str, Any]) -> str:
    data = output.get("data", {})
    # A live view stands beside what is compared here.
    kinds = [kind for kind in sorted(data) if kind != _VIEW]
    parts = [f"({kind})" for kind in kinds if not kind.startswith("text/")]
    page = str(data.get("text/html", ""))
    broken = re.sub(r"(?<!^)<(tr|table|div|details|progress)\b", r"\n<\1", page)
    return "\n".join([*parts, broken]) if page else "\n".join(parts)


def from_terminal(source: str, shown: str) -> Shown:
    """Read what a cell left on a terminal's screen."""
    text = re.sub(r"^Out\[\d+\]: \n?", "", drawn(shown), flags=re.MULTILINE)
    return Shown(source, steady(text).strip("\n"))


def steady(text: str) -> str:
    """Return *text* without times, folders, addresses and versions."""
    command = f"{sys.executable} -P -m mcp_magic.demo"
    known = [command, *(f"{command[: cut - 1]}…" for cut in _CUT)]
    for one in known:
        if one in text:
            text = _narrow(text.replace(one, _DEMO))
    for path, name in ((sys.executable, "python"), (str(Path.home()), "~")):
        text = text.replace(path, name)
    for pattern, word in _UNSTEADY:
        text = pattern.sub(word, text)
    return text.replace(importlib.metadata.version("mcp-magic"), "VERSION")


def _narrow(table: str) -> str:
    """Let the columns of a table, as wide as a path, be two spaces apart."""
    return re.sub(r"(?<=\S) {2,}(?=\S)", "  ", table)
