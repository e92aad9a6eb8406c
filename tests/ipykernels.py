"""The ipykernel releases that tests run on besides the one that is installed.

ipykernel is pure Python, and its releases want much the same of other packages: each
lies in a folder of its own that comes first on a kernel's path, and everything else
is that of the environment. ``python -m tests.ipykernels`` installs what is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["RELEASES", "choose", "folder"]

RELEASES = ("6.31", "7.2", "7.4")


def folder(release: str) -> Path:
    """Return where *release* is, or would be, in this environment."""
    return Path(sys.prefix) / "ipykernels" / release


def choose(release: str) -> None:
    """Have every kernel that this process starts run on *release*.

    Raises:
        FileNotFoundError: It is not installed.
    """
    if not (folder(release) / "ipykernel").is_dir():
        raise FileNotFoundError(
            f"ipykernel {release} is missing; make kernels installs {RELEASES}"
        )
    rest = os.environ.get("PYTHONPATH")
    paths = [str(folder(release)), *([rest] if rest else [])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


def _install(release: str) -> None:
    place = folder(release)
    shutil.rmtree(place, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    wanted = ["--no-deps", "--target", str(place), f"ipykernel=={release}.*"]
    subprocess.run([*pip, "install", *wanted], check=True)


if __name__ == "__main__":
    for one in RELEASES:
        if not (folder(one) / "ipykernel").is_dir():
            _install(one)
