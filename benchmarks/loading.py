"""Loading the extension, in processes of their own."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.clock import in_turns
from benchmarks.registry import AtMost, Measured, NotMeasured, Scale, row

__all__ = ["load_ext"]

# Both sides have a shell already, as every kernel has.
_SHELL = """
import os, tempfile, time
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
config = Config()
config.HistoryManager.enabled = False
with tempfile.TemporaryDirectory() as folder:
    shell = InteractiveShell(config=config, ipython_dir=folder)
    started = time.perf_counter()
    {work}
    seconds = time.perf_counter() - started
print(seconds, flush=True)
os._exit(0)
"""


@row("%load_ext mcp_magic", "import mcp", AtMost(0.05))
def load_ext(scale: Scale) -> Measured:
    """Inside a shell that is up; the start of Python and IPython is not counted."""
    return in_turns(
        lambda: _seconds("shell.run_line_magic('load_ext', 'mcp_magic')"),
        lambda: _seconds("import mcp"),
        scale.repeats,
    )


def _seconds(work: str) -> float:
    program = _SHELL.format(work=work)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotMeasured(f"{work}: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout)
