"""Restarting a kernel again and again, as people do (EVL-06)."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from tests.faults.servers import FAULTY
from tests.kernels import Kernel

pytestmark = pytest.mark.kernel


def test_restarts_leave_nothing_that_a_server_started_and_work_at_once(
    tmp_path: Path, python: str
) -> None:
    note = tmp_path / "pid"
    command = f"{python} -S {FAULTY} grandchild={note}"
    with Kernel(tmp_path, {**os.environ, "HOME": str(tmp_path)}) as kernel:
        for _ in range(3):
            kernel.run("%load_ext mcp_magic")
            shown = kernel.run(f'%mcp --name it --stdio "{command}" echo text=here')
            assert (shown.text, shown.error) == ("here", "")
            children = kernel.process.children(recursive=True)
            assert int(note.read_text()) in [one.pid for one in children]
            kernel.restart()
            _, alive = psutil.wait_procs(children, timeout=60)
            assert alive == []
