"""Placeholders are filled in when a server is started, as its product means them."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.config import (
    Answers,
    Ask,
    Http,
    Input,
    ServerEntry,
    Stdio,
    Target,
    expand,
    expand_oauth,
    inputs_of,
    nobody,
    syntax,
)
from mcp_magic.config.dialects import DIALECTS
from mcp_magic.errors import ServerUnreachable
from mcp_magic.model import Secret
from tests.config.reading import alone, read_sample

_HOME = {"HOME": "/home/me"}


def _no_file(file: Path) -> str:
    raise FileNotFoundError(2, "No such file or directory", str(file))


def _expand(
    entry: ServerEntry, environ: dict[str, str], ask: Ask = nobody, file: str = ""
) -> Target:
    def read(path: Path) -> str:
        return file or _no_file(path)

    return expand(entry, _HOME | environ, ask=ask, read=read)


def _why(entry: ServerEntry, environ: dict[str, str], ask: Ask = nobody) -> str:
    with pytest.raises(ServerUnreachable) as caught:
        _expand(entry, environ, ask)
    return str(caught.value)


def _value(product: str, text: str, environ: dict[str, str] | None = None) -> str:
    """Return a text as it is sent in a header."""
    key = "http_headers" if product == "Codex" else "headers"
    entry = alone(product, {"url": "https://h.test/", key: {"A": text}})
    target = _expand(entry, environ or {"A": "value"})
    assert isinstance(target, Http)
    return target.headers["A"].reveal()


def _argument(product: str, text: str) -> str:
    """Return a text as a command gets it."""
    target = _expand(alone(product, {"command": "x", "args": [text]}), {"A": "value"})
    assert isinstance(target, Stdio)
    return target.args[0]


# What fills in ``A``: in the arguments of a command, and besides in values.
_ARGUMENTS = {
    "mcp-magic": ["${A}", "${A:-d}", "${env:A}"],
    "Claude Code": ["${A}", "${A:-d}"],
    "Claude Desktop": [],
    "Cursor": ["${env:A}"],
    "VS Code": ["${env:A}"],
    "Windsurf": ["${env:A}"],
    "Cline": ["${env:A}"],
    "Roo Code": ["${env:A}"],
    "Codex": [],
    "Copilot CLI": [],
    "OpenCode": ["{env:A}"],
    "Zed": [],
    "Gemini CLI": ["${A}", "${A:-d}", "$A"],
    "Continue": ["${{ secrets.A }}", "${{secrets.A}}", "${{ env.A }}"],
    "Goose": [],
    "LM Studio": [],
    "mcporter": ["${A}", "${A:-d}", "$env:A"],
    "Jupyter AI": [],
}
_VALUES = ["${A}", "${A:-d}", "${env:A}"]
_ALL = sorted({form for forms in _ARGUMENTS.values() for form in forms})


def test_every_product_is_in_the_table() -> None:
    assert _ARGUMENTS.keys() == DIALECTS.keys()


@pytest.mark.parametrize(
    ("product", "form"),
    # To Gemini, $env:A begins with the variable env.
    sorted({(p, f) for p in DIALECTS for f in _ALL} - {("Gemini CLI", "$env:A")}),
)
def test_only_the_syntax_of_the_product_counts_in_a_command(
    product: str, form: str
) -> None:
    filled_in = form in _ARGUMENTS[product]
    entry = alone(product, {"command": "x", "args": [f"-{form}-"]})
    target = _expand(entry, {"A": "value"})
    assert isinstance(target, Stdio)
    assert (target.args == ("-value-",)) == filled_in
    assert filled_in or target.args == entry.target.args  # type: ignore[union-attr] # a command


@pytest.mark.parametrize("form", _VALUES)
@pytest.mark.parametrize("product", sorted(DIALECTS.keys() - {"OpenCode"}))
def test_no_value_is_sent_with_the_usual_placeholders(product: str, form: str) -> None:
    """ENV-01: a literal ${TOKEN} looks like a wrong key."""
    assert _value(product, f"Bearer {form}") == "Bearer value"
    assert _value(product, f"{form}/{form}") == "value/value"


@pytest.mark.parametrize("form", ["${A:-${B}}", "${env:A:-x${env:B}}"])
def test_a_placeholder_inside_of_another_is_named_and_never_sent(form: str) -> None:
    said = _why(alone("Claude Code", {"command": "x", "env": {"T": form}}), {"A": "a"})
    assert "has a placeholder inside of another (${" in said


@pytest.mark.parametrize("product", DIALECTS)
@pytest.mark.parametrize(
    "form", ["${A:-", "${env:A:-", "${input:", "${config:", "${{ "]
)
def test_what_looks_like_endless_placeholders_costs_little(
    product: str, form: str
) -> None:
    """Whoever wrote a folder's file must not make others wait: this took hours."""
    text = form * 100_000
    assert len([*syntax.find(text, product, in_value=True)]) <= 100_000
    syntax.strangers(text, product, in_value=True)


def test_a_default_stands_for_what_is_unset_or_empty() -> None:
    assert _value("Claude Code", "${A:-d}", {"B": ""}) == "d"
    assert _value("Claude Code", "${A:-d}", {"A": ""}) == "d"
    assert _value("Claude Code", "x${A:-}", {"B": ""}) == "x"


@pytest.mark.parametrize("text", ["abc$123", "$", "${}", "${A", "$${", "{A}", "${A-d}"])
@pytest.mark.parametrize("product", DIALECTS)
def test_what_is_no_placeholder_stays(product: str, text: str) -> None:
    assert _argument(product, text) == text


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["C"])))
def test_a_value_is_never_looked_into(value: str) -> None:
    made = _value("Claude Code", "<${A}>", {"A": f"${{A}}{value}"})
    assert made == f"<${{A}}{value}>"


@pytest.mark.parametrize(
    ("form", "meant"),
    [
        ("${workspaceFolder}", "/home/me/work"),
        ("${workspaceFolderBasename}", "work"),
        ("${userHome}", "/home/me"),
        ("${pathSeparator}", os.sep),
        ("${/}", os.sep),
    ],
)
@pytest.mark.parametrize("product", ["VS Code", "Cursor", "Windsurf", "mcp-magic"])
def test_the_words_of_editors_are_known(product: str, form: str, meant: str) -> None:
    assert _argument(product, form) == meant


def test_every_field_is_filled_in() -> None:
    """ENV-02."""
    entry = alone(
        "mcp-magic",
        {
            "command": "${A}/run",
            "args": ["--x=${A}"],
            "env": {"K": "x-${A}-y"},
            "cwd": "${A}/w",
            "envFile": "${A}/.env",
        },
    )
    target = _expand(entry, {"A": "/a"}, file="L=m")
    assert target == Stdio(
        "/a/run",
        ("--x=/a",),
        {"K": Secret("x-/a-y"), "L": Secret("m")},
        "/a/w",
    )
    remote = {"url": "https://${A}/mcp", "oauth": {"clientId": "${A}"}}
    entry = alone("Claude Code", {**remote, "headers": {"X": "${A}"}})
    assert _expand(entry, {"A": "a"}) == Http("https://a/mcp", {"X": Secret("a")})
    assert expand_oauth(entry, {"A": "a"}, read=_no_file) == {"client_id": "a"}


def test_the_home_folder_may_be_a_tilde() -> None:
    target = _expand(alone("Codex", {"command": "~/x", "cwd": "~"}), {})
    assert target == Stdio("/home/me/x", cwd="/home/me")


@pytest.mark.parametrize(
    ("product", "text", "says"),
    [
        ("Claude Code", "Bearer ${TOKEN}", "needs the environment variable TOKEN"),
        ("Cursor", "${env:TOKEN}", "import os; os.environ['TOKEN'] = …"),
        ("OpenCode", "{env:TOKEN}", "needs the environment variable TOKEN"),
        ("OpenCode", "{file:~/none}", "which cannot be read (No such file"),
        ("Gemini CLI", "$TOKEN", "needs the environment variable TOKEN"),
        ("Continue", "${{ secrets.TOKEN }}", "needs the environment variable TOKEN"),
        ("Continue", "${{ inputs.TOKEN }}", "which only Continue knows"),
        ("VS Code", "${config:x.y}", "which only VS Code knows"),
        ("VS Code", "${command:x.y}", "which only VS Code knows"),
        ("VS Code", "${input:gone}", "not among the inputs of its file"),
        ("Claude Code", "Bearer ${EMPTY}", "a header A whose variable is empty"),
        ("Claude Code", "${EMPTY}", "a header A whose variable is empty"),
    ],
)
def test_what_is_missing_is_named_with_its_file_and_never_sent(
    product: str, text: str, says: str
) -> None:
    """ENV-03."""
    entry = alone(product, {"url": "https://h.test/", "headers": {"A": text}})
    said = _why(entry, {"EMPTY": ""})
    place = re.match(r"s \((\S+)\) ", said)
    assert place is not None
    assert place[1].endswith("/mcp.json")
    assert says in said
    assert "\n" not in said


def test_a_typed_server_has_no_workspace() -> None:
    entry = ServerEntry("s", Stdio("x", ("${workspaceFolder}",)))
    assert _why(entry, {}).startswith("s refers to ${workspaceFolder}, which no typed")


def test_a_url_must_be_one_when_it_is_filled_in() -> None:
    entry = alone("Claude Code", {"url": "${BASE}/mcp"})
    assert "t0psecret" not in _why(entry, {"BASE": "t0psecret"})
    assert "is none once its placeholders are filled in" in _why(entry, {"BASE": "x"})


def test_a_file_beside_the_one_of_the_entry_is_read() -> None:
    entry = alone("OpenCode", {"url": "https://h.test/",
                               "headers": {"A": "Bearer {file:token}"}})  # fmt: skip
    target = _expand(entry, {}, file="t0psecret\n")
    assert isinstance(target, Http)
    assert target.headers["A"].reveal() == "Bearer t0psecret"


def test_a_file_of_variables_is_read_as_shells_do_without_filling_in() -> None:
    """ENV-08: the entry's own variables win."""
    text = "# c\nexport A=1\nB=\"two words\"\nC='$A'\nD=$A # c\nE=file\nF"
    text = text.replace("\n", "\r\n")
    entry = alone("Cursor", {"command": "x", "envFile": ".env", "env": {"E": "own"}})
    target = _expand(entry, {"E": "kernel"}, file=text)
    assert isinstance(target, Stdio)
    found = {name: one.reveal() for name, one in target.env.items()}
    assert found == {"A": "1", "B": "two words", "C": "$A", "D": "$A", "E": "own"}


def test_a_file_of_variables_that_is_missing_is_named() -> None:
    entry = alone("Cursor", {"command": "x", "envFile": "${workspaceFolder}/.env"})
    assert "envFile ${workspaceFolder}/.env, which cannot be read" in _why(entry, {})


# -- inputs


def _vs_code(name: str) -> ServerEntry:
    entries = read_sample("VS Code", "02-vscode-mcp.jsonc").entries
    entry = next(one for one in entries if one.name == name)
    assert isinstance(entry.target, Stdio | Http)
    if isinstance(entry.target, Stdio):
        return replace(entry, target=replace(entry.target, env_file=None))
    return entry


def test_inputs_are_read_as_declared() -> None:
    assert inputs_of(_vs_code("local")) == (
        Input("region", "Region", secret=False, options=("eu", "us"), default="eu"),
        Input("svc-token", "Service token", secret=True),
    )
    assert inputs_of(_vs_code("old")) == ()
    assert _vs_code("local").inputs["computed"].unsupported


def test_a_person_is_asked_once_for_all_servers_of_a_file() -> None:
    """ENV-05."""
    asked: list[str] = []

    def ask(wanted: Input) -> Secret:
        asked.append(wanted.id)
        return Secret(f"my {wanted.id}")

    answers, local, remote = Answers(), _vs_code("local"), _vs_code("remote")
    for entry in (local, remote, local):
        answers.gather(entry, ask)
    assert asked == ["region", "svc-token"]
    assert _expand(remote, {}, answers.of(remote)) == Http(
        "https://api.example.test/mcp", {"X-Key": Secret("my svc-token")}
    )
    answers.forget(remote)
    answers.gather(remote, ask)
    assert asked == ["region", "svc-token", "svc-token"]


def test_an_answer_is_not_given_to_the_file_of_another() -> None:
    """A project may declare an input that is called as one of the user's is."""
    answers, mine = Answers(), _vs_code("remote")
    answers.gather(mine, lambda _: Secret("t0psecret"))
    assert mine.source is not None
    theirs = replace(mine, source=replace(mine.source, file=Path("/srv/x/mcp.json")))
    assert "asks for the input svc-token" in _why(theirs, {}, answers.of(theirs))


def test_without_a_person_the_input_is_named_and_how_to_set_it() -> None:
    said = _why(_vs_code("remote"), {})
    assert "asks for the input svc-token, and nobody is there" in said
    assert said.endswith("set the environment variable MCP_MAGIC_INPUT_SVC_TOKEN")
    target = _expand(_vs_code("remote"), {"MCP_MAGIC_INPUT_SVC_TOKEN": "t"})
    assert isinstance(target, Http)
    assert target.headers["X-Key"].reveal() == "t"


def test_what_a_command_of_vs_code_computes_cannot_be_asked_for() -> None:
    entry = replace(_vs_code("local"), target=Stdio("x", ("${input:computed}",)))
    answers = Answers()
    answers.gather(entry, lambda _: Secret("never"))
    assert "which only VS Code can find out" in _why(entry, {}, answers.of(entry))


# -- secrets


def _hidden(target: Target) -> set[str]:
    assert isinstance(target, Stdio | Http)
    return {one.reveal() for one in target.hidden}


def test_every_secret_that_was_filled_in_is_known_as_one_to_hide() -> None:
    environ = {"TOKEN": "4711", "PIN_TOKEN": "1", "DIR": "/home/me/data",
               "REGION": "eu", "LONG": "long enough to tell"}  # fmt: skip
    words = ["${TOKEN}", "${PIN_TOKEN}", "${DIR}", "${REGION}", "${LONG}"]
    entry = alone("Claude Code", {"command": "x", "args": words})
    assert _hidden(_expand(entry, environ)) == {"4711", "long enough to tell"}
    entry = alone("Claude Code", {"url": "https://h.test/${TOKEN}/mcp"})
    assert _hidden(_expand(entry, environ)) == {"4711"}
    asked = _expand(_vs_code("remote"), {}, lambda _: Secret("0815"))
    assert _hidden(asked) == {"0815"}


@pytest.mark.parametrize("text", ["${TOKEN}", "https://h.test/${TOKEN}", "-${TOKEN}"])
def test_no_value_shows_in_an_expanded_target(text: str) -> None:
    entry = alone("mcp-magic", {"command": "x", "env": {"A": text}})
    target = _expand(entry, {"TOKEN": "t0psecret"})
    assert "t0psecret" not in f"{target!r}{target}"
    assert "t0psecret" not in repr(entry)
