"""A notebook that ran: what is kept in its file, and what exports make of it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from markdown_it import MarkdownIt
from nbconvert import HTMLExporter, MarkdownExporter

from tests import headless
from tests.hostile import RAN, WORD, faults_in_page, faults_in_text
from tests.servers.hostile import KINDS

_CELLS = {
    "load": "%load_ext mcp_magic",
    "list": "%mcp demo",
    "rows": "%mcp demo.list_rows limit=30",
    "picture": "%mcp demo.draw",
    "progress": "%mcp demo.slow seconds=0.5 steps=5",
    "stopped": "%mcp --timeout 2 demo.slow seconds=60 steps=600",
    "typo": "%mcp demo.ad a=2 b=3",
    "error": "%mcp demo.fail",
    "servers": "%mcp status",
}


@pytest.fixture(name="saved", scope="module")
def _saved(tmp_path_factory: pytest.TempPathFactory, servers: Path, python: str) -> Any:
    """A notebook with the demo and the hostile server, run from top to bottom."""
    command = f"%mcp --stdio '{python} {servers / 'hostile.py'}' --name srv"
    sources = {**_CELLS, "hostile list": command}
    for vector in (
        "markdown link",
        "markdown blocks",
        "markdown fence",
        "onerror",
        "latex",
    ):
        for kind in KINDS:
            call = f"%mcp srv.show(kind={kind!r}, vector={vector!r})"
            sources[f"{kind} {vector}"] = call
    cells = [
        nbformat.v4.new_code_cell(source, metadata={"name": name})
        for name, source in sources.items()
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    return headless.execute(notebook, tmp_path_factory.mktemp("saved"), may_fail=True)


def _outputs(saved: Any, name: str | None = None) -> list[Any]:
    return [
        output
        for cell in saved.cells
        for output in cell.outputs
        if name in (None, cell.metadata["name"])
    ]


def _pages(saved: Any) -> list[str]:
    data = [output.get("data", {}) for output in _outputs(saved)]
    return [one["text/html"] for one in data if "text/html" in one]


def test_every_output_is_text_escaped_html_or_a_picture(saved: Any) -> None:
    kinds = {kind for one in _outputs(saved) for kind in one.get("data", {})}
    assert kinds == {"text/plain", "text/html", "image/png"}
    assert [faults_in_page(page) for page in _pages(saved)] == [[]] * len(_pages(saved))
    for output in _outputs(saved):
        assert faults_in_text(str(output.get("data", {}).get("text/plain", ""))) == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("progress", r"demo\.slow · 5/5 · Step 5 of 5 · \d+\.\d s"),
        ("stopped", r"demo\.slow · \d+/600 · .* · \d+\.\d s( · \S+/s)? · not finished"),
    ],
)
def test_progress_leaves_one_line_and_no_bar(saved: Any, name: str, line: str) -> None:
    shown, _ = _outputs(saved, name)
    assert re.fullmatch(line, shown["data"]["text/plain"])
    assert "<progress" not in shown["data"]["text/html"]


def test_colours_are_those_of_the_page(saved: Any) -> None:
    styles = set(re.findall(r'style="([^"]*)"', "".join(_pages(saved))))
    used = [
        part for one in styles for part in one.split(";") if "color" in part.lower()
    ]
    used += [part for one in styles for part in one.split(";") if "background" in part]
    assert used == ["border:1px solid currentColor"]


def test_it_reads_the_same_without_style_and_class(saved: Any) -> None:
    (shown,) = _outputs(saved, "list")
    bare = re.sub(r' (style|class)="[^"]*"', "", shown["data"]["text/html"])
    assert (
        "<td><code>delete_note(id: integer) -&gt; object</code><br>"
        "<small>destructive</small> · <small>idempotent</small></td>"
        "<td>Delete a note for good.</td>"
    ) in bare
    (rows,) = _outputs(saved, "rows")
    bare = re.sub(r' (style|class)="[^"]*"', "", rows["data"]["text/html"])
    assert '<td>Sun</td><td align="right">778341000</td>' in bare
    assert "</table><details><summary>… 10 more rows" in bare


def test_an_html_export_has_it_all(saved: Any) -> None:
    page, _ = HTMLExporter().from_notebook_node(saved)
    for text in (
        "<b>demo</b>: ",
        ">Jupiter</td>",
        "data:image/png;base64,",
        "Auto-corrected tool call to demo.add (input: demo.ad).",
        "demo.fail: This tool always fails.",
        "demo.slow · 5/5",
        WORD,
    ):
        assert text in page
    assert not re.search(rf"<script[^>]*>window\.{RAN}", page)


def test_a_markdown_export_reads_well_and_nothing_in_it_comes_alive(saved: Any) -> None:
    text, _ = MarkdownExporter().from_notebook_node(saved)
    assert "    Auto-corrected tool call to demo.add (input: demo.ad)." in text
    assert "<b>demo</b>: " in text
    page = MarkdownIt("commonmark").render(text)
    assert f"javascript:window.{RAN}" in page  # as text
    live = _Live()
    live.feed(page)
    assert not live.tags & {"script", "iframe", "style", "svg", "meta", "form"}
    reached = {re.sub(r"(data:\w+/).*", r"\1", one) for one in live.reached}
    pictures = {"output_3_0.png", "data:image/", "data:audio/"}
    assert reached == {*pictures, "https://h.test/x"}


class _Live(HTMLParser):
    """Collects the elements of a page, what they point to and what they would run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.reached: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("src", "href") or name.startswith("on"):
                self.reached.add(value or "")
