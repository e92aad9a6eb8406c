"""One typo among many names: ``resolve`` against the published rule in Node."""

from __future__ import annotations

import itertools
import json
import random
import statistics
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import npm
from benchmarks.clock import timed
from benchmarks.registry import AtLeast, Measured, NotMeasured, Scale, row
from mcp_magic.naming import Corrected, Resolution, resolve

__all__ = ["one_typo"]

_PROGRAM = Path(__file__).with_name("nearest.mjs")
_RULE = Path(__file__).parent / "node_modules/mcporter/dist/cli/identifier-helpers.js"
_VERBS = "get list create update delete search send fetch archive restore sync export"
_QUALITIES = "open closed shared daily weekly private public latest pending failed"
_THINGS = (
    "issue pull_request message calendar_event invoice customer document page branch "
    "release comment label milestone workflow deployment alert dashboard metric query "
    "table record attachment contact project team channel thread reaction webhook token"
)
_DETAILS = "statuses by_id in_folder for_user with_history as_csv"


@row("resolve one typo among 10,000 names", "mcporter's rule in Node", AtLeast(5))
def one_typo(scale: Scale) -> Measured:
    """The default policy is timed; the bare rule must answer as Node does."""
    names = _names(scale.names)
    typos = _typos(names, scale.typos)
    theirs = _in_node(names, typos)
    resolve(typos[0], names)  # loads what it needs
    mine = [timed(partial(resolve, typed, names)) for typed in typos]
    for typed, answer in zip(typos, theirs, strict=True):
        bare = resolve(typed, names, policy="threshold")
        if _value(bare) != (answer["value"] if answer["kind"] == "auto" else None):
            raise NotMeasured(f"{typed}: {bare} here, {answer} in Node")
    corrected = sum(isinstance(result, Corrected) for _, result in mine)
    return Measured(
        statistics.median(seconds for seconds, _ in mine),
        statistics.median(answer["seconds"] for answer in theirs),
        f"{len(typos)} typos, {corrected} corrected, the rest suggested",
    )


def _value(resolution: Resolution) -> str | None:
    return resolution.name if isinstance(resolution, Corrected) else None


def _in_node(names: Sequence[str], typos: Sequence[str]) -> list[dict[str, Any]]:
    theirs = [str(_RULE)] if npm.installed() else []
    done = subprocess.run(
        [npm.node(), str(_PROGRAM), *theirs],
        input=json.dumps({"names": names, "typos": typos}),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise NotMeasured(f"Node failed: {done.stderr.strip().splitlines()[-1]}")
    return list(json.loads(done.stdout))


def _names(count: int) -> list[str]:
    """Return tool names as servers have them, sorted: both sides take the first."""
    parts = [words.split() for words in (_VERBS, _QUALITIES, _THINGS, _DETAILS)]
    made = ["_".join(words) for words in itertools.product(*parts)]
    return sorted(random.Random(1).sample(made, count))  # noqa: S311 - no secret


def _typos(names: Sequence[str], count: int) -> list[str]:
    """Return names with one letter doubled, dropped, swapped or changed."""
    luck = random.Random(2)  # noqa: S311 - no secret
    made: list[str] = []
    while len(made) < count:
        name = luck.choice(names)
        at = luck.randrange(1, len(name) - 1)
        head, letter, tail = name[:at], name[at], name[at + 1 :]
        ways = (letter * 2 + tail, tail, tail[0] + letter + tail[1:], "q" + tail)
        typed = head + luck.choice(ways)
        if typed not in names:
            made.append(typed)
    return made
