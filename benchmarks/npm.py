"""What comes from npm: mcporter and a Node that can run it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from benchmarks.clock import say
from benchmarks.registry import NotMeasured

__all__ = ["installed", "mcporter", "node", "version"]

_HERE = Path(__file__).parent
_MODULES = _HERE / "node_modules"
_NODE = _MODULES / "node" / "bin" / "node"
_OPTIONS = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
_LIMIT = 300  # seconds


def installed() -> bool:
    """Whether everything is here, put in place by an earlier run."""
    ready, wanted = _MODULES / ".ready", _HERE / "package.json"
    return ready.is_file() and ready.stat().st_mtime >= wanted.stat().st_mtime


def mcporter(*, allowed: bool) -> tuple[str, str]:
    """Return the command that starts mcporter; installs it at the first need.

    Args:
        allowed: Whether it may be used at all.

    Raises:
        NotMeasured: It may not be used, or cannot be installed.
    """
    if not allowed:
        raise NotMeasured("what comes from npm is left out")
    if not installed():
        _install()
    return str(_NODE), str(_MODULES / "mcporter" / "dist" / "cli.js")


def _install() -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NotMeasured("mcporter needs npm, which is not on PATH")
    say("installing mcporter and Node from npm …")
    try:
        done = subprocess.run(
            [npm, "install", *_OPTIONS],
            cwd=_HERE,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise NotMeasured("npm took too long to install mcporter") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise NotMeasured(f"npm could not install mcporter: {last}")
    (_MODULES / ".ready").touch()


def node() -> str:
    """Return a Node: the one from npm if it is here, else the one on PATH.

    Raises:
        NotMeasured: There is none.
    """
    found = str(_NODE) if installed() else shutil.which("node")
    if found is None:
        raise NotMeasured("there is no Node on PATH")
    return found


def version(package: str) -> str | None:
    """Return the version of an installed npm package."""
    path = _MODULES / package / "package.json"
    if not path.is_file():
        return None
    return str(json.loads(path.read_text(encoding="utf-8"))["version"])
