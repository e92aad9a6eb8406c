"""Scores the correction of names: how often it is right, how often a wrong tool runs.

Run as a program, ``python -m tests.naming.simulation [NUMBER…]`` prints the scores for
each start of the random numbers, and for the bare rule beside the guarded one.
"""

from __future__ import annotations

import json
import random
import string
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mcp_magic.naming import Corrected, Exact, Policy, resolve

Catalogue: TypeAlias = list[str]
Attempt: TypeAlias = tuple[str, Catalogue, str | None]
"""What is typed, which tools exist, and which of them was meant, if any."""

DATA = Path(__file__).parents[1] / "data" / "naming"

VERBS = """
accept activate add allow analyze append apply approve archive assign attach ban block
browse build call cancel check checkout classify clean clear click clone close commit
compare compile compress connect convert copy count create crop deactivate decode
decrypt delete deny deploy describe deselect detach dial diff disable disconnect
download drag drop dump edit embed enable encode encrypt execute export extract fetch
filter find flag follow fork format forward generate get grant head hide hover import
init insert inspect install invite invoke join kick kill label leave list load lock
login logout make mark merge mint mount move mute open parse patch pause pay pin ping
play post predict preview print prune publish pull purge push put query rank rate read
rebuild receive record redo refund register reject release reload remove rename render
reopen replace reply reset resolve restart restore resume retry review revoke rollback
rotate run save scale scan schedule scroll search select sell send set share show sign
sleep sort split squash stage star start stash stop submit subscribe summarize suspend
swap sync tag tail terminate test throttle toggle train transfer transform translate
trigger trim truncate type unarchive unassign unban unblock unflag unfollow uninstall
unlock unmark unmount unmute unpin unpublish unregister unstar unsubscribe untag unwatch
update upload upsert validate verify view wait watch wipe write zip
""".split()


@dataclass(frozen=True, slots=True)
class Score:
    """What became of many attempts.

    Attributes:
        asked: How many there were.
        right: Per cent that led to the tool that was meant.
        wrong: Per cent that would have run another tool.
    """

    asked: int
    right: float
    wrong: float


def catalogues() -> list[Catalogue]:
    """Return the tool names of four real servers, each sorted."""
    files = sorted((DATA / "catalogs").glob("*.json"))
    return [sorted(json.loads(file.read_text(encoding="utf-8"))) for file in files]


def score(attempts: Iterator[Attempt], policy: Policy = "guarded") -> Score:
    """Resolve every attempt and count."""
    asked = right = wrong = 0
    for typed, names, meant in attempts:
        found = resolve(typed, names, policy=policy)
        asked += 1
        if isinstance(found, Exact | Corrected):
            right += found.name == meant
            wrong += found.name != meant
    return Score(asked, 100 * right / asked, 100 * wrong / asked)


def typos(edits: int, start: int, *, times: int = 20) -> Iterator[Attempt]:
    """Yield every name *times* times with that many random edits."""
    rng = random.Random(start)  # noqa: S311 - repeatable, not secret
    for names in catalogues():
        for name in names:
            for _ in range(times):
                typed = name
                for _ in range(edits):
                    typed = _edited(typed, rng)
                if typed not in names:
                    yield typed, names, name


def absent() -> Iterator[Attempt]:
    """Yield every name, typed right where just that tool does not exist."""
    for names in catalogues():
        for name in names:
            yield name, [other for other in names if other != name], None


def swapped(verbs: Sequence[str] = VERBS) -> Iterator[Attempt]:
    """Yield every name with another verb as its first word, where that is no tool."""
    for names in catalogues():
        for name in names:
            first, *rest = name.replace("-", "_").split("_")
            for verb in verbs:
                typed = "_".join([verb, *rest])
                if verb != first and typed not in names:
                    yield typed, names, None


def _edited(text: str, rng: random.Random) -> str:
    """Return *text* with one letter dropped, added, replaced or swapped."""
    place, kind = rng.randrange(len(text)), rng.choice("dist")
    letter = rng.choice(string.ascii_lowercase)
    if kind == "t":
        place = min(place, len(text) - 2)
        pair = text[place + 1] + text[place]
        return text[:place] + pair + text[place + 2 :]
    before, after = text[:place], text[place + (kind != "i") :]
    return before + after if kind == "d" else before + letter + after


def _main(starts: Sequence[int]) -> None:
    def show(label: str, policy: Policy, found: Score) -> None:
        print(  # noqa: T201
            f"{policy:10} {label:22} n={found.asked:6} right {found.right:6.2f} %"
            f"   wrong tool runs {found.wrong:6.3f} %"
        )

    policies: tuple[Policy, Policy] = ("threshold", "guarded")
    for policy in policies:
        for start in starts:
            for edits in (1, 2, 3):
                found = score(typos(edits, start), policy)
                show(f"{edits} edits from {start}", policy, found)
        show("tool absent", policy, score(absent(), policy))
        show("verb swapped", policy, score(swapped(), policy))


if __name__ == "__main__":
    _main([int(word) for word in sys.argv[1:]] or [7])
