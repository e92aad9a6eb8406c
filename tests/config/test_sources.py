"""Files are found where products have them, and read once; whoever wrote them."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_magic.config import Catalogue, Http, Stdio, places, read_all, standings
from mcp_magic.config.dialects import DIALECTS, read
from mcp_magic.config.entries import is_url
from mcp_magic.config.sources import project_folders, read_file, read_text
from mcp_magic.config.syntax import find
from tests.config.reading import SAMPLES, place, shown

_SERVER = '{"mcpServers": {"a": {"command": "x"}}}'

# Every sample at the place where its product has it, in a home and in a project.
_HOME = {
    "01-cursor-mcp.json": ".cursor/mcp.json",
    "03-vscode-user-settings.jsonc": ".config/Code/User/settings.json",
    "04-claude-desktop.json": ".config/Claude/claude_desktop_config.json",
    "06-claude-code-user.claude.json": ".claude.json",
    "07-codex-config.toml": ".codex/config.toml",
    "08-opencode.jsonc": ".config/opencode/opencode.jsonc",
    "09-windsurf-mcp_config.json": ".codeium/windsurf/mcp_config.json",
    "10-zed-settings.jsonc": ".config/zed/settings.json",
    "11-gemini-settings.json": ".gemini/settings.json",
    "13-cline-settings.json": ".config/Code/User/globalStorage/saoudrizwan.claude-dev"
    "/settings/cline_mcp_settings.json",
    "14-goose-config.yaml": ".config/goose/config.yaml",
    "18-jupyter-ai-mcp_servers.json": ".jupyter/mcp_servers.json",
    "19-mcporter.jsonc": ".mcporter/mcporter.jsonc",
    "20-bom-crlf.json": ".lmstudio/mcp.json",
    "21-one-bad-entry.json": ".claude/mcp.json",
    "26-copilot-cli.json": ".copilot/mcp-config.json",
    "25-name-collisions.json": ".config/Code/User/mcp.json",
}
_PROJECT = {
    "02-vscode-mcp.jsonc": ".vscode/mcp.json",
    "05-claude-code-project.mcp.json": ".mcp.json",
    "24-untrusted-project.mcp.json": ".cursor/mcp.json",
}


def _write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "home"
    made.mkdir()
    return made


@pytest.fixture
def project(home: Path) -> Path:
    made = home / "work" / "alpha"
    (made / ".git").mkdir(parents=True)
    (made / "notebooks").mkdir()
    return made


def _names(catalogue: Catalogue) -> list[str]:
    return [entry.name for entry in catalogue.entries]


def _told(catalogue: Catalogue, home: Path, project: Path) -> dict[str, object]:
    """Return all that a catalogue says, as it is kept in the golden file."""

    def plain(value: object) -> str:
        text = str(value)
        return text.replace(str(project), "PROJECT").replace(str(home), "HOME")

    entries: list[dict[str, object]] = []
    for one in standings(catalogue.entries, lambda _: False):
        source = one.entry.source
        assert source is not None
        told = {"name": one.entry.name, "origin": one.entry.origin,
                "where": f"{plain(source.file)}:{source.line}",
                "key": plain(source.key)}  # fmt: skip
        why_not = {"why_not": one.why_not} if one.why_not else {}
        entries.append({**told, **why_not, **shown(one.entry)})
    problems = [plain(one) for one in catalogue.problems]
    text = json.dumps({"entries": entries, "problems": problems})
    return dict(json.loads(plain(text)))


def test_a_home_and_a_project_with_every_sample_are_read(
    home: Path, project: Path
) -> None:
    """The golden file has the servers, where each stands, and what is wrong."""
    for folder, samples in ((home, _HOME), (project, _PROJECT)):
        for sample, name in samples.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SAMPLES / sample, folder / name)
    assert sorted([*_HOME, *_PROJECT]) == sorted(f.name for f in SAMPLES.glob("[0-9]*"))
    claude = home / ".claude.json"
    claude.write_text(claude.read_text().replace("/home/me/work/alpha", str(project)))
    told = _told(read_all(home, project / "notebooks", {}), home, project)
    golden = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
    assert told == golden


@pytest.mark.parametrize(
    ("product", "system", "file"),
    [
        ("Claude Desktop", "darwin",
         "Library/Application Support/Claude/claude_desktop_config.json"),
        ("Claude Desktop", "win32",
         "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("VS Code", "darwin", "Library/Application Support/Code/User/mcp.json"),
        ("VS Code", "linux", ".config/Code - Insiders/User/mcp.json"),
        ("VS Code", "linux", ".vscode-server/data/User/mcp.json"),
        ("Goose", "win32", "AppData/Roaming/Block/goose/config/config.yaml"),
        ("Zed", "darwin", ".config/zed/settings.json"),
        ("Zed", "win32", "AppData/Roaming/Zed/settings.json"),
        ("Windsurf", "linux", ".codeium/windsurf/mcp_config.json"),
        ("Windsurf", "linux", ".codeium/mcp_config.json"),
        ("Cline", "linux", ".cline/data/settings/cline_mcp_settings.json"),
    ],
)  # fmt: skip
def test_each_system_has_its_places(product: str, system: str, file: str) -> None:
    found = places.of_user(Path("/h"), [Path("/h/w")], {}, system)
    assert (product, Path("/h") / file) in {(one.product, one.file) for one in found}


def test_variables_move_the_files_of_some_products(home: Path) -> None:
    moved = {
        "CLAUDE_CONFIG_DIR": ".claude.json",
        "CODEX_HOME": "config.toml",
        "COPILOT_HOME": "mcp-config.json",
        "XDG_CONFIG_HOME": "goose/config.yaml",
        "JUPYTER_CONFIG_DIR": "mcp_servers.json",
    }
    texts = {".toml": '[mcp_servers.x]\ncommand = "x"',
             ".yaml": "extensions: {y: {cmd: x}}"}  # fmt: skip
    for variable, name in moved.items():
        text = texts.get(
            Path(name).suffix, '{"mcpServers": {"%s": {"url": "http://h"}}}'
        )
        _write(home / variable / name, text.replace("%s", variable))
    environ = {variable: str(home / variable) for variable in moved}
    found = read_all(home, home / "w", environ)
    assert (found.problems, len(found.entries)) == ((), 5)


def test_paths_of_mcporter_begin_where_its_file_lies(home: Path, project: Path) -> None:
    """docs/config.md of mcporter, the members of a server."""
    servers = {"a": {"command": "x", "cwd": "./srv"}, "b": {"command": "x"}}
    text = json.dumps({"mcpServers": servers})
    _write(project / "config" / "mcporter.json", text)
    _write(home / ".mcporter" / "mcporter.json", text)
    found = read_all(home, project / "notebooks", {}).entries
    theirs, mine = project / "config", home / ".mcporter"
    assert [shown(one).get("cwd") for one in found] == [
        *(str(theirs / "srv"), str(theirs)),
        *(str(mine / "srv"), None),
    ]


def test_every_product_has_a_place() -> None:
    folders = [Path("/h/w")]
    found = [
        *places.of_project(folders),
        *places.of_user(Path("/h"), folders, {}, "linux"),
    ]
    assert {one.product for one in found} == DIALECTS.keys() - {"mcp-magic"}


def test_the_page_of_configuration_names_every_product_and_file() -> None:
    page = (Path(__file__).parents[2] / "docs/configuration.md").read_text("utf-8")
    folder = Path("/h/w")
    for one in places.of_project([folder]):
        assert one.product in page
        name = re.sub("jsonc?$", "", one.file.relative_to(folder).as_posix())
        assert name in page or ".claude/" in name
    assert [one for one in DIALECTS if one not in page and one != "mcp-magic"] == []


# -- which folders are the project


def test_projects_end_at_the_root_of_their_repository(
    home: Path, project: Path
) -> None:
    _write(home / "work" / ".mcp.json", _SERVER)
    _write(project / ".cursor" / "mcp.json", _SERVER.replace('"a"', '"b"'))
    _write(project / "notebooks" / ".mcp.json", _SERVER.replace('"a"', '"c"'))
    assert _names(read_all(home, project / "notebooks", {})) == ["c", "b"]


def test_without_a_repository_they_end_at_home(home: Path) -> None:
    folder = home / "x" / "y"
    assert project_folders(home, folder) == (folder, home / "x", home)


def test_outside_of_home_the_folder_stands_alone(home: Path, tmp_path: Path) -> None:
    """Anybody may put a file into /tmp."""
    folder = tmp_path.resolve() / "elsewhere" / "x"
    folder.mkdir(parents=True)
    _write(tmp_path / "elsewhere" / ".mcp.json", _SERVER)
    assert read_all(home, folder, {}).entries == ()


def test_files_of_the_user_are_none_of_a_project_at_home(home: Path) -> None:
    _write(home / ".cursor" / "mcp.json", _SERVER)
    (entry,) = read_all(home, home, {}).entries
    assert entry.source is not None
    assert entry.source.scope == "user"


# -- Claude Code


def test_claude_code_switches_servers_of_a_project_off(
    home: Path, project: Path
) -> None:
    """CFG-10: one unknown name does not undo the list."""
    _write(project / ".mcp.json", _SERVER)
    off = _write(project / ".claude" / "settings.json",
                 '{"disabledMcpjsonServers": ["a", "nope"]}')  # fmt: skip
    found = read_all(home, project, {})
    assert [one.disabled for one in found.entries] == [
        f"disabled in disabledMcpjsonServers of {off}"
    ]
    assert [one.text for one in found.problems] == [
        "nope is switched off here, but no server is called so"
    ]


def test_a_project_switches_no_server_of_the_user_off(
    home: Path, project: Path
) -> None:
    _write(home / ".claude.json", _SERVER)
    _write(project / ".claude" / "settings.json", '{"disabledMcpServers": ["a"]}')
    assert [one.disabled for one in read_all(home, project, {}).entries] == [""]


def test_a_user_switches_servers_off_for_one_folder(home: Path, project: Path) -> None:
    table = {"mcpServers": {"b": {"command": "x"}}, "disabledMcpServers": ["a", "b"]}
    told = {**json.loads(_SERVER), "projects": {str(project): table}}
    _write(home / ".claude.json", json.dumps(told))
    here = read_all(home, project / "notebooks", {}).entries
    assert [(one.name, bool(one.disabled)) for one in here] == [
        ("b", True),
        ("a", True),
    ]
    assert [one.disabled for one in read_all(home, home / "x", {}).entries] == [""]


# -- files


def test_a_file_is_read_again_when_it_has_changed(home: Path) -> None:
    file = _write(home / ".cursor" / "mcp.json", _SERVER)
    first = read_all(home, home, {}).entries
    assert read_all(home, home, {}).entries[0] is first[0]
    _write(file, _SERVER.replace('"a"', '"longer"'))
    assert _names(read_all(home, home, {})) == ["longer"]
    file.unlink()
    assert read_all(home, home, {}).entries == ()


def test_one_broken_file_hides_no_other(home: Path) -> None:
    _write(home / ".cursor" / "mcp.json", _SERVER)
    broken = _write(home / ".claude.json", '{\n"mcpServers": {')
    found = read_all(home, home, {})
    assert _names(found) == ["a"]
    assert [(one.file, one.line) for one in found.problems] == [(broken, 2)]


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop", "nothing there"])
def test_what_is_no_file_is_never_waited_for(home: Path, kind: str) -> None:
    file = home / ".mcp.json"
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "device":
            file.symlink_to("/dev/zero")
        case "loop":
            file.symlink_to(file)
        case _:
            file.symlink_to(home / "gone")
    found = read_all(home, home, {})
    assert found.entries == ()
    assert len(found.problems) == (kind != "nothing there")
    with pytest.raises(OSError, match=r"."):
        read_text(file)


@pytest.mark.parametrize(
    ("name", "size"), [(".mcp.json", 4), (".claude.json", 32)], ids=["brought", "own"]
)
def test_a_file_that_is_too_large_says_so(home: Path, name: str, size: int) -> None:
    with (home / name).open("wb") as opened:
        opened.truncate(size * 1_000_000 + 1)
    (problem,) = read_all(home, home, {}).problems
    assert f"more than {size} MB" in problem.text


def test_a_table_without_end_makes_nobody_wait(home: Path) -> None:
    servers = dict.fromkeys(map(str, range(6000)))
    _write(home / ".mcp.json", json.dumps({"mcpServers": servers}))
    found = read_all(home, home, {}).problems
    assert found[0].text == "only the first 5000 of 6000 entries are read"
    assert found[-1].text == "4951 more problems are here"
    assert len(found) == 51


def test_servers_of_continue_may_have_a_file_each(home: Path, project: Path) -> None:
    folder = project / ".continue" / "mcpServers"
    _write(folder / "one.yaml", "mcpServers:\n- name: one\n  command: x")
    _write(folder / "two.json", _SERVER)
    _write(folder / "README.md", "no servers")
    assert _names(read_all(home, project, {})) == ["one", "a"]


def test_our_own_file_is_read_like_the_others(home: Path) -> None:
    file = _write(home / "mcp.json", _SERVER)
    own = place("mcp-magic", scope="own")
    reading = read_file(type(own)("mcp-magic", "own", file, home))
    assert [one.origin for one in reading.entries] == ["your mcp.json"]
    assert _names(read_all(home, home, {}, own=reading.entries)) == ["a"]


# -- any file at all

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner)
    ),
    max_leaves=12,
)
_FIELDS = st.sampled_from(
    "command cmd args env environment envs cwd url uri httpUrl headers type transport "
    "disabled enabled timeout oauth auth allowedTools config requestOptions name "
    "http_headers env_http_headers bearer_token_env_var env_keys envFile".split()
)
_TEXTS = st.sampled_from(["x", "https://h.test/mcp", "${A}", "{env:A}", "$A", ""])
_ENTRIES = st.dictionaries(_FIELDS, _TEXTS | _JSON, max_size=5) | _JSON
_TABLES = st.dictionaries(st.text(max_size=4), _ENTRIES, max_size=4) | st.lists(
    _ENTRIES
)
_FILES = st.dictionaries(
    st.sampled_from(
        "mcpServers servers mcp mcp_servers context_servers extensions projects inputs "
        "experimental disabledMcpServers".split()
    ),
    _TABLES,
)


@settings(deadline=None)
@given(_FILES | _JSON, st.sampled_from(list(DIALECTS)))
def test_any_value_is_read_and_no_entry_is_without_a_usable_target(
    value: object, product: str
) -> None:
    text = json.dumps(value)
    for name in ("mcp.json", "mcp.yaml"):
        where = place(product, name, folders=(Path("/home/me/work"),))
        for entry in read(where, text.encode()).entries:
            match entry.target:
                case Stdio(command=command):
                    assert command.strip()
                case Http(url=url):
                    filled_in = any(find(url, product, in_value=True))
                    assert filled_in or is_url(url)
                case other:
                    raise AssertionError(other)


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from(list(DIALECTS)))
def test_any_bytes_are_a_file(data: bytes, product: str) -> None:
    for suffix in (".json", ".toml", ".yaml"):
        reading = read(place(product, f"mcp{suffix}"), data)
        assert all(str(one).isprintable() for one in reading.problems)
