"""What a person may type wrongly after ``%mcp``, a row each: one error of ours, which
says what to do; nothing is done by halves, and the next line works.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_magic.config import ServerEntry
from mcp_magic.errors import (
    ArgumentError,
    LineError,
    McpMagicError,
    RequestRefused,
    ServerUnreachable,
    ToolFailed,
    UnknownServer,
    UnknownTool,
)
from mcp_magic.language import OPTIONS
from mcp_magic.notebook import verbs
from mcp_magic.session import CallResult, Session
from tests.faults.servers import faulty

_NAMES = {"n": 5, "none": None, "broken": object(), "f": str}
_UNKNOWN = "Known: demo; add one with %mcp add NAME TARGET"


@pytest.fixture(name="session", scope="module")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session whose folder has a folder, a text, and a file that is none."""
    folder = tmp_path_factory.mktemp("folder")
    (folder / "folder").mkdir()
    (folder / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        session = Session(folder)
        session.person.say = lambda _line: None
        yield session
        session.shut_down()


def _run(session: Session, typed: str) -> object:
    line, newline, cell = typed.partition("\n")
    return verbs.run(session, _NAMES, line, cell if newline else None)[0]


_ROWS: list[tuple[str, type[McpMagicError], str]] = [
    # targets
    ("nope", UnknownServer, _UNKNOWN),
    ("nope.x", UnknownServer, _UNKNOWN),
    ("call nope.x", UnknownServer, _UNKNOWN),
    ("😀.x", UnknownServer, _UNKNOWN),
    ("call", LineError, "call needs a target: call server.tool."),
    ("demo.", LineError, "Name a tool after the dot, or write the server alone"),
    ("''", LineError, "A call begins with its target: server.tool(…)."),
    ("'demo", LineError, "This ' is never closed."),
    ("demo.add(", LineError, "This bracket is never closed; write the call on one"),
    ("demo.add(a=1).data", LineError, "write r = %mcp … and on the next line r.data"),
    ("demo.nothing_like_it", ToolFailed, "Unknown tool: nothing_like_it"),
    ("demo.nothing_like_it 5", UnknownTool, "%mcp demo lists them"),
    # arguments
    ("demo.add", ArgumentError, "demo.add needs a (number), b (number)."),
    ("demo.add 1 2 3", LineError, "3 values for 2 parameters; quote the text."),
    ("demo.add a=x b=1", ArgumentError, 'a takes a number, not "x".'),
    ("demo.add a=1 b=1 c=1", ArgumentError, "There is no parameter c."),
    ("demo.add a=1 a=2", ArgumentError, "a is given 2 times and takes no list."),
    ("demo.add a = 1", LineError, "no spaces around ="),
    ("demo.echo text=@nope", LineError, "write '@nope' in quotes if it is a text"),
    ("demo.echo text=@folder", LineError, "(Is a directory)"),
    ("demo.echo text=@bytes", LineError, "The file bytes is no UTF-8 text; read it"),
    ("demo.echo text=@~nobody-x/y", LineError, "(Could not determine home directory.)"),
    ("demo.echo text=@", LineError, "The name of a file is missing after @"),
    ("demo.echo text=$nope", LineError, "For the text itself write '$nope'."),
    ("demo.echo text={n[0]}", LineError, "n[0] cannot be read"),
    ("demo.echo text=$broken", ArgumentError, "has no JSON form; give a text"),
    ("demo.echo(text=nope)", LineError, "name 'nope' is not defined"),
    # options
    ("--nope demo", LineError, "There is no option --nope"),
    ("--timeout 5 servers", LineError, "goes with auth or call or watch, not"),
    ("--help", LineError, "Write help, or help SERVER.TOOL."),
    ("--raw=1 demo.add", LineError, "--raw takes no value."),
    ("--name", LineError, "--name needs a value."),
    ("--timeout 0 demo.add", LineError, "--timeout takes seconds, such as 30."),
    ("--timeout x demo.add", LineError, "--timeout takes seconds, such as 30."),
    ("--timeout $none demo.add", LineError, "--timeout takes seconds, such as 30."),
    ("--timeout 5 --timeout 6 demo.add", LineError, "--timeout is given twice."),
    ("--out class demo.add", LineError, "--out takes the name of a variable."),
    ("--args [] demo.add", LineError, "--args takes a JSON object or a $mapping"),
    ("--args x demo.add", LineError, "--args takes a JSON object: "),
    ('--args {"a":1} demo.add a=1', ArgumentError, "in the line and in --args."),
    ("--stdio '' x", ArgumentError, "a server needs a command or a URL"),
    ("--stdio \"'\" x", LineError, "This ' is never closed."),
    ("--url x", LineError, "--url takes a URL, such as https://…/mcp; --stdio takes"),
    ("--url https://h.test/mcp --stdio x", LineError, "name two servers; give one"),
    ("--cwd /no/such --stdio true", ServerUnreachable, "/no/such does not exist"),
    ("--header A=b --stdio true", ArgumentError, "--header goes with a URL"),
    ("--env A=b https://h.test/mcp", ArgumentError, "with a command, not with a URL"),
    ("--env A --stdio true", LineError, "Write it as NAME=value."),
    ("--name demo --stdio true", ArgumentError, "demo is the bundled server"),
    ("--name '' --stdio true", ArgumentError, "an empty text is no name"),
    ("--env A=b demo.add", LineError, "--env is for a new server, and demo is known"),
    ("--name x demo", LineError, "--name is for a new server, and demo is known"),
    ("--save demo", LineError, "--save is for a new server, and demo is known"),
    ("--save https://h.test/mcp", ArgumentError, "--save needs a name: --name NAME"),
    ("--reset demo", LineError, "--reset goes with auth, not with call."),
    ("--list", LineError, "--list goes with approve, not with servers."),
    ("--timeout 5 read demo x", LineError, "or watch, not with read."),
    # a server's verbs
    ("servers x", LineError, "servers takes no words: %mcp servers"),
    ("servers --reset", LineError, "--reset goes with auth, not with servers."),
    ("list nope", UnknownServer, _UNKNOWN),
    ("list ''", UnknownServer, _UNKNOWN),
    ("status nope", UnknownServer, _UNKNOWN),
    ("close nope", UnknownServer, _UNKNOWN),
    ("logs", LineError, "logs takes 1 word: %mcp logs SERVER"),
    ("doctor nope", UnknownServer, _UNKNOWN),
    ("help nope", UnknownServer, _UNKNOWN),
    ("help demo.nothing_like_it", UnknownTool, "%mcp demo lists them"),
    ("resources", LineError, "resources takes 1 word: %mcp resources SERVER"),
    ("read demo", LineError, "read takes 2 words: %mcp read SERVER URI"),
    ("read demo ''", ArgumentError, "%mcp resources demo lists what there is"),
    ("read demo x", RequestRefused, "%mcp resources demo lists what there is"),
    ("watch demo ''", ArgumentError, "%mcp resources demo lists what there is"),
    ("prompts nope", UnknownServer, _UNKNOWN),
    ("prompt", LineError, "prompt needs a target: prompt server.name."),
    ("prompt demo.zzz", RequestRefused, "%mcp prompts demo lists what there is"),
    ("--no-correct prompt demo.introdce world=x", RequestRefused, "lists no prompt"),
    ("prompt demo.introduce", ArgumentError, "demo.introduce needs world (string)."),
    ("prompt demo.introduce wrld=x", ArgumentError, "did you mean world?"),
    ("sampling demo", LineError, "sampling takes 2 words: %mcp sampling SERVER"),
    ("sampling demo n", ArgumentError, "n is no function of this notebook; define"),
    ("sampling nope f", UnknownServer, _UNKNOWN),
    ("auth", LineError, "auth takes 1 word: %mcp auth SERVER"),
    ("auth demo", ArgumentError, "demo needs no sign-in"),
    ("auth --stdio true", LineError, "help or prompt, not with auth."),
    ("auth --url https://h.test/mcp x", LineError, "auth takes no words: %mcp auth"),
    ("auth --header A=b demo", LineError, "--header is for a new server, and demo"),
    ("auth h.test/mcp", UnknownServer, "; a URL begins with https:// or http://"),
    ("list h.test:80/mcp", UnknownServer, "; a URL begins with https:// or http://"),
    ("auth --forget --paste demo", LineError, "--forget and --paste sign out and in;"),
    ("auth --reset demo --forget", LineError, "--forget and --reset sign out and in;"),
    ("auth --forget --scope x demo", LineError, "--forget and --scope sign out and in"),
    ("auth --forget --timeout 5 demo", LineError, "and --timeout sign out and in; giv"),
    ("approve --list --revoke", LineError, "--list and --revoke show and take back;"),
    ("auth nope", UnknownServer, _UNKNOWN),
    # verbs about servers
    ("add", LineError, "add needs a name and a target: add NAME URL, or NAME COMMAND."),
    ("add x", LineError, "What is x? Write add x URL, or a command."),
    ("add x ''", ArgumentError, "begins with a program"),
    ("add '' y", ArgumentError, "an empty text is no name"),
    ("add x http://[", ArgumentError, "'http://[' is no http or https URL"),
    ("add demo y", ArgumentError, "demo is the bundled server; give this one another"),
    ("--name y add x z", LineError, "not with add."),
    ("remove", McpMagicError, "remove needs the name of a server: %mcp remove NAME"),
    ("remove nope", UnknownServer, _UNKNOWN),
    ("remove demo", ArgumentError, "demo is bundled and always there"),
    ("import nope", ArgumentError, "no file of another product names a server here"),
    ("approve nope", ArgumentError, "no server waits for approval"),
    ("record x", McpMagicError, "does not exist yet; %mcp help shows what does"),
    # cells
    ("demo\n{}", LineError, "%%mcp calls one tool: write %%mcp demo.TOOL"),
    ("list demo\n{}", LineError, "write %mcp list on a line of its own."),
    ("demo.add(a=1)\n{}", LineError, "write them in the cell instead."),
    ('demo.add\n{"a": 1', LineError, "The cell begins with { and is no JSON"),
    ("demo.add\n[1]", ArgumentError, "with --body PARAM"),
    ("demo.add\na: 1\na: 2", LineError, "a stands twice. (line 2 of the cell body)"),
    ("demo.add\na: {{ nope }}", LineError, "Write {{{{ for the text {{."),
    ("demo.add\n!!python/object:os.system x", LineError, "stands in quotes"),
    ("--body nope demo.echo\nx", ArgumentError, "There is no parameter nope."),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "error", "says"), _ROWS)
def test_a_mistake_in_a_line_is_one_error_that_says_what_to_do(
    session: Session, typed: str, error: type[McpMagicError], says: str
) -> None:
    with pytest.raises(error) as caught:
        _run(session, typed)
    assert says in str(caught.value)
    (shown,) = caught.value._render_traceback_()
    rest = shown.split("\n")[1:]
    assert len(rest) <= 2  # the signature, or the place in what was typed
    assert all(line.startswith("  ") for line in rest)
    assert list(session.known.names) == ["demo"] or typed.startswith("--")
    result = _run(session, "demo.add a=1 b=1")
    assert isinstance(result, CallResult)
    assert result.data == 2
    for name in session.known.names - {"demo"}:
        session.remove(name)


@pytest.mark.parametrize("option", sorted(set(OPTIONS) - {"no-correct", "out"}))
def test_an_option_that_would_do_nothing_is_refused(
    session: Session, option: str
) -> None:
    """With the verb ``logs``, which takes none of them but those of every verb."""
    value = {"timeout": "5", "args": "{}"}.get(option, "x=y")
    takes_none = option in ("raw", "save", "all", "forget", "list", "paste", "reset")
    typed = f"--{option} " + ("" if takes_none or option == "revoke" else f"{value} ")
    with pytest.raises(McpMagicError) as caught:
        _run(session, f"logs demo {typed}")
    assert f"--{option} goes with " in str(caught.value)


def test_of_several_servers_none_is_removed_if_one_is_not_known(
    session: Session,
) -> None:
    session.add(ServerEntry("mine", faulty()))
    with pytest.raises(UnknownServer):
        _run(session, "remove mine zzzzz")
    assert "mine" in session.known.names
    assert repr(_run(session, "remove mine mine")) == "Removed mine from this kernel."


def test_a_server_that_cannot_start_is_named_once_in_the_report(
    session: Session,
) -> None:
    session.add(ServerEntry("mine", faulty(cwd="/no/such")))
    with pytest.raises(ServerUnreachable):
        _run(session, "mine")
    (told,) = [one for one in _run(session, "doctor mine").amiss if "error" not in one]  # type: ignore[attr-defined] # a report
    assert told.count("mine") == 1
    session.remove("mine")


def test_what_cannot_be_written_is_said_and_nothing_is_lost(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("/proc/nope/servers.json", str(tmp_path)):
        monkeypatch.setenv("MCP_MAGIC_CONFIG", place)
        with pytest.raises(McpMagicError, match="cannot be"):
            _run(session, "--save add mine true")
        assert session.known.names == {"demo"}
