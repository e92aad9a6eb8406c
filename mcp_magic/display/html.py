"""Pieces of HTML in which every text is escaped: nothing in it runs, loads or hides.

A page stays readable when ``style`` and ``class`` are removed, as GitHub does, and has
its colours from where it stands, light or dark. It is a single line: a blank one would
end the HTML in a Markdown file, and what follows would be read as Markdown.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Sequence
from itertools import repeat
from urllib.parse import urlsplit

from mcp_magic.display import text
from mcp_magic.display.badges import badges
from mcp_magic.display.limits import plural
from mcp_magic.display.text import Meaning, Reveal, no_meaning
from mcp_magic.errors import visible
from mcp_magic.language import signature
from mcp_magic.model import Tool

__all__ = [
    "TOOLS",
    "code",
    "escape",
    "fold",
    "is_address",
    "is_picture",
    "is_sound",
    "link",
    "note",
    "paragraph",
    "picture",
    "prose",
    "sound",
    "table",
    "tool_list",
]

TOOLS = 30  # tools that a list shows at once; the others are folded away

_PICTURES = frozenset("png jpeg gif webp svg+xml".split())
_SOUNDS = frozenset(
    "aac flac mp3 mp4 mpeg ogg wav wave webm x-flac x-m4a x-wav".split()
)
_LEFT = 'style="text-align:left;vertical-align:top"'
_WRAPPED = 'style="text-align:left;vertical-align:top;overflow-wrap:anywhere"'
# GitHub takes every style away, and leaves this.
_RIGHT = 'align="right" style="text-align:right;vertical-align:top"'
_UNBROKEN = 'style="text-align:left;vertical-align:top;white-space:nowrap"'
_DIM = 'style="opacity:0.75"'
_CODE = (
    'style="white-space:pre-wrap;overflow-wrap:anywhere;margin:0;'
    "font-family:var(--jp-code-font-family,monospace);"
    "font-size:var(--jp-code-font-size,inherit);"
    'line-height:var(--jp-code-line-height,1.3)"'
)
_BADGE = (
    'style="border:1px solid currentColor;border-radius:0.6em;padding:0 0.4em;'
    'white-space:nowrap;opacity:0.75"'
)
# What starts a formula for MathJax, which reads every page but its <pre> and <code>:
# in an element of its own it starts none.
_MATH = re.compile(r"[$\\]+")
# Means nothing to HTML, MathJax or Unicode, as most cells of a long table.
_PLAIN = re.compile(r"[A-Za-z0-9 .,:/_()-]*")
# A date or a name, which a browser would break at its hyphens.
_SHORT = re.compile(r"\w{1,10}(?:-\w{1,10}){1,2}")
_ADDRESS = re.compile(r"https?://[^\s\"'<>\\^`{|}]+", re.IGNORECASE)


def escape(shown: str) -> str:
    """Return *shown* as HTML text or attribute: escaped, hidden characters spelled."""
    if _PLAIN.fullmatch(shown):
        return shown
    return html.escape(visible(shown)).replace("\n", "&#10;")


def prose(shown: str) -> str:
    """Return *shown* as HTML text outside ``<pre>`` and ``<code>``, never a formula."""
    if _PLAIN.fullmatch(shown):
        return shown
    return _MATH.sub(r"<span>\g<0></span>", escape(shown))


def paragraph(shown: str) -> str:
    """Return a text whose line breaks and spaces stay as they are."""
    return f"<pre {_CODE}>{escape(shown)}</pre>"


def code(shown: str) -> str:
    """Return a text in the letters of code, broken where the page ends."""
    return f'<code style="overflow-wrap:anywhere">{escape(shown)}</code>'


def note(shown: str) -> str:
    """Return a line about what is shown."""
    return f"<div {_DIM}>{prose(shown)}</div>"


def fold(summary: str, inside: str) -> str:
    """Return *inside*, which is HTML, behind a summary that opens it."""
    return f"<details><summary>{prose(summary)}</summary>{inside}</details>"


def table(
    headers: Sequence[str], rows: Sequence[Sequence[object]], reveal: Reveal = str
) -> str:
    """Return a table with a heading row; every cell is escaped.

    Args:
        headers: The headings.
        rows: The cells; numbers stand on the right, and so do the headings of columns
            of numbers.
        reveal: Adds to a text what the namespaced names in it mean.
    """
    cells = ("".join(_cell(value, reveal) for value in row) for row in rows)
    columns = ([row[at] for row in rows] for at in range(len(headers)))
    sides = [_RIGHT if text.numeric(values) else _LEFT for values in columns]
    return _table([text.cell(name) for name in headers], cells, sides)


def _table(
    headers: Sequence[str], rows: Iterable[str], sides: Iterable[str] = repeat(_LEFT)
) -> str:
    named = zip(headers, sides, strict=False)
    head = "".join(f'<th scope="col" {side}>{prose(name)}</th>' for name, side in named)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object, reveal: Reveal) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    said = reveal(text.cell(value, 120))
    style = _RIGHT if number else _UNBROKEN if _SHORT.fullmatch(said) else _LEFT
    return f"<td {style}>{prose(said)}</td>"


def tool_list(server: str, tools: Sequence[Tool], meaning: Meaning = no_meaning) -> str:
    """Return the tools of a server as a table: signature and first sentence each.

    Args:
        server: The server's name.
        tools: Its tools; after thirty they are folded away.
        meaning: Says what a namespaced name means, or nothing.
    """
    shown = f"<b>{prose(server)}</b>: {plural(len(tools), 'tool')}"
    shown += _tool_table(tools[:TOOLS], meaning)
    if len(tools) > TOOLS:
        more = plural(len(tools) - TOOLS, "more tool")
        shown += fold(f"… {more}", _tool_table(tools[TOOLS:], meaning))
    return f"<div>{shown}</div>"


def _tool_table(tools: Sequence[Tool], meaning: Meaning) -> str:
    rows = (
        f"<td {_WRAPPED}><code>{escape(signature(tool))}</code>"
        f"{_meaning(meaning(tool.name))}{_badges(tool)}</td>"
        f"<td {_WRAPPED}>{prose(text.brief(tool.description or tool.title))}</td>"
        for tool in tools
    )
    return _table(("tool", "what it does"), rows)


def _meaning(words: str) -> str:
    return f"<br><i>{prose(text.cell(words, 200))}</i>" if words else ""


def _badges(tool: Tool) -> str:
    marks = [f"<small {_BADGE}>{word}</small>" for word in badges(tool.annotations)]
    return f"<br>{' · '.join(marks)}" if marks else ""


def link(address: str, shown: str) -> str:
    """Return a link if *address* is one of the web's, else its text; nothing loads."""
    if not is_address(address):
        return prose(shown)
    where = f'href="{escape(address)}" target="_blank" rel="noopener noreferrer"'
    return f"<a {where}>{prose(shown)}</a>"


def is_address(text: str) -> bool:
    """Whether *text* is an http or https address that shows where it leads."""
    if not _ADDRESS.fullmatch(text) or visible(text) != text:
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    # A user before the host is there to be taken for the host.
    return bool(parts.hostname) and "@" not in parts.netloc


def is_picture(mime: str) -> bool:
    """Whether a browser shows that type as a picture."""
    return _is(mime, "image", _PICTURES)


def is_sound(mime: str) -> bool:
    """Whether a browser plays that type as a sound."""
    return _is(mime, "audio", _SOUNDS)


def _is(mime: str, kind: str, known: frozenset[str]) -> bool:
    first, _, second = mime.lower().partition("/")
    return first == kind and second in known


def picture(mime: str, data: bytes, label: str) -> str:
    """Return a picture of a known type; *label* says what it is.

    As the source of an ``<img>`` an SVG cannot run scripts or load anything.
    """
    source = _source(mime, data)
    return f'<img src="{source}" alt="{escape(label)}" style="max-width:100%">'


def sound(mime: str, data: bytes, label: str) -> str:
    """Return a player for a sound of a known type; *label* says what it is."""
    source, said = _source(mime, data), escape(label)
    return f'<audio controls src="{source}" aria-label="{said}">{prose(label)}</audio>'


def _source(mime: str, data: bytes) -> str:
    return f"data:{mime.lower()};base64,{base64.b64encode(data).decode('ascii')}"
