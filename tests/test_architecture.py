"""The folders are the architecture: imports go one way, and light rooms stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mcp_magic

_PACKAGE = Path(mcp_magic.__file__).parent

# Each room may import those before it.
_ORDER = [
    ("errors", "lazy", "model", "started", "validation"),
    ("answer",),
    ("naming",),
    ("language",),
    ("display",),
    ("config",),
    ("client",),
    ("session",),
    ("notebook",),
]
_RANK = {room: rank for rank, rooms in enumerate(_ORDER) for room in rooms}
# Rooms on their own, and the words they may use.
_APART = {room: frozenset(("errors", "model")) for room in ("demo", "teaching")}
_ONLY_IN = {
    "mcp": {"client", "demo", "teaching"},
    "mcp_types": {"client", "demo"},
    "httpx2": {"client"},
    "IPython": {"notebook"},
    "traitlets": {"notebook"},
    "ipywidgets": {"notebook"},
    "anywidget": {"notebook"},
}
_FILES = sorted(_PACKAGE.rglob("*.py"))


def _room(path: Path) -> str:
    return path.relative_to(_PACKAGE).with_suffix("").parts[0]


def _imports(path: Path) -> Iterator[str]:
    """Yield every imported module, also inside functions; types alone do not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield str(node.module)


@pytest.mark.parametrize("path", _FILES, ids=lambda p: str(p.relative_to(_PACKAGE)))
def test_a_module_imports_only_from_rooms_above_its_own(path: Path) -> None:
    room = _room(path)
    for name in _imports(path):
        parts = name.split(".")
        if parts[0] in _ONLY_IN and room != "__init__":
            assert room in _ONLY_IN[parts[0]], f"{room} imports {name}"
        if parts[0] != "mcp_magic" or len(parts) == 1 or room == "__init__":
            continue
        other = parts[1]
        if room in _APART or other in _APART:
            assert room == other or other in _APART.get(room, ()), name
        else:
            assert other == room or _RANK[other] < _RANK[room], f"{room} imports {name}"


def test_every_room_has_its_place() -> None:
    rooms = {_room(path) for path in _FILES} - {"__init__"}
    assert rooms <= _RANK.keys() | _APART.keys()


@pytest.mark.parametrize(
    "module",
    ["mcp_magic", "mcp_magic.naming", "mcp_magic.language", "mcp_magic.display.html",
     "mcp_magic.config", "mcp_magic.demo", "mcp_magic.teaching", "mcp_magic.session"],
)  # fmt: skip
def test_a_light_module_loads_neither_mcp_nor_ipython(module: str) -> None:
    heavy = ["mcp", "IPython", "ipywidgets", "httpx2", "jsonschema", "pandas"]
    program = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", mcp_magic.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(mcp_magic, name) is not None
    assert name in dir(mcp_magic)


def test_the_public_names_are_sorted() -> None:
    assert mcp_magic.__all__ == sorted(mcp_magic.__all__)
