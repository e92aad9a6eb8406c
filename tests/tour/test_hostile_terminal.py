"""Hostile texts of a real server in a real terminal: only our own colours arrive."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile import VECTORS, WORD, faults_in_text
from tests.terminals import Terminal

_ROOT = Path(__file__).parents[2]

# Dim and red, their ends, and the wiping of a progress line.
_OURS = re.compile(r"\x1b\[(?:0|2|31)m|\r\x1b\[K")

_LOOPS = {
    kind: f"for v in VECTORS: show({kind!r}, v)"
    for kind in ("text", "records", "structured", "link", "unknown", "error", "refusal")
}


@pytest.fixture(name="terminal", scope="module")
def _terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    server = f"{sys.executable} {_ROOT}/tests/servers/hostile.py"
    with Terminal(tmp_path_factory.mktemp("home")) as terminal:
        terminal.run(
            f"import sys; sys.path.insert(0, {str(_ROOT)!r}); import mcp_magic\n"
            "from tests.hostile import VECTORS\n%load_ext mcp_magic\n"
            f"%mcp add srv {server}\nsrv = mcp_magic.connect('srv')\n"
            "def show(kind, vector):\n"
            "    try: display(srv['show'](kind=kind, vector=vector))\n"
            "    except mcp_magic.McpMagicError: get_ipython().showtraceback()"
        )
        yield terminal


def _sent(terminal: Terminal, source: str) -> str:
    """Return what reached the terminal besides line ends and known sequences."""
    return _OURS.sub("", terminal.run(source).replace("\r\n", "\n"))


@pytest.mark.parametrize(
    "source",
    [
        "%mcp srv",
        "%mcp help srv",
        "%mcp help srv.show",
        "%mcp resources srv",
        "%mcp prompts srv",
        "for v in VECTORS: srv['report'](vector=v)",
        "%mcp logs srv",
        "%mcp status",
        "for v in VECTORS: display(mcp_magic.read(srv, f'vector:{v}'))",
        "for v in VECTORS: display(mcp_magic.prompt(srv, 'fill', vector=v))",
        *_LOOPS.values(),
    ],
)
def test_nothing_reaches_the_terminal_but_text_and_our_colours(
    terminal: Terminal, source: str
) -> None:
    sent = _sent(terminal, source)
    assert faults_in_text(sent) == []
    assert len(sent) < 400_000


def test_what_a_server_says_is_still_to_be_read(terminal: Terminal) -> None:
    sent = _sent(terminal, _LOOPS["text"])
    assert sent.count(WORD) >= len([one for one in VECTORS.values() if WORD in one])
    assert r"\x1b[8m" in sent
