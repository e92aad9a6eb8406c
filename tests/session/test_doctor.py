"""What doctor sees, says and leaves out; nothing is started for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mcp_magic
from mcp_magic.config import (
    Http,
    InProcess,
    Input,
    ServerEntry,
    Source,
    Stdio,
    Target,
)
from mcp_magic.model import Secret
from mcp_magic.session import Server, Session
from mcp_magic.session.checkup import examine
from mcp_magic.session.report import Finding, Report, Section
from tests.scripted import Scripted, tool

_CANARY = "canary4711"


def _secrets(**named: str) -> dict[str, Secret]:
    return {name: Secret(value) for name, value in named.items()}


def _said(session: Session, target: Target) -> dict[str, Finding]:
    """Return what is said of one server, by label."""
    session.add(ServerEntry("srv", target))
    (section,) = (one for one in examine(session) if one.title == "Server srv")
    return {one.label: one for one in section.findings}


def _script(folder: Path, first: str, mode: int = 0o755) -> str:
    path = folder / "run-me"
    path.write_text(f"{first}\n", encoding="utf-8")
    path.chmod(mode)
    return str(path)


@pytest.fixture(name="bare")
def _bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home and an empty PATH, as of a kernel started from a desktop."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(folder))
    for name in ("NVM_BIN", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_a_program_is_told_with_its_whole_path(session: Session, bare: Path) -> None:
    _script(bare, "#!/bin/sh")
    found = _said(session, Stdio("run-me", ("--port", "5")))
    assert found["runs"].text == "run-me --port 5"
    assert found["program"].text == str(bare / "run-me")
    assert not found["program"].amiss


def test_a_program_off_path_is_amiss_with_the_usual_cause(
    session: Session, bare: Path
) -> None:
    found = _said(session, Stdio("no-such-program"))
    assert "no-such-program is not on PATH" in found["program"].text
    assert "nvm, conda" in found["usual cause"].text
    assert examine(session).amiss[-1].startswith("Server srv: the command")


def test_a_program_in_a_likely_place_is_found_there(
    session: Session, bare: Path, tmp_path: Path
) -> None:
    place = tmp_path / "home/.nvm/versions/node/v22.0.0/bin"
    place.mkdir(parents=True)
    _script(place, "#!/bin/sh")
    assert "but in ~/.nvm/versions/node/v22.0.0/bin" in (
        _said(session, Stdio("run-me"))["program"].text
    )


@pytest.mark.parametrize(
    ("first", "mode", "why"),
    [
        ("#!/usr/bin/env node", 0o755, "is run by node, which is not there"),
        ("#!/usr/bin/env -S node --x", 0o755, "is run by node, which is not there"),
        ("#!/no/such/shell -x", 0o755, "is run by /no/such/shell, which is not there"),
        ("#!/bin/sh", 0o644, "may not be run; is it a program, and executable?"),
    ],
    ids=["env", "env -S", "path", "not executable"],
)
def test_a_script_that_could_not_run_is_amiss(
    session: Session, bare: Path, first: str, mode: int, why: str
) -> None:
    found = _said(session, Stdio(_script(bare, first, mode)))["program"]
    assert why in found.text
    assert found.amiss


def test_a_folder_or_variable_that_is_not_there_is_amiss(
    session: Session, python: str
) -> None:
    found = _said(session, Stdio(python, cwd="/no/such/folder"))
    assert "its folder /no/such/folder does not exist" in found["program"].text
    found = _said(session, Http("https://h.test/${NO_SUCH_VARIABLE}"))
    assert "variable NO_SUCH_VARIABLE, which is not set" in found["placeholders"].text


def test_a_placeholder_that_cannot_be_filled_in_is_named(
    session: Session, python: str
) -> None:
    source = Source("VS Code", "user", Path("/p/mcp.json"), "k", 3, Path("/p"), "0")
    env = {"A": Secret("${input:kind}"), "B": Secret("${NONE:-hush-hush}")}
    session.add(ServerEntry("srv", Stdio(python, env=env), "a file", source))
    shown = repr(examine(session, ["srv"]))
    assert "refers to ${input:kind}, which is not among the inputs" in shown
    assert "hush-hush" not in shown


def test_a_file_that_cannot_be_read_needs_attention(tmp_path: Path, bare: Path) -> None:
    (tmp_path / "home/.cursor").mkdir(parents=True)
    (tmp_path / "home/.cursor/mcp.json").write_text("{", encoding="utf-8")
    session = Session(bare)
    session.reread()
    shown = repr(examine(session))
    title = "What files say and was not taken as written"
    assert f"{title}: 1 thing\n" in shown.partition("Versions")[0]
    assert "~/.cursor/mcp.json:1  this is no JSON" in shown


def test_where_an_entry_was_read_and_what_a_person_is_asked_for(
    session: Session, python: str
) -> None:
    source = Source("VS Code", "user", Path("/p/mcp.json"), "k", 3, Path("/p"), "0")
    target = Stdio(python, ("${input:key}",))
    inputs = {"key": Input("key")}
    entry = ServerEntry("srv", target, "a file", source, disabled="off", inputs=inputs)
    session.add(entry)
    shown = repr(examine(session, ["srv"]))
    assert "/p/mcp.json, line 3, k (VS Code)" in shown
    assert "disabled  off" in shown
    assert "Nothing amiss" in shown


def test_what_a_live_server_is_like_is_told(session: Session) -> None:
    entry = session.add(ServerEntry("srv", InProcess(Scripted([tool("x")]).server)))
    Server(session, entry).x()
    (*_, section) = (one for one in examine(session, ["srv"]) if "srv" in one.title)
    found = {one.label: one.text for one in section.findings}
    assert (found["state"], found["tools"]) == ("connected", "1")
    assert found["calls"] == "1, 0 failed"
    assert found["protocol"].startswith("20")


def test_the_last_error_is_amiss_and_has_no_secret(
    session: Session, tmp_path: Path, python: str
) -> None:
    script = tmp_path / "broken.py"
    script.write_text(
        f"import os, sys\nsys.exit('bad: ' + os.environ['PLAIN'] + ' k={_CANARY}x')\n"
    )
    env = _secrets(PLAIN=f"{_CANARY}-value", KEY=f"{_CANARY}x")
    entry = session.add(ServerEntry("srv", Stdio(python, (str(script),), env)))
    with pytest.raises(mcp_magic.ServerError):
        list(Server(session, entry))
    report = examine(session)
    assert any("bad: …" in one for one in report.amiss)
    assert _CANARY not in repr(report)


@pytest.mark.parametrize(
    "target",
    [
        Stdio("srv", env=_secrets(TOKEN=_CANARY, PLAIN=_CANARY)),
        Stdio("srv", ("--api-key", _CANARY, f"--token={_CANARY}")),
        Stdio("docker", ("run", "-e", f"GITHUB_TOKEN={_CANARY}", "image")),
        Stdio("npx", ("r", "--header", f"Authorization: Bearer {_CANARY}")),
        Stdio("srv", (f'{{"apiKey": "{_CANARY}"}}',)),
        Stdio("srv", (f"postgresql://u:{_CANARY}@h/db",)),
        Stdio("srv", ("${CANARY}",), env=_secrets(X="${CANARY}")),
        Http(f"https://u:{_CANARY}@h.test/mcp?key={_CANARY}#{_CANARY}"),
        Http("https://h.test/mcp", _secrets(Authorization=f"Bearer {_CANARY}")),
        Http("https://h.test/mcp", _secrets(Authorization="Bearer ${CANARY}")),
        Stdio(f"{_CANARY}-not-there", env=_secrets(X=_CANARY)),
    ],
    ids=str,
)
def test_a_report_has_no_secret(
    session: Session, monkeypatch: pytest.MonkeyPatch, target: Target
) -> None:
    monkeypatch.setenv("CANARY", _CANARY)
    monkeypatch.setenv("SOME_TOKEN", _CANARY)
    monkeypatch.setenv("HTTPS_PROXY", f"http://u:{_CANARY}@proxy.test:3128")
    monkeypatch.setenv("http_proxy", f"u:{_CANARY}@proxy.test:3128")
    session.add(ServerEntry("srv", target))
    report = examine(session)
    for shown in (repr(report), str(report._repr_mimebundle_())):
        assert _CANARY not in shown
        assert "proxy.test:3128" in shown


def test_a_report_names_no_person(
    session: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home" / "alice"
    (home / "bin").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USER", "alice")
    monkeypatch.setenv("JUPYTERHUB_USER", "liddell")
    places = (home / "bin", "/home/bob/bin", "/scratch/alice/x", "/data/liddell")
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, places)))
    session.add(ServerEntry("srv", Stdio(str(home / "bin/srv"), cwd=str(home))))
    report = repr(examine(session))
    for name in ("alice", "bob", "liddell"):
        assert name not in report
    assert "~/bin" in report
    assert "/scratch/…/x" in report


def test_a_certificate_file_that_is_not_there_is_amiss(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file.pem")
    assert any(
        "SSL_CERT_FILE names /no/such/file.pem, which is not there" in one
        for one in examine(session).amiss
    )


def test_hostile_names_are_spelled_out_and_escaped(session: Session) -> None:
    session.add(ServerEntry("<script>x", Stdio("\x1b[2J<img src=x>")))
    bundle = examine(session)._repr_mimebundle_()
    assert "\x1b" not in str(bundle["text/plain"])
    page = str(bundle["text/html"])
    assert "<script" not in page
    assert "<img" not in page


def test_a_cause_is_told_once() -> None:
    findings = (Finding("a", "no x", amiss=True), Finding("b", "e: no x", amiss=True))
    assert Report([Section("T", findings)]).amiss == ("T: no x",)


def test_long_paths_are_not_broken() -> None:
    path = "/a" * 100
    shown = repr(Report([Section("T", (Finding("where", f"it is in {path} now"),))]))
    assert path in shown
    assert shown.startswith(
        "All in all\n  Nothing amiss was noticed.\n\nT\n  where  it"
    )


def test_looking_starts_nothing_and_imports_neither_sdk_nor_widgets() -> None:
    program = (
        "import sys, mcp_magic; started = [];"
        "sys.addaudithook(lambda event, _: started.append(event) if event in"
        " ('subprocess.Popen', 'os.fork', 'os.posix_spawn', 'socket.connect') else 0);"
        "repr(mcp_magic.doctor('demo'));"
        "heavy = ('mcp', 'IPython', 'ipywidgets', 'anywidget');"
        "print(started, [name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[] []\n"
