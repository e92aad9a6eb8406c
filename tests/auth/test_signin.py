"""Signing in, played against a real service: the ways it goes, and the ways it ends."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from mcp_magic.client.auth.opening import account_for
from mcp_magic.config import Http, ServerEntry, Source
from mcp_magic.errors import (
    AnswerRefused,
    ArgumentError,
    AuthorizationRequired,
    SignInFailed,
    UnknownServer,
)
from mcp_magic.model import Json, Secret
from mcp_magic.session import Session
from mcp_magic.session.signin import SignIn
from mcp_magic.session.status import status
from mcp_magic.teaching.running import Running, running, visit
from mcp_magic.teaching.service import Habits
from tests.auth.conftest import Person
from tests.ports import reserved


def _needs(person: Person, tool: str = "hello", **arguments: object) -> str:
    """Call a tool that wants a person; return what the caller is told."""
    with pytest.raises(AuthorizationRequired) as caught:
        person.call(tool, **arguments)
    return str(caught.value)


def _asked(job: SignIn, key: str) -> str:
    return parse_qs(urlsplit(job.url).query)[key][0]


# The usual way.


def test_a_call_shows_the_prompt_and_succeeds_after_it(person: Person) -> None:
    assert _needs(person) == (
        "acme wants you to sign in (HTTP 401): do so where it is shown, then run "
        "this again"
    )
    (job,) = person.shown
    visit(job.url)
    assert person.end(job).stage == "signed in"
    assert person.call(name="you").text == "Hello you"


def test_the_prompt_says_who_asks_where_for_what_and_how_long(
    person: Person, acme: Running
) -> None:
    job = person.begin()
    assert job.prompt is not None
    assert job.prompt.place.host == urlsplit(acme.service.issuer).netloc
    assert job.prompt.scopes == ("use", "offline_access")
    assert 240 < job.seconds_left <= 300
    assert (
        f"acme ({acme.url}) wants you to sign in at {job.prompt.place.host}"
        in job.text()
    )


def test_every_safeguard_of_the_specification_is_asked_for(
    person: Person, acme: Running
) -> None:
    job = person.begin()
    assert _asked(job, "code_challenge_method") == "S256"
    assert len(_asked(job, "code_challenge")) == 43
    assert len(_asked(job, "state")) >= 43
    assert _asked(job, "resource") == acme.url
    assert urlsplit(_asked(job, "redirect_uri")).hostname == "127.0.0.1"


def test_an_address_that_the_browser_could_not_open_is_pasted(person: Person) -> None:
    job = person.begin()
    address = visit(job.url, follow=False)
    job.submit(f"  '{address}'\n")
    assert person.end(job).stage == "signed in"
    assert person.call().text == "Hello world"


def test_who_is_signed_in_is_not_asked_again(person: Person, acme: Running) -> None:
    person.sign_in()
    assert person.begin().text() == "Signed in to acme."
    assert acme.service.counts["signed in"] == 1


def test_a_second_prompt_for_a_server_is_the_first_one(person: Person) -> None:
    job = person.begin()
    assert person.begin() is job


def test_a_sign_in_is_shown_where_it_is_not_seen_as_it_is_now(person: Person) -> None:
    job = person.begin()
    for _ in range(2):
        job._ipython_display_()
    assert person.shown == [job]
    visit(job.url)
    person.end(job)._ipython_display_()
    assert person.shown == [job, job]


def test_a_prompt_for_more_rights_is_asked_for_by_the_servers_name(
    person: Person,
) -> None:
    """As ``%mcp auth --paste`` does; the token serves for everything else."""
    person.sign_in()
    _needs(person, "rename", name="Ajax")
    (job,) = person.shown
    assert person.begin() is job
    job.submit(visit(job.url, follow=False))
    person.end(job)
    assert "called Ajax now" in person.call("rename", name="Ajax").text


def test_who_was_signed_in_is_asked_where_the_token_serves_no_more(
    person: Person, acme: Running
) -> None:
    person.sign_in()
    person.call()
    acme.service.access.clear()
    acme.service.refresh.clear()
    assert person.begin().stage == "waiting"


def test_servers_are_shown_to_want_a_sign_in(person: Person) -> None:
    _needs(person)
    states = {one.name: one.state for one in status(person.session)}
    assert states["acme"] == "sign in"
    visit(person.shown[0].url)
    person.end(person.shown[0])
    person.call()
    states = {one.name: one.state for one in status(person.session)}
    assert states["acme"] == "connected"


def test_signing_out_revokes_both_tokens_and_leaves_nothing(
    person: Person, acme: Running, kept: Path
) -> None:
    person.sign_in()
    session = person.session
    told = session.run(session.sign_ins.forget(session.connections.of("acme")))
    assert told == "revoked"
    assert acme.service.counts["revoked"] == 2
    assert not list(kept.glob("*.json"))
    _needs(person)


def test_starting_over_registers_anew(person: Person, acme: Running) -> None:
    person.sign_in()
    person.sign_in(reset=True)
    assert acme.service.counts["registered"] == 2
    assert person.call().text == "Hello world"


# What may go wrong while a person signs in.


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda _: "rubbish text", "paste the address"),
        (lambda _: "", "paste the address"),
        (lambda a: a.replace("state=", "state=x"), "another sign-in"),
        (lambda a: a.split("state=")[0], "paste the address"),
        (lambda a: a.replace("127.0.0.1", "127.0.0.2"), "does not begin with"),
        (lambda a: a.replace("/callback", "/other"), "does not begin with"),
        (lambda a: parse_qs(urlsplit(a).query)["code"][0], "the whole address"),
    ],
)
def test_what_does_not_fit_is_refused_and_the_sign_in_goes_on(
    person: Person, change: object, told: str
) -> None:
    assert callable(change)
    job = person.begin()
    address = visit(job.url, follow=False)
    with pytest.raises(AnswerRefused) as caught:
        job.submit(change(address))
    assert told in str(caught.value)
    assert job.stage == "waiting"
    job.submit(address)
    assert person.end(job).stage == "signed in"


def test_a_wrong_state_in_the_browser_leaves_the_prompt_open(person: Person) -> None:
    job = person.begin()
    redirect = _asked(job, "redirect_uri")
    with pytest.raises(OSError, match="400"):
        urlopen(f"{redirect}?code=stolen&state=wrong").close()  # noqa: S310 - ours
    assert job.stage == "waiting"
    assert "another sign-in" in job.problem
    visit(job.url)
    assert person.end(job).stage == "signed in"


def test_who_says_no_is_told_so(person: Person) -> None:
    job = person.begin()
    visit(job.url, allow=False)
    assert person.end(job).stage == "failed"
    assert str(job.error) == "it was refused: access_denied (You said no.)"
    assert _needs(person)


def test_a_cancelled_sign_in_is_over(person: Person) -> None:
    job = person.begin()
    job.cancel()
    assert person.end(job).text() == (
        "Not signed in to acme: the sign-in was cancelled"
    )
    with pytest.raises(AnswerRefused):
        job.submit("http://127.0.0.1/callback?code=1")


def test_nobody_is_waited_for_without_end(person: Person) -> None:
    job = person.end(person.begin(limit=0.05))
    assert "nobody signed in" in str(job.error)
    assert not _is_listening(job)


def _is_listening(job: SignIn) -> bool:
    assert job.prompt is not None
    place = urlsplit(job.prompt.redirect_uri)
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", place.port or 0)) == 0


@pytest.mark.parametrize("how", ["sign in", "cancel", "close"])
def test_nothing_listens_after_the_end(person: Person, how: str) -> None:
    job = person.begin()
    assert _is_listening(job)
    if how == "sign in":
        visit(job.url)
    elif how == "cancel":
        job.cancel()
    else:
        person.session.shut_down()
    if how != "close":
        person.end(job)
    assert not _is_listening(job)


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("https://evil.test", "another sign-in service"),
        ("", "does not name the sign-in service"),
    ],
)
@pytest.mark.parametrize("allow", [True, False])
def test_an_answer_of_another_service_is_never_used(
    person: Person, acme: Running, named: str, told: str, *, allow: bool
) -> None:
    acme.service.habits.issuer_in_answer = named
    job = person.begin()
    visit(job.url, allow=allow)
    assert told in str(person.end(job).error)
    assert "You said no" not in str(job.error)
    assert acme.service.counts["signed in"] == 0


# Registrations.


def test_a_busy_port_is_avoided_and_the_program_registered_for_another(
    person: Person, acme: Running
) -> None:
    first = person.begin()
    assert first.prompt is not None
    port = urlsplit(first.prompt.redirect_uri).port or 0
    visit(first.url)
    person.end(first)
    with socket.create_server(("127.0.0.1", port)):
        assert person.sign_in(scope="use admin").stage == "signed in"
    assert acme.service.counts["registered"] == 2


def test_a_free_port_and_its_registration_are_used_again(
    person: Person, another: Person, acme: Running
) -> None:
    person.sign_in()
    another.sign_in(scope="use admin")
    assert acme.service.counts["registered"] == 1


def test_a_restart_in_between_does_not_register_again(
    person: Person, another: Person, acme: Running
) -> None:
    before = visit(person.begin().url, follow=False)
    person.session.shut_down()
    job = another.begin()
    with pytest.raises(AnswerRefused, match="another sign-in"):
        job.submit(before)
    visit(job.url)
    assert another.end(job).stage == "signed in"
    assert acme.service.counts["registered"] == 1


def test_a_forgotten_registration_is_renewed_once(
    person: Person, acme: Running
) -> None:
    person.sign_in()
    acme.service.clients.clear()
    acme.service.access.clear()
    assert person.sign_in().stage == "signed in"
    assert acme.service.counts["registered"] == 2


def test_a_registration_is_never_shown_to_another_service(
    person: Person, acme: Running
) -> None:
    person.sign_in()
    store = person.session.sign_ins.store
    record = store.read(acme.url)
    assert record is not None
    store.write(acme.url, replace(record, issuer="https://former.test"))
    acme.service.access.clear()
    acme.service.refresh.clear()
    _needs(person)
    known = list(acme.service.clients)
    assert len(known) == 2
    assert _asked(person.shown[0], "client_id") == known[1]
    visit(person.shown[0].url)
    assert person.end(person.shown[0]).stage == "signed in"


def test_a_registration_made_by_hand_and_its_one_port(
    session: Session, person: Person, acme: Running
) -> None:
    with reserved() as port:
        acme.service.clients["mine"] = [f"http://127.0.0.1:{port}/callback"]
        settings: dict[str, Json] = {"client_id": "mine", "redirect_port": port}
        session.add(ServerEntry("acme", Http(acme.url), oauth=settings))
        with (
            socket.create_server(("127.0.0.1", port)),
            pytest.raises(SignInFailed, match=f"port {port} is taken"),
        ):
            person.begin()
        assert person.sign_in().stage == "signed in"
    assert acme.service.counts["registered"] == 0
    assert person.call().text == "Hello world"


def test_a_registration_of_claude_code_is_sent_where_it_says(
    session: Session, person: Person, acme: Running, tmp_path: Path
) -> None:
    file = tmp_path / "claude.json"
    source = Source("Claude Code", "user", file, "mcpServers.acme", 1, tmp_path, "")
    with reserved() as port:
        acme.service.clients["mine"] = [f"http://localhost:{port}/callback"]
        settings: dict[str, Json] = {"client_id": "mine", "redirect_port": port}
        entry = ServerEntry("acme", Http(acme.url), source=source, oauth=settings)
        session.add(entry)
        assert person.sign_in().stage == "signed in"


def test_a_sign_in_may_be_switched_off(
    session: Session, person: Person, acme: Running
) -> None:
    session.add(ServerEntry("acme", Http(acme.url), oauth={"enabled": False}))
    _needs(person)
    assert person.shown == []
    with pytest.raises(ArgumentError, match="switched off"):
        person.begin()


def test_a_token_of_another_registration_is_not_used(
    session: Session, person: Person, acme: Running
) -> None:
    person.sign_in()
    settings = {"client_id": "another"}
    session.add(ServerEntry("acme", Http(acme.url), oauth=settings))
    _needs(person)


# What is refused before a person is asked.


def test_a_service_without_pkce_is_refused(person: Person, acme: Running) -> None:
    acme.service.habits.has_pkce = False
    with pytest.raises(SignInFailed, match="PKCE"):
        person.begin()
    assert acme.service.counts["asked"] == 0
    entry = ServerEntry("acme", Http(acme.url), oauth={"pkce": False})
    person.session.add(entry)
    assert person.sign_in().stage == "signed in"


@pytest.mark.parametrize(
    "page",
    ["http://plain.example/authorize", "javascript:alert(1)", "file:///etc/passwd",
     "https://user:pass@as.example/authorize", "http://169.254.169.254/authorize"],
)  # fmt: skip
def test_an_unsafe_page_is_never_shown(
    person: Person, acme: Running, page: str
) -> None:
    acme.service.habits.authorization = page
    with pytest.raises(SignInFailed):
        person.begin()
    assert person.shown == []


# More rights.


def test_a_tool_that_wants_more_is_asked_for_without_losing_the_rest(
    person: Person,
) -> None:
    person.sign_in()
    told = _needs(person, "rename", name="Ajax")
    assert "for more rights: admin (HTTP 403)" in told
    (job,) = person.shown
    assert set(_asked(job, "scope").split()) == {"use", "admin", "offline_access"}
    visit(job.url)
    person.end(job)
    assert "called Ajax now" in person.call("rename", name="Ajax").text
    assert person.call().text == "Hello world"


def test_a_server_that_is_never_content_is_believed_twice(
    person: Person, acme: Running
) -> None:
    person.sign_in()
    for _ in range(2):
        _needs(person, "rename", name="Ajax")
        visit(person.shown[-1].url)
        person.end(person.shown[-1])
        for token, grant in list(acme.service.access.items()):
            weaker = grant.scope.replace("admin", "")
            acme.service.access[token] = type(grant)(
                grant.client, weaker, grant.resource, grant.ends
            )
    assert "2 times" in _needs(person, "rename", name="Ajax")
    assert len(person.shown) == 2


# Who is asked.


def test_without_a_person_a_call_fails_at_once_and_says_what_to_do(
    person: Person, acme: Running
) -> None:
    person.is_there = False
    told = _needs(person)
    assert "nobody is here to do so; run %mcp auth acme in a notebook, " in told
    assert person.shown == []
    assert acme.service.counts["registered"] == 0


def test_without_a_person_a_kept_token_is_used(person: Person, another: Person) -> None:
    person.sign_in()
    another.is_there = False
    assert another.call().text == "Hello world"


def test_another_session_that_signs_in_ends_this_prompt(
    person: Person, another: Person
) -> None:
    job = person.begin()
    another.sign_in()
    assert person.end(job).stage == "signed in"
    assert person.call().text == "Hello world"


# One source of tokens.


def test_a_configured_token_wins_and_the_message_names_it(
    session: Session, person: Person, acme: Running
) -> None:
    person.sign_in()
    header = {"Authorization": Secret("Bearer stale")}
    session.adopt(Http(acme.url, header), "acme")
    assert _needs(person) == (
        "acme refused the Authorization header in its configuration; put it right, "
        "or remove it to sign in (HTTP 401)"
    )
    with pytest.raises(ArgumentError, match="remove it there to sign in"):
        person.begin()


def test_a_token_of_the_environment_needs_no_person(
    session: Session,
    person: Person,
    acme: Running,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    person.sign_in()
    monkeypatch.setenv("ACME_TOKEN", next(iter(acme.service.access)))
    header = {"authorization": Secret("Bearer ${ACME_TOKEN}")}
    session.adopt(Http(acme.url, header), "acme")
    acme.service.refresh.clear()
    assert person.call().text == "Hello world"


def test_the_same_name_with_another_address_has_no_token(
    session: Session, person: Person
) -> None:
    person.sign_in()
    with running() as other:
        session.adopt(Http(other.url), "acme")
        _needs(person)
        assert other.service.counts["registered"] == 1


def test_two_servers_of_one_session_do_not_share_tokens(
    session: Session, person: Person
) -> None:
    person.sign_in()
    with running(Habits(lifetime=5)) as other:
        session.adopt(Http(other.url), "other")
        person.sign_in("other")
        assert person.call().text == "Hello world"
        assert not set(other.service.access) & _tokens_of(person)


def _tokens_of(person: Person) -> set[str]:
    store, entry = person.session.sign_ins.store, person.session.find("acme")
    assert isinstance(entry.target, Http)
    record = store.read(entry.target.url)
    assert record is not None
    assert record.tokens is not None
    return {record.tokens.access.reveal()}


def test_an_unknown_server_cannot_be_signed_in_to(session: Session) -> None:
    with pytest.raises(UnknownServer):
        session.find("nowhere-at-all")
    with pytest.raises(ArgumentError, match="no sign-in"):
        Person(session).begin("demo")


# Services of a company.


def test_a_private_service_of_a_public_server_is_allowed_by_its_host(
    person: Person, acme: Running
) -> None:
    for scope, allowed in (("own", ("login.corp",)), ("project", ())):
        source = Source("mcp-magic", scope, Path("f"), "k", 1, Path(), "")  # type: ignore[arg-type] # a table's
        oauth = {"private_hosts": ["Login.corp"]}
        entry = ServerEntry("acme", Http(acme.url), source=source, oauth=oauth)
        settings = person.session.connections.of("acme").settings
        account = account_for(entry, Http(acme.url), settings)
        assert account is not None
        assert account.settings.private_hosts == allowed


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda job: job.submit(5), "submit takes a text, not an object of type int"),
        (
            lambda job: job.submit(None),
            "submit takes a text, not an object of type NoneType",
        ),
        (
            lambda job: job.submit(b"code=hush"),
            "submit takes a text, not an object of type bytes",
        ),
        (
            lambda job: job.use_client(5),
            "client_id takes a text, not an object of type int",
        ),
        (
            lambda job: job.use_client("x", b"hush"),
            "secret takes a text, not an object of type bytes",
        ),
        (lambda job: job.wait("x"), "wait takes seconds above 0, not 'x'"),
        (lambda job: job.wait(0), "wait takes seconds above 0, not 0"),
    ],
)
def test_wrong_input_to_a_sign_in_is_one_line_and_it_goes_on(
    person: Person, wrong: Callable[[SignIn], object], says: str
) -> None:
    job = person.begin()
    with pytest.raises(ArgumentError) as caught:
        wrong(job)
    assert str(caught.value) == says
    visit(job.url)
    assert person.end(job).stage == "signed in"
