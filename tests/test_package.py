"""What is shipped: the built wheel, and what it says about itself."""

from __future__ import annotations

import ast
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import mcp_magic

_ROOT = Path(__file__).parents[1]


@pytest.fixture(name="wheel", scope="module")
def _wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=_ROOT,
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(
    wheel: zipfile.ZipFile,
) -> None:
    package = _ROOT / "mcp_magic"
    ours = {
        str(path.relative_to(_ROOT))
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == ours
    assert {"mcp_magic/py.typed", "mcp_magic/demo/data/worlds.csv"} <= names


def test_the_wheel_tells_version_licence_and_python(wheel: zipfile.ZipFile) -> None:
    (path,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    metadata = HeaderParser().parsestr(wheel.read(path).decode())
    assert metadata["Version"] == mcp_magic.__version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    assert any(name.endswith("/LICENSE") for name in wheel.namelist())


def test_the_type_checker_sees_every_public_name_used() -> None:
    source = (_ROOT / "tests/typing/api.py").read_text(encoding="utf-8")
    used = {
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "mcp_magic"
    }
    assert used == set(mcp_magic.__all__)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("conect", "mcp_magic has no 'conect'. Did you mean mcp_magic.connect?"),
        ("xyzzy", "mcp_magic has no 'xyzzy'. Tab shows what it has."),
        ("_hidden", "module 'mcp_magic' has no attribute '_hidden'"),
    ],
)
def test_a_name_that_the_package_lacks_is_one_line(name: str, said: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(mcp_magic, name)
    assert str(caught.value) == said
    assert name[0] == "_" or isinstance(caught.value, mcp_magic.McpMagicError)


def test_the_readme_shows_what_the_package_does() -> None:
    readme = (_ROOT / "README.md").read_text(encoding="utf-8")
    for promise in (
        "make demo",
        "make test",
        "%load_ext mcp_magic",
        "mcp_magic.connect",
    ):
        assert promise in readme
