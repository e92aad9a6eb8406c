"""In which files products name servers, on each system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from mcp_magic.config.dialects import Place

__all__ = ["of_project", "of_user"]

# Of a folder: product, file, and whether it holds other settings too. A name with * is
# a pattern.
_PROJECT = (
    ("Jupyter AI", ".jupyter/mcp_servers.json", False),
    ("Claude Code", ".mcp.json", False),
    ("Claude Code", ".claude/settings.local.json", True),
    ("Claude Code", ".claude/settings.json", True),
    ("Claude Code", ".claude/mcp.json", False),
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
            yield Place(product, "project", folder / name, folder, mixed)


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
    for product, file, mixed in _user_rows(home, environ, system):
        yield Place(product, "user", file, folders[0], mixed, tuple(folders))


def _user_rows(
    home: Path, environ: Mapping[str, str], system: str
) -> Iterator[tuple[str, Path, bool]]:
    def named(variable: str, usual: Path) -> Path:
        return Path(environ[variable]) if environ.get(variable) else usual

    config = named("XDG_CONFIG_HOME", home / ".config")
    apps = _apps(home, environ, system, config)
    claude = named("CLAUDE_CONFIG_DIR", home)
    yield "Jupyter AI", _jupyter(home, environ) / "mcp_servers.json", False
    yield "Claude Code", claude / ".claude.json", True
    for name in ("settings.local.json", "settings.json", "mcp.json"):
        folder = named("CLAUDE_CONFIG_DIR", home / ".claude")
        yield "Claude Code", folder / name, name != "mcp.json"
    yield "Claude Desktop", apps / "Claude/claude_desktop_config.json", True
    yield "Cursor", home / ".cursor/mcp.json", False
    yield from _code_rows(home, apps)
    for name in ("windsurf", "windsurf-next"):
        yield "Windsurf", home / f".codeium/{name}/mcp_config.json", False
    yield "Codex", named("CODEX_HOME", home / ".codex") / "config.toml", True
    if environ.get("OPENCODE_CONFIG"):
        yield "OpenCode", Path(environ["OPENCODE_CONFIG"]), True
    for name in ("opencode.json", "opencode.jsonc"):
        yield "OpenCode", config / "opencode" / name, True
    zed = apps / "Zed" if system == "win32" else config / "zed"
    yield "Zed", zed / "settings.json", True
    yield "Gemini CLI", home / ".gemini/settings.json", True
    for name in ("config.yaml", "config.json"):
        yield "Continue", home / ".continue" / name, True
    yield "Continue", home / ".continue/mcpServers/*", False
    goose = apps / "Block/goose/config" if system == "win32" else config / "goose"
    yield "Goose", goose / "config.yaml", True
    yield "LM Studio", home / ".lmstudio/mcp.json", False
    yield "LM Studio", home / ".cache/lm-studio/mcp.json", False
    if environ.get("MCPORTER_CONFIG"):
        yield "mcporter", Path(environ["MCPORTER_CONFIG"]), False
    for folder in (config / "mcporter", home / ".mcporter"):
        for name in ("mcporter.json", "mcporter.jsonc"):
            yield "mcporter", folder / name, False


def _code_rows(home: Path, apps: Path) -> Iterator[tuple[str, Path, bool]]:
    folders = [apps / name / "User" for name in _CODES]
    folders += [home / name for name in _SERVERS]
    for folder in folders:
        yield "VS Code", folder / "mcp.json", False
        yield "VS Code", folder / "settings.json", True
    for product, extension, name in _EXTENSIONS:
        for folder in folders:
            file = folder / "globalStorage" / extension / "settings" / name
            yield product, file, False
    yield "Cline", home / ".cline/data/settings/cline_mcp_settings.json", False


def _apps(home: Path, environ: Mapping[str, str], system: str, config: Path) -> Path:
    """Return the folder in which programs with windows keep their settings."""
    match system:
        case "darwin":
            return home / "Library/Application Support"
        case "win32":
            return Path(environ.get("APPDATA") or home / "AppData/Roaming")
    return config


def _jupyter(home: Path, environ: Mapping[str, str]) -> Path:
    return Path(environ.get("JUPYTER_CONFIG_DIR") or home / ".jupyter")
