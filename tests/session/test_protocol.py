"""What servers offer besides tools, in both protocol eras, and their questions."""

from __future__ import annotations

import asyncio
import pickle
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import SamplingMessage, TextContent

import mcp_magic
from mcp_magic.client import requests
from mcp_magic.client.caller import Asked, Nobody
from mcp_magic.client.connection import Connection
from mcp_magic.client.settings import Settings
from mcp_magic.config import Eras, InProcess, ServerEntry, Stdio, demo_entry
from mcp_magic.demo.server import build
from mcp_magic.display.limits import Limits
from mcp_magic.errors import RequestRefused
from mcp_magic.model import Accepted, Event, FormQuestion, Notice, Question, Reply
from mcp_magic.session import Server, Session
from tests.waiting import patiently

_ERAS = ["newer", "older"]


def _talk(
    era: Any,
    talk: Callable[[Connection], Awaitable[Any]],
    entry: ServerEntry | None = None,
) -> Any:
    """Connect to the bundled server, or another, in one era; talk, close."""

    async def go() -> Any:
        connection = Connection(entry or demo_entry(), Settings(era=era))
        try:
            await connection.up()
            assert connection.is_older is (era == "older")
            return await talk(connection)
        finally:
            await connection.down()

    return asyncio.run(asyncio.wait_for(go(), 60))


def _here() -> ServerEntry:
    """The bundled server in this process: what it says is the same."""
    return ServerEntry("demo", InProcess(build()))


@pytest.mark.parametrize("era", _ERAS)
def test_resources_templates_and_prompts_are_listed_and_read(
    era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "_COMPLETING", 60)

    async def talk(it: Connection) -> Any:
        nobody = Nobody()
        resources = await requests.list_resources(it)
        templates = await requests.list_templates(it)
        prompts = await requests.list_prompts(it)
        world = await requests.read(it, "demo://worlds/Titan", nobody)
        picture = await requests.read(it, "demo://planet.png", nobody)
        _, messages = await requests.get_prompt(
            it, "introduce", {"world": "Titan"}, nobody
        )
        values = await requests.complete(it, prompts[0], "world", "Ti")
        return resources, templates, prompts, world, picture, messages, values

    resources, templates, prompts, world, picture, messages, values = _talk(era, talk)
    assert "demo://worlds.csv" in [one.uri for one in resources]
    assert [one.uri_template for one in templates] == ["demo://worlds/{name}"]
    assert [one.name for one in prompts[0].arguments] == ["world", "audience"]
    assert '"discovered": 1655' in world.text
    assert picture.data.startswith(b"\x89PNG")
    assert messages[0][0] == "user"
    assert "Titan" in values


@pytest.mark.parametrize("era", _ERAS)
def test_an_unknown_resource_or_prompt_is_refused_in_one_line(era: str) -> None:
    async def talk(it: Connection) -> None:
        await requests.read(it, "demo://nope", Nobody())

    with pytest.raises(RequestRefused, match="Unknown resource") as caught:
        _talk(era, talk, _here())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("era", _ERAS)
def test_a_question_is_answered_by_the_caller_of_the_call(era: str) -> None:
    class Ada(Nobody):
        async def ask(self, question: Question) -> Reply:
            asked.append(question)
            return Accepted({"name": "Ada", "language": "English", "loudly": False})

    asked: list[Question] = []

    async def talk(it: Connection) -> str:
        return (await requests.call_tool(it, "ask_name", {}, Ada())).text

    assert "Ada" in _talk(era, talk, _here())
    (question,) = asked
    assert isinstance(question, FormQuestion)
    assert question.server == "demo"
    assert isinstance(question.schema, dict)
    assert "name" in question.schema["properties"]


@pytest.mark.parametrize("era", _ERAS)
def test_a_question_nobody_can_answer_is_declined_and_told(era: str) -> None:
    heard: list[Event] = []

    async def talk(it: Connection) -> str:
        return (await requests.call_tool(it, "ask_name", {}, Nobody(heard.append))).text

    assert "rather not" in _talk(era, talk, _here())
    assert any(isinstance(one, Notice) for one in heard)


def test_changes_of_a_resource_are_told_while_it_is_watched() -> None:
    heard: list[Event] = []

    async def talk(it: Connection) -> int:
        caller = Nobody(heard.append)
        watching = asyncio.ensure_future(
            requests.watch(it, "demo://notes", caller, seconds=20)
        )
        while not heard:  # the stream opens in its own time
            await requests.call_tool(it, "add_note", {"text": "x"}, Nobody())
        watching.cancel()
        await asyncio.wait([watching])
        return len(heard)

    assert _talk("newer", talk) >= 1
    assert heard[0] == Notice("demo://notes changed.")


def _asking() -> MCPServer:
    server = MCPServer("asking")

    @server.tool()
    async def think(ctx: Context[Any, Any]) -> str:
        message = SamplingMessage(role="user", content=TextContent(text="6 x 7?"))
        result = await ctx.session.create_message([message], max_tokens=10)
        assert isinstance(result.content, TextContent)
        return result.content.text

    @server.tool()
    async def folders(ctx: Context[Any, Any]) -> list[str]:
        listed = await ctx.session.list_roots()
        return [str(one.uri) for one in listed.roots]

    return server


def _older(**settings: Any) -> Connection:
    entry = ServerEntry("asking", InProcess(_asking()))
    return Connection(entry, Settings(era="older", **settings))


@pytest.mark.filterwarnings("ignore:.*deprecated:UserWarning")
def test_a_registered_function_answers_for_a_model() -> None:
    def model(params: Any) -> str:
        threads.append(threading.current_thread().name)
        return f"{params['messages'][0]['content']['text']} 42"

    threads: list[str] = []

    async def go() -> str:
        connection = _older(sampler=model)
        await connection.up()
        answer = await requests.call_tool(connection, "think", {}, Nobody())
        await connection.down()
        return answer.text

    assert asyncio.run(go()) == "6 x 7? 42"
    assert threads[0] != threading.current_thread().name


@pytest.mark.filterwarnings("ignore:.*deprecated:UserWarning")
def test_a_server_hears_of_the_folders_that_were_named_and_of_no_others(
    tmp_path: Path,
) -> None:
    async def go(roots: tuple[Path, ...]) -> Any:
        connection = _older(roots=roots)
        await connection.up()
        answer = await requests.call_tool(connection, "folders", {}, Nobody())
        await connection.down()
        return answer

    assert asyncio.run(go((tmp_path,))).data == [tmp_path.as_uri()]
    with pytest.raises(RequestRefused, match="roots not supported"):
        asyncio.run(go(()))


def test_the_era_of_a_server_is_remembered_and_found_out_again(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "eras.json"
    target = Stdio("some-command", ("a",))
    Eras(file).remember(target, older=True)
    assert Eras(file).is_older(target)
    assert not Eras(file).is_older(Stdio("some-command", ("b",)))
    Eras(file).remember(target, older=False)
    assert not Eras(file).is_older(target)
    assert "some-command" not in file.read_text(encoding="utf-8")
    file.write_text("{broken", encoding="utf-8")
    assert not Eras(file).is_older(target)


def test_a_server_that_pushes_questions_is_spoken_to_the_older_way(
    session: Session, said: list[str], servers: Path
) -> None:
    target = Stdio(sys.executable, (str(servers / "pushing.py"),))
    server = Server(session, session.add(ServerEntry("pushing", target)))
    with pytest.raises(RequestRefused, match="asks the older way; reconnected"):
        server.ask()
    assert "declined" in server.ask().text
    session.connections.close()
    assert "declined" in server.ask().text  # remembered: no second refusal


def test_a_harmless_call_is_repeated_by_itself_the_older_way(
    session: Session, servers: Path
) -> None:
    target = Stdio(sys.executable, (str(servers / "pushing.py"), "again"))
    server = Server(session, session.add(ServerEntry("pushing", target)))
    assert "declined" in server.ask_harmlessly().text


def test_the_functions_of_the_package_reach_all_of_it(
    shared: Session, said: list[str], tmp_path: Path
) -> None:
    assert "demo://notes" in repr(mcp_magic.resources("demo"))
    assert "column" in mcp_magic.read("demo", "demo://readme").text
    assert "introduce(world, audience?)" in repr(mcp_magic.prompts("demo"))
    filled = mcp_magic.prompt("demo", "introdce", world="Titan")
    assert said == ["Auto-corrected prompt to demo.introduce (input: demo.introdce)."]
    assert "Titan" in filled.text
    assert repr(mcp_magic.logs("demo")) == "(nothing logged)"
    assert mcp_magic.watch("demo", "demo://notes", seconds=0.1) == 0
    mcp_magic.sampling("demo", lambda _: "x")
    mcp_magic.roots("demo", tmp_path)
    assert mcp_magic.connect("demo").add(a=2, b=3).data == 5
    mcp_magic.sampling("demo", None)


def test_a_prompt_is_shown_within_the_limits_and_is_kept_whole(
    shared: Session,
) -> None:
    usual, shared.limits = shared.limits, Limits(lines=2)
    try:
        filled = mcp_magic.prompt("demo", "introduce", world="Titan")
        shown = repr(filled)
    finally:
        shared.limits = usual
    assert '"discoverer"' in filled.text  # a resource, which is text too
    assert '"discoverer"' not in shown
    assert shown.endswith("in all); .messages holds it all")
    assert pickle.loads(pickle.dumps(filled)) == filled


def test_a_question_in_a_cell_is_answered_by_the_sessions_answer(
    shared: Session,
) -> None:
    def answer(_asked: Asked) -> Reply:
        threads.append(threading.current_thread())
        return Accepted({"name": "Ada", "language": "English", "loudly": False})

    threads: list[threading.Thread] = []
    shared.person.answer = answer
    try:
        assert "Ada" in mcp_magic.connect("demo").ask_name().text
    finally:
        shared.person.answer = None
    assert threads == [threading.current_thread()]


def test_a_person_s_thinking_does_not_count_against_the_limit(shared: Session) -> None:
    ask = mcp_magic.connect("demo").ask_name

    def attempt(limit: float) -> None:
        def answer(_asked: Asked) -> Reply:
            time.sleep(limit * 1.1)
            return Accepted({"name": "Ada"})

        shared.person.answer = answer
        assert ask.with_options(timeout=limit)().text == "Hello, Ada!"

    try:
        patiently(attempt)
    finally:
        shared.person.answer = None
