"""Secrets of a real run: they reach the servers, and nothing that is kept or shown."""

from __future__ import annotations

import http.server
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from tests import headless
from tests.kernels import Kernel

# Each in one place where a person's configuration may hold a secret.
_CANARIES = {
    "variable": "canary-variable-0c1e",
    "header": "canary-header-77ab",
    "query": "canary-query-9f02",
    "argument": "canary-argument-31dd",
    "literal": "canary-literal-b8e4",
    "typed": "canary-typed-55f0",
    "file": "canary-file-e6a1",
}


class _Refusing(http.server.BaseHTTPRequestHandler):
    """Refuses everything, and repeats what it was told, as debugging servers do."""

    seen: list[str]

    def do_POST(self) -> None:
        told = f"{self.path} {self.headers}"
        self.seen.append(told)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = told.encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_DELETE = do_POST  # noqa: N815 - http.server's names

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(name="web")
def _web() -> Iterator[tuple[str, list[str]]]:
    """A server that refuses: its URL, and what it was told."""
    seen: list[str] = []
    handler = type("Handler", (_Refusing,), {"seen": seen})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp", seen
        server.shutdown()
        thread.join()


_TELLING = """
import os, sys
from mcp.server.mcpserver import MCPServer
print("started with", sys.argv, dict(os.environ), file=sys.stderr, flush=True)
server = MCPServer("telling")
@server.tool()
def check(name: str) -> bool:
    "Say whether a variable is set to what it should be."
    return os.environ[name].startswith("canary-")
server.run()
"""
_DYING = "import os, sys; sys.exit(f'no: {sys.argv} {os.environ[\"API_TOKEN\"]}')"


@pytest.fixture(name="home")
def _home(tmp_path: Path, python: str, web: tuple[str, list[str]]) -> Path:
    """A home folder with servers that are told secrets in every way there is."""
    home = tmp_path / "home"
    (home / ".cursor").mkdir(parents=True)
    (home / ".config/Code/User").mkdir(parents=True)
    (home / "telling.py").write_text(_TELLING, encoding="utf-8")
    (home / "dying.py").write_text(_DYING, encoding="utf-8")
    (home / "secrets.env").write_text(f"FROM_FILE={_CANARIES['file']}\n")
    env = {
        "FROM_VARIABLE": "${env:MY_SECRET}",
        "API_KEY": _CANARIES["literal"],
    }
    args = [str(home / "telling.py"), "--token", "${env:MY_ARGUMENT}"]
    telling = {
        "command": python,
        "args": args,
        "env": env,
        "envFile": str(home / "secrets.env"),
    }
    dying = {
        "command": python,
        "args": [str(home / "dying.py"), "--token", "${env:MY_ARGUMENT}"],
        "env": {"API_TOKEN": "${env:MY_SECRET}"},
    }
    refusing = {
        "url": f"{web[0]}?api_key=${{env:MY_QUERY}}",
        "headers": {
            "Authorization": "Bearer ${env:MY_HEADER}",
            "X-Api-Key": _CANARIES["literal"],
        },
    }
    cursor = {"telling": telling, "dying": dying, "refusing": refusing}
    _write(home / ".cursor/mcp.json", {"mcpServers": cursor})
    asking = dict(telling, env={"TYPED": "${input:token}"})
    inputs = [{"id": "token", "type": "promptString", "password": True}]
    code = {"inputs": inputs, "servers": {"asking": asking}}
    _write(home / ".config/Code/User/mcp.json", code)
    return home


def _write(file: Path, held: object) -> None:
    file.write_text(json.dumps(held, indent=2), encoding="utf-8")


def _env(home: Path) -> dict[str, str]:
    given = {
        "MY_SECRET": _CANARIES["variable"],
        "MY_HEADER": _CANARIES["header"],
        "MY_QUERY": _CANARIES["query"],
        "MY_ARGUMENT": _CANARIES["argument"],
        "MCP_MAGIC_INPUT_TOKEN": _CANARIES["typed"],
    }
    ours = {"HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
    return {**os.environ, **ours, **given, "XDG_CACHE_HOME": str(home / "cache")}


_PICKLING = """\
import pickle, pathlib
for number, what in enumerate([mcp_magic.servers(), *current().known.standings]):
    try:
        data = pickle.dumps(what)
    except Exception as error:
        data = repr(error).encode()
    pathlib.Path(f"{number}.pickle").write_bytes(data)
"""
_CELLS = [
    "import logging; logging.basicConfig(level=1, filename='debug.log')",
    "%load_ext mcp_magic",
    "%xmode Verbose",
    "%mcp",
    "%mcp servers --all",
    "%mcp list --all",
    "telling = %mcp telling",
    "telling",
    "%mcp telling.check name=FROM_VARIABLE",
    "%mcp telling.check name=FROM_FILE",
    "%mcp telling.check name=API_KEY",
    "%mcp asking.check name=TYPED",
    "%mcp telling.check name=NOT_SET",
    "%mcp telling.nothing x=1",
    "%mcp logs telling",
    "%mcp dying",
    "%mcp refusing",
    "%mcp refusing.anything x=1",
    "%mcp status",
    "%mcp status refusing dying telling",
    "import mcp_magic; mcp_magic.servers()",
    "mcp_magic.connect('refusing')",
    "mcp_magic.connect('dying')",
    "def broken(server, entry, session):\n    return 1 / 0",
    "from mcp_magic.session import current",
    "broken(telling, current().entries, current())",
    "[broken(telling, one, one.target) for one in current().entries]",
    _PICKLING,
    "pathlib.Path('telling.handle').write_bytes(pickle.dumps(telling))",
    "%mcp import cursor",
    "%mcp approve --list",
    "repr(current().entries), str(current().entries[0].target), vars(current().known)",
]


_AFTER = ("%mcp asking.check name=TYPED", "%mcp logs asking", "%mcp status")


def _canaries_in(text: str) -> list[str]:
    return [name for name, one in _CANARIES.items() if one in text]


def test_no_secret_is_in_a_saved_notebook_a_log_or_a_pickle(
    home: Path, tmp_path: Path, web: tuple[str, list[str]]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    notebook = headless.execute(
        headless.of_cells(_CELLS), work, _env(home), may_fail=True
    )
    for cell in notebook.cells:
        said = nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
        assert _canaries_in(said) == [], cell.source
    shown = nbformat.writes(notebook)
    # The run was a real one: the servers got what they wanted, and failed as meant.
    assert shown.count('"true"') >= 4
    assert "ZeroDivisionError" in shown
    assert (work / "debug.log").stat().st_size > 0
    told = "".join(web[1])
    assert _CANARIES["header"] in told
    assert _CANARIES["query"] in told
    for file in work.rglob("*"):
        if file.is_file():
            text = file.read_bytes().decode("utf-8", "replace")
            assert _canaries_in(text) == [], file


def test_no_secret_is_kept_in_the_home_folder_but_where_it_stood(
    home: Path, tmp_path: Path
) -> None:
    before = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}
    work = tmp_path / "work"
    work.mkdir()
    with Kernel(work, _env(home)) as kernel:
        for cell in _CELLS:
            kernel.run(cell)
    for file in home.rglob("*"):
        if not file.is_file() or before.get(file) == file.read_bytes():
            continue
        found = _canaries_in(file.read_bytes().decode("utf-8", "replace"))
        # Imported as written, which is said; the file is its owner's alone.
        imported = file.name == "mcp.json" and file.parent.name == "mcp-magic"
        assert found == (["literal"] if imported else []), file
        if imported:
            assert file.stat().st_mode & 0o077 == 0


def test_what_is_typed_for_an_input_is_masked_asked_once_and_shown_nowhere(
    home: Path, tmp_path: Path
) -> None:
    env = _env(home)
    del env["MCP_MAGIC_INPUT_TOKEN"]
    with Kernel(tmp_path, env) as kernel:
        kernel.run("%load_ext mcp_magic")
        shown = kernel.run("%mcp asking", person=False)
        assert shown.error.startswith("ServerUnreachable")
        assert "MCP_MAGIC_INPUT_TOKEN" in shown.error
        shown = kernel.run("%mcp asking.check name=TYPED", _CANARIES["typed"])
        assert shown.text == "true"
        ((question),) = shown.asked
        assert question.masked
        assert question.text.startswith("asking (")
        kernel.run("%mcp close asking")
        shows = [kernel.run(cell) for cell in _AFTER]
        assert shows[0].text == "true"
        assert "started with" in shows[1].text
        assert _canaries_in("".join(map(repr, [shown, *shows]))) == []
