"""Where a person's own configuration may be, outside the home folder."""

from __future__ import annotations

__all__ = ["MOVES"]

MOVES = (
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"),
    *(
        "CODEX_HOME",
        "COPILOT_HOME",
        "CLAUDE_CONFIG_DIR",
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_DIR",
    ),
    *("MCPORTER_CONFIG", "MCP_MAGIC_CONFIG", "JUPYTER_CONFIG_DIR"),
)
"""The variables that name such places; tests take them out of the environment."""
