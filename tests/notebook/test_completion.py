"""Tab after ``%mcp``: what it offers in a kernel, and that it starts nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from mcp_magic.config import Http, InProcess, ServerEntry
from mcp_magic.notebook.completion import candidates
from mcp_magic.session import Server, Session
from tests.kernels import Kernel
from tests.scripted import Scripted, tool


@pytest.fixture(name="kernel", scope="module", params=["jedi", "no jedi"])
def _kernel(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kernel]:
    home = tmp_path_factory.mktemp("home")
    with Kernel(home, {**os.environ, "HOME": str(home)}) as kernel:
        kernel.run("%load_ext mcp_magic")
        kernel.run(f"%config Completer.use_jedi = {request.param == 'jedi'}")
        yield kernel


def test_tab_starts_nothing_and_knows_verbs_and_servers(kernel: Kernel) -> None:
    kernel.run("%mcp close")
    assert "demo" in kernel.complete("%mcp de")
    assert kernel.complete("%mcp demo.") == []
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
        ("%mcp --tim", ["--timeout"]),
        ("%mcp --timeout 5 demo.ech", ["demo.echo"]),
        ("%mcp close d", ["demo"]),
        ("x = %mcp demo.ech", ["demo.echo"]),
        ("if True:\n    %mcp demo.ech", ["demo.echo"]),
        ("%%mcp demo.ech", ["demo.echo"]),
        ("%%mcp demo.list_rows\nkind: planet\nor", ["order: "]),
        ("%mcp read demo demo://n", ["demo://notes"]),
        ("%mcp prompt demo.int", ["demo.introduce"]),
        ("%mcp prompt demo.introduce ", ["audience=", "world="]),
        ("%mcp prompt demo.introduce world=Tit", ["world=Titan", "world=Titania"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_tab_offers_what_is_known(
    kernel: Kernel, code: str, offered: list[str]
) -> None:
    kernel.run("%mcp resources demo\n%mcp prompts demo")
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


def test_hostile_names_are_left_out(session: Session) -> None:
    names = ["good", "two words", "-dash", "quote'", "a\u202eb", "x=1", "$(rm)"]
    server = Scripted([tool(name, "ok", "not ok", "a\nb") for name in names])
    session.add(ServerEntry("srv", InProcess(server.server)))
    list(Server(session, session.find("srv")))
    assert candidates(session, " srv.") == ("srv.", ["srv.-dash", "srv.good"])
    assert candidates(session, " srv.good ") == ("", ["ok="])


@pytest.mark.parametrize("rest", [" nothing ", " --timeout ", " demo.add q='a b"])
def test_where_nothing_is_known_nothing_is_offered(session: Session, rest: str) -> None:
    assert candidates(session, rest)[1] == []


def test_many_tools_are_no_burden(session: Session) -> None:
    server = Scripted([tool(f"tool_{n}") for n in range(1000)])
    session.add(ServerEntry("srv", InProcess(server.server)))
    session.add(ServerEntry("off", Http("https://h.test")))
    list(Server(session, session.find("srv")))
    fragment, found = candidates(session, " srv.tool_99")
    assert (fragment, len(found)) == ("srv.tool_99", 11)
    assert session.live("off") is None
