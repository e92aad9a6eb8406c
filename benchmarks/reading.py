"""``%mcp`` in a home that knows many servers."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.clock import in_turns, timed
from benchmarks.registry import AtMost, Measured, NotMeasured, Scale, row
from mcp_magic.config import Approvals
from mcp_magic.config.store import read_files
from mcp_magic.notebook import verbs
from mcp_magic.session import Session
from mcp_magic.session.known import Known
from mcp_magic.session.status import Servers

__all__ = ["read_servers"]

_PROJECTS = 200


@row("%mcp, 1,000 servers in a ~/.claude.json of 5 MB", "json.loads of it", AtMost(10))
def read_servers(scale: Scale) -> Measured:
    """Read and shown; the file is another one each time, unchanged it is not read."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        text = _text(servers=scale.names // 10, history=scale.names // 100)
        file = home / ".claude.json"
        file.write_text(text, encoding="utf-8")
        session = _session(home)
        measured = in_turns(
            lambda: _read_anew(session, file, scale.names // 10),
            lambda: timed(partial(json.loads, text))[0],
            scale.repeats,
        )
        again = timed(partial(_shown, session))[0]
    note = f"{len(text) / 1e6:.1f} MB; {again * 1000:.1f} ms when it has not changed"
    return replace(measured, note=note)


def _session(home: Path) -> Session:
    session = Session(home)
    session.known = Known(lambda: read_files(home, home, {}), Approvals(None))
    session.person.say = lambda _: None
    return session


def _read_anew(session: Session, file: Path, count: int) -> float:
    now = file.stat().st_mtime_ns + 1
    os.utime(file, ns=(now, now))
    seconds, found = timed(lambda: _shown(session))
    if found != count + 1:  # the bundled one
        raise NotMeasured(f"{found} servers were found, not {count}")
    return seconds


def _shown(session: Session) -> int:
    """Show the servers as ``%mcp`` does, and return how many there are."""
    servers, _ = verbs.run(session, {}, "", None)
    if not isinstance(servers, Servers):
        raise NotMeasured("%mcp gave no table")
    servers._repr_mimebundle_()
    return len(servers)


def _text(*, servers: int, history: int) -> str:
    """Return a file of Claude Code as it grows: most of it is no server."""
    said = {"display": "a question that was once asked " * 6, "pastedContents": {}}
    projects = {
        f"/home/me/project-{n}": {"history": [said] * history, "mcpServers": {}}
        for n in range(_PROJECTS)
    }
    entries = {f"server-{n}": _entry(n) for n in range(servers)}
    return json.dumps({"projects": projects, "mcpServers": entries}, indent=1)


def _entry(n: int) -> dict[str, object]:
    if n % 2:
        headers = {"Authorization": "Bearer ${TOKEN}"}
        return {"type": "http", "url": f"https://h{n}.test/mcp", "headers": headers}
    env = {"TOKEN": "${TOKEN}"}
    return {"command": "npx", "args": ["-y", f"server-{n}", "--quiet"], "env": env}
