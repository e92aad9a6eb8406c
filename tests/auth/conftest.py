"""A server to sign in to, its service, and a person who can be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mcp_magic.config import Http
from mcp_magic.session import CallResult, Server, Session
from mcp_magic.session.signin import Prompter, SignIn, when_ended, when_ready
from mcp_magic.teaching.running import Running, running, visit
from mcp_magic.teaching.service import Grant

__all__ = ["Noticed", "Person", "moved"]


@dataclass
class Person:
    """Somebody at a session, who is shown the sign-ins and may act on them."""

    session: Session
    is_there: bool = True
    shown: list[SignIn] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session.sign_ins.prompter = Prompter(
            lambda: self.is_there, self.shown.append
        )

    def begin(self, name: str = "acme", **options: object) -> SignIn:
        """Ask to sign in to a server."""
        session = self.session
        connection = session.connections.of(name)
        return session.run(session.sign_ins.begin(connection, **options))  # type: ignore[arg-type] # a test's

    def end(self, job: SignIn) -> SignIn:
        """Wait until a sign-in is over."""
        self.session.run(when_ended(job))
        return job

    def sign_in(self, name: str = "acme", **options: object) -> SignIn:
        """Sign in with a browser that can reach the listener."""
        job = self.begin(name, **options)
        visit(job.url)
        return self.end(job)

    def call(self, tool: str = "hello", **arguments: object) -> CallResult:
        """Call a tool of the server."""
        server = Server(self.session, self.session.find("acme"))
        result: CallResult = server[tool](**arguments)
        return result


def moved(person: Person, job: SignIn) -> None:
    """Wait until a sign-in shows something else after an answer, or is over."""
    person.session.run(when_ready(job))


class Noticed(dict[str, Grant]):
    """Tokens of the service that do something at the moment one is given or taken."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__()
        self._then = then

    def __setitem__(self, key: str, grant: Grant) -> None:
        super().__setitem__(key, grant)
        self._then()

    def pop(self, key: str, default: object = None) -> Any:
        found = super().pop(key, default)
        self._then()
        return found


@pytest.fixture(name="acme")
def _acme() -> Iterator[Running]:
    with running() as both:
        yield both


@pytest.fixture(name="kept")
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the tokens of a test are kept."""
    folder = tmp_path / "tokens"
    monkeypatch.setenv("MCP_MAGIC_TOKENS", str(folder))
    return folder


@pytest.fixture(name="person")
def _person(acme: Running, kept: Path, session: Session) -> Person:
    session.adopt(Http(acme.url), "acme")
    return Person(session)


@pytest.fixture(name="another")
def _another(acme: Running, kept: Path) -> Iterator[Person]:
    """Somebody at another session with the same tokens."""
    session = Session()
    session.adopt(Http(acme.url), "acme")
    yield Person(session)
    session.shut_down()
