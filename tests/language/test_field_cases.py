"""Faults that people met elsewhere, each with what is right here.

ARG: arguments and coercion. NBK: notebooks and magics. WIN: Windows paths. PRO:
schemas as servers really write them. SEC: nothing runs that was not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mcp_magic.errors import ArgumentError, LineError, McpMagicError, NamesNeeded
from mcp_magic.language import bind, read_line, split_command, values
from mcp_magic.model import Schema
from tests.language.reading import At, No, Setting, read, schema

_NULLS = Setting(schema("02"))
_TYPED = Setting(schema("01"))
_ODD = Setting(schema("12"))
_PRICE: Schema = {
    "properties": {"price": {"type": "number"}, "side": {"enum": ["BUY", "SELL"]}},
    "required": ["price"],
}
_UNTYPED: Schema = {"properties": {name: {} for name in ("a", "b", "c", "d", "e")}}
_SAID = 'he said "hi" {now}'

SENT: list[tuple[str, str, Mapping[str, object], Setting]] = [
    (
        "ARG-01 numbers for a text",
        "demo.f tab_id=2003886907 thread_ts=1234567890.123456",
        {"tab_id": "2003886907", "thread_ts": "1234567890.123456"},
        _TYPED,
    ),
    (
        "ARG-02 no type keeps leading zeros",
        "demo.f a=000123 b=+4912345 c=0x10 d=1.10 e=01234",
        {"a": "000123", "b": "+4912345", "c": "0x10", "d": "1.10", "e": "01234"},
        Setting(_UNTYPED),
    ),
    (
        "ARG-02 no type reads exact JSON",
        "demo.f a=123 b=1.5 c=true d=null e=725653563933458432",
        {"a": 123, "b": 1.5, "c": True, "d": None, "e": 725653563933458432},
        Setting(_UNTYPED),
    ),
    ("ARG-03 dashes", "demo.f tab_id=1 --limit 5", {"tab_id": "1", "limit": 5}, _TYPED),
    ("ARG-03 quotes", 'demo.f 1 limit="5"', {"tab_id": "1", "limit": 5}, _TYPED),
    ("ARG-03 whole", "demo.f 1 limit=5.0", {"tab_id": "1", "limit": 5}, _TYPED),
    (
        "ARG-04 := is raw JSON",
        "demo.f price:=5.20 side=SELL",
        {"price": 5.2, "side": "SELL"},
        Setting(_PRICE),
    ),
    (
        "ARG-06 an object",
        'demo.f opts={"a":{"b":1}}',
        {"opts": {"a": {"b": 1}}},
        Setting(),
    ),
    ("ARG-06 a text", 'demo.f q={"a":1}', {"q": '{"a":1}'}, Setting()),
    ("ARG-06 no type", "demo.f any='{\"a\":1}'", {"any": {"a": 1}}, Setting()),
    ("ARG-07 absent stays absent", "demo.f a=x", {"a": "x"}, _NULLS),
    (
        "ARG-08 null in four ways",
        "demo.f null null null null null",
        {"a": None, "b": None, "c": None, "d": None, "e": "null"},
        _NULLS,
    ),
    ("ARG-08 the word null", 'demo.f a:="null"', {"a": "null"}, _NULLS),
    ("ARG-08 None from Python", "demo.f(a=None)", {"a": None}, _NULLS),
    (
        "ARG-10 any name in quotes",
        'demo.f from=a "filter[status]"=b "with space"=c "a=b"=d ""=e "$top"=5',
        {
            "from": "a",
            "filter[status]": "b",
            "with space": "c",
            "a=b": "d",
            "": "e",
            "$top": 5,
        },
        _ODD,
    ),
    ("ARG-10 from_", "demo.f(from_='a')", {"from": "a"}, _ODD),
    ("ARG-10 not ASCII", "demo.f from=a 名前=b", {"from": "a", "名前": "b"}, _ODD),
    (
        "ARG-11 our own words",
        "demo.f timeout=5 output=x help=true self=a getUser=1 get_user=2 get-user=3",
        {
            "timeout": 5,
            "output": "x",
            "help": True,
            "self": "a",
            "getUser": "1",
            "get_user": "2",
            "get-user": "3",
        },
        Setting(schema("13")),
    ),
    (
        "ARG-12 a reference",
        "demo.f color=1 colors=null colors=true",
        {"color": "1", "colors": ["null", "true"]},
        Setting(schema("03")),
    ),
    (
        "ARG-12 from the root",
        'demo.f deputy={"id":"a"} copy={"id":"b"}',
        {"deputy": {"id": "a"}, "copy": {"id": "b"}},
        Setting(schema("04")),
    ),
    (
        "ARG-12 leading nowhere",
        "demo.f a=1 b=x c=y",
        {"a": 1, "b": "x", "c": ["y"]},
        Setting(schema("22")),
    ),
    (
        "ARG-13 recursive",
        'demo.f tree={"value":1,"children":[{"value":2}]}',
        {"tree": {"value": 1, "children": [{"value": 2}]}},
        Setting(schema("05")),
    ),
    (
        "ARG-14 no items",
        'demo.f tags=a rows=[1,"b"] pair=["x",1] old_pair=["y",2]',
        {"tags": ["a"], "rows": [1, "b"], "pair": ["x", 1], "old_pair": ["y", 2]},
        Setting(schema("11")),
    ),
    ("ARG-16 a handle", "demo.f q='@alice'", {"q": "@alice"}, Setting()),
    (
        "ARG-21 a default is never sent",
        "demo.f",
        {},
        Setting({"properties": {"a": {"enum": ["x"], "default": "nope"}}}),
    ),
    (
        "ARG-22 exact text",
        "--body q demo.f",
        {"q": "\n  a\t\\n \r\n\nb\n"},
        Setting(body="\n  a\t\\n \r\n\nb\n"),
    ),
    (
        "NBK-01 a JSON body is data",
        "demo.f",
        {"opts": {"b": 1}, "q": "{name}"},
        Setting(body='{"opts": {"b": 1}, "q": "{name}"}', names={"name": 1}),
    ),
    (
        "NBK-03 braces beside JSON",
        'demo.f n={x} opts={"a": 1}',
        {"n": 5, "opts": {"a": 1}},
        Setting(names={"x": 5}),
    ),
    (
        "NBK-04 a quoted question",
        'demo.f q="what is mcp?"',
        {"q": "what is mcp?"},
        Setting(),
    ),
    (
        "NBK-05 a value is never read again",
        "demo.f q=$s",
        {"q": _SAID},
        Setting(names={"s": _SAID, "now": 1}),
    ),
    ("NBK-07 dashes and arrows", "demo.f n=-5 q=->", {"n": -5, "q": "->"}, Setting()),
    ("NBK-07 notes and semicolons", "demo.f x=1; # note", {"x": 1}, Setting()),
    ("NBK-09 an option's value", "--timeout $t demo.f", {}, Setting(names={"t": 5})),
    ("WIN a path", r"demo.f q=C:\new\a.txt", {"q": r"C:\new\a.txt"}, Setting()),
    (
        "WIN a quoted path",
        r'demo.f q="C:\new folder\a.txt"',
        {"q": r"C:\new folder\a.txt"},
        Setting(),
    ),
    ("WIN a share", r"demo.f q=\\srv\new\x", {"q": r"\\srv\new\x"}, Setting()),
    ("WIN a folder", r'demo.f q="C:\dir\\" n=1', {"q": "C:\\dir\\", "n": 1}, Setting()),
    ("WIN in YAML", "demo.f", {"q": r"C:\new\a.txt"}, Setting(body=r"q: C:\new\a.txt")),
    (
        "PRO-03 boolean schemas",
        'demo.f payload=1 opts={"a":1}',
        {"payload": 1, "opts": {"a": 1}},
        Setting(schema("10")),
    ),
    (
        "PRO-04 no type",
        "demo.f q=x n=2 c=x",
        {"q": "x", "n": 2, "c": "x"},
        Setting(schema("14")),
    ),
    (
        "PRO-04 ways to call",
        "demo.f source_url=https://h",
        {"source_url": "https://h"},
        Setting(schema("07")),
    ),
    (
        "PRO-04 properties as a list",
        "demo.f a=1",
        {"a": 1},
        Setting({"properties": []}),
    ),
    ("PRO-04 a text for a root", "demo.f a=1", {"a": 1}, Setting(schema("26"))),
    ("PRO-04 true for a root", "demo.f a=1", {"a": 1}, Setting(schema("27"))),
    ("PRO-06 only a dialect", "demo.f a=1", {"a": 1}, Setting(schema("15"))),
    ("PRO-06 a bare object", "demo.f a: 1", {"a": 1}, Setting(schema("16"))),
    (
        "unlisted, named",
        "demo.f id=007 n=5 on=true t=x",
        {"id": "007", "n": 5, "on": True, "t": "x"},
        Setting(None),
    ),
]

REFUSED: list[tuple[str, str, At | No, Setting]] = [
    ("ARG-03 1_000", "demo.f 1 limit=1_000", No("takes a whole number"), _TYPED),
    ("ARG-03 full width", "demo.f 1 limit=５", No("takes a whole number"), _TYPED),
    ("ARG-03 nan", "demo.f 1 ratio=nan", No("takes a number"), _TYPED),
    ("ARG-03 inf", "demo.f 1 ratio=inf", No("takes a number"), _TYPED),
    ("ARG-03 1e400", "demo.f 1 limit=1e400", No("takes a whole number"), _TYPED),
    ("ARG-03 3.7", "demo.f 1 limit=3.7", No("takes a whole number"), _TYPED),
    ("ARG-03 zeros", "demo.f 1 limit=007", No("without leading zeros"), _TYPED),
    ("ARG-03 very long", f"demo.f 1 limit={'9' * 5000}", No("a whole number"), _TYPED),
    ("ARG-04 no price", "demo.f side=SELL", No("needs price"), Setting(_PRICE)),
    (
        "ARG-07 null is not allowed",
        "demo.f(a='x', e=None)",
        No("e takes a text"),
        _NULLS,
    ),
    (
        "ARG-13 wrong inside",
        'demo.f tree={"value":1,"children":[{}]}',
        No("tree.children[0] lacks value"),
        Setting(schema("05")),
    ),
    ("ARG-16 no such file", "demo.f q=@notes.txt", At(9, "cannot be read"), Setting()),
    ("ARG-18 a slip", "demo.f 1 limt=5", No("did you mean limit?"), _TYPED),
    (
        "ARG-19 nothing given",
        "demo.f",
        No("needs a (integer), b (string)"),
        Setting(
            {
                "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
                "required": ["a", "b"],
            }
        ),
    ),
    (
        "NBK-01 JSON is typed",
        "demo.f",
        No("n takes a whole number"),
        Setting(body='{"n": "5"}'),
    ),
    (
        "NBK-07 text after a value",
        "demo.f q=a --b",
        At(11, "--b needs a value"),
        Setting(),
    ),
    ("NBK-09 a target", "{server}.search", At(0, "takes no variables"), Setting()),
    (
        "NBK-09 braces in an option",
        "--timeout {t} demo.f",
        At(10, "write $t"),
        Setting(),
    ),
    (
        "SEC-09 code in braces",
        "demo.f q={open('/etc/passwd').read()}",
        At(9, "neither JSON"),
        Setting(names={"open": open}),
    ),
    (
        "SEC-09 code in another's style",
        "demo.f(q: open('/etc/passwd'))",
        At(10, "only literals"),
        Setting(names={"open": open}),
    ),
    (
        "PRO-03 what nothing fits",
        "demo.f payload=1 never=1",
        No("never may not be given"),
        Setting(schema("10")),
    ),
    ("PRO-04 no way fits", "demo.f", No("none of the ways"), Setting(schema("07"))),
    ("a pattern", "demo.f 1 pin=12", No("pin does not match"), _TYPED),
    (
        "a line break after a pattern",
        "demo.f(1, pin='123456\\n')",
        No("pin does not match"),
        _TYPED,
    ),
    (
        "a repeated item",
        "demo.f uniq=[1,1]",
        No("must not repeat"),
        Setting(schema("23")),
    ),
    ("a key of a map", 'demo.f metrics={"zz":1}', No("zz"), Setting(schema("21"))),
    (
        "a text in a map",
        'demo.f headers={"A":1}',
        No("headers.A takes a text"),
        Setting(schema("21")),
    ),
    ("below a limit", "demo.f big=-5", No("big is at least 0"), Setting(schema("23"))),
    ("an enum", "demo.f n=7", No("n takes one of 1 | 2 | 3"), Setting(schema("14"))),
    (
        "two ways to read",
        "demo.f x=5",
        No('write x:="5" or x:=5'),
        Setting({"properties": {"x": {"type": ["string", "integer"]}}}),
    ),
    ("unlisted, without names", "demo.f 5", No("values need names"), Setting(None)),
]


@pytest.mark.parametrize(
    ("line", "sent", "setting"), [row[1:] for row in SENT], ids=[row[0] for row in SENT]
)
def test_what_was_meant_is_sent(
    line: str, sent: Mapping[str, object], setting: Setting
) -> None:
    assert read(line, setting).values == sent


@pytest.mark.parametrize(
    ("line", "error", "setting"),
    [row[1:] for row in REFUSED],
    ids=[row[0] for row in REFUSED],
)
def test_what_cannot_be_meant_is_refused(
    line: str, error: At | No, setting: Setting
) -> None:
    with pytest.raises(McpMagicError) as caught:
        read(line, setting)
    error.check(caught.value)


def test_big_integers_arrive_exactly() -> None:
    big = Setting(schema("23"))
    assert read("demo.f big=18446744073709551615", big).values == {"big": 2**64 - 1}
    assert read(f"demo.f big:={2**53 + 1}", big).values == {"big": 2**53 + 1}


def test_cents_are_multiples_of_a_hundredth() -> None:
    """Ours: 0.07 / 0.01 is 7.000000000000001 in binary, and 7 in decimal."""
    assert read("demo.f step=0.07", Setting(schema("23"))).values == {"step": 0.07}
    with pytest.raises(ArgumentError, match=r"multiple of 0\.01"):
        read("demo.f step=0.075", Setting(schema("23")))


def test_an_error_shows_the_signature() -> None:
    with pytest.raises(ArgumentError) as caught:
        read("demo.f limit=x 1", _TYPED)
    sentence, shown = str(caught.value).splitlines()
    assert sentence == 'limit takes a whole number, not "x".'
    assert shown.startswith("  demo.f(tab_id: string, thread_ts?: string, pin?: ")


def test_a_reference_that_leads_nowhere_is_one_warning() -> None:
    bound = read("demo.f a=1", Setting(schema("22")))
    assert [warning[:35] for warning in bound.warnings] == [
        "The reference '#/components/schemas",
        "The reference 'https://schemas.exam",
    ]


def test_an_unlisted_tool_needs_names() -> None:
    with pytest.raises(NamesNeeded, match="is not listed"):
        bind(values((5,)), None, label="demo.f")


@pytest.mark.parametrize(
    ("typed", "argv"),
    [
        ("npx -y some-server", ("npx", "-y", "some-server")),
        (
            r"C:\Users\me\new\server.exe --fast",
            (r"C:\Users\me\new\server.exe", "--fast"),
        ),
        (r'"C:\Program Files\s.exe" x', (r"C:\Program Files\s.exe", "x")),
        (r'srv --root="C:\My Dir"', ("srv", r"--root=C:\My Dir")),
        (r'srv --root "C:\dir\\"', ("srv", "--root", "C:\\dir\\")),
        (r"srv \\host\share", ("srv", r"\\host\share")),
        ("sh -c \"echo 'a b'\"", ("sh", "-c", "echo 'a b'")),
        ('srv --json={"a": "b c"}', ("srv", '--json={"a": "b c"}')),
        ("cmd /c npx -y x", ("cmd", "/c", "npx", "-y", "x")),
        ("", ()),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_command_is_split_alike_on_every_system(
    typed: str, argv: tuple[str, ...]
) -> None:
    """WIN-01, WIN-03: a backslash is a backslash, quotes hold words together."""
    assert split_command(typed) == argv


def test_a_command_with_an_open_quote_shows_where() -> None:
    with pytest.raises(LineError) as caught:
        split_command('srv "a b')
    assert caught.value.column == 4


def test_options_are_read_as_they_are_written() -> None:
    line = read_line(
        '--env KEY=a=b --env "TWO=x y" --header Authorization="Bearer ${T}"'
        r" --cwd C:\new --no-correct --raw --out r --url https://h/mcp f",
    )
    options = line.options
    assert options.env == (("KEY", "a=b"), ("TWO", "x y"))
    assert options.headers == (("Authorization", "Bearer ${T}"),)
    assert (options.cwd, options.out, options.url) == (r"C:\new", "r", "https://h/mcp")
    assert options.raw
    assert options.no_correct


@pytest.mark.parametrize(
    ("line", "column", "says"),
    [
        ("--timeout x demo.f", 10, "takes seconds"),
        ("--timeout 1_0 demo.f", 10, "takes seconds"),
        ("--timeout 0 demo.f", 10, "takes seconds"),
        ("--timeout $on demo.f", 10, "takes seconds"),
        ("--out 2x demo.f", 6, "name of a variable"),
        ("--out class demo.f", 6, "name of a variable"),
        ("--env KEY demo.f", 6, "NAME=value"),
        ("--args [1] demo.f", 7, "JSON object"),
        ("--args {a} demo.f", 7, "write $a"),
        ("--raw=1 demo.f", 0, "takes no value"),
        ("--cwd $on demo.f", 6, "takes a text, not bool"),
        ("--cwd $nope demo.f", 6, "not defined"),
    ],
)
def test_an_option_with_a_wrong_value_shows_where(
    line: str, column: int, says: str
) -> None:
    with pytest.raises(LineError) as caught:
        read_line(line, namespace={"on": True})
    assert caught.value.column == column
    assert says in caught.value.message


def test_the_environment_sets_a_timeout() -> None:
    assert read_line("--timeout ${T} demo", environ={"T": "7"}).options.timeout == 7
