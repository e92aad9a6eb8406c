"""Values as HTML in which every text is escaped: nothing in it runs, loads or hides.

The pages stay readable when ``style`` and ``class`` are removed, as GitHub does.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence

from mcp_magic.answer import Answer, Block, Image, Text
from mcp_magic.display import text
from mcp_magic.display.text import Meaning, Reveal, no_meaning
from mcp_magic.errors import visible
from mcp_magic.language import signature
from mcp_magic.model import Tool

__all__ = ["answer", "escape", "paragraph", "table", "tool_list"]

_IMAGES = frozenset(
    ("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml")
)
_LEFT = 'style="text-align:left;vertical-align:top"'
_DIM = 'style="opacity:0.7"'


def escape(shown: str) -> str:
    """Return *shown* as HTML text: escaped, hidden characters spelled out."""
    return html.escape(visible(shown))


def paragraph(shown: str) -> str:
    """Return a text whose line breaks and spaces stay as they are."""
    return f'<pre style="white-space:pre-wrap;margin:0">{escape(shown)}</pre>'


def table(
    headers: Sequence[str], rows: Sequence[Sequence[object]], reveal: Reveal = str
) -> str:
    """Return a table with a heading row; every cell is escaped.

    Args:
        headers: The headings.
        rows: The cells; numbers stand on the right.
        reveal: Adds to a text what the namespaced names in it mean.
    """
    head = "".join(f'<th scope="col" {_LEFT}>{escape(name)}</th>' for name in headers)
    body = "".join(
        f"<tr>{''.join(_cell(value, reveal) for value in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object, reveal: Reveal) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    style = 'style="text-align:right;vertical-align:top"' if number else _LEFT
    return f"<td {style}>{html.escape(reveal(text.cell(value)))}</td>"


def tool_list(server: str, tools: Sequence[Tool], meaning: Meaning = no_meaning) -> str:
    """Return the tools of a server as a table: signature and first sentence each.

    Args:
        server: The server's name.
        tools: Its tools.
        meaning: Says what a namespaced name means, or nothing.
    """
    count = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    rows = "".join(
        f"<tr><td {_LEFT}><code>{escape(signature(tool))}</code>"
        f"{_meaning(meaning(tool.name))}</td>"
        f"<td {_LEFT}>{escape(text.brief(tool.description or tool.title))}</td></tr>"
        for tool in tools
    )
    titles = ("tool", "what it does")
    heads = "".join(f'<th scope="col" {_LEFT}>{title}</th>' for title in titles)
    return (
        f"<div><b>{escape(server)}</b>: {count}"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _meaning(words: str) -> str:
    return f"<br><i>{escape(words)}</i>" if words else ""


def answer(given: Answer, reveal: Reveal = str) -> str | None:
    """Return an answer as HTML: records as a table, images as images.

    Args:
        given: The answer.
        reveal: Adds to a text what the namespaced names in it mean.

    Returns:
        ``None`` for an answer that is only text, which plain text shows best.
    """
    pictures = any(isinstance(block, Image) for block in given.blocks)
    if text.records(given.data) is None and not pictures:
        return None
    notes = [f"<div {_DIM}>Note: {escape(one)}</div>" for one in given.warnings]
    return f"<div>{''.join([*_parts(given, reveal), *notes])}</div>"


def _parts(given: Answer, reveal: Reveal) -> list[str]:
    found = text.records(given.data)
    if found is not None:
        return _table_of(*found, reveal)
    blocks = given.blocks
    if "structuredContent" not in given.raw:
        return [_block(block, reveal) for block in blocks]
    extra = [_block(block, reveal) for block in blocks if not isinstance(block, Text)]
    value = given.data if isinstance(given.data, str) else text.pretty(given.data)
    return [_text(value, reveal), *extra]


def _table_of(
    columns: list[str], rows: list[Mapping[str, object]], reveal: Reveal
) -> list[str]:
    shown = rows[: text.ROWS]
    more = len(rows) - len(shown)
    note = f"<div {_DIM}>… {more:,} more rows; .data and .to_pandas() hold them</div>"
    cells = [[row.get(column) for column in columns] for row in shown]
    made = table(columns, cells, reveal)
    return [made, note] if more else [made]


def _text(value: str, reveal: Reveal) -> str:
    shown, note = text.preview(value)
    return paragraph(reveal(shown)) + (
        f"<div {_DIM}>{escape(note)}</div>" if note else ""
    )


def _block(block: Block, reveal: Reveal) -> str:
    if isinstance(block, Image) and block.mime.lower() in _IMAGES:
        data = base64.b64encode(block.data).decode("ascii")
        label = escape(text.describe(block))
        # As the source of an <img> an SVG cannot run scripts or load anything.
        source = f"data:{block.mime.lower()};base64,{data}"
        return f'<img src="{source}" alt="{label}" style="max-width:100%">'
    return _text(text.describe(block) or "''", reveal)
