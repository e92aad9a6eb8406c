"""``python -m tests.tour --write``: make the golden files anew; ``--picture``: those
of ``docs/images``. Read the differences before you keep them.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.lab import Lab, chromium, opened_page, running_lab
from tests.browser.pictures import draw
from tests.browser.tour import in_lab, read_page
from tests.home import MOVES
from tests.tour import goldens, verbs
from tests.tour.front_ends import in_nbclient


def main(task: str = "") -> int:
    """Do what is asked; return the exit status."""
    tasks = {"--write": _write, "--picture": _draw}
    if task not in tasks:
        sys.stderr.write(f"usage: python -m tests.tour {' | '.join(tasks)}\n")
        return 2
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_CACHE_HOME"] = str(_folder(Path(home), "cache"))
        for name in MOVES:
            os.environ.pop(name, None)
        tasks[task](Path(home))
    return 0


def _write(home: Path) -> None:
    shown = in_nbclient(_folder(home, "tour"))
    goldens.write("tour.txt", [(one.source, one.text) for one in shown])
    goldens.write("tour.html", [(one.source, one.html) for one in shown])
    with _lab(home) as (page, lab):
        sources = [one.source for one in in_lab(page, lab, "Light")]
        goldens.write("lab.txt", list(zip(sources, read_page(page), strict=True)))
    found = verbs.run_all(_folder(home, "verbs"))
    goldens.write("verbs.txt", [(name, one.text) for name, one in found.items()])
    goldens.write("verbs.html", [(name, one.html) for name, one in found.items()])


def _draw(home: Path) -> None:
    with _lab(home) as (page, lab):
        draw(page, lab)


@contextlib.contextmanager
def _lab(home: Path) -> Iterator[tuple[Page, Lab]]:
    with (
        running_lab(_folder(home, "lab-home"), _folder(home, "lab")) as lab,
        chromium() as browser,
        opened_page(browser, device_scale_factor=1) as page,
    ):
        yield page, lab


def _folder(home: Path, name: str) -> Path:
    folder = home / name
    folder.mkdir()
    return folder


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
