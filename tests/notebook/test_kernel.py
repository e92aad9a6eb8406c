"""A real kernel: what a person types in a notebook, and what is left when it ends."""

from __future__ import annotations

import os
import re
from ast import literal_eval
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from textwrap import dedent

import psutil
import pytest

from tests.kernels import Kernel
from tests.waiting import until

pytestmark = pytest.mark.kernel


@pytest.fixture(name="home", scope="module")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(name="kernel", scope="module")
def _kernel(home: Path) -> Iterator[Kernel]:
    """A kernel in an empty home folder, the extension loaded."""
    with _start(home) as kernel:
        yield kernel


def _start(home: Path) -> Kernel:
    env = {**os.environ, "HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
    kernel = Kernel(home, env)
    assert kernel.run("%load_ext mcp_magic").error == ""
    return kernel


def _servers(kernel: Kernel) -> list[psutil.Process]:
    return [
        child
        for child in kernel.process.children(recursive=True)
        if "mcp_magic.demo" in " ".join(child.cmdline())
    ]


def test_the_kernel_is_of_the_release_that_was_asked_for(
    kernel: Kernel, pytestconfig: pytest.Config
) -> None:
    wanted = pytestconfig.getoption("--ipykernel") or version("ipykernel")
    found = kernel.run("import ipykernel; print(ipykernel.__version__)").stdout
    assert f"{found.strip()}.".startswith(f"{wanted}.")


def test_loading_imports_neither_the_sdk_nor_widgets(home: Path) -> None:
    env = {**os.environ, "HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
    with Kernel(home, env) as kernel:
        # In one cell: a second after it, what the first server needs is imported.
        shown = kernel.run(
            "%load_ext mcp_magic\n"
            "import sys; heavy = ('mcp', 'ipywidgets', 'anywidget')\n"
            "[m for m in heavy if m in sys.modules]"
        )
    assert shown.text == "[]"


def test_nothing_is_imported_behind_a_running_cell(home: Path) -> None:
    """Python gives half a module to one of two threads that import the SDK at once."""
    wait = """
        import sys, threading
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join(1.5)
        'mcp' in sys.modules
    """
    with _start(home) as kernel:
        assert kernel.run(dedent(wait)).text == "False"
        assert until(lambda: kernel.run("'mcp' in sys.modules").text == "True")
        assert kernel.run("from mcp.server.mcpserver import MCPServer").error == ""


def test_the_known_servers_are_shown_and_nothing_is_started(home: Path) -> None:
    with _start(home) as kernel:
        shown = kernel.run("%mcp")
        assert "not connected" in shown.text
        assert "<table>" in str(shown.result["text/html"])
        assert _servers(kernel) == []


def test_read_only_is_a_setting_of_the_magics(kernel: Kernel) -> None:
    kernel.run("%config McpMagics.read_only = True")
    assert kernel.run("%mcp demo.add a=2 b=3").text == "5"
    shown = kernel.run("%mcp demo.add_note text=x")
    assert shown.error.startswith("ToolRefused")
    kernel.run("%config McpMagics.read_only = False")
    assert kernel.run("%mcp demo.add_note text=x").error == ""


def test_a_call_gives_python_data(kernel: Kernel) -> None:
    assert kernel.run("%mcp demo.add a=2 b=3").text == "5"
    assert (
        kernel.run("r = %mcp demo.add a=2 b=3\n(r.data, type(r.data))").text
        == "(5, int)"
    )


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        (
            "%mcp demo.ad a=2 b=3",
            "Auto-corrected tool call to demo.add (input: demo.ad).",
        ),
        ("%mcp dmeo.add a=2 b=3", "Auto-corrected server name to demo (input: dmeo)."),
        (
            "%mcp demo.ad(a=2, b=3)",
            "Auto-corrected tool call to demo.add (input: demo.ad).",
        ),
        ("%mcp demo ad 2 3", "Auto-corrected tool call to demo.add (input: demo.ad)."),
        (
            '%%mcp demo.ad\n{"a": 2, "b": 3}',
            "Auto-corrected tool call to demo.add (input: demo.ad).",
        ),
        (
            'import mcp_magic\nmcp_magic.connect("demo")["ad"](a=2, b=3)',
            "Auto-corrected tool call to demo.add (input: demo.ad).",
        ),
        (
            'import mcp_magic\nmcp_magic.connect("demo").ad(a=2, b=3)',
            "Auto-corrected tool call to demo.add (input: demo.ad).",
        ),
        (
            'import mcp_magic\nmcp_magic.connect("dmeo").add(a=2, b=3)',
            "Auto-corrected server name to demo (input: dmeo).",
        ),
        (
            'import mcp_magic\nawait mcp_magic.connect("demo")["ad"].aio(2, b=3)',
            "Auto-corrected tool call to demo.add (input: demo.ad).",
        ),
    ],
    ids=["line", "server", "call form", "two words", "cell", "item", "attribute",
         "connect", "aio"],
)  # fmt: skip
def test_a_typo_is_put_right_through_every_door(
    kernel: Kernel, typed: str, line: str
) -> None:
    shown = kernel.run(typed)
    assert shown.error == ""
    assert shown.stdout == f"{line}\n"
    assert shown.text == "5"


def test_a_name_too_far_away_is_suggested_before_the_failure(kernel: Kernel) -> None:
    shown = kernel.run("%mcp demo.get_rows")
    assert shown.stdout.startswith("Did you mean demo.list_rows?")
    assert shown.error == "ToolFailed: demo.get_rows: Unknown tool: get_rows"
    assert "\n" not in shown.traceback


def test_an_unknown_server_is_said_in_one_line(kernel: Kernel) -> None:
    shown = kernel.run("%mcp nothing_like_it.x")
    assert shown.error.startswith("UnknownServer: Unknown MCP server 'nothing_like_it'")
    assert "\n" not in shown.traceback


def test_a_server_given_on_the_line_is_known_by_its_name(
    kernel: Kernel, servers: Path, python: str
) -> None:
    command = f"{python} {servers / 'small.py'}"
    shown = kernel.run(f'%mcp --stdio "{command}" --name vercel')
    assert shown.text.startswith("vercel: 2 tools")
    shown = kernel.run("%mcp list vercek")
    assert shown.stdout == "Auto-corrected server name to vercel (input: vercek).\n"
    assert shown.text.startswith("vercel: 2 tools")


def test_several_servers_are_listed_at_once(
    kernel: Kernel, servers: Path, python: str
) -> None:
    kernel.run(f"%mcp add small {python} {servers / 'small.py'}")
    kernel.run("%mcp add broken no-such-command-here")
    shown = kernel.run("%mcp list demo small broken")
    assert "demo: 15 tools" in shown.text
    assert "small: 2 tools" in shown.text
    assert "broken cannot be started: the command no-such-command-here" in shown.text
    removed = kernel.run("%mcp remove broken small").text.splitlines()
    assert removed == [f"Removed {n} from this kernel." for n in ("broken", "small")]


def test_a_setting_and_an_option_switch_correction_off(kernel: Kernel) -> None:
    assert kernel.run("%mcp --no-correct demo.ad a=2 b=3").error.startswith(
        "ToolFailed"
    )
    kernel.run('%config McpMagics.autocorrect = "suggest"')
    shown = kernel.run("%mcp demo.ad a=2 b=3")
    kernel.run('%config McpMagics.autocorrect = "guarded"')
    assert (shown.stdout, shown.error[:10]) == (
        "Did you mean demo.add?\n",
        "ToolFailed",
    )


def test_limits_can_be_set_and_a_wrong_one_is_refused(kernel: Kernel) -> None:
    kernel.run("%config McpMagics.call_timeout = 0.2")
    shown = kernel.run("%mcp demo.slow seconds=9")
    kernel.run("%config McpMagics.call_timeout = None")
    assert "did not answer within 0.2 s" in shown.error
    assert "above 0" in kernel.run("%config McpMagics.connect_timeout = 0").stderr
    assert "Seconds that a server may take" in kernel.run("%config McpMagics").stdout


def test_how_much_is_shown_can_be_set(kernel: Kernel) -> None:
    kernel.run("%config McpMagics.max_rows = 3")
    rows = kernel.run("r = %mcp demo.list_rows\nr")
    kernel.run("%config McpMagics.max_rows = 20")
    again = kernel.run("r")
    assert "… 7 more rows" in rows.text
    assert "more rows" not in again.text
    kernel.run("%config McpMagics.max_lines = 2")
    shown = kernel.run("%mcp read demo demo://worlds.csv").text
    kernel.run("%config McpMagics.max_lines = 60")
    assert len(shown.splitlines()) == 3
    kernel.run("%config McpMagics.max_chars = 5")
    shown = kernel.run("%mcp demo.echo text=abcdefgh").text
    kernel.run("%config McpMagics.max_chars = 4000")
    assert shown.startswith("abcde\n… 3 more characters (8 characters in all)")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("0", "takes a whole number above 0, not 0"),
        ("-1", "takes a whole number above 0, not -1"),
        ("'x'", "expected an int, not the str 'x'"),
        ("1.5", "expected an int, not the float 1.5"),
        ("None", "expected an int, not the NoneType None"),
    ],
)
@pytest.mark.parametrize("name", ["max_rows", "max_lines", "max_chars"])
def test_a_wrong_display_limit_is_refused_in_one_line(
    kernel: Kernel, name: str, value: str, says: str
) -> None:
    shown = kernel.run(f"%config McpMagics.{name} = {value}")
    said = shown.stderr or shown.traceback
    assert len(said.strip().splitlines()) == 1
    assert says in said
    assert "are shown" in kernel.run("%config McpMagics").stdout
    _forget_setting(kernel, name)


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("autocorrect = 'maybe'", "expected any of ['guarded', 'threshold', "),
        ("autocorrect = None", "not the NoneType None"),
        ("connect_timeout = 0", "connect_timeout takes seconds above 0, not 0"),
        ("connect_timeout = None", "expected a float, not the NoneType None"),
        ("connect_timeout = 1e999", "connect_timeout takes seconds above 0, not inf"),
        ("call_timeout = -1", "call_timeout takes seconds above 0, not -1"),
        ("call_timeout = float('nan')", "call_timeout takes seconds above 0, not nan"),
        ("call_timeout = '5s'", "expected a float, not the str '5s'"),
        ("read_only = 'yes'", "expected a boolean, not the str 'yes'"),
        ("widgets = None", "expected a boolean, not the NoneType None"),
        ("nest_asyncio = 'yes'", "expected a boolean, not the str 'yes'"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_one_line_and_stays(
    kernel: Kernel, setting: str, says: str
) -> None:
    name = setting.split(maxsplit=1)[0]
    before = kernel.run(f"%config McpMagics.{name}").text
    shown = kernel.run(f"%config McpMagics.{setting}")
    (line,) = (shown.stderr or shown.traceback).strip().splitlines()
    assert says in line
    assert kernel.run(f"%config McpMagics.{name}").text == before
    _forget_setting(kernel, name)


def _forget_setting(kernel: Kernel, name: str) -> None:
    """Forget what was set: what is refused stays in the configuration."""
    kernel.run(f"get_ipython().config.McpMagics.pop({name!r})")


def test_every_setting_is_listed_with_its_help(kernel: Kernel) -> None:
    page = kernel.run("%config McpMagics").stdout
    shown = re.findall(r"^McpMagics\.(\w+)=.*\n    (\w.*\w)", page, re.MULTILINE)
    traits = "sorted(type(mcp_settings).class_traits(config=True))"
    find = "mcp_settings = get_ipython().magics_manager.registry['McpMagics']"
    assert sorted(name for name, _ in shown) == literal_eval(
        kernel.run(f"{find}\n{traits}").text
    )
    known = "autocorrect call_timeout connect_timeout max_chars max_lines max_rows"
    assert {*known.split(), "nest_asyncio", "widgets"} <= {name for name, _ in shown}


def test_resources_prompts_and_logs_are_verbs(kernel: Kernel) -> None:
    assert "demo://worlds/{name}" in kernel.run("%mcp resources demo").text
    assert "Titan" in kernel.run("%mcp read demo demo://worlds/Titan").text
    assert "introduce(world" in kernel.run("%mcp prompts demo").text
    shown = kernel.run('%mcp prompt demo.introduce world="Titan" audience=children')
    assert "children" in shown.text
    assert kernel.run("%mcp --timeout 0.1 watch demo demo://notes").text == "0"
    assert kernel.run("%mcp logs demo").error == ""
    assert "URI" in kernel.run("%mcp read demo").error


def test_a_function_of_the_notebook_answers_for_a_model(kernel: Kernel) -> None:
    shown = kernel.run("def model(asked): return '42'\n%mcp sampling demo model")
    assert shown.text.startswith("model answers when demo asks")
    assert "is no function" in kernel.run("%mcp sampling demo nothing").error


def test_out_keeps_the_result_of_a_cell(kernel: Kernel) -> None:
    shown = kernel.run('%%mcp --out kept demo.echo\n{"text": "a # {b} $c"}')
    assert (shown.text, shown.error) == ("", "")
    assert kernel.run("kept.text").text == "'a # {b} $c'"


def test_names_of_a_function_are_seen_in_the_call_form(kernel: Kernel) -> None:
    source = """
        def f(n):
            %mcp demo.add(a=n, b=1)
            x = %mcp demo.add a=$n b=1
            return x
        f(41)
    """
    assert kernel.run(dedent(source)).text == "42"


def test_stop_cancels_the_call_at_the_server_and_keeps_the_session(
    kernel: Kernel,
) -> None:
    kernel.run("%mcp demo.echo text=ready")
    before = [one.pid for one in _servers(kernel)]
    began = kernel.start("%mcp demo.slow seconds=60 steps=600")
    kernel.until("display_data")
    kernel.interrupt()
    shown = kernel.finish(began)
    assert "\n" not in shown.traceback
    assert shown.traceback.startswith("KeyboardInterrupt: stopped")
    assert shown.displays[-1]["text/plain"].endswith("not finished")
    assert "slow was stopped" in kernel.run("%mcp demo.list_notes").text
    assert [one.pid for one in _servers(kernel)] == before


def test_progress_is_shown_and_its_last_state_stays(kernel: Kernel) -> None:
    shown = kernel.run("%mcp demo.slow seconds=0.5 steps=5")
    assert "demo.slow · 5/5" in shown.displays[-1]["text/plain"]
    assert "<progress value=" in shown.displays[0]["text/html"]
    assert "<progress" not in shown.displays[-1]["text/html"]
    assert "demo.slow · 5/5" in shown.displays[-1]["text/html"]


def test_an_image_is_shown_as_an_image(kernel: Kernel) -> None:
    assert "image/png" in kernel.run("%mcp demo.draw").result


def test_help_explains_the_line_a_server_and_a_tool(kernel: Kernel) -> None:
    assert "%mcp SERVER.TOOL" in kernel.run("%mcp help").text
    assert "demo: 15 tools" in kernel.run("%mcp help demo").text
    page = kernel.run("%mcp help demo.convert").text
    assert "unit_from" in page
    assert "celsius" in page


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("%mcp demo.add a=2", "b"),
        ("%mcp demo.add a=x b=3", "number"),
        ("%mcp demo.add a = 2", "no spaces around ="),
        ("%mcp record demo", "does not exist yet"),
        ("%mcp add", "name"),
        ("%mcp remove demo", "bundled"),
        ("%mcp add demo https://x.test/mcp", "bundled"),
        ("%mcp add x ftp://x.test/mcp", "no http or https URL"),
        ("%mcp http://127.0.0.1:9/mcp", "the server cannot be reached"),
        ("%mcp --timeout 0.2 demo.slow seconds=9", "did not answer within 0.2 s"),
        ("%%mcp demo\n{}", "%%mcp"),
        ("%mcp demo.echo(text=1/0)", "ZeroDivisionError"),
    ],
    ids=lambda text: text[:40],
)
def test_a_mistake_is_told_without_a_stack_trace(
    kernel: Kernel, typed: str, says: str
) -> None:
    shown = kernel.run(typed)
    assert says in shown.error
    assert "Traceback" not in shown.traceback
    assert len(shown.traceback.splitlines()) <= 4


def test_close_ends_the_server_and_the_next_call_starts_another(kernel: Kernel) -> None:
    kernel.run("%mcp demo.echo text=x")
    (before,) = _servers(kernel)
    assert "demo" in kernel.run("%mcp close").text
    before.wait(60)
    assert kernel.run("%mcp demo.add a=1 b=1").text == "2"


def test_a_server_that_died_is_reported_and_started_again(kernel: Kernel) -> None:
    kernel.run("%mcp demo.echo text=x")
    (server,) = _servers(kernel)
    server.kill()
    server.wait(60)
    # Its end is noticed a moment later.
    assert until(lambda: "not connected" in kernel.run("%mcp status demo").text)
    shown = kernel.run("%mcp demo.add a=1 b=1")
    assert shown.stdout == "demo was ended by SIGKILL; it is started again.\n"
    assert shown.text == "2"


def test_a_setting_that_cannot_be_keeps_neither_the_others_nor_the_extension_out(
    kernel: Kernel,
) -> None:
    kernel.run("%config McpMagics.max_rows = 7")
    kernel.run('%config McpMagics.autocorrect = "maybe"')
    shown = kernel.run("%reload_ext mcp_magic")
    assert (shown.error, shown.stdout.splitlines()[0][:45]) == (
        "",
        "McpMagics.autocorrect stays 'guarded': The 'a",
    )
    assert kernel.run("%config McpMagics.max_rows").text == "7"
    for default in ("max_rows = 20", 'autocorrect = "guarded"'):
        kernel.run(f"%config McpMagics.{default}")
    assert kernel.run("%mcp demo.add a=1 b=1").text == "2"


@pytest.mark.parametrize(
    "end",
    ["unload", "reload", "restart", "exit", "quit in mid-call", "kill"],
)
def test_no_server_is_left_when_it_ends(home: Path, end: str) -> None:
    with _start(home) as kernel:
        kernel.run("%mcp demo.echo text=x")
        (server,) = _servers(kernel)
        match end:
            case "unload":
                kernel.run("%unload_ext mcp_magic")
                assert "not found" in kernel.run("%mcp").stderr
            case "reload":
                kernel.run("%reload_ext mcp_magic")
                server.wait(60)
                assert kernel.run("%mcp demo.add a=1 b=1").text == "2"
            case "restart":
                kernel.restart()
            case "exit":
                kernel.run("exit()")
            case "quit in mid-call":
                kernel.start("%mcp demo.slow seconds=60 steps=600")
                kernel.until("display_data")
                kernel.kill()
            case "kill":
                kernel.process.kill()
        server.wait(60)
