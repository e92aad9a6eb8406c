"""A call's result: how it shows itself, as a table and in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mcp_magic.answer import Answer
from mcp_magic.display.limits import Limits
from mcp_magic.errors import McpMagicError
from mcp_magic.session import CallResult

_PNG = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
_SVG = {"type": "image", "mimeType": "image/svg+xml", "data": "PHN2Zy8+"}


def _result(*content: dict[str, Any], **raw: Any) -> CallResult:
    answer = Answer.read({"content": list(content), **raw})
    return CallResult(answer, "srv", "t", "t", 0.1)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_text_is_shown_as_plain_text_alone() -> None:
    assert _result(_text("a <b>"))._repr_mimebundle_() == {"text/plain": "a <b>"}


def test_a_single_picture_is_the_front_ends_to_show() -> None:
    bundle = _result(_PNG)._repr_mimebundle_()
    assert bundle["image/png"] == b"\x89PNG\r\n\x1a\n"
    assert bundle["text/plain"] == "[image: image/png, 8 bytes]"


def test_an_svg_is_only_ever_the_source_of_an_image() -> None:
    bundle = _result(_SVG)._repr_mimebundle_()
    assert "image/svg+xml" not in bundle
    assert '<img src="data:image/svg+xml;base64,' in str(bundle["text/html"])


def test_rows_are_shown_as_a_table_with_the_rest_counted() -> None:
    rows = [{"n": n, "name": None} for n in range(25)]
    bundle = _result(structuredContent=rows)._repr_mimebundle_()
    assert "… 5 more rows" in str(bundle["text/plain"])
    assert str(bundle["text/html"]).partition("<details>")[0].count("<tr>") == 21


def test_limits_are_asked_for_each_time_it_is_shown() -> None:
    now = [Limits(rows=2)]
    rows = [{"n": n} for n in range(5)]
    answer = Answer.read({"structuredContent": rows})
    result = CallResult(answer, "srv", "t", "t", 0.1, str, lambda: now[0])
    assert "… 3 more rows" in repr(result)
    now[0] = Limits(rows=5)
    assert "more rows" not in repr(result)


def test_a_large_text_is_a_preview_with_its_size() -> None:
    result = _result(_text("x" * 100_000))
    assert len(repr(result)) < 5000
    assert "100,000 characters in all" in repr(result)
    assert len(result.text) == 100_000


def test_an_answer_without_content_says_so() -> None:
    assert repr(_result()) == "(no content)"


@pytest.mark.parametrize(
    ("data", "frame"),
    [
        ([{"a": 1}, {"a": 2}], pd.DataFrame({"a": [1, 2]})),
        ({"a": [1, 2], "b": [3, 4]}, pd.DataFrame({"a": [1, 2], "b": [3, 4]})),
        ({"a": 1, "b": "x"}, pd.DataFrame([{"a": 1, "b": "x"}])),
        ({"count": 9, "rows": [{"a": 1}, {"a": 2}]}, pd.DataFrame({"a": [1, 2]})),
        ({"rows": [{"a": 1}]}, pd.DataFrame({"a": [1]})),
        ({"n": [1], "rows": [{"a": 1}]}, pd.DataFrame({"n": [1], "rows": [{"a": 1}]})),
        ([1, 2], pd.DataFrame({"value": [1, 2]})),
        ([], pd.DataFrame()),
    ],
    ids=[
        *("rows", "columns", "one row", "rows inside", "only rows inside"),
        *("a list beside rows", "values", "nothing"),
    ],
)
def test_data_become_a_frame(data: Any, frame: pd.DataFrame) -> None:
    made = _result(structuredContent=data).to_pandas()
    pd.testing.assert_frame_equal(made, frame, check_index_type=False)


def test_what_is_no_table_says_so() -> None:
    with pytest.raises(McpMagicError, match=r"needs rows, and \.data is str"):
        _result(_text("words")).to_pandas()


def test_every_part_is_saved_and_nothing_overwritten(tmp_path: Path) -> None:
    result = _result(_text("words ä"), _PNG, structuredContent={"a": 1})
    files = result.save(tmp_path / "new")
    assert [one.name for one in files] == ["part-1.txt", "part-2.png", "part-3.json"]
    assert files[0].read_text(encoding="utf-8") == "words ä"
    assert json.loads(files[2].read_bytes()) == {"a": 1}
    again = result.save(tmp_path / "new")
    assert again[0].name == "part-1-2.txt"
    assert len(list((tmp_path / "new").iterdir())) == 6
