"""In which files products name servers, on each system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mcp_magic.config.dialects import Place

__all__ = ["of_project", "of_user"]

_Row: TypeAlias = tuple[str, Path, bool]

# Of a folder: product, file, and whether it holds other settings too. A name with * is
# a pattern.
_PROJECT = (
    ("Jupyter AI", ".jupyter/mcp_servers.json", False),
    ("Claude Code", ".mcp.json", False),
    ("Claude Code", ".claude/settings.local.json", True),
    ("Claude Code", ".claude/settings.json", True),
    ("Claude Code", ".claude/mcp.json", False),
    ("Copilot CLI", ".github/mcp.json", False),
    ("Cursor", ".cursor/mcp.json", False),
    ("VS Code", ".vscode/mcp.json", False),
    ("VS Code", ".vscode/settings.json", True),
    ("Windsurf", ".windsurf/mcp_config.json", False),
    ("Codex", ".codex/config.toml", True),
    ("OpenCode", "opencode.json", True),
    ("OpenCode", "opencode.jsonc", True),
    ("OpenCode", ".opencode/opencode.json", True),
    ("OpenCode", ".opencode/opencode.jsonc", True),
    ("Zed", ".zed/settings.json", True),
    ("Gemini CLI", ".gemini/settings.json", True),
    ("Continue", ".continue/config.yaml", True),
    ("Continue", ".continue/mcpServers/*", False),
    ("Roo Code", ".roo/mcp.json", False),
    ("mcporter", "config/mcporter.json", False),
    ("mcporter", "config/mcporter.jsonc", False),
)
# VS Code, and what was made of it; their folders of settings, and the extensions in.
_CODES = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_EXTENSIONS = (
    ("Cline", "saoudrizwan.claude-dev", "cline_mcp_settings.json"),
    ("Roo Code", "rooveterinaryinc.roo-cline", "mcp_settings.json"),
)
_SERVERS = (".vscode-server/data/User", ".local/share/code-server/User")


def of_project(folders: Sequence[Path]) -> Iterator[Place]:
    """Yield the files that folders bring along, the nearest folder first.

    Args:
        folders: That of the notebook, and those above it that belong to the project.
    """
    for folder in folders:
        for product, name, mixed in _PROJECT:
            file = folder / name
            yield Place(product, "project", file, _base(product, file, folder), mixed)


def of_user(
    home: Path, folders: Sequence[Path], environ: Mapping[str, str], system: str
) -> Iterator[Place]:
    """Yield the files of the user for other products.

    Args:
        home: The user's home folder.
        folders: The folders of the project, that of the notebook first.
        environ: The environment variables, which move some of the files.
        system: As ``sys.platform`` says.
    """
    machine = _Machine(home, environ, system)
    for rows in (_first_rows, _code_rows, _terminal_rows, _last_rows):
        for product, file, mixed in rows(machine):
            base = _base(product, file, folders[0])
            yield Place(product, "user", file, base, mixed, tuple(folders))


def _base(product: str, file: Path, folder: Path) -> Path:
    """Return where paths of a file begin: for mcporter where the file lies itself."""
    return file.parent if product == "mcporter" else folder


@dataclass(frozen=True, slots=True)
class _Machine:
    """Where programs of the user keep their settings."""

    home: Path
    environ: Mapping[str, str]
    system: str

    def named(self, variable: str, usual: Path) -> Path:
        """Return the full path that a variable names, or the usual one.

        What a relative one means would be up to the folder of a notebook, and its
        ``.env`` file may set variables: what that folder brings is no file of the user.
        """
        found = Path(self.environ.get(variable) or usual)
        return found if found.is_absolute() else usual

    @property
    def config(self) -> Path:
        """The folder of settings of programs of the terminal."""
        return self.named("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def apps(self) -> Path:
        """The folder of settings of programs with windows."""
        match self.system:
            case "darwin":
                return self.home / "Library/Application Support"
            case "win32":
                return self.named("APPDATA", self.home / "AppData/Roaming")
        return self.config


def _first_rows(at: _Machine) -> Iterator[_Row]:
    jupyter = at.named("JUPYTER_CONFIG_DIR", at.home / ".jupyter")
    yield "Jupyter AI", jupyter / "mcp_servers.json", False
    yield "Claude Code", at.named("CLAUDE_CONFIG_DIR", at.home) / ".claude.json", True
    claude = at.named("CLAUDE_CONFIG_DIR", at.home / ".claude")
    yield "Claude Code", claude / "settings.local.json", True
    yield "Claude Code", claude / "settings.json", True
    yield "Claude Code", claude / "mcp.json", False
    yield "Claude Desktop", at.apps / "Claude/claude_desktop_config.json", True
    yield "Cursor", at.home / ".cursor/mcp.json", False


def _code_rows(at: _Machine) -> Iterator[_Row]:
    folders = [at.apps / name / "User" for name in _CODES]
    folders += [at.home / name for name in _SERVERS]
    for folder in folders:
        yield "VS Code", folder / "mcp.json", False
        yield "VS Code", folder / "settings.json", True
    for product, extension, name in _EXTENSIONS:
        for folder in folders:
            file = folder / "globalStorage" / extension / "settings" / name
            yield product, file, False
    yield "Cline", at.home / ".cline/data/settings/cline_mcp_settings.json", False
    for name in ("windsurf", "windsurf-next", "."):  # the last one is its plugins'
        yield "Windsurf", at.home / ".codeium" / name / "mcp_config.json", False


def _terminal_rows(at: _Machine) -> Iterator[_Row]:
    codex = at.named("CODEX_HOME", at.home / ".codex")
    yield "Codex", codex / "config.toml", True
    opencode = at.config / "opencode"
    yield "OpenCode", at.named("OPENCODE_CONFIG", opencode / "opencode.json"), True
    yield "OpenCode", opencode / "opencode.json", True
    yield "OpenCode", opencode / "opencode.jsonc", True
    zed = at.apps / "Zed" if at.system == "win32" else at.config / "zed"
    yield "Zed", zed / "settings.json", True
    copilot = at.named("COPILOT_HOME", at.home / ".copilot")
    yield "Copilot CLI", copilot / "mcp-config.json", False
    yield "Gemini CLI", at.home / ".gemini/settings.json", True


def _last_rows(at: _Machine) -> Iterator[_Row]:
    for name in ("config.yaml", "config.json"):
        yield "Continue", at.home / ".continue" / name, True
    yield "Continue", at.home / ".continue/mcpServers/*", False
    windows = at.system == "win32"
    goose = at.apps / "Block/goose/config" if windows else at.config / "goose"
    yield "Goose", goose / "config.yaml", True
    yield "LM Studio", at.home / ".lmstudio/mcp.json", False
    yield "LM Studio", at.home / ".cache/lm-studio/mcp.json", False
    folders = (at.config / "mcporter", at.home / ".mcporter")
    usual = [one / f"mcporter.{end}" for one in folders for end in ("json", "jsonc")]
    for file in (at.named("MCPORTER_CONFIG", usual[0]), *usual):
        yield "mcporter", file, False
