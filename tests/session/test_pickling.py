"""Handles on their way to other processes: what goes, what does not, who they are."""

from __future__ import annotations

import asyncio
import copy
import multiprocessing
import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import cloudpickle
import pytest

import mcp_magic
from mcp_magic.answer import Answer
from mcp_magic.config import (
    Http,
    InProcess,
    Input,
    ServerEntry,
    Source,
    Stdio,
    Target,
)
from mcp_magic.errors import McpMagicError, NotPortable, ToolFailed, UnknownServer
from mcp_magic.model import Secret
from mcp_magic.session import CallOptions, CallResult, Server, Session
from mcp_magic.session.pickling import carried, received
from mcp_magic.session.server import ToolFunction, entry_of
from tests.scripted import Scripted, tool

_CANARY = "canary-4711-abc"
_SMALL = Stdio("srv", ("--port", "5"))

Dumps = Callable[[object], bytes]


def _stdio(*args: str, **env: str) -> Stdio:
    return Stdio("srv", args, {key: Secret(value) for key, value in env.items()})


def _http(url: str, **headers: str) -> Http:
    return Http(url, {key: Secret(value) for key, value in headers.items()})


def _unlisted(server: Server) -> ToolFunction:
    """Return a tool of a server that is not asked for its tools."""
    return ToolFunction(server, "x", None, CallOptions())


@pytest.fixture(name="dumps", params=["pickle", "cloudpickle"])
def _dumps(request: pytest.FixtureRequest) -> Dumps:
    ways: dict[str, Dumps] = {"pickle": pickle.dumps, "cloudpickle": cloudpickle.dumps}
    return ways[request.param]


@pytest.mark.parametrize(
    ("target", "named"),
    [
        (_stdio(TOKEN=_CANARY), "env TOKEN"),
        (_stdio(PLACE=f"${{HOME}}/{_CANARY}"), "env PLACE"),
        (_stdio(TOKEN=f"${{TOKEN:-{_CANARY}}}"), "env TOKEN"),
        (_stdio("--api-key", _CANARY), "--api-key"),
        (_stdio(f"--token={_CANARY}"), "--token"),
        (_stdio("-e", f"GITHUB_TOKEN={_CANARY}"), "GITHUB_TOKEN"),
        (_stdio("--header", f"Authorization: Bearer {_CANARY}"), "Authorization"),
        (_stdio("--header", f"X: Bearer {_CANARY}"), "an argument"),
        (_stdio(f'{{"apiKey": "{_CANARY}"}}'), "an argument"),
        (_stdio("ghp_canary4711abc"), "an argument"),
        (_stdio("--token", f"${{TOKEN:-{_CANARY}}}"), "--token"),
        (_stdio(f"postgresql://u:{_CANARY}@h/db"), "the password in its URL"),
        (_http("https://h.test", Authorization=f"Bearer {_CANARY}"), "Authorization"),
        (_http(f"https://u:{_CANARY}@h.test/mcp"), "the password in its URL"),
        (_http(f"https://h.test/mcp?api_key={_CANARY}"), "api_key"),
        (_http("https://h.test/CANARY4711canary4711CANARY/x"), "a token in its URL"),
    ],
    ids=str,
)  # fmt: skip
def test_a_literal_secret_refuses_in_one_line(
    shared: Session, dumps: Dumps, target: Target, named: str
) -> None:
    server = Server(shared, shared.add(ServerEntry("srv", target)))
    for handle in (server, _unlisted(server)):
        with pytest.raises(NotPortable) as caught:
            dumps(handle)
        said = str(caught.value)
        assert said.startswith("srv cannot be pickled: ")
        assert named in said
        assert "${VARIABLE}" in said
        assert "\n" not in said
        assert "canary" not in said.lower()


@pytest.mark.parametrize(
    "target",
    [
        _stdio(KEY="${KEY}", DEBUG="1", MODE="${MODE:-on}"),
        _stdio("--api-key", "${KEY}", "--header", "Authorization: Bearer ${TOKEN}"),
        _stdio("-y", "@scope/server-everything@2025.12.18", "--no-auth", "--port", "5"),
        _stdio("postgresql://u:${PASSWORD}@h/db", "https://h.test/?version=2"),
        _http("https://h.test/mcp?key=${KEY}", Authorization="Bearer ${TOKEN}"),
        _http("https://h.test/mcp/123e4567-e89b-12d3-a456-426614174000?page=2"),
        Stdio("srv", cwd="/data/x"),
    ],
    ids=str,
)
def test_placeholders_travel_as_they_were_written(
    shared: Session, dumps: Dumps, monkeypatch: pytest.MonkeyPatch, target: Target
) -> None:
    for name in ("TOKEN", "KEY", "PASSWORD"):
        monkeypatch.setenv(name, _CANARY)
    server = Server(shared, shared.add(ServerEntry("srv", target)))
    sent = dumps(server)
    assert _CANARY.encode() not in sent
    shared.remove("srv")
    again = pickle.loads(sent)
    assert entry_of(again) == ServerEntry("srv", target)
    assert shared.connections.live("srv") is None


def test_a_server_object_of_this_process_refuses(shared: Session, dumps: Dumps) -> None:
    scripted = Scripted([tool("add", "a")])
    server = Server(shared, shared.add(ServerEntry("s", InProcess(scripted.server))))
    with pytest.raises(NotPortable, match="lives in this process alone"):
        dumps(server.add)


def test_copies_are_the_same_handle_secrets_or_not(session: Session) -> None:
    scripted = Scripted([tool("add", "a")])
    server = Server(session, session.add(ServerEntry("s", InProcess(scripted.server))))
    for handle in (server, server.add):
        assert copy.copy(handle) is handle
        assert copy.deepcopy([handle])[0] is handle


def test_a_tool_keeps_its_signature_help_and_limit(
    shared: Session, dumps: Dumps
) -> None:
    add = mcp_magic.connect("demo").add.with_options(timeout=5)
    sent = dumps(add)
    mcp_magic.close()
    again = pickle.loads(sent)
    assert again == add
    assert (again.__doc__, again.__signature__) == (add.__doc__, add.__signature__)
    assert again._options.timeout == 5
    assert shared.connections.live("demo") is None
    assert again(2, 3).data == 5


def test_a_known_name_with_the_same_target_is_that_server(session: Session) -> None:
    known = session.add(ServerEntry("srv", _SMALL, origin="a file"))
    assert received(session, carried(ServerEntry("srv", _SMALL))) is known
    assert [one.name for one in session.entries] == ["demo", "srv"]


def test_a_name_that_means_another_server_gets_a_number(session: Session) -> None:
    session.add(ServerEntry("srv", Stdio("other")))
    sent = carried(ServerEntry("srv", _SMALL))
    first, second = received(session, sent), received(session, sent)
    assert first is second
    assert (first.name, first.target) == ("srv-2", _SMALL)
    assert [str(one.target) for one in session.entries][1:] == ["other", "srv --port 5"]
    assert received(session, carried(ServerEntry("srv", Stdio("3")))).name == "srv-3"


def test_the_bundled_server_is_each_processs_own(session: Session) -> None:
    elsewhere = ServerEntry("demo", Stdio("/another/python"), origin="bundled")
    assert received(session, carried(elsewhere)) is session.entries[0]
    forged = ServerEntry("demo", Stdio("/another/python"))
    assert received(session, carried(forged)).name == "demo-2"


@dataclass(frozen=True)
class Limits:
    """What an entry may hold one day."""

    seconds: float
    secrets: tuple[Secret, ...] = ()


@dataclass(frozen=True)
class Later(ServerEntry):
    """An entry with fields that ``ServerEntry`` does not have yet."""

    limits: Limits | None = None
    words: frozenset[str] = field(default_factory=frozenset)


def test_fields_that_an_entry_will_have_one_day_travel_too(session: Session) -> None:
    limits = Limits(5, (Secret("${X}"),))
    entry = Later("srv", _SMALL, "a file", limits=limits, words=frozenset("a"))
    again = received(session, pickle.loads(pickle.dumps(carried(entry))))
    assert again == entry
    secret = Later("s", _SMALL, limits=Limits(5, (Secret(_CANARY),)))
    with pytest.raises(NotPortable, match="secrets is written out"):
        carried(secret)


def _read_from(product: str) -> Source:
    return Source(
        product, "project", Path("/p/.mcp.json"), "k", 3, Path("/p"), "0" * 64
    )


def test_an_entry_of_a_file_keeps_all_that_decides_about_it(session: Session) -> None:
    entry = ServerEntry(
        "srv",
        _stdio("${input:key}", KEY="${env:KEY}"),
        "a file",
        _read_from("VS Code"),
        allowed=("a",),
        blocked=("b",),
        call_timeout=5,
        inputs={"key": Input("key", "Your key")},
        oauth={"client_id": "me", "client_secret": Secret("${env:SECRET}")},
    )
    assert received(session, pickle.loads(pickle.dumps(carried(entry)))) == entry
    assert session.connections.live("srv") is None


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        (ServerEntry("s", _stdio(KEY="{env:KEY}"), "", _read_from("Cursor")), "KEY"),
        (
            ServerEntry("s", _SMALL, inputs={"k": Input("k", default=_CANARY)}),
            "the default of the input k",
        ),
        (
            ServerEntry("s", _SMALL, oauth={"client_secret": Secret(_CANARY)}),
            "oauth client_secret",
        ),
    ],
    ids=["another product's placeholder", "default", "sign-in"],
)
def test_a_secret_of_a_file_refuses_too(entry: ServerEntry, named: str) -> None:
    with pytest.raises(NotPortable, match=named) as caught:
        carried(entry)
    assert _CANARY not in str(caught.value)


def test_another_products_placeholders_travel() -> None:
    entry = ServerEntry("s", _stdio(KEY="{env:KEY}"), "", _read_from("OpenCode"))
    assert pickle.dumps(carried(entry))


def test_another_version_of_an_entry_is_refused(session: Session) -> None:
    sent = carried(ServerEntry("srv", _SMALL))
    sent.fields["unheard_of"] = 1  # type: ignore[attr-defined] # an inside of ours
    with pytest.raises(NotPortable, match="another version of mcp-magic"):
        received(session, sent)


def test_a_handle_whose_server_was_removed_or_replaced_says_so(
    session: Session,
) -> None:
    server = Server(session, session.add(ServerEntry("srv", _SMALL)))
    session.add(ServerEntry("srv", Stdio("other")))
    with pytest.raises(UnknownServer, match="means another server now"):
        server["x"]()
    session.remove("srv")
    assert repr(server) == "srv: not known any more"
    with pytest.raises(UnknownServer):
        list(server)


def test_results_and_failures_are_pickled_whole(dumps: Dumps) -> None:
    answer = Answer.read({"content": [{"type": "text", "text": "x"}], "isError": True})
    result = CallResult(answer, "srv", "ad", "add", 0.5)
    failure = pickle.loads(dumps(ToolFailed("srv.add: x", result)))
    assert str(failure) == "srv.add: x"
    assert failure.result == result


# -- other processes


@pytest.fixture(name="pool", scope="module")
def _pool() -> Iterator[ProcessPoolExecutor]:
    """One fresh process, which knows a variable that this one does not."""
    with ProcessPoolExecutor(
        1,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=know,
        initargs=("ELSEWHERE", "--unheard"),
    ) as pool:
        yield pool


def know(name: str, value: str) -> None:
    """Set a variable of the environment."""
    os.environ[name] = value


def told(server: Server) -> tuple[bool, list[str], object]:
    """Use a server there; return whether it was connected, what is known, an answer."""
    before = mcp_magic.servers()
    state = {one.name: one.state for one in before}[entry_of(server).name]
    return state == "connected", [one.name for one in before], server.add(1, 2).data


def test_a_tool_runs_in_another_process(
    shared: Session, pool: ProcessPoolExecutor
) -> None:
    add = mcp_magic.connect("demo").add
    results = list(pool.map(add, [1, 2], [3, 4]))
    assert [(type(one), one.data) for one in results] == [
        (CallResult, 4),
        (CallResult, 6),
    ]


def test_a_server_connects_there_at_the_first_call(
    shared: Session, pool: ProcessPoolExecutor
) -> None:
    shared.add(ServerEntry("twin", entry_of(mcp_magic.connect("demo")).target))
    twin = mcp_magic.connect("twin")
    assert pool.submit(told, twin).result() == (False, ["demo", "twin"], 3)
    assert pool.submit(told, twin).result() == (True, ["demo", "twin"], 3)


def test_a_failure_there_is_raised_here_with_its_result(
    shared: Session, pool: ProcessPoolExecutor
) -> None:
    fail = mcp_magic.connect("demo").fail
    with pytest.raises(ToolFailed, match=r"demo\.fail: no") as caught:
        pool.submit(fail, message="no").result()
    assert isinstance(caught.value.result, CallResult)
    assert caught.value.result.is_error


def test_placeholders_are_filled_in_there(
    shared: Session, pool: ProcessPoolExecutor, servers: Path, python: str
) -> None:
    target = Stdio(python, (str(servers / "small.py"), "${ELSEWHERE}"))
    server = Server(shared, shared.add(ServerEntry("small", target)))
    with pytest.raises(McpMagicError, match="ELSEWHERE, which is not set"):
        server["shout"](text="a")
    shout = _unlisted(server)
    assert pool.submit(shout_there, shout, "a").result() == "A"


def shout_there(function: ToolFunction, text: str) -> object:
    """Call the tool ``shout`` of the server that a function belongs to."""
    return function._server["shout"](text=text).data


def test_async_code_elsewhere_awaits_a_tool(shared: Session) -> None:
    aio = pickle.loads(cloudpickle.dumps(mcp_magic.connect("demo").add.aio))
    assert asyncio.run(aio(2, 3)).data == 5
