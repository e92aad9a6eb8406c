"""Our own file of servers: edited in place, always whole, its owner's alone."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_magic.config import (
    Http,
    InProcess,
    ServerEntry,
    Stdio,
    editing,
    exposed,
    store,
)
from mcp_magic.config.copying import written
from mcp_magic.errors import ArgumentError, McpMagicError
from mcp_magic.model import Secret

_ENTRY = {"command": "uvx", "args": ["some-server"]}


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# -- where it is


def test_our_file_is_in_the_users_configuration_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert store.own_file({}) == tmp_path / "mcp-magic" / "mcp.json"


def test_a_variable_may_name_another_file_by_its_full_path_alone(
    tmp_path: Path,
) -> None:
    other = tmp_path / "other.json"
    assert store.own_file({"MCP_MAGIC_CONFIG": str(other)}) == other
    with pytest.raises(McpMagicError, match="full path"):
        store.own_file({"MCP_MAGIC_CONFIG": "mcp.json"})


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such modes")
def test_only_the_owner_may_read_the_file_and_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "mcp-magic" / "mcp.json"
    before = os.umask(0o022)
    try:
        store.save(file, "a", _ENTRY)
        assert (_mode(file), _mode(file.parent)) == (0o600, 0o700)
        file.chmod(0o644)
        file.parent.chmod(0o755)
        store.save(file, "b", _ENTRY)
        assert (_mode(file), _mode(file.parent)) == (0o600, 0o700)
    finally:
        os.umask(before)


@pytest.mark.parametrize("mode", [0o777, 0o622, 0o620])
def test_a_file_that_others_can_write_to_is_not_taken_over_by_writing(
    tmp_path: Path, mode: int
) -> None:
    file = tmp_path / "mcp.json"
    theirs = '{"mcpServers": {"theirs": {"command": "x"}}}'
    file.write_text(theirs, encoding="utf-8")
    file.chmod(mode)
    with pytest.raises(McpMagicError, match=r"others can write to it.*chmod 600"):
        store.save(file, "mine", _ENTRY)
    with pytest.raises(McpMagicError, match=r"others can write to it.*chmod 600"):
        store.forget(file, "theirs")
    assert (file.read_text(encoding="utf-8"), _mode(file)) == (theirs, mode)
    file.chmod(0o600)
    assert store.save(file, "mine", _ENTRY)


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "mcp.json", tmp_path / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}", encoding="utf-8")
    link.symlink_to(real)
    store.save(link, "a", _ENTRY)
    assert link.is_symlink()
    assert json.loads(real.read_text())["mcpServers"] == {"a": _ENTRY}


# -- edited in place

# What is there, and what is there after ``a`` was put in; | stands for a line's end.
_EDITS = {
    "nothing": ("", '{|  "mcpServers": {|    "a": {|      "url": "u"|    }|  }|}|'),
    "an empty object": (
        "{}",
        '{|  "mcpServers": {|    "a": {|      "url": "u"|    }|  }|}',
    ),
    "one line": (
        '{"mcpServers": {"b": {"command":"x"}}, "n": 1e5}',
        '{"mcpServers": {"b": {"command":"x"}, "a": {"url": "u"}}, "n": 1e5}',
    ),
    "other keys, in their order and spelling": (
        r'{| "z":2.0,| "mcpServers": {|  "b": "\u0078"| }}',
        r'{| "z":2.0,| "mcpServers": {|  "b": "\u0078",|  "a": {|   "url": "u"|  }| }}',
    ),
    "the key of other products": (
        '{|  "servers": {"b": {}}|}',
        '{|  "servers": {"b": {}, "a": {"url": "u"}}|}',
    ),
    "one of that name": (
        '{"mcpServers": {"a": {"command": "old"}, "b": {}}}',
        '{"mcpServers": {"a": {"url": "u"}, "b": {}}}',
    ),
}  # fmt: skip
_SPACES = {
    "tabs": ("\t", "\n"),
    "four spaces": ("    ", "\n"),
    "lines that end as on Windows": ("  ", "\r\n"),
}


@pytest.mark.parametrize(("unit", "eol"), _SPACES.values(), ids=_SPACES)
def test_the_spaces_of_the_file_are_taken_over(unit: str, eol: str) -> None:
    before, after = (
        json.dumps({"mcpServers": held}, indent=unit).replace("\n", eol) + eol
        for held in ({"b": {"command": "x"}}, {"b": {"command": "x"}, "a": _ENTRY})
    )
    assert editing.put(before, "a", _ENTRY) == after
    assert editing.drop(after, "a") == before


@pytest.mark.parametrize(("before", "after"), _EDITS.values(), ids=_EDITS)
def test_an_entry_is_put_in_and_all_else_stays_as_it_stood(
    before: str, after: str
) -> None:
    before, after = before.replace("|", "\n"), after.replace("|", "\n")
    assert editing.put(before, "a", {"url": "u"}) == after


def test_a_mark_at_the_beginning_stays(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(b'\xef\xbb\xbf{"mcpServers": {}}')
    store.save(file, "a", _ENTRY)
    assert file.read_bytes().startswith(b"\xef\xbb\xbf{")
    store.forget(file, "a")
    assert file.read_bytes() == b'\xef\xbb\xbf{"mcpServers": {}}'


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)
_TABLES = st.dictionaries(st.text(), st.dictionaries(st.text(), _VALUES, max_size=3))


@given(
    others=st.dictionaries(st.text().filter(lambda k: k != "servers"), _VALUES),
    table=_TABLES,
    name=st.text(),
    entry=st.dictionaries(st.text(), _VALUES, max_size=3),
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
)
def test_putting_in_and_taking_out_changes_one_entry_alone(
    others: dict[str, object],
    table: dict[str, object],
    name: str,
    entry: dict[str, object],
    indent: int | str | None,
) -> None:
    whole = others | {"mcpServers": table}
    text = json.dumps(whole, indent=indent)
    put = editing.put(text, name, entry)
    expected = whole | {"mcpServers": table | {name: entry}}
    assert json.loads(put) == expected
    assert list(json.loads(put)) == list(whole)
    dropped = editing.drop(put, name)
    table.pop(name, None)
    assert json.loads(dropped) == others | {"mcpServers": table}
    assert editing.drop(dropped, name) == dropped


def test_a_key_that_stands_twice_is_taken_out_twice() -> None:
    text = '{"mcpServers": {"a": {}, "b": {}, "a": {}}}'
    assert json.loads(editing.drop(text, "a")) == {"mcpServers": {"b": {}}}


_UNTOUCHED = {
    "comments": '{\n  // mine\n  "mcpServers": {}\n}',
    "a trailing comma": '{"mcpServers": {"a": {},}}',
    "half a file": '{"mcpServers": {',
    "a list": "[]",
    "servers under the key of another product": '{"mcp": {"servers": {"a": {}}}}',
    "nesting without an end": '{"mcpServers": {"a": ' + "[" * 50_000,
    "a table that is none": '{"mcpServers": []}',
    "another encoding": '{"mcpServers": {}}'.encode("utf-16").decode("latin-1"),
}


@pytest.mark.parametrize("text", _UNTOUCHED.values(), ids=_UNTOUCHED)
def test_what_cannot_be_edited_safely_is_left_and_the_lines_to_add_are_told(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(before := text.encode("latin-1"))
    with pytest.raises(McpMagicError) as caught:
        store.save(file, "new", {"url": "https://h.test/mcp"})
    said = str(caught.value)
    assert '{"mcpServers": {"new": {"url": "https://h.test/mcp"}}}' in said
    assert str(file) in said
    assert "\n" not in said
    assert file.read_bytes() == before
    if b"a" in before:
        with pytest.raises(McpMagicError, match="take 'a' out yourself"):
            store.forget(file, "a")
    assert file.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")
@pytest.mark.parametrize(
    "kind", ["a folder", "a pipe", "a link to itself", "too large"]
)
def test_what_is_no_file_to_edit_is_told_in_one_line(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "mcp.json"
    match kind:
        case "a folder":
            file.mkdir()
        case "a pipe":
            os.mkfifo(file, 0o600)
        case "a link to itself":
            file.symlink_to(file)
        case "too large":
            file.touch(0o600)
            os.truncate(file, 40_000_000)
    with pytest.raises(McpMagicError, match=r"cannot be (read|written): ") as caught:
        store.save(file, "a", _ENTRY)
    assert "\n" not in str(caught.value)


def test_a_name_that_is_taken_stays_when_nothing_is_to_be_replaced(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mcp.json"
    assert store.save(file, "a", _ENTRY)
    assert not store.save(file, "a", {"url": "u"}, overwrite=False)
    assert json.loads(file.read_text())["mcpServers"] == {"a": _ENTRY}


def test_forgetting_what_is_not_there_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mcp-magic" / "mcp.json"
    assert not store.forget(file, "a")
    assert not file.parent.exists()


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(McpMagicError, match="cannot be written"):
        store.save(tmp_path / "file" / "mcp.json", "a", _ENTRY)


# -- what is written


def test_a_target_is_written_with_its_placeholders() -> None:
    stdio = Stdio("uvx", ("x", "${A}"), {"T": Secret("${TOKEN}")}, "/f")
    assert written(stdio) == {
        "command": "uvx",
        "args": ["x", "${A}"],
        "cwd": "/f",
        "env": {"T": "${TOKEN}"},
    }
    http = Http("https://h.test", {"Authorization": Secret("Bearer ${T}")})
    assert written(http) == {
        "url": "https://h.test",
        "headers": {"Authorization": "Bearer ${T}"},
    }
    with pytest.raises(ArgumentError, match="object"):
        written(InProcess(object()))


_URL = "https://h.test/mcp"
_LITERALS = {
    "a header": (Http(_URL, {"Authorization": Secret("Bearer abc")}), "--header"),
    "a key in a header": (Http(_URL, {"X-Api-Key": Secret("abc")}), "--header"),
    "a cookie": (Http(_URL, {"Cookie": Secret("sid=abc")}), "--header"),
    "a variable": (Stdio("x", env={"GITHUB_TOKEN": Secret("abc")}), "--env"),
    "a token by its looks": (Stdio("x", env={"A": Secret("ghp_a1B2c3D4")}), "--env"),
    "half a placeholder": (Stdio("x", env={"PASSWORD": Secret("x${A}")}), "--env"),
    "a default": (Stdio("x", env={"PASSWORD": Secret("${A:-hunter2}")}), "--env"),
    "an argument": (Stdio("x", ("--api-key", "abc")), "--api-key"),
    "an argument with =": (Stdio("x", ("--token=abc",)), "token"),
    "an assignment": (Stdio("env", ("API_KEY=abc", "x")), "API_KEY"),
    "a query": (Http(f"{_URL}?api_key=abc"), "api_key"),
    "a password": (Http("https://me:abc@h.test/mcp"), "password"),
    "a URL in an argument": (Stdio("npx", ("r", "https://h.test/?token=abc")), "token"),
}  # fmt: skip


@pytest.mark.parametrize(("target", "place"), _LITERALS.values(), ids=_LITERALS)
def test_a_secret_as_it_is_is_found_and_the_way_out_says_no_part_of_it(
    target: Http | Stdio, place: str
) -> None:
    ((found, name),) = exposed.secret_places(ServerEntry("srv", target))
    assert place in found
    said = exposed.way_out("srv", found, name)
    assert "${SRV_" in said
    assert "abc" not in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    "target",
    [
        Http(_URL, {"Authorization": Secret("Bearer ${T}"), "X-Region": Secret("eu")}),
        Http(f"{_URL}?team=red"),
        Stdio(
            "x", ("--api-key", "${K}", "--name", "monkey"), {"TOKEN": Secret("${T}")}
        ),
        Stdio("x", env={"LOG_LEVEL": Secret("debug"), "PASSWORD": Secret("${A:-}")}),
        Stdio("npx", ("-y", "@modelcontextprotocol/server-filesystem", "/data")),
    ],
    ids=str,
)
def test_what_is_no_secret_may_stand_in_the_file(target: Http | Stdio) -> None:
    assert exposed.secret_places(ServerEntry("srv", target)) == []


# -- several writers

_WRITER = """
import sys
from pathlib import Path
from mcp_magic.config import store
file, who, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for n in range(count):
    store.save(file, f"{who}-{n}", {"command": "x" * 200})
"""


def _writer(file: Path, who: str, count: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(file), who, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def _go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _end(process: subprocess.Popen[str]) -> int:
    code = process.wait(60)
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        stream.close()
    return code


def test_kernels_that_add_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"first": {}}, "mine": [1, 2]}', encoding="utf-8")
    writers = [_writer(file, who, 40) for who in ("a", "b", "c")]
    for one in writers:
        _go(one)
    assert [_end(one) for one in writers] == [0, 0, 0]
    held = json.loads(file.read_text())
    expected = {f"{who}-{n}" for who in ("a", "b", "c") for n in range(40)}
    assert set(held["mcpServers"]) == expected | {"first"}
    assert held["mine"] == [1, 2]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGKILL")
def test_a_killed_writer_leaves_a_whole_file_and_no_lock(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    store.save(file, "first", _ENTRY)
    for round_ in range(12):
        writer = _writer(file, f"w{round_}", 10_000)
        _go(writer)
        # Killed in the middle: it has begun to write, and is far from the end.
        wanted = f"w{round_}-{round_}"
        while wanted not in json.loads(file.read_text(encoding="utf-8"))["mcpServers"]:
            assert writer.poll() is None
        writer.send_signal(signal.SIGKILL)
        assert _end(writer) == -signal.SIGKILL
        held = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]
        assert held["first"] == _ENTRY
        assert store.save(file, f"after-{round_}", _ENTRY)
    assert not (tmp_path / ".mcp.json.new").exists()
