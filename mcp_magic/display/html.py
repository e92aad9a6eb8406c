"""Values as HTML in which every text is escaped: nothing in it runs, loads or hides.

The pages stay readable when ``style`` and ``class`` are removed, as GitHub does.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping, Sequence

from mcp_magic.display import text
from mcp_magic.errors import visible
from mcp_magic.language import signature
from mcp_magic.model import Answer, Block, Image, Text, Tool

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


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table with a heading row; every cell is escaped."""
    head = "".join(f'<th scope="col" {_LEFT}>{escape(name)}</th>' for name in headers)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    style = 'style="text-align:right;vertical-align:top"' if number else _LEFT
    return f"<td {style}>{html.escape(text.cell(value))}</td>"


def tool_list(server: str, tools: Sequence[Tool]) -> str:
    """Return the tools of a server as a table: signature and first sentence each."""
    count = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    rows = "".join(
        f"<tr><td {_LEFT}><code>{escape(signature(tool))}</code></td>"
        f"<td {_LEFT}>{escape(text.brief(tool.description or tool.title))}</td></tr>"
        for tool in tools
    )
    titles = ("tool", "what it does")
    heads = "".join(f'<th scope="col" {_LEFT}>{title}</th>' for title in titles)
    return (
        f"<div><b>{escape(server)}</b>: {count}"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def answer(given: Answer) -> str | None:
    """Return an answer as HTML: records as a table, images as images.

    Returns:
        ``None`` for an answer that is only text, which plain text shows best.
    """
    pictures = any(isinstance(block, Image) for block in given.blocks)
    if text.records(given.data) is None and not pictures:
        return None
    notes = [f"<div {_DIM}>Note: {escape(one)}</div>" for one in given.warnings]
    return f"<div>{''.join([*_parts(given), *notes])}</div>"


def _parts(given: Answer) -> list[str]:
    found = text.records(given.data)
    if found is not None:
        return _table_of(*found)
    if "structuredContent" in given.raw:
        extra = [_block(b) for b in given.blocks if not isinstance(b, Text)]
        value = given.data if isinstance(given.data, str) else text.pretty(given.data)
        return [_text(value), *extra]
    return [_block(block) for block in given.blocks] or [f"<i {_DIM}>no content</i>"]


def _table_of(columns: list[str], rows: list[Mapping[str, object]]) -> list[str]:
    shown = rows[: text.ROWS]
    more = len(rows) - len(shown)
    note = f"<div {_DIM}>… {more:,} more rows; .data and .to_pandas() hold them</div>"
    made = table(columns, [[row.get(column) for column in columns] for row in shown])
    return [made, note] if more else [made]


def _text(value: str) -> str:
    shown, note = text.preview(value)
    return paragraph(shown) + (f"<div {_DIM}>{escape(note)}</div>" if note else "")


def _block(block: Block) -> str:
    if isinstance(block, Image) and block.mime.lower() in _IMAGES:
        data = base64.b64encode(block.data).decode("ascii")
        label = escape(text.describe(block))
        # As the source of an <img> an SVG cannot run scripts or load anything.
        source = f"data:{block.mime.lower()};base64,{data}"
        return f'<img src="{source}" alt="{label}" style="max-width:100%">'
    return _text(re.sub(r"^$", "''", text.describe(block)))
