"""Run the official conformance suite against the driver, a process a scenario."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

__all__ = [
    "REVISIONS",
    "Scenario",
    "Verdict",
    "differences",
    "expected_failures",
    "install",
    "run",
    "scenarios",
]

REVISIONS = ("2025-11-25", "2026-07-28")

_HERE = Path(__file__).parent
_MODULES = _HERE / "node_modules"
_NODE = _MODULES / "node" / "bin" / "node"
_SUITE = _MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
_LISTED = re.compile(r"^  - (\S+) \[(.+)\]$", re.MULTILINE)
_LIMIT = 60  # seconds the driver may take for a scenario


@dataclass(frozen=True, slots=True, order=True)
class Scenario:
    """One scenario of the suite in one leg.

    Attributes:
        leg: A revision of the protocol; ``extension`` or an older revision for the
            scenarios that belong to neither of ``REVISIONS``.
        name: The suite's name for it.
    """

    leg: str
    name: str

    def __str__(self) -> str:
        return f"{self.leg} {self.name}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the suite saw in one scenario.

    Attributes:
        scenario: Which one.
        passed: The suite is content, and has checked something.
        checks: How many checks succeeded.
        complaints: A line for everything that went wrong.
    """

    scenario: Scenario
    passed: bool
    checks: int
    complaints: tuple[str, ...] = ()


def install() -> None:
    """Bring the suite and its Node from npm, unless they are here.

    Raises:
        SystemExit: npm is missing or failed.
    """
    wanted, ready = _HERE / "package.json", _MODULES / ".ready"
    if ready.is_file() and ready.stat().st_mtime >= wanted.stat().st_mtime:
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("The conformance suite needs Node and npm.")
    options = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    done = subprocess.run([npm, "install", *options], cwd=_HERE, check=False)
    if done.returncode:
        sys.exit("npm could not install the conformance suite.")
    ready.touch()


def scenarios() -> list[Scenario]:
    """Return every client scenario, once for each revision that has it."""
    found = _LISTED.findall(_suite("list", "--client").stdout)
    return sorted(
        Scenario(leg, name) for name, tags in found for leg in _legs(tags.split(","))
    )


def _legs(tags: Sequence[str]) -> list[str]:
    ours = [tag for tag in tags if tag in REVISIONS]
    return ours or [tags[0]]


def run(
    wanted: Iterable[Scenario], tell: Callable[[Verdict], None] | None = None
) -> list[Verdict]:
    """Run scenarios, as many at once as there are cores.

    Args:
        wanted: Which ones.
        tell: Receives each verdict as soon as those before it are there.
    """
    verdicts: list[Verdict] = []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for verdict in pool.map(_run_one, wanted):
            verdicts.append(verdict)
            if tell is not None:
                tell(verdict)
    return verdicts


def _run_one(scenario: Scenario) -> Verdict:
    driver = shlex.join([sys.executable, "-P", str(_HERE / "client.py")])
    pinned = ("--spec-version", scenario.leg) if scenario.leg in REVISIONS else ()
    options = ("--command", driver, "--timeout", str(_LIMIT * 1000), "--verbose")
    with tempfile.TemporaryDirectory() as cache:  # what is known of other servers
        arguments = ("--scenario", scenario.name, *options, *pinned)
        done = _suite(
            "client", *arguments, XDG_CACHE_HOME=cache, MCP_MAGIC_TOKENS=cache
        )
    checks = _checks(done.stdout)
    succeeded = sum(check["status"] == "SUCCESS" for check in checks)
    passed = done.returncode == 0 and succeeded > 0
    complaints = () if passed else tuple(_complaints(checks, done.stderr))
    return Verdict(scenario, passed, succeeded, complaints)


def _suite(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [str(_NODE), str(_SUITE), *arguments]
    # Node leaves without waiting for a full pipe to be read; a file takes it all.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        done = subprocess.run(
            command,
            stdout=out,
            stderr=err,
            check=False,
            env={**os.environ, **env},
            timeout=_LIMIT * 3,
        )
        printed, complained = (_text(file) for file in (out, err))
    return subprocess.CompletedProcess(command, done.returncode, printed, complained)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _checks(printed: str) -> list[dict[str, Any]]:
    """Return the checks that the suite printed as JSON, after lines of other text."""
    start = re.search(r"^\[", printed, re.MULTILINE)
    return [] if start is None else list(json.loads(printed[start.start() :]))


def _complaints(checks: list[dict[str, Any]], stderr: str) -> Iterable[str]:
    for check in checks:
        if check["status"] in ("FAILURE", "WARNING"):
            said = check.get("errorMessage") or check.get("description")
            yield f"{check['id']}: {said}"
    if not any(check["status"] == "SUCCESS" for check in checks):
        yield "nothing was checked"
    _, crashed, rest = stderr.partition("Client exited with code")
    if crashed:
        output = rest.partition("\nTest Results:")[0]
        yield f"the driver exited with code{output.rstrip()}"


def expected_failures() -> frozenset[Scenario]:
    """Return the scenarios that are known to fail; the list only shrinks."""
    text = (_HERE / "expected_failures.txt").read_text(encoding="utf-8")
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return frozenset(Scenario(*words) for words in lines if words)


def differences(verdicts: Iterable[Verdict], expected: Iterable[Scenario]) -> list[str]:
    """Return one sentence for each verdict that is not as expected."""
    judge = partial(_difference, expected=frozenset(expected))
    return [said for said in map(judge, verdicts) if said]


def _difference(verdict: Verdict, expected: frozenset[Scenario]) -> str:
    known = verdict.scenario in expected
    if verdict.passed and known:
        return f"{verdict.scenario} passes: remove it from expected_failures.txt"
    if not verdict.passed and not known:
        return "\n    ".join((f"{verdict.scenario} fails:", *verdict.complaints))
    return ""
