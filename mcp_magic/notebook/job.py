"""One line to carry out: what was typed, and the session that it is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp_magic.config import ServerEntry, Target, is_file, read_target
from mcp_magic.display.limits import plural
from mcp_magic.errors import LineError
from mcp_magic.language import Line
from mcp_magic.model import Secret
from mcp_magic.naming import Policy
from mcp_magic.session import Session

__all__ = ["Job", "given"]


@dataclass(frozen=True, slots=True)
class Job:
    """One line to carry out.

    Attributes:
        session: Knows the servers.
        namespace: The names of the cell.
        line: What was typed.
        cell: The body of the cell, if there is one.
    """

    session: Session
    namespace: Mapping[str, object]
    line: Line
    cell: str | None

    @property
    def policy(self) -> Policy:
        """What happens to names that are not known."""
        return "off" if self.line.options.no_correct else self.session.policy

    @property
    def words(self) -> list[str]:
        """The words after the verb."""
        return [word.text for word in self.line.words]

    def server(self, name: str) -> ServerEntry:
        """Return the server that a name means."""
        return self.session.find(name, self.policy)

    def servers(self) -> list[str]:
        """Return the names of the servers after a verb, which may be none."""
        return [self.server(word).name for word in self.words]

    def one(self, verb: str) -> ServerEntry:
        """Return the one server after a verb."""
        return self.server(self.exactly(verb, "SERVER")[0])

    def exactly(self, verb: str, *wanted: str) -> list[str]:
        """Return the words after a verb, which must be as many as *wanted*."""
        if len(self.words) != len(wanted):
            count = plural(len(wanted), "word") if wanted else "no words"
            raise LineError(
                f"{verb} takes {count}: %mcp {' '.join([verb, *wanted])}",
                self.line.source,
                min(self.line.at, len(self.line.source)),
            )
        return self.words


def given(job: Job, text: str) -> Target:
    """Return the target of a command or URL, with the options that go with it."""
    options = job.line.options
    if options.url is not None and "://" not in options.url:
        what = "--url takes a URL, such as https://…/mcp; --stdio takes a command"
        raise LineError(what, job.line.source, options.places["url"])
    return read_target(
        text,
        is_file=is_file,
        env={name: Secret(value) for name, value in options.env},
        headers={name: Secret(value) for name, value in options.headers},
        cwd=options.cwd,
    )
