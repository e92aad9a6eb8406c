"""The line grammar, rule by rule: what is typed, and what comes of it.

Every rule has rows that are good, bad, and at the edge. ``docs/grammar.md`` has the
rules in words.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import SimpleNamespace
from typing import Literal, TypeAlias

import pytest

from mcp_magic.errors import McpMagicError
from mcp_magic.language import Given, Url, read_line
from mcp_magic.naming import Corrected, Exact, Unresolved
from tests.language.reading import ONE, At, No, Setting, find, read, schema


@dataclass(frozen=True)
class To:
    """A target: its server, and the tool as typed."""

    server: object
    tool: str | None


@dataclass(frozen=True)
class Verb:
    """A verb that calls no tool, with its words."""

    verb: str
    words: tuple[str, ...] = ()
    rest: str = ""


@dataclass(frozen=True)
class Noted:
    """Values, and a part of the note that comes with them."""

    values: Mapping[str, object]
    says: str


Expected: TypeAlias = Mapping[str, object] | To | Verb | Noted | At | No
Kind: TypeAlias = Literal["good", "bad", "edge"]
Row: TypeAlias = (
    tuple[int, Kind, str, Expected] | tuple[int, Kind, str, Expected, Setting]
)

# Where a comprehension fails; until Python 3.12 it is a function, and the whole of it.
_INSIDE = 10 if sys.version_info >= (3, 12) else 9

# Names of the cell in the rows that use them.
_ROW = {"first name": "Ann", "n": 3, "_key": 1}
_NAMES = Setting(
    names={
        "n": 5,
        "name": "Ann",
        "text": '$HOME {n} "quoted"',
        "rows": [1, 2, 3],
        "row": _ROW,
        "obj": SimpleNamespace(size=4, _hidden=1, inner=SimpleNamespace(tags=["a"])),
        "nan": float("nan"),
        "half": Decimal("0.5"),
        "long": Decimal("0.1234567890123456789"),
        "demo": "demo",
        "seconds": 2.5,
    }
)
_FILES = Setting(
    files={
        "notes.txt": b"line one\nline two\n",
        "opts.json": b'\xef\xbb\xbf{"a": 1}',
        "latin.txt": b"caf\xe9",
        "big.txt": b"x" * (10 * 1024 * 1024 + 1),
    }
)
_ONE = Setting(ONE)
_SINGLE = Setting(ONE, tools=["only"])
_UNLISTED = Setting(None)


def _cell(body: str, setting: Setting = _NAMES) -> Setting:
    return Setting(setting.schema, names=setting.names, tools=setting.tools, body=body)


ROWS: list[Row] = [
    # Tokens and quotes
    (1, "good", "demo.f n=2 q=b   # note", {"n": 2, "q": "b"}),
    (1, "good", "demo.f q=fixes#12", {"q": "fixes#12"}),
    (1, "edge", 'demo.f q=#fff any="#12"', {"q": "#fff", "any": "#12"}),
    (1, "edge", "demo.f # nothing given", {}),
    (1, "bad", "demo.f q: #general", At(9, "needs a value")),
    (2, "good", "demo.f n=2;", {"n": 2}),
    (2, "good", "demo.f n=2 ;  # note", {"n": 2}),
    (2, "edge", "demo.f q=a;b", {"q": "a;b"}),
    (2, "edge", 'demo.f q="a;"', {"q": "a;"}),
    (2, "bad", "demo.f n=2;;", No('n takes a whole number, not "2;"')),
    (3, "good", r'demo.f q="say \"hi\""', {"q": 'say "hi"'}),
    (3, "good", r'demo.f q="C:\new"', {"q": r"C:\new"}),
    (3, "edge", r'demo.f q="\\srv\share"', {"q": r"\\srv\share"}),
    (3, "edge", r'demo.f q="C:\dir\\"', {"q": "C:\\dir\\"}),
    (3, "edge", r'demo.f q:="a\tb\u00e9\""', {"q": 'a\tbé"'}),
    (3, "bad", r'demo.f q="C:\dir\"', At(9, r"end a folder with \\")),
    (4, "good", r"demo.f q='a \"b\" \n'", {"q": r"a \"b\" \n"}),
    (4, "edge", "demo.f q=''", {"q": ""}),
    (4, "bad", r"demo.f q='it\'s'", At(14, "touches the closing quote")),
    (5, "good", "demo.f q=it's", {"q": "it's"}),
    (5, "edge", 'demo.f q=a"b"', {"q": 'a"b"'}),
    (5, "edge", "demo.f q=name='a b'", {"q": "name='a b'"}),
    (5, "bad", 'demo.f q="a"b', At(12, "touches the closing quote")),
    (5, "bad", "demo.f q='a", At(9, "never closed")),
    (6, "good", 'demo.f "with space"=x', {"with space": "x"}),
    (6, "good", 'demo.f "q=1"', {"q": "q=1"}),
    (6, "edge", 'demo.f "$n" 5', {"q": "$n", "n": 5}, _NAMES),
    (6, "edge", 'demo.f "--on"', {"q": "--on"}),
    (6, "edge", 'demo.f "with space": x "n":=1', {"with space": "x", "n": 1}),
    (6, "bad", 'demo.f "no such"=x', No('There is no parameter "no such"')),
    (7, "good", "demo.f q=“hello”", {"q": "“hello”"}),
    (7, "edge", 'demo.f q="“a b”"', {"q": "“a b”"}),
    (7, "bad", "demo.f q=“hello world”", At(16, "Curly quotes do not quote"), _ONE),
    (7, "bad", "demo.f n=“5”", No("Curly quotes do not quote")),
    (8, "good", 'demo.f opts={"a": {"b": 1}}', {"opts": {"a": {"b": 1}}}),
    (8, "good", 'demo.f tags:=["a", "b"]', {"tags": ["a", "b"]}),
    (8, "good", 'demo.f opts: {"a": "}"} n=1', {"opts": {"a": "}"}, "n": 1}),
    (8, "edge", "demo.f q=[a b]c", {"q": "[a b]c"}),
    (8, "bad", 'demo.f opts={"a": 1', At(12, "no matching }")),
    (8, "bad", 'demo.f opts={"a: 1}', At(12, "never closed")),
    (9, "good", "demo.f q=a", {"q": "a"}),
    (9, "edge", "demo.f q= n=1", {"q": "", "n": 1}),
    (9, "edge", 'demo.f q="= 5"', {"q": "= 5"}),
    (9, "bad", "demo.f q = a", At(9, "no spaces around =")),
    (9, "bad", "demo.f q= a", At(10, "no spaces around =")),
    (9, "bad", "demo.f q =a", At(9, "no spaces around =")),
    (9, "bad", "demo.f q= #fff", At(9, "no spaces around =")),
    (10, "good", "demo.f\tq=a\u00a0n=1\u3000on=true", {"q": "a", "n": 1, "on": True}),
    (10, "edge", 'demo.f q="a\u00a0b"', {"q": "a\u00a0b"}),
    (10, "bad", "demo.f q=a\u2009b", At(11, "quote the text"), _ONE),
    # Target
    (11, "good", "demo f", To(Exact("demo"), "f")),
    (11, "good", "demo f n=1", {"n": 1}),
    (11, "edge", "single hello", {"q": "hello"}, _SINGLE),
    (11, "edge", "single q=hello", {"q": "hello"}, _SINGLE),
    (11, "edge", "demo ff", To(Exact("demo"), "ff")),
    (11, "edge", "single ony", {"q": "ony"}, _SINGLE),
    (11, "bad", "demo n=1", At(5, "has 2 tools: name one")),
    (12, "good", "list demo --all", Verb("list", ("demo",))),
    (12, "edge", "demo list", To(Exact("demo"), "list")),
    (12, "edge", "call demo.list", To(Exact("demo"), "list")),
    (12, "edge", "list list", Verb("list", ("list",))),
    (12, "bad", "call", At(4, "needs a target")),
    (13, "good", "help demo.f", Verb("help", ("demo.f",))),
    (13, "edge", "demo.help", To(Exact("demo"), "help")),
    (13, "edge", '"list"', To(Unresolved("list"), None)),
    (13, "edge", "list.f", To(Unresolved("list"), None)),
    (13, "bad", "demo.", At(5, "Name a tool after the dot")),
    (14, "good", "demo.f", To(Exact("demo"), "f")),
    (14, "good", "gw.calendar.list", To(Exact("gw.calendar"), "list")),
    (14, "edge", "gw.mail.list", To(Exact("gw"), "mail.list")),
    (14, "edge", "demo.a/b--c.d", To(Exact("demo"), "a/b--c.d")),
    (14, "edge", "dmeo.ad", To(Corrected("demo", "dmeo"), "ad")),
    (14, "edge", "gogle.mail.send", To(Corrected("google.mail", "gogle.mail"), "send")),
    (14, "bad", "nothing.x", To(Unresolved("nothing"), None)),
    (15, "good", "gw.calender.list", To(Exact("gw"), "calender.list")),
    (15, "edge", "gw.calendar.list", To(Exact("gw.calendar"), "list")),
    (15, "bad", "gx.calender.list", To(Unresolved("gx", ("gw.calendar", "gw")), None)),
    (16, "good", '"my server".f n=1', {"n": 1}),
    (16, "good", '"my server.f"', To(Exact("my server"), "f")),
    (16, "edge", '"my server" f', To(Exact("my server"), "f")),
    (16, "edge", '"my server".f(n=1)', {"n": 1}),
    (16, "bad", '"my server"f', At(11, '"server".tool')),
    (17, "good", "https://h/mcp f", To(Url("https://h/mcp"), "f")),
    (17, "good", "https://h/mcp.f(n=1)", To(Url("https://h/mcp"), "f")),
    (
        17,
        "edge",
        "https://h/mcp.f n=1",
        To(Url("https://h/mcp.f"), "z"),
        Setting(tools=["z"]),
    ),
    (
        17,
        "edge",
        "https://h/mcp.f",
        To(Url("https://h/mcp"), "f"),
        Setting(urls=["https://h/mcp"]),
    ),
    (17, "edge", "https://h.example", To(Url("https://h.example"), None)),
    (17, "bad", "https://h/mcp n=1", At(14, "name one")),
    (18, "good", "mcp__chrome__shot", To(Exact("chrome"), "shot")),
    (18, "good", "bridge--chrome--shot", To(Exact("chrome"), "shot")),
    (
        18,
        "edge",
        "bridge--chrome--shot",
        To(Exact("gw"), "bridge--chrome--shot"),
        Setting(catalogue={"gw": ["bridge--chrome--shot"]}),
    ),
    (
        18,
        "bad",
        "bridge--chrome--shot",
        At(0, "demo and of gw"),
        Setting(
            catalogue={"gw": ["bridge--chrome--shot"], "demo": ["bridge--chrome--shot"]}
        ),
    ),
    (19, "good", "mcp__gw__a__b", To(Exact("gw"), "a__b")),
    (19, "edge", "bridge--gw--a--b", To(Exact("gw"), "a--b")),
    (19, "edge", "gw--a", To(Exact("gw"), "a")),
    (
        19,
        "edge",
        "bridge--my-server--f",
        To(Exact("my server"), "f"),
        Setting(catalogue={"my server": ["f"]}),
    ),
    (19, "bad", "mcp__other__a", To(Unresolved("mcp__other__a"), None)),
    (
        20,
        "good",
        "demo.search",
        To(Exact("demo"), "search"),
        Setting(catalogue={"demo": ["search"]}),
    ),
    (
        20,
        "edge",
        "search",
        To(Unresolved("search", ("demo.search", "gw.search")), None),
        Setting(catalogue={"gw": ["search"], "demo": ["search"]}),
    ),
    (
        20,
        "bad",
        "search",
        To(Unresolved("search", ("demo.search",)), None),
        Setting(catalogue={"demo": ["search"]}),
    ),
    (21, "good", '--stdio "python s.py" f n=1', To(Given(), "f")),
    (21, "good", "--url https://h/mcp --name fms fms.f", To(Given(), "f")),
    (21, "edge", "--url https://h/mcp", To(Given(), None)),
    (21, "edge", '--stdio "python s.py" list', To(Given(), "list")),
    (21, "bad", "--stdio", At(0, "--stdio needs a value")),
    (22, "good", "add x https://h/mcp", Verb("add", ("x",), "https://h/mcp")),
    (
        22,
        "good",
        "add --env K=V x npx -y srv --all",
        Verb("add", ("x",), "npx -y srv --all"),
    ),
    (
        22,
        "edge",
        r'add fs C:\new\s.exe --root "C:\My Dir" # note',
        Verb("add", ("fs",), r'C:\new\s.exe --root "C:\My Dir"'),
    ),
    (22, "bad", "add x", At(5, "What is x?")),
    (22, "bad", "add", At(3, "add needs a name and a target")),
    (23, "good", "auth linear --reset", Verb("auth", ("linear",))),
    (23, "good", "--timeout 5 demo.f n=1", {"n": 1}),
    (23, "edge", "demo.f --n 1", {"n": 1}),
    (23, "edge", '--args {"n": 1} demo.f q=a', {"q": "a", "n": 1}),
    (23, "edge", "list --timeout 5 demo", Verb("list", ("demo",))),
    (23, "bad", "--timeot 5 demo.f", At(0, "Did you mean --timeout?")),
    (23, "bad", "--timeout 5 --timeout 6 demo.f", At(12, "given twice")),
    # Arguments
    (24, "good", 'demo.f(n=1, q="x")', {"n": 1, "q": "x"}),
    (24, "good", "demo.f();  # note", {}),
    (24, "edge", 'demo.f(q=")", tags=["("])', {"q": ")", "tags": ["("]}),
    (24, "edge", "demo f(n=1)", {"n": 1}),
    (24, "bad", "demo.f(n=1).data", At(11, "on the next line")),
    (24, "bad", "demo.f(n=1", At(6, "never closed")),
    (24, "bad", "demo.f (n=1)", At(7, "touches the tool's name")),
    (24, "bad", 'demo f  ( q="x", n=1)', At(8, "touches the tool's name")),
    (24, "edge", "demo.f (x)", {"q": "(x)"}),
    (26, "bad", 'demo.f(q="a" n=1)', At(9, "Perhaps you forgot a comma?")),
    (25, "good", 'demo.f(**{"with space": "x", "n": 1})', {"with space": "x", "n": 1}),
    (
        25,
        "edge",
        'demo.f({"a": 1})',
        {"opts": {"a": 1}},
        Setting({"properties": {"opts": {"type": "object"}}}),
    ),
    (25, "bad", 'demo.f({"n": 1})', No("with **{…} or --args")),
    (25, "bad", 'demo.f {"n": 1}', {"q": '{"n": 1}'}),
    (26, "good", "demo.f(n=n + 1, q=name.lower())", {"n": 6, "q": "ann"}, _NAMES),
    (26, "good", "demo.f(n: 1, q: 'x', on: true)", {"n": 1, "q": "x", "on": True}),
    (26, "good", "demo.f(on=true, maybe=null)", {"on": True, "maybe": None}),
    (
        26,
        "edge",
        "demo.f(opts: {a: 1, /* c */ b: ['x',],}, n=0x10)",
        {"opts": {"a": 1, "b": ["x"]}, "n": 16},
    ),
    (
        26,
        "edge",
        "demo.f(on=true)",
        No("on takes true or false"),
        Setting(names={"true": 3}),
    ),
    (26, "bad", "demo.f(n: n)", At(10, "n is a name"), _NAMES),
    (26, "bad", "demo.f(n=nope)", At(9, "NameError")),
    (26, "bad", "demo.f(q='é', n=1 + nope)", At(20, "NameError")),
    (26, "bad", "demo.f(q='a', n=1/0)", At(16, "ZeroDivisionError")),
    (26, "bad", "demo.f(n=[int(one) for one in 'ab'])", At(_INSIDE, "ValueError")),
    (26, "bad", "demo.f(n=1, **{'n': 2})", At(7, "tool() got multiple values")),
    (26, "bad", "demo.f(n=1 +)", At(12, "no Python")),
    (27, "good", "demo.f q: hello n: 2", {"q": "hello", "n": 2}),
    (27, "edge", "demo.f q: a=b", {"q": "a=b"}),
    (27, "edge", "demo.f q: --on", {"q": "--on"}),
    (27, "bad", "demo.f q: hello world", At(16, "no parameter that is left"), _ONE),
    (28, "good", "demo.f q=", {"q": ""}),
    (28, "edge", 'demo.f q: ""', {"q": ""}),
    (28, "edge", 'demo.f "q:"', {"q": "q:"}),
    (28, "bad", "demo.f q:", At(9, "needs a value after it")),
    (29, "good", "demo.f n:=5 x:=5.20", {"n": 5, "x": 5.2}),
    (29, "good", 'demo.f --opts:={"a": 1}', {"opts": {"a": 1}}),
    (29, "edge", "demo.f opts:='{\"a\": 1}'", {"opts": {"a": 1}}),
    (29, "edge", 'demo.f maybe:="null" any:=null', {"maybe": "null", "any": None}),
    (29, "bad", "demo.f n:=five", At(10, ":= takes JSON")),
    (29, "bad", "demo.f n:=$n", At(10, "written with ="), _NAMES),
    (30, "good", "demo.f q:hello n:2", {"q": "hello", "n": 2}),
    (30, "edge", "demo.f q:a:b", {"q": "a:b"}),
    (
        30,
        "edge",
        "demo.f a:b:c",
        {"a:b": "c"},
        Setting({"properties": {"a": {"type": "string"}, "a:b": {"type": "string"}}}),
    ),
    (30, "edge", "demo.f https://h/a=b", {"q": "https://h/a=b"}),
    (30, "edge", r"demo.f C:\new", {"q": r"C:\new"}),
    (30, "edge", "demo.f 12:30", {"q": "12:30"}),
    (30, "bad", "demo.f tag:a", No("did you mean tags?")),
    (31, "good", "demo.f --q hello --n 2 --on", {"q": "hello", "n": 2, "on": True}),
    (31, "good", "demo.f --on false --q x", {"on": False, "q": "x"}),
    (31, "edge", "demo.f --n -5 --q -v", {"n": -5, "q": "-v"}),
    (31, "edge", "demo.f -- --q -5", {"q": "--q", "n": -5}),
    (31, "edge", "demo.f -x", {"q": "-x"}),
    (31, "edge", "demo.f --on x", {"on": True, "q": "x"}),
    (31, "bad", "demo.f --q", At(7, "--q needs a value")),
    (31, "bad", "demo.f --q --n 2", At(7, "quote a value that begins with --")),
    (32, "good", "--timeout 5 demo.f", {}),
    (32, "edge", "demo.f --timeout 5", {"timeout": 5}, Setting(schema("13"))),
    (32, "bad", "demo.f --timeout 5", At(7, "Our --timeout stands before demo.f")),
    (32, "bad", "demo.f --raw", At(7, "Our --raw stands before"), _UNLISTED),
    (33, "good", "demo.f tags=a tags=b", {"tags": ["a", "b"]}),
    (33, "edge", "demo.f tags=a", {"tags": ["a"]}),
    (33, "edge", "demo.f tags=a,b", {"tags": ["a,b"]}),
    (33, "edge", 'demo.f tags=["a"] tags=b', {"tags": ['["a"]', "b"]}),
    (33, "bad", "demo.f tags=[a,b]", No("is no JSON: write")),
    (33, "bad", "demo.f n=1 n=2", No("n is given 2 times and takes no list")),
    (34, "good", "demo.f q=a", {"q": "a", "n": 1}, _cell("n: 1")),
    (
        34,
        "edge",
        "demo.f max_results=1 maxResults=2",
        No("maxResults is given 2 times"),
    ),
    (
        34,
        "bad",
        "demo.f n=1",
        No("n is given in the line and in the cell"),
        _cell("n: 1"),
    ),
    (34, "bad", '--args {"n": 2} demo.f n=1', No("in the line and in --args")),
    (35, "good", 'demo.f "a b c"', {"q": "a b c"}, _ONE),
    (35, "edge", "demo.f", {}, _ONE),
    (
        35,
        "bad",
        "demo.f a b c",
        At(9, "3 values for 1 parameter; quote the text"),
        _ONE,
    ),
    (35, "bad", "demo.f q=a b", At(11, "1 value for no parameter that is left"), _ONE),
    (36, "good", "demo.f hello 2 0.5", {"q": "hello", "n": 2, "x": 0.5}),
    (36, "edge", "demo.f 2 q=hello", {"q": "hello", "n": 2}),
    (36, "edge", "demo.f('hello', 2)", {"q": "hello", "n": 2}),
    (36, "edge", "demo.f 2", {"q": "hello", "n": 2}, _cell("q: hello")),
    (36, "bad", "demo.f hello two", No("n takes a whole number")),
    (37, "good", 'demo.f n="5" q="5"', {"n": 5, "q": "5"}),
    (
        37,
        "good",
        "demo.f q=007 q2=1",
        {"q": "007", "q2": 1},
        Setting(
            {"properties": {"q": {"type": "string"}}, "additionalProperties": True}
        ),
    ),
    (37, "edge", 'demo.f any:="5"', {"any": "5"}),
    (37, "edge", "demo.f n=725653563933458432", {"n": 725653563933458432}),
    (37, "edge", "demo.f on=TRUE count=null", {"on": True, "count": None}),
    (37, "bad", 'demo.f n:="5"', No('n takes a whole number, not "5"')),
    (38, "good", "demo.f max-results=5", {"maxResults": 5}),
    (
        38,
        "good",
        "demo.f limt=5",
        Noted({"limt": 5}, "limt is not declared"),
        Setting({"properties": {"limit": {}}, "additionalProperties": True}),
    ),
    (
        38,
        "edge",
        "demo.f m_a=5",
        Noted({"m_a": 5}, "m_a is not declared"),
        Setting({"properties": {"limit": {}}, "patternProperties": {"^m_": {}}}),
    ),
    (
        38,
        "edge",
        "demo.f GetUser=a",
        No("There is no parameter GetUser"),
        Setting(schema("13")),
    ),
    (38, "bad", "demo.f limt=5", No("did you mean limit?"), Setting(schema("01"))),
    (39, "good", "demo.f tab_id=1", {"tab_id": "1"}, Setting(schema("01"))),
    (39, "edge", "demo.f a=null", {"a": None}, Setting(schema("02"))),
    (
        39,
        "bad",
        "demo.f limit=1",
        No("demo.f needs tab_id (string)"),
        Setting(schema("01")),
    ),
    # Values from Python
    (40, "good", "demo.f n=$n q=$name", {"n": 5, "q": "Ann"}, _NAMES),
    (40, "good", "demo.f n=$row['n'] x=$obj.size", {"n": 3, "x": 4}, _NAMES),
    (40, "good", 'demo.f $row["first name"]', {"q": "Ann"}, _NAMES),
    (40, "edge", "demo.f q=$5.00 any=a$n", {"q": "$5.00", "any": "a$n"}, _NAMES),
    (40, "edge", "demo.f q='$n'", {"q": "$n"}, _NAMES),
    (40, "edge", "demo.f q=$text", {"q": '$HOME {n} "quoted"'}, _NAMES),
    (40, "bad", "demo.f q=$nope", At(9, "write '$nope'"), _NAMES),
    (40, "bad", "demo.f q=$rows[n]", At(9, "literal subscripts"), _NAMES),
    (40, "bad", "demo.f q=$obj.size(1)", At(9, "literal subscripts"), _NAMES),
    (40, "bad", "demo.f q=$row['n'](1)", At(9, "literal subscripts"), _NAMES),
    (41, "good", "demo.f n={n} any={rows[0]}", {"n": 5, "any": 1}, _NAMES),
    (41, "good", 'demo.f opts={"n": 1}', {"opts": {"n": 1}}, _NAMES),
    (41, "edge", 'demo.f q={"n":1}', {"q": '{"n":1}'}, _NAMES),
    (41, "edge", "demo.f q=a{n}", Noted({"q": "a{n}"}, "{n} was sent as text"), _NAMES),
    (41, "edge", "demo.f q=a{zz}", {"q": "a{zz}"}, _NAMES),
    (41, "bad", "demo.f q={n+1}", At(9, "neither JSON"), _NAMES),
    (41, "bad", "demo.f q={open('/etc/passwd').read()}", At(9, "neither JSON"), _NAMES),
    (42, "good", "demo.f tags=$obj.inner.tags", {"tags": ["a"]}, _NAMES),
    (42, "edge", "demo.f any={rows[-1]}", {"any": 3}, _NAMES),
    (42, "bad", "demo.f any=$obj._hidden", At(11, "names with _ are private"), _NAMES),
    (42, "bad", "demo.f any=$row['_key']", At(11, "names with _ are private"), _NAMES),
    (42, "bad", "demo.f any={rows[n]}", At(11, "neither JSON"), _NAMES),
    (43, "good", "--timeout $seconds demo.f", {}, _NAMES),
    (
        43,
        "good",
        "--header Authorization=${TOKEN} --url https://h/mcp f",
        To(Given(), "f"),
    ),
    (43, "edge", "--timeout $row['n'] demo.f", {}, _NAMES),
    (43, "bad", "--timeout {seconds} demo.f", At(10, "write $seconds"), _NAMES),
    (43, "bad", "$demo.f", At(0, "takes no variables"), _NAMES),
    (43, "bad", "{demo}.f", At(0, "takes no variables"), _NAMES),
    (44, "good", "demo.f q=@notes.txt", {"q": "line one\nline two\n"}, _FILES),
    (44, "good", "demo.f --opts @opts.json", {"opts": {"a": 1}}, _FILES),
    (
        44,
        "edge",
        "demo.f q=@@alice any='@alice'",
        {"q": "@alice", "any": "@alice"},
        _FILES,
    ),
    (44, "edge", "demo.f @alice", {"q": "@alice"}, _FILES),
    (44, "edge", 'demo.f q:="@notes.txt"', {"q": "@notes.txt"}, _FILES),
    (44, "edge", "demo.f(q='@notes.txt')", {"q": "@notes.txt"}, _FILES),
    (44, "bad", "demo.f q=@alice", At(9, "write '@alice' in quotes"), _FILES),
    (44, "bad", "demo.f q=@latin.txt", At(9, "no UTF-8 text"), _FILES),
    (44, "bad", "demo.f q=@big.txt", At(9, "larger than 10 MiB"), _FILES),
    (45, "good", "demo.f x=$half", {"x": 0.5}, _NAMES),
    (45, "good", "demo.f q=$long", {"q": "0.1234567890123456789"}, _NAMES),
    (45, "edge", "demo.f count=$nan", {"count": None}, _NAMES),
    (45, "bad", "demo.f q=$n", No("q takes a text, not 5"), _NAMES),
    (45, "bad", "demo.f x=$nan", No("may not be null"), _NAMES),
    (45, "bad", "demo.f x=$long", No("no JSON number holds exactly"), _NAMES),
    # Cell bodies
    (
        46,
        "good",
        "demo.f",
        {"q": "007", "n": 7, "tags": ["1", "b"]},
        _cell("q: 007\nn: 7\ntags:\n  - 1\n  - b\n"),
    ),
    (46, "good", "demo.f", {"q": " two\nlines\n"}, _cell("q: |2\n   two\n  lines\n")),
    (46, "edge", "demo.f", {"maybe": None, "count": None}, _cell("maybe: ~\ncount:\n")),
    (46, "edge", "demo.f", {"maybe": "null", "q": "~"}, _cell("maybe: 'null'\nq: ~\n")),
    (
        46,
        "edge",
        "demo.f",
        {"opts": {"a": [1, "b"], "c": "2"}},
        _cell("opts: {a: [1, b], c: '2'}"),
    ),
    (46, "edge", "demo.f", {"q": "a"}, _cell("# a note\nq: a\n")),
    (46, "bad", "demo.f", At(9, "drop what follows #", 1), _cell("q: fixes #12")),
    (46, "bad", "demo.f", At(0, "stands twice", 2), _cell("q: a\nq: b")),
    (46, "bad", "demo.f", At(3, "quote this value", 1), _cell("q: @alice")),
    (46, "bad", "demo.f", At(4, 'with ": " in it', 2), _cell("n: 1\nq: a: b")),
    (46, "bad", "demo.f", At(3, "begins with &", 1), _cell("q: &a b")),
    (46, "bad", "demo.f", At(3, "begins with !", 1), _cell("q: !now please")),
    (
        47,
        "good",
        "demo.f",
        {"n": 5, "q": "Ann is 5"},
        _cell("n: {{ n }}\nq: {{name}} is {{ n }}\n"),
    ),
    (
        47,
        "good",
        "demo.f",
        {"any": {"first name": "Ann", "n": 3, "_key": 1}},
        _cell('{"any": {{ row }}}'),
    ),
    (
        47,
        "good",
        "demo.f",
        {"n": 5, "q": "n=5"},
        _cell('{"n": "{{ n }}", "q": "n={{n}}"}'),
    ),
    (47, "edge", "demo.f", {"q": '$HOME {n} "quoted"'}, _cell("q: {{ text }}")),
    (47, "edge", "demo.f", {"q": "{{ n }} {n}"}, _cell("q: '{{{{ n }} {n}'")),
    (47, "edge", "demo.f", {"q": "{{ n }}\n"}, _cell("q: |\n  {{ n }}\n")),
    (47, "edge", "--body q demo.f", {"q": "{{ n }}\n"}, _cell("{{ n }}\n")),
    (47, "bad", "demo.f", At(3, "nope is not defined", 1), _cell("q: {{ nope }}")),
    (47, "bad", "demo.f", At(3, "holds no variable", 1), _cell("q: {{ n + 1 }}")),
    (48, "good", "demo.f", {"q": "{name}", "n": 1}, _cell('{"q": "{name}", "n": 1}')),
    (48, "edge", "demo.f", {"q": "a"}, _cell('\n  {"q": "a"}\n')),
    (48, "bad", "demo.f", At(14, "no JSON", 1), _cell('{"q": "a", "n"}')),
    (48, "bad", "demo.f", No("--body q"), _cell("Dear all")),
    (48, "bad", "demo.f", No("--body q"), _cell("- a\n- b")),
    (48, "bad", "demo.f", At(11, "stands twice", 1), _cell('{"q": "a", "q": "b"}')),
    (49, "good", "demo.f n=1", {"n": 1, "q": "a"}, _cell("q: a")),
    (49, "good", "call demo.f", {"q": "a"}, _cell("q: a")),
    (49, "edge", "single", {"q": "a"}, _cell("q: a", _SINGLE)),
    (49, "bad", "demo.f(n=1)", At(6, "A call form"), _cell("q: a")),
    (49, "bad", "list demo", At(0, "calls one tool"), _cell("q: a")),
    (49, "bad", "", At(0, "calls one tool"), _cell("q: a")),
    (
        50,
        "good",
        "--body q demo.f",
        {"q": " a\n\n\tb \\n #c\n"},
        _cell(" a\n\n\tb \\n #c\n"),
    ),
    (50, "good", "--body q demo.f n=1", {"q": "x", "n": 1}, _cell("x")),
    (50, "edge", "--body opts demo.f", {"opts": {"a": 1}}, _cell('{"a": 1}\n')),
    (50, "edge", "--body any demo.f", {"any": "5\n"}, _cell("5\n")),
    (50, "bad", "--body nope demo.f", No("There is no parameter nope"), _cell("x")),
    (50, "bad", "--body q demo.f q=1", No("in the line and in the cell"), _cell("x")),
]


def _name(row: Row) -> str:
    cell = row[4].body if len(row) > 4 else None
    typed = row[2] if cell is None else f"{row[2]} | {cell}"
    return f"{row[0]:02}-{row[1]}-{typed}"[:70].encode("unicode_escape").decode()


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_a_line_reads_as_its_rule_says(row: Row) -> None:
    """Ours: every row of the table above."""
    line, expected = row[2], row[3]
    setting = row[4] if len(row) > 4 else Setting()
    match expected:
        case At() | No():
            with pytest.raises(McpMagicError) as caught:
                read(line, setting)
            expected.check(caught.value)
        case To(server, tool):
            target, found, _ = find(line, setting)
            assert (target.server, found) == (server, tool)
        case Verb(verb, words, rest):
            known = read_line(line, namespace=setting.names)
            assert (known.verb, known.rest) == (verb, rest)
            assert tuple(word.text for word in known.words) == words
        case Noted(values, says):
            bound = read(line, setting)
            assert bound.values == values
            assert says in bound.notes[0]
        case values:
            bound = read(line, setting)
            assert bound.values == values
            assert _types(bound.values) == _types(values)


def _types(value: object) -> object:
    """Return the types inside a value: 1, 1.0 and True are equal, but not alike."""
    if isinstance(value, Mapping):
        return {name: _types(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_types(item) for item in value]
    return type(value)


@pytest.mark.parametrize("kind", ["good", "bad", "edge"])
@pytest.mark.parametrize("rule", range(1, 51))
def test_every_rule_has_rows_of_each_kind(rule: int, kind: str) -> None:
    assert any(row[:2] == (rule, kind) for row in ROWS)
