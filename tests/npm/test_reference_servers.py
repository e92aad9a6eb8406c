"""The reference servers from npm: list, call, typo, and their own errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_magic.config import ServerEntry, Stdio
from mcp_magic.errors import ToolFailed
from mcp_magic.session import Server, Session

NpmServers = dict[str, list[str]]


def _start(session: Session, name: str, command: list[str], *args: str) -> Server:
    target = Stdio(command[0], (*command[1:], *args))
    return Server(session, session.add(ServerEntry(name, target)))


def test_everything_lists_calls_and_corrects(
    session: Session, said: list[str], npm_server: NpmServers
) -> None:
    server = _start(session, "everything", npm_server["everything"], "stdio")
    assert server.echo(message="hello").text == "Echo: hello"
    assert server.get_sum(a=2, b=3).text == "The sum of 2 and 3 is 5."
    assert server["ehco"](message="again").called == "echo"
    assert said == [
        "Auto-corrected tool call to everything.echo (input: everything.ehco)."
    ]
    (image,) = server["get-tiny-image"]().images
    assert image.mime == "image/png"
    assert image.data.startswith(b"\x89PNG")


def test_everything_reports_progress(session: Session, npm_server: NpmServers) -> None:
    server = _start(session, "everything", npm_server["everything"], "stdio")
    result = server["trigger-long-running-operation"](duration=1, steps=2)
    assert "Long running operation completed" in result.text


def test_filesystem_reads_what_it_may_and_says_what_it_may_not(
    session: Session, said: list[str], npm_server: NpmServers, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    server = _start(session, "files", npm_server["filesystem"], str(tmp_path))
    path = str(tmp_path / "a.txt")
    assert server.read_text_file(path=path).text == "words"
    assert server["list_directry"](path=str(tmp_path)).called == "list_directory"
    assert len(said) == 1
    with pytest.raises(ToolFailed, match="Access denied"):
        server.read_text_file(path=str(tmp_path.parent / "b.txt"))
    assert len(said) == 1


def test_a_file_that_is_not_found_is_no_typo_of_the_tool(
    session: Session, said: list[str], npm_server: NpmServers, tmp_path: Path
) -> None:
    server = _start(session, "files", npm_server["filesystem"], str(tmp_path))
    with pytest.raises(ToolFailed, match="ENOENT"):
        server.read_text_file(path=str(tmp_path / "read_text_file"))
    assert said == []


def test_memory_keeps_structured_data_and_guards_what_deletes(
    session: Session,
    said: list[str],
    npm_server: NpmServers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "memory.jsonl"))
    server = _start(session, "memory", npm_server["memory"])
    one = {"name": "Ada", "entityType": "person", "observations": ["writes"]}
    server.create_entities(entities=[one])
    assert server["read_grpah"]().called == "read_graph"
    graph = server.read_graph().data
    assert isinstance(graph, dict)
    assert graph["entities"][0]["name"] == "Ada"
    said.clear()
    with pytest.raises(ToolFailed):
        server["delete_entitie"](entityNames=["Ada"])
    assert said[0].startswith("Did you mean memory.delete_entities?")
