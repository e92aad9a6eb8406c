"""Tab after ``%mcp``: what it offers in a kernel, and that it starts nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import Tool

from mcp_magic.config import Http, InProcess, ServerEntry
from mcp_magic.language import read_line, split_target, split_tool
from mcp_magic.naming import Exact
from mcp_magic.notebook.bodies import in_body
from mcp_magic.notebook.called import given_call
from mcp_magic.notebook.offers import _stands_plainly, _target, candidates
from mcp_magic.session import Server, Session
from tests.kernels import Kernel
from tests.scripted import Scripted, tool


@pytest.fixture(name="kernel", scope="module", params=["jedi", "no jedi"])
def _kernel(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kernel]:
    home = tmp_path_factory.mktemp("home")
    _servers(home / ".cursor", "mcp.json", "weather")
    _servers(home / "work", ".mcp.json", "brought")
    (home / "work" / "notes.py").touch()
    with Kernel(home / "work", {**os.environ, "HOME": str(home)}) as kernel:
        kernel.run("%load_ext mcp_magic")
        kernel.run(f"%config Completer.use_jedi = {request.param == 'jedi'}")
        # What a server offers is left out where it takes longer than a person likes.
        kernel.run("import mcp_magic.client.requests as ours; ours._COMPLETING = 60")
        yield kernel


def _servers(folder: Path, file: str, name: str) -> None:
    folder.mkdir()
    servers = {"mcpServers": {name: {"command": "no-such-command"}}}
    (folder / file).write_text(json.dumps(servers), encoding="utf-8")


def test_tab_starts_nothing_and_knows_verbs_and_servers(kernel: Kernel) -> None:
    kernel.run("%mcp close")
    assert "demo" in kernel.complete("%mcp de")
    assert kernel.complete("%mcp demo.") == []
    kernel.run("demo = 'text'")
    for line in (
        "%mcp demo.",
        "%mcp read demo demo:",
        "%mcp prompt demo.",
        "x = %mcp no.",
    ):
        assert kernel.complete(line) == []  # and nothing that Python knows instead
    assert kernel.complete("%mcp add notes python note") == ["notes.py"]
    assert "len" in kernel.complete("%mcp demo.add(a=le")
    assert "close" in kernel.complete("%mcp cl")
    assert "not connected" in kernel.run("%mcp").text


@pytest.mark.parametrize(
    ("code", "offered"),
    [
        ("%mcp demo.ad", ["demo.add", "demo.add_note"]),
        ("%mcp demo.l", ["demo.list_notes", "demo.list_rows"]),
        ("%mcp help demo.e", ["demo.echo"]),
        ("%mcp call demo.e", ["demo.echo"]),
        ("%mcp demo ech", ["echo"]),
        ("%mcp demo.add ", ["a=", "b="]),
        ("%mcp demo.add a=2 ", ["b="]),
        ("%mcp demo.add --", ["--a", "--b"]),
        ("%mcp demo.convert unit_from=", [
            "unit_from=celsius", "unit_from=fahrenheit", "unit_from=kelvin",
        ]),
        ("%mcp demo.list_rows order=d", ["order=descending"]),
        ("%mcp demo.list_rows order:d", ["order:descending"]),
        ("%mcp demo.list_rows --order d", ["descending"]),
        ("%mcp demo.list_rows --order=d", ["--order=descending"]),
        ("%mcp demo.list_rows kind=", [
            'kind="dwarf planet"', "kind=moon", "kind=planet", "kind=star",
        ]),
        ("%mcp demo.list_rows kind=dw", ['kind="dwarf planet"']),
        ('%mcp demo.list_rows kind="dwarf pl', ['kind="dwarf planet"']),
        ("%mcp demo.echo text=$my_", ["text=$my_text"]),
        ("%mcp demo.add(", ["a=", "b="]),
        ("%mcp demo.add(a=2, ", ["b="]),
        ("%mcp demo.convert(value=1, unit_to=", [
            '"celsius"', '"fahrenheit"', '"kelvin"',
        ]),
        ('%mcp demo.convert(1, unit_to="ke', ['"kelvin"']),
        ("%mcp demo.add(a=my_", ["my_text"]),
        ("%mcp demo.add(a=[1, my_", ["my_text"]),
        ("%mcp help demo ech", ["echo"]),
        ("%mcp list --a", ["--all"]),
        ("%mcp auth --s", ["--scope"]),
        ("%mcp watch demo --t", ["--timeout"]),
        ("%mcp logs --t", []),
        ("%mcp add --s", ["--save", "--stdio"]),
        ("%mcp add fms npx --s", []),
        ("%mcp call --t", ["--timeout"]),
        ("%mcp call --timeout ", ["notes.py"]),
        ("%mcp call --timeout 5 demo.ech", ["demo.echo"]),
        ("%mcp call --timeout 5 demo.add a=2 ", ["b="]),
        ("%%mcp --re", []),
        ("%mcp list dem", ["demo"]),
        ("%mcp list demo dem", []),
        ("%mcp resources demo dem", []),
        ("n: int = %mcp demo.ech", ["demo.echo"]),
        ("rows[0], b = %mcp demo.ech", ["demo.echo"]),
        ("%%mcp --out r demo.ech", ["demo.echo"]),
        ("%%mcp clo", []),
        ("%mcp --tim", ["--timeout"]),
        ("%mcp --timeout 5 demo.ech", ["demo.echo"]),
        ("%mcp close d", ["demo"]),
        ("x = %mcp demo.ech", ["demo.echo"]),
        ("if True:\n    %mcp demo.ech", ["demo.echo"]),
        ("%%mcp demo.ech", ["demo.echo"]),
        ("%%mcp demo.list_rows\nkind: planet\nor", ["order: "]),
        ("%%mcp demo.list_rows\norder: ", ["ascending", "descending"]),
        ("%%mcp demo.list_rows\nkind: dw", ["dwarf planet"]),
        ("%%mcp demo.order\naddress:\n  ci", ["city: "]),
        ("%%mcp demo.order\nitems:\n  - sku: A-1\n    qu", ["quantity: "]),
        ("%%mcp demo.order\nitems:\n- qu", ["quantity: "]),
        ("%%mcp demo.order\naddress:\n  city: X\nsh", ["shipping: "]),
        ('%%mcp demo.list_rows\n{"or', ['"order": ']),
        ('%%mcp demo.list_rows\n{"order": "d', ['"descending"']),
        ('%%mcp demo.list_rows\n{"order": "ascending", "o', ['"offset": ']),
        ('%%mcp demo.order\n{"address": {"ci', ['"city": ']),
        ('%%mcp demo.order\n{"items": [{"sku": "A-1", "qu', ['"quantity": ']),
        ("%mcp read demo demo://n", ["demo://notes"]),
        ("%mcp read demo demo://worlds/Tita", [
            "demo://worlds/Titan", "demo://worlds/Titania",
        ]),
        ("%mcp watch demo demo://n", ["demo://notes"]),
        ("%mcp prompt demo.int", ["demo.introduce"]),
        ("%mcp prompt demo int", ["introduce"]),
        ("%mcp prompt demo introduce aud", ["audience="]),
        ("%mcp prompt demo.introduce world=Titan audience=", [
            'audience="a child"', 'audience="a poet"', 'audience="an astronomer"',
        ]),
        ("%mcp sampling demo my_", ["my_text"]),
        ("%mcp import cur", ["cursor"]),
        ("%mcp import cursor wea", ["weather"]),
        ("%mcp approve bro", ["brought"]),
        ("%mcp list bro", []),
        ("%mcp prompt demo.introduce ", ["audience=", "world="]),
        ("%mcp prompt demo.introduce world=Tit", ["world=Titan", "world=Titania"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_tab_offers_what_is_known(
    kernel: Kernel, code: str, offered: list[str]
) -> None:
    kernel.run("my_text = 'x'\n%mcp resources demo\n%mcp prompts demo")
    assert kernel.complete(code) == offered


def test_python_is_completed_as_ever(kernel: Kernel) -> None:
    kernel.run("mcp_value = 1\nother = {'key': 1}")
    assert "mcp_value" in kernel.complete("mcp_va")
    assert "mcp_value" in kernel.complete("%%mcp demo.echo\nx = 1; mcp_va")


def test_a_server_is_completed_as_an_object(kernel: Kernel) -> None:
    kernel.run("import mcp_magic; demo = mcp_magic.connect('demo')")
    offered = kernel.complete("demo.list_")
    assert [one.rpartition(".")[2] for one in offered] == ["list_notes", "list_rows"]
    assert any("bridge--" in one for one in kernel.complete("demo['bri"))


def test_odd_names_are_quoted_and_hostile_ones_left_out(session: Session) -> None:
    names = ["good", "two words", "-dash", "quote'", "a\u202eb", "x=1", '"', "$(rm)"]
    server = Scripted([tool(name, "ok", "not ok", "a\nb", "\u200b") for name in names])
    session.add(ServerEntry("srv", InProcess(server.server)))
    list(Server(session, session.find("srv")))
    assert candidates(session, " srv.")[1] == [
        '"srv.$(rm)"', '"srv.two words"', 'srv."', "srv.-dash", "srv.good",
        "srv.quote'", "srv.x=1",
    ]  # fmt: skip
    assert candidates(session, ' "srv.tw') == ('"srv.tw', ['"srv.two words"'])
    assert candidates(session, " srv.good ") == ("", ['"not ok"=', "ok="])
    assert candidates(session, ' "srv.two words" o') == ("o", ["ok="])


def test_hostile_values_and_keys_are_left_out_of_a_body(session: Session) -> None:
    values = ["plain", "two words", "a: b", "- x", "#no", "a\u202eb", "null", "\x1b[8m"]
    schema = {"properties": {"of": {"enum": values}, "a\u202eb": {}, "not: ok": {}}}
    server = Scripted([Tool(name="t", input_schema={"type": "object", **schema})])
    session.add(ServerEntry("srv", InProcess(server.server)))
    list(Server(session, session.find("srv")))
    called = given_call(session, " srv.t")
    assert called is not None
    assert in_body(called, "", "") == ("", ['"not: ok": ', "of: "])
    assert in_body(called, "of: ", "") == ("", [
        '"#no"', '"- x"', '"a: b"', "null", "plain", "two words",
    ])  # fmt: skip
    assert in_body(called, '{"no', "") == ('"no', ['"not: ok": '])
    assert in_body(called, '{"o', '"}') == ('"o', ['"of'])


@given(st.text(min_size=1) | st.from_regex(r"[\w.:/@~-]+", fullmatch=True))
def test_an_offered_target_leads_to_the_tool_that_it_names(name: str) -> None:
    offered = [f"srv.{name}"] if _stands_plainly(f"srv.{name}") else []
    for text in [*offered, *(one.text for one in _target("srv", name))]:
        target = split_target(read_line(text), {"srv"})
        assert target.server == Exact("srv")
        assert split_tool(target, {name, "other"})[0] == name


@pytest.mark.parametrize(
    "rest", [" nothing ", " --timeout ", " demo.add q='a b", " add x ", " demo.add a:="]
)
def test_where_nothing_is_known_nothing_is_offered(session: Session, rest: str) -> None:
    assert candidates(session, rest)[1] == []


def test_many_tools_are_no_burden(session: Session) -> None:
    server = Scripted([tool(f"tool_{n}") for n in range(1000)])
    session.add(ServerEntry("srv", InProcess(server.server)))
    session.add(ServerEntry("off", Http("https://h.test")))
    list(Server(session, session.find("srv")))
    fragment, found = candidates(session, " srv.tool_99")
    assert (fragment, len(found)) == ("srv.tool_99", 11)
    assert session.connections.live("off") is None


def test_many_values_are_no_burden(session: Session) -> None:
    """Each value that is no plain word takes most of a millisecond to be spelled."""
    words = [f"w{n}" for n in range(1000)]
    values = [*words, *(f"odd {one}" for one in words), "true", "007", 5, True]
    schema = {"type": "object", "properties": {"v": {"enum": values}}}
    server = Scripted([Tool(name="t", input_schema=schema)])
    session.add(ServerEntry("srv", InProcess(server.server)))
    list(Server(session, session.find("srv")))
    assert len(candidates(session, " srv.t v=w")[1]) == 1000
    assert len(candidates(session, " srv.t v=odd")[1]) == 100
    assert candidates(session, " srv.t v=w77")[1][:2] == ["v=w77", "v=w770"]
    assert candidates(session, ' srv.t v="odd w999')[1] == ['v="odd w999"']
    assert candidates(session, " srv.t v=5")[1] == ["v=5"]
