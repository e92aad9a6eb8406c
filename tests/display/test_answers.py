"""Each kind of content is shown its own way, in plain text and in HTML."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_magic.answer import Answer
from mcp_magic.display.answers import as_page, as_text
from mcp_magic.display.limits import Limits, pretty
from tests.hostile import faults_in_page, faults_in_text

_DATA = base64.b64encode(b"\x00" * 12_345).decode()


def _answer(*content: Any, **raw: Any) -> Answer:
    return Answer.read({"content": list(content), **raw})


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _shown(*content: Any, limits: Limits = Limits(), **raw: Any) -> tuple[str, str]:  # noqa: B008 - frozen
    answer = _answer(*content, **raw)
    return as_text(answer, limits), as_page(answer, limits) or ""


def _resource(**contents: str) -> dict[str, Any]:
    return {"type": "resource", "resource": contents}


@pytest.mark.parametrize(
    ("block", "text", "page"),
    [
        ({"type": "image", "mimeType": "image/webp", "data": _DATA},
         "[image: image/webp, 12.3 kB]",
         'alt="[image: image/webp, 12.3 kB]"'),
        ({"type": "image", "mimeType": "image/x-odd", "data": _DATA},
         "[image: image/x-odd, 12.3 kB]", "[image: image/x-odd, 12.3 kB]</pre>"),
        ({"type": "audio", "mimeType": "audio/wav", "data": _DATA},
         "[audio: audio/wav, 12.3 kB]",
         '<audio controls src="data:audio/wav;base64,AAAA'),
        ({"type": "audio", "mimeType": "text/html", "data": _DATA},
         "[audio: text/html, 12.3 kB]", "[audio: text/html, 12.3 kB]</pre>"),
        ({"type": "audio", "mimeType": "audio/wav", "data": "no base64!"},
         '"data": "no base64!"', "<summary>A block of an unknown kind</summary>"),
        (_resource(uri="a:b", mimeType="text/plain", text="words"),
         "[resource a:b]\nwords", "words</pre>"),
        (_resource(uri="a:b", mimeType="application/zip", blob=_DATA),
         "[resource a:b: application/zip, 12.3 kB]", "12.3 kB]</pre>"),
        (_resource(uri="a:b", mimeType="image/png", blob=_DATA),
         "[resource a:b: image/png, 12.3 kB]", '<img src="data:image/png;base64,AAAA'),
        ({"type": "widget", "x": 1}, '"type": "widget"', "<details>"),
    ],
    ids=["image", "odd image", "audio", "no audio", "bad base64", "text", "blob",
         "image blob", "unknown"],
)  # fmt: skip
def test_a_block_is_shown_by_its_kind(block: Any, text: str, page: str) -> None:
    said, made = _shown(block, _text("end"), {"type": "widget"})
    assert text in said
    assert page in made
    assert said.count("end") == 1
    assert faults_in_page(made) == []


@pytest.mark.parametrize(
    "uri",
    [
        "http://h.test",
        "https://h.test/a?b=1&c=%20#d",
        "HTTPS://H.test/",
        "https://h.test:8/",
    ],
)
def test_an_address_of_the_web_is_a_link_that_shows_where_it_leads(uri: str) -> None:
    block = {"type": "resource_link", "uri": uri, "name": "n", "title": "Bank"}
    said, page = _shown(block)
    assert said == f"[link: Bank <{uri}>]"
    assert "<a href=" in page
    assert 'rel="noopener noreferrer">Bank</a>' in page
    assert page.count(uri.replace("&", "&amp;")) == 2


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/etc/passwd",
        "demo://x", "//h.test/x", "https:", "https://", "https:///x", "http:h.test",
        "https://bank.test@evil.test/", "https://h.test/\u202e", "https://h.test/a b",
        "https://h.test/\nx", "https://[x", " https://h.test", 'https://h.test/"x',
        "vbscript:x", "blob:https://h.test/x", "../x",
    ],
)  # fmt: skip
def test_any_other_address_is_text(uri: str) -> None:
    _, page = _shown({"type": "resource_link", "uri": uri, "name": "n"})
    assert "<a" not in page
    assert faults_in_page(page) == []


def test_json_on_one_long_line_is_indented_and_short_json_stays() -> None:
    value = {"rows": [1, 2], "more": "x" * 80}
    said, page = _shown(_text(json.dumps(value)))
    assert said == f'{{\n  "rows": [1, 2],\n  "more": "{"x" * 80}"\n}}'
    assert page == ""
    assert _shown(_text('{"a": 1}'))[0] == '{"a": 1}'


def test_a_json_tree_is_folded_when_it_is_long() -> None:
    said, page = _shown(structuredContent={"a": [{"n": n} for n in range(33)], "b": {}})
    assert said.startswith('{\n  "a": [\n    {\n      "n": 0\n    },')
    assert "… 44 more lines (" in said
    assert "<details><summary>… 44 more lines" in page
    assert "&#10;  ],&#10;  &quot;b&quot;: {}&#10;}</pre></details>" in page


def test_lists_of_numbers_and_texts_fill_their_lines() -> None:
    value = {"geo": [59.9, -10.7], "n": list(range(30)), "m": [[1], [], ["[", '"', 2]]}
    said, _ = _shown(structuredContent=value)
    assert said.splitlines() == [
        "{",
        '  "geo": [59.9, -10.7],',
        '  "n": [',
        f"    {', '.join(map(str, range(21)))},",
        f"    {', '.join(map(str, range(21, 30)))}",
        "  ],",
        '  "m": [',
        "    [1],",
        "    [],",
        '    ["[", "\\"", 2]',
        "  ]",
        "}",
    ]


def test_a_large_tree_is_not_written_out_to_be_cut() -> None:
    rows = {"a": [[n] for n in range(300_000)]}
    said, page = _shown(structuredContent=rows)
    assert "… more (2,888,897 characters in all); .data and .text hold it" in said
    assert ".save(folder) writes it to files" in page
    assert len(said) < 10_000
    assert len(page) < 200_000


def test_all_of_a_large_tree_is_shown_to_who_wants_it() -> None:
    rows = {"a": [[n] for n in range(300_000)]}
    said, _ = _shown(structuredContent=rows, limits=Limits(1, 10**7, 10**8))
    assert said.startswith('{\n  "a": [\n    [0],\n    [1],\n')
    assert json.loads(said) == rows


def test_a_last_line_break_is_nothing_that_is_left_out() -> None:
    assert _shown(_text("a\nb\n"), limits=Limits(lines=2)) == ("a\nb", "")


def test_a_tree_too_deep_to_write_is_told_of() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert "nested too deeply" in _shown(structuredContent=deep)[0]


def test_long_text_is_folded_and_very_long_text_is_cut() -> None:
    lines = "\n".join(f"line {n}" for n in range(200))
    said, page = _shown(_text(lines))
    assert "line 59\n… 140 more lines (1,689 characters in all)" in said
    assert ".save(folder)" in said
    assert page.index("line 59") < page.index("<details>") < page.index("line 60")
    assert page.endswith("line 199</pre></details></div>")
    said, page = _shown(_text("x" * 1_000_000))
    assert "… 996,000 more characters (1,000,000 characters in all)" in said
    assert "cut here: .data and .text hold it all, .save(folder)" in page
    assert len(page) < 50_000


def test_records_are_a_table_with_headings_that_a_screen_reader_reads() -> None:
    rows = [{"name": "a", "n": 1.5, "x": None}, {"name": "b", "y": {"k": [True]}}]
    said, page = _shown(structuredContent=rows)
    assert said == ('name    n  x  y\na     1.5\nb             {"k": [true]}')
    assert page.count('<th scope="col"') == 4
    assert 'text-align:right;vertical-align:top">n</th>' in page
    assert 'text-align:left;vertical-align:top">name</th>' in page
    assert 'style="text-align:right;vertical-align:top">1.5</td>' in page


def test_a_mapping_around_one_list_of_records_is_a_table_too() -> None:
    found = {"total": 2, "rows": [{"n": 1}, {"n": 2}], "next": None}
    said, page = _shown(structuredContent=found)
    assert said == "total: 2\nnext: \nrows:\nn\n1\n2"
    assert "<table>" in page
    two = {**found, "others": [{"n": 3}]}
    assert _shown(structuredContent=two)[0] == json.dumps(two, indent=2)


@pytest.mark.parametrize("mime", ["application/json", "text/json; x=1", "a/b+json"])
def test_a_resource_that_is_json_is_a_value(mime: str) -> None:
    block = _resource(uri="a:b", mimeType=mime, text='[{"n": 1}, {"n": 2}]')
    assert _answer(block).data == [{"n": 1}, {"n": 2}]
    said, page = _shown(block)
    assert said == "n\n1\n2"
    assert page.count("<table>") == 1
    assert "<pre" not in page
    assert _answer({**block, "resource": {"uri": "a:b", "text": "[1]"}}).data == "[1]"


def test_rows_beyond_the_limit_are_folded_and_then_cut() -> None:
    said, page = _shown(structuredContent=[{"n": n} for n in range(500)])
    assert said.endswith("\n19\n… 480 more rows; .data and .to_pandas() hold them")
    shown, folded = page.split("<details>")
    assert (shown.count("<tr>"), folded.count("<tr>")) == (21, 201)
    assert "cut here" in folded


def test_a_table_too_wide_for_a_terminal_leaves_columns_out() -> None:
    row = {f"column_{n}": "x" * 30 for n in range(10)}
    said, page = _shown(structuredContent=[row])
    assert max(map(len, said.splitlines())) <= 120
    assert said.endswith("… 7 more columns; .data and .to_pandas() hold them")
    assert page.count("<th ") == 10


def test_what_comes_beside_structured_content_is_kept() -> None:
    link = {"type": "resource_link", "uri": "a:b", "name": "n"}
    said, page = _shown(_text("repeated"), link, structuredContent=[{"n": 1}])
    assert said == "n\n1\n[link: n <a:b>]"
    assert "<table>" in page
    assert '<code style="overflow-wrap:anywhere">a:b</code>' in page


def test_an_error_and_odd_parts_are_told_of() -> None:
    said, _ = _shown(_text("boom"), isError=True)
    assert said == "The tool reported an error.\nboom"
    said, page = _shown({"type": "widget"}, _text("kept"))
    assert "Note: A block of unknown type 'widget' is kept as received." in said
    assert "Note: A block of unknown type" in page


@pytest.mark.parametrize("content", [[], [_text("")]], ids=["nothing", "empty"])
def test_an_empty_answer_says_so(content: list[Any]) -> None:
    assert _shown(*content)[0] in ("(no content)", "''")


def test_many_blocks_are_counted() -> None:
    said, _ = _shown(*[_text(f"block {n}") for n in range(50)])
    assert "block 19\nNote: 30 more blocks; .content holds all" in said


def test_a_picture_too_large_for_a_notebook_is_named() -> None:
    data = base64.b64encode(b"x" * 10_000_001).decode()
    _, page = _shown(
        {"type": "image", "mimeType": "image/png", "data": data}, _text("x")
    )
    assert "<img" not in page
    assert ".save(folder) writes it to a file" in page


def _json(floats: st.SearchStrategy[float]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | floats | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )


@given(data=_json(st.floats(allow_nan=False)))
def test_json_that_is_shown_is_the_value(data: Any) -> None:
    shown = pretty(data)
    assert json.loads(shown) == json.loads(json.dumps(data))
    for line in shown.splitlines():
        assert len(line) <= 80 or ", " not in re.sub(r'"(\\.|[^"])*"', "", line)


@given(
    data=_json(st.floats()),
    text=st.text(),
    limits=st.builds(Limits, *[st.integers(1, 40)] * 3),
)
def test_whatever_comes_is_shown_safely(data: Any, text: str, limits: Limits) -> None:
    for raw in ({"structuredContent": data}, {"content": [_text(text), data]}):
        answer = Answer.read(raw)
        assert faults_in_text(as_text(answer, limits)) == []
        page = as_page(answer, limits) or ""
        assert "\n" not in page
        assert faults_in_page(page) == []
