"""Texts become values with lines, whatever editors and systems do to them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.config.dialects.documents import Unreadable, decode, parse

_PLAIN = '{"a": {"b": 1}, "c": [2, 3]}'


@pytest.mark.parametrize(
    "text",
    [
        _PLAIN,
        '// first\n{"a": {"b": 1,}, "c": [2, 3,], /* last */}',
        '{"a": {"b": 1}, // a "quoted" word\n "c": [2, 3]}',
        "{a: {'b': 1}, c: [2, +3,],}",
        '{"a": {"b": 1}, "c": [2, 3 // open\n, ]}',
    ],
    ids=["json", "jsonc", "comment with quotes", "json5", "comma after comment"],
)
def test_json_is_read_as_editors_write_it(text: str) -> None:
    assert parse(text, ".json").value == {"a": {"b": 1}, "c": [2, 3]}


@pytest.mark.parametrize("inside", ["//", "/*", "*/", ",}", ", ]", "\\", '"', "\\\\"])
def test_what_looks_like_a_comment_inside_a_text_stays(inside: str) -> None:
    text = f'{{"a": {json.dumps(inside + "x" + inside)},}} // end'
    assert parse(text, ".json").value == {"a": f"{inside}x{inside}"}


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_files_of_windows_are_read(encoding: str, end: str) -> None:
    """PowerShell writes UTF-16, and a mark before UTF-8 (BOM-01, BOM-02)."""
    text = f'{{{end}"path": "C:\\\\Users\\\\Zoë"{end}}}{end}'
    document = parse(decode(text.encode(encoding)), ".json")
    assert document.value == {"path": "C:\\Users\\Zoë"}
    assert dict(document.marks(())) == {"path": 2}


@pytest.mark.parametrize(
    ("data", "suffix", "line", "says"),
    [
        (b'{"mcpServers": {', ".json", 1, "no JSON: expecting property name"),
        (b'{\n "a": 1\n "b": 2}', ".json", 3, "',' delimiter at line 3, column 2"),
        (b'{\n"c": "C:\\Users\\me"}', ".json", 2, r"a single \\ in a text"),
        (b'{"c": "C:\\new\\x.exe"}', ".json", 1, r"a single \\ in a text"),
        (b'{"a": "Zo\xeb"}', ".json", 1, "not UTF-8"),
        (b"[" * 100_000, ".json", 0, "nested too deeply"),
        (b'{"a": ' + b"1" * 5000 + b"}", ".json", 0, "a number is too long"),
        (b"a = 1\nb = = 2", ".toml", 2, "no TOML: .* at line 2, column 5"),
        (b"a = " + b"[" * 5000, ".toml", 0, "nested too deeply"),
        (b"a: 1\nb: [1", ".yaml", 3, "no YAML"),
        (b"a: *gone", ".yml", 1, "no YAML: .*alias"),
        (b"a: 2024-99-99", ".yaml", 0, "a value is not what it seems"),
        (b"a: &x [*x]", ".yaml", 0, "nested too deeply"),
        (b"a: !!python/object:os.system {}", ".yaml", 1, "no YAML"),
        (b"- " * 5000, ".yaml", 1, "no YAML: .*depth"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_cannot_be_read_says_where_and_why(
    data: bytes, suffix: str, line: int, says: str
) -> None:
    with pytest.raises(Unreadable, match=says) as caught:
        parse(decode(data), suffix)
    assert caught.value.line == line


def test_aliases_that_multiply_are_refused_before_they_do() -> None:
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(Unreadable, match="too large"):
        parse("\n".join(["a0: &a0 [x, x]", *rows]), ".yaml")


def test_a_large_file_is_not_given_to_the_slow_reader() -> None:
    """json5 takes a minute for what JSON reads at once."""
    with pytest.raises(Unreadable, match="no JSON"):
        parse("{'a': '" + "x" * 100_001 + "'}", ".json")


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("a = [" + "1," * 500_000 + "]", ".toml"),
        (".".join("a" * 20_000) + " = 1", ".toml"),
        ("a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
            f"{new}: &{new} [{', '.join(['*' + old] * 10)}]\n"
            for old, new in zip("abcdef", "bcdefg", strict=True)
        ), ".yaml"),
    ],
    ids=["values of TOML", "a key of TOML", "aliases of YAML"],
)  # fmt: skip
def test_what_would_take_long_to_read_is_refused(text: str, suffix: str) -> None:
    """Whoever wrote a folder's file must not make others wait."""
    with pytest.raises(Unreadable, match=r"too large|more than 300 dots"):
        parse(text, suffix)


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ('{\n"x": {},\n"s": {\n"a": 1,\n\n"b": {"b": 2}}}', ".json"),
        ('{\n/*\n*/\n"s": { "a": 1\n\n,"b": 2 //\n,}}', ".json"),
        ("{\n'x': 0, s:\n{a: 1,\n\n'b': 2}}", ".json"),
        ("[x]\na = 1\n\n[s.a]\n\n[s.b.c]\nb = 1", ".toml"),
        ("x: [1]\ns:\n\n  a: 1\n  # b: 3\n  b: {b: 2}", ".yaml"),
    ],
    ids=["json", "jsonc", "json5", "toml", "yaml"],
)
def test_every_member_has_its_line(text: str, suffix: str) -> None:
    lines = dict(parse(text, suffix).marks(("s",)))
    found = {name: text.splitlines()[line - 1] for name, line in lines.items()}
    assert list(found) == ["a", "b"]
    assert all(name in line for name, line in found.items() if isinstance(name, str))


def test_members_of_lists_have_lines_too() -> None:
    assert dict(parse('{"s": [\n{},\n{}]}', ".json").marks(("s",))) == {0: 2, 1: 3}
    assert dict(parse("s:\n- {}\n- {}", ".yaml").marks(("s",))) == {0: 2, 1: 3}


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(), _VALUES), st.sampled_from([None, 1, "\t"]))
def test_lines_of_any_json_are_those_of_its_members(
    value: dict[str, object], indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent)
    lines = dict(parse(text, ".json").marks(()))
    assert set(lines) == set(value)
    for name, line in lines.items():
        assert json.dumps(name) in text.split("\n")[line - 1]


@settings(deadline=None)
@given(st.text(), st.sampled_from([".json", ".toml", ".yaml"]))
def test_any_text_is_read_or_refused_in_one_line(text: str, suffix: str) -> None:
    assert "\n" not in _refusal(text, suffix)


def _refusal(text: str, suffix: str) -> str:
    try:
        document = parse(text, suffix)
    except Unreadable as error:
        return error.text
    if isinstance(document.value, dict):
        assert set(dict(document.marks(()))) <= set(document.value) or suffix == ".yaml"
    return ""
