"""What every test may use: a fresh session, servers, and the choice of suites."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from mcp_magic import validation
from mcp_magic.session import Session, current
from tests import ipykernels
from tests.home import MOVES

_ROOT = Path(__file__).parent
_NEEDS = {
    "npm": "need Node and the reference servers from npm",
    "browser": "need Chromium and JupyterLab",
    "conformance": "need Node and the official conformance suite from npm",
}


validation.load()  # before a test module has nbformat import all of it

# Examples are judged by what they show, never by how long the machine took for them.
hypothesis.settings.register_profile(
    "unhurried",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--check``: run everything, and fail where something is missing."""
    parser.addoption("--check", action="store_true", help="run all folders of tests")
    parser.addoption("--ipykernel", metavar="RELEASE", help="start kernels of it")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the release of ipykernel, if one is asked for; a missing one fails."""
    release = config.getoption("--ipykernel")
    try:
        if release:
            ipykernels.choose(release)
    except FileNotFoundError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses a fixture called ``kernel``: make kernels runs it again."""
    for item in items:
        if "kernel" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.kernel)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the folders that need more than Python, unless asked for them."""
    left_out = collection_path.parent == _ROOT and collection_path.name in _NEEDS
    return True if left_out and not config.getoption("--check") else None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was left out, so that nobody takes it for tested."""
    if config.getoption("--check"):
        return
    for folder, needs in _NEEDS.items():
        count = sum(
            line.lstrip().startswith(("def test_", "async def test_"))
            for path in (_ROOT / folder).glob("test_*.py")
            for line in path.read_text(encoding="utf-8").splitlines()
        )
        terminalreporter.write_line(
            f"Left out: {count} tests of tests/{folder}, which {needs}; "
            "make check runs them."
        )


@pytest.fixture(autouse=True, scope="session")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep everybody's own files out of the tests, and the tests out of them.

    The home folder is an empty one: no server is configured there, nothing is approved,
    and what is remembered of servers goes with it. npm keeps its cache of packages.
    """
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("npm_config_cache", str(Path.home() / ".npm"))
        for name in ("HOME", "USERPROFILE"):
            patch.setenv(name, str(home))
        for name in MOVES:
            patch.delenv(name, raising=False)
        patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        yield


@pytest.fixture(name="said")
def _said() -> list[str]:
    return []


@pytest.fixture(name="session")
def _session(said: list[str], tmp_path: Path) -> Iterator[Session]:
    """A session of its own, in an empty folder; its lines are kept in ``said``."""
    session = Session(tmp_path)
    session.person.say = said.append
    yield session
    session.shut_down()


@pytest.fixture(name="shared")
def _shared(said: list[str]) -> Iterator[Session]:
    """The session of the process, as the package's functions use it; left empty."""
    session = current()
    say, session.person.say = session.person.say, said.append
    yield session
    session.person.say = say
    for entry in session.entries[1:]:
        session.remove(entry.name)
    session.shut_down()


@pytest.fixture(name="servers", scope="session")
def _servers() -> Path:
    """The folder of small servers that tests start."""
    return _ROOT / "servers"


@pytest.fixture(name="python", scope="session")
def _python() -> str:
    return sys.executable


@pytest.fixture(name="npm_server", scope="session")
def _npm_server() -> dict[str, list[str]]:
    """The commands of the reference servers from npm; a missing one is a failure."""
    node = shutil.which("node")
    modules = _ROOT / "npm" / "node_modules" / "@modelcontextprotocol"
    found = {
        name: [str(node), str(modules / f"server-{name}" / "dist" / "index.js")]
        for name in ("everything", "filesystem", "memory")
    }
    missing = [name for name, (_, path) in found.items() if not Path(path).is_file()]
    if node is None or missing:
        pytest.fail(f"make npm installs what is missing: node={node}, {missing}")
    return found
