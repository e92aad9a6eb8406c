"""What a person may type wrongly in Python, a row each: one error of ours, in one line
that says what to do, and the next call works.
"""

from __future__ import annotations

import math
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mcp_magic
from mcp_magic.config import ServerEntry
from mcp_magic.errors import (
    ArgumentError,
    LineError,
    McpMagicError,
    NoSuchAttribute,
    RequestRefused,
    ServerUnreachable,
    ToolFailed,
    UnknownServer,
)
from mcp_magic.session import Server, current
from tests.faults.servers import faulty

Names = dict[str, Any]


@pytest.fixture(name="names", scope="module")
def _names() -> Iterator[Names]:
    """The names of the rows: the package, a server, a removed one, a result, texts."""
    session = current()
    session.person.say, say = (lambda _line: None), session.person.say
    gone = Server(session, session.add(ServerEntry("gone", faulty())))
    session.remove("gone")
    demo: Any = mcp_magic.connect("demo")
    yield {
        "mcp_magic": mcp_magic,
        "demo": demo,
        "gone": gone,
        "result": demo.add(a=2, b=3),
        "inf": math.inf,
        "nan": math.nan,
        "HUGE": "x" * 100_000,
        "NUL": "a\0b",
        "URL": "http://127.0.0.1:9/mcp",
        "HALF": "\ud800",  # half of a pair, which UTF-8 cannot say
    }
    session.person.say = say
    for entry in session.entries[1:]:
        session.remove(entry.name)
    session.shut_down()


_GONE = "gone is not known any more, or means another server now; connect to it again"
_URIS = "; %mcp resources demo lists what there is"
_NO_SERVER = "is no MCP server; give a name, a URL, a command, or a server that lives"

_ROWS: list[tuple[str, type[McpMagicError], str]] = [
    ("mcp_magic.connect(None)", ServerUnreachable, f"NoneType {_NO_SERVER}"),
    ("mcp_magic.connect(['npx', 'x'])", ServerUnreachable, f"list {_NO_SERVER}"),
    ("mcp_magic.connect(b'demo')", ServerUnreachable, f"bytes {_NO_SERVER}"),
    ("mcp_magic.connect('')", ArgumentError, "give the name of a server, a URL"),
    ("mcp_magic.connect('  ')", ArgumentError, "give the name of a server, a URL"),
    ("mcp_magic.connect(NUL)", UnknownServer, r"'a\x00b'. Known: demo"),
    ("mcp_magic.connect(HALF)", UnknownServer, r"'\ud800'. Known: demo"),
    ("mcp_magic.connect(HUGE)", UnknownServer, "add one with %mcp add NAME"),
    ("mcp_magic.connect(f'{HUGE} y')", ArgumentError, "give it a shorter one"),
    ('mcp_magic.connect("\'x y")', LineError, "This ' is never closed."),
    ("mcp_magic.connect(\"'' x\")", ArgumentError, "begins with a program"),
    ("mcp_magic.connect('/no/such x')", ServerUnreachable, "is no file /no/such"),
    ("mcp_magic.connect('no-such x')", ServerUnreachable, "not on PATH"),
    ("mcp_magic.connect('http://')", ArgumentError, "no http or https URL"),
    ("mcp_magic.connect('http://[::1/x')", ArgumentError, "no http or https URL"),
    ("mcp_magic.connect('http://h:99999/')", ArgumentError, "no http or https"),
    ("mcp_magic.connect('ftp://h/x')", ArgumentError, "no http or https URL"),
    ("mcp_magic.connect(URL)", ServerUnreachable, "check that it is running"),
    ("mcp_magic.connect(URL, name=5)", ArgumentError, "name takes a text, not 5"),
    ("mcp_magic.connect(URL, name='')", ArgumentError, "name takes a text, not"),
    ("mcp_magic.connect(URL, name='demo')", ArgumentError, "another name"),
    ("mcp_magic.connect(URL, name=HUGE)", ArgumentError, "a shorter one"),
    ("mcp_magic.connect('demo', name='x')", ArgumentError, "is a known name"),
    ("mcp_magic.connect(demo, name='x')", ArgumentError, "for new servers"),
    ("mcp_magic.connect(gone)", UnknownServer, _GONE),
    ("mcp_magic.read(demo, 5)", ArgumentError, f"uri takes a text, not 5{_URIS}"),
    ("mcp_magic.read(demo, None)", ArgumentError, f"text, not None{_URIS}"),
    ("mcp_magic.read(demo, '')", ArgumentError, f"takes a text, not ''{_URIS}"),
    ("mcp_magic.read(demo, b'x')", ArgumentError, f"text, not b'x'{_URIS}"),
    ("mcp_magic.read(demo, HALF)", ArgumentError, "half a character"),
    ("mcp_magic.read(demo, 'x')", RequestRefused, f"resource: x{_URIS}"),
    ("mcp_magic.read(demo, HUGE)", RequestRefused, _URIS),
    ("mcp_magic.read(gone, 'x')", UnknownServer, _GONE),
    ("mcp_magic.watch(demo, 5)", ArgumentError, "uri takes a text, not 5"),
    ("mcp_magic.watch(demo, 'x', seconds='y')", ArgumentError, "above 0, not 'y'"),
    ("mcp_magic.watch(demo, 'x', seconds=0)", ArgumentError, "above 0, not 0"),
    ("mcp_magic.watch(demo, 'x', seconds=-1)", ArgumentError, "above 0, not -1"),
    ("mcp_magic.watch(demo, 'x', seconds=True)", ArgumentError, "not True"),
    ("mcp_magic.watch(demo, 'x', seconds=inf)", ArgumentError, "not inf"),
    ("mcp_magic.watch(demo, 'x', seconds=nan)", ArgumentError, "not nan"),
    ("mcp_magic.watch(gone, 'x')", UnknownServer, _GONE),
    ("mcp_magic.prompt(demo, 5)", ArgumentError, "name takes a text, not 5"),
    ("mcp_magic.prompt(demo, '')", ArgumentError, "name takes a text, not ''"),
    ("mcp_magic.prompt(demo, 'zzz')", RequestRefused, "%mcp prompts demo lists"),
    ("mcp_magic.prompt(demo, 'introduce')", ArgumentError, "needs world (string)"),
    (
        "mcp_magic.prompt(demo, 'introduce', wrld='x')",
        ArgumentError,
        "no parameter wrld; did you mean world?",
    ),
    (
        "mcp_magic.prompt(demo, 'introduce', world=None)",
        ArgumentError,
        "world takes a text, not null",
    ),
    (
        "mcp_magic.prompt(demo, 'introduce', world=['x'])",
        ArgumentError,
        "world takes a text",
    ),
    (
        "mcp_magic.prompt(demo, 'introduce', world='Nope')",
        RequestRefused,
        "No world is called 'Nope'",
    ),
    ("mcp_magic.prompt(gone, 'x')", UnknownServer, _GONE),
    ("mcp_magic.sampling(demo, 5)", ArgumentError, "takes a function, not 5"),
    ("mcp_magic.sampling(demo, HUGE)", ArgumentError, "takes a function, not"),
    ("mcp_magic.sampling(gone, None)", UnknownServer, _GONE),
    ("mcp_magic.roots(demo, 5)", ArgumentError, "path of a folder, not 5"),
    ("mcp_magic.roots(demo, None)", ArgumentError, "path of a folder, not None"),
    ("mcp_magic.roots(demo, ['/'])", ArgumentError, "object of type list"),
    ("mcp_magic.roots(demo, NUL)", ArgumentError, r"folder, not 'a\x00b'"),
    ("mcp_magic.roots(demo, '')", ArgumentError, "path of a folder, not ''"),
    ("mcp_magic.roots(demo, '/no/such')", ArgumentError, "make it first"),
    ("mcp_magic.roots(demo, HUGE)", ArgumentError, "make it first"),
    ("mcp_magic.roots(demo, '~nobody-x/y')", ArgumentError, "the whole path"),
    ("mcp_magic.roots(gone)", UnknownServer, _GONE),
    ("mcp_magic.skill(demo, 5)", ArgumentError, "a skill from skills(), not 5"),
    ("mcp_magic.skill(demo, 'x')", ArgumentError, "skill from skills(), not 'x'"),
    ("mcp_magic.auth('demo')", ArgumentError, "demo needs no sign-in"),
    ("mcp_magic.auth('demo', seconds=-1)", ArgumentError, "above 0, not -1"),
    ("mcp_magic.auth('demo', seconds=None)", ArgumentError, "above 0, not None"),
    ("mcp_magic.auth('demo', scope=5)", ArgumentError, "scope takes a text, not 5"),
    ("mcp_magic.auth(URL)", ServerUnreachable, "check that it is running"),
    ("demo[5]", ArgumentError, "takes a text, not 5; write demo['TOOL']"),
    ("demo[None]", ArgumentError, "not None; write demo['TOOL']"),
    ("demo['']", ArgumentError, "not ''; write demo['TOOL']"),
    ("demo[HALF]", ArgumentError, "half a character"),
    ("demo[HUGE]()", ToolFailed, "Unknown tool: xxx"),
    ("demo.nope", NoSuchAttribute, "has no tool 'nope'; %mcp demo lists"),
    ("demo.columns", NoSuchAttribute, "%mcp demo lists them"),
    ("demo.add()", ArgumentError, "demo.add needs a (number), b (number)."),
    ("demo.add(1, 2, 3)", ArgumentError, "3 values for 2 parameters."),
    ("demo.add(a=1, b=2, c=3)", ArgumentError, "no parameter c."),
    ("demo.add(a=object(), b=1)", ArgumentError, "has no JSON form; give"),
    ("demo.add(a=None, b=1)", ArgumentError, "a takes a number, not null"),
    ("demo.add(a=nan, b=1)", ArgumentError, "a is nan"),
    ("demo.echo(text=5)", ArgumentError, "text takes a text, not 5"),
    ("demo.add.with_options(timeout='x')", ArgumentError, "not 'x'"),
    ("demo.add.with_options(timeout=0)", ArgumentError, "above 0, not 0"),
    ("demo.add.with_options(timeout=10 ** 400)", ArgumentError, "above 0"),
    ("demo.add.with_options(timeout=10**9999)", ArgumentError, "that long"),
    ("gone.echo", UnknownServer, _GONE),
    ("gone['echo']()", UnknownServer, _GONE),
    ("len(gone)", UnknownServer, _GONE),
    ("result.save('/proc/nope')", McpMagicError, "choose another folder"),
    ("result.save('/dev/null')", McpMagicError, "choose another folder"),
    ("result.save('/dev/null/x')", McpMagicError, "choose another folder"),
    ("result.save(HUGE)", McpMagicError, "name too long; choose another"),
    ("result.save(5)", ArgumentError, "save takes the path of a folder"),
    ("result.save(None)", ArgumentError, "path of a folder, not None"),
    ("result.save('')", ArgumentError, "path of a folder, not ''"),
    ("result.save(NUL)", ArgumentError, r"folder, not 'a\x00b'"),
    ("result.save('~nobody-x')", ArgumentError, "write the whole path"),
    ("result.to_pandas()", McpMagicError, "needs rows, and .data is int"),
    ("mcp_magic.last(gone)", UnknownServer, _GONE),
]

# Every function that takes a server, with what else it takes.
_OF_A_SERVER: dict[str, tuple[object, ...]] = {
    "auth": (), "close": (), "doctor": (), "last": (), "logs": (), "prompt": ("x",),
    "prompts": (), "read": ("x",), "resources": (), "roots": (), "sampling": (None,),
    "skills": (), "tools": (), "watch": ("x",),
}  # fmt: skip


def _is_one_line(error: McpMagicError) -> bool:
    """Two more lines show the signature, or the place in what was typed."""
    (shown,) = error._render_traceback_()
    head, *rest = shown.split("\n")
    indented = all(line.startswith("  ") for line in rest)
    return 10 < len(head) < 2_100 and indented and len(rest) <= 2


@pytest.mark.parametrize(("typed", "error", "says"), _ROWS)
def test_a_mistake_in_python_is_one_line_that_says_what_to_do(
    names: Names, typed: str, error: type[McpMagicError], says: str
) -> None:
    with pytest.raises(error) as caught:
        eval(typed, names)  # noqa: S307 - the rows are ours
    assert says in str(caught.value)
    assert _is_one_line(caught.value)
    assert names["demo"].add(a=1, b=1).data == 2


@pytest.mark.parametrize("name", _OF_A_SERVER)
def test_every_function_refuses_what_is_no_server(names: Names, name: str) -> None:
    function, more = getattr(mcp_magic, name), _OF_A_SERVER[name]
    wrong = [(5, _NO_SERVER), ([], _NO_SERVER), (object(), _NO_SERVER)]
    wrong += [("", "give the name of a server"), ("zzzzz", "Known: demo")]
    for given, says in [*wrong, (names["gone"], _GONE)]:
        with pytest.raises(McpMagicError) as caught:
            function(given, *more)
        assert says in str(caught.value)
        assert _is_one_line(caught.value)


def test_every_function_has_its_rows() -> None:
    """Python itself says which argument a call lacks, with no frame of ours."""
    functions = {
        name
        for name in mcp_magic.__all__
        if callable(getattr(mcp_magic, name)) and name[0].islower()
    }
    others = {"connect", "load_ipython_extension", "servers", "skill"}
    assert functions - others - {"unload_ipython_extension"} == set(_OF_A_SERVER)
    with pytest.raises(TypeError, match=r"missing 1 .* argument: 'uri'") as caught:
        mcp_magic.read("demo")  # type: ignore[call-arg] # the mistake
    assert len(caught.traceback) == 1


def test_a_server_without_skills_lists_none(names: Names) -> None:
    assert mcp_magic.skills(names["demo"]) == ()


def test_numbers_go_to_a_prompt_as_texts(names: Names) -> None:
    with pytest.raises(RequestRefused, match="No world is called '5'"):
        mcp_magic.prompt(names["demo"], "introduce", world=5)


def test_a_full_disk_leaves_no_half_file_and_keeps_the_result(
    names: Names, tmp_path: Path
) -> None:
    result = names["demo"].echo(text="x" * 5000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(McpMagicError, match="cannot be written: File too large; "):
            result.save(tmp_path / "new")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list((tmp_path / "new").iterdir()) == []
    assert result.save(tmp_path / "new")[0].stat().st_size == 5000


def test_an_awaitable_that_no_loop_of_asyncio_drives_is_told_so(
    names: Names,
) -> None:
    """As IPython drives it after ``%autoawait sync``, and trio."""
    with pytest.raises(McpMagicError, match=r"call the tool without \.aio"):
        names["demo"].add.aio(a=1, b=2).send(None)
