"""A service that registers nobody: the prompt takes a registration made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcp_magic.client.auth.attempt import Missing
from mcp_magic.errors import AnswerRefused, AuthorizationRequired, SignInFailed
from mcp_magic.session.signin import SignIn
from mcp_magic.teaching.running import Running, visit
from tests.auth.conftest import Person, moved

_SECRET = "canary-typed-secret"  # noqa: S105 - a canary


@pytest.fixture(name="acme")
def _acme(acme: Running) -> Running:
    acme.service.habits.registers = False
    return acme


def _missing(job: SignIn) -> Missing:
    assert job.missing is not None
    return job.missing


def _register(
    acme: Running, job: SignIn, name: str = "mine", password: str = ""
) -> None:
    """Register the program at the service, as a person does by hand."""
    acme.service.clients[name] = [_missing(job).redirect_uri]
    if password:
        acme.service.passwords[name] = password


def _sign_in(person: Person, acme: Running, password: str = "") -> SignIn:
    job = person.begin()
    _register(acme, job, password=password)
    job.use_client(" mine\n", password)
    moved(person, job)
    visit(job.url)
    return person.end(job)


def _files(folder: Path) -> str:
    return "".join(
        path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()
    )


def test_a_call_shows_what_to_register_and_the_sign_in_goes_on_from_there(
    person: Person, acme: Running
) -> None:
    with pytest.raises(AuthorizationRequired, match="do so where it is shown"):
        person.call()
    (job,) = person.shown
    assert job.stage == "registering"
    assert job.url == ""
    told = job.text()
    assert "which does not let programs register themselves.\n" in told
    assert _missing(job).place.host in told
    assert f"\n  {_missing(job).redirect_uri}\n" in told
    assert "%mcp auth --paste acme" in told
    _register(acme, job)
    job.use_client("mine")
    moved(person, job)
    assert "client_id=mine" in job.url
    visit(job.url)
    assert person.end(job).text() == "Signed in to acme."
    assert person.call(name="you").text == "Hello you"


def test_a_name_that_was_typed_is_kept_for_this_server_alone(
    person: Person, another: Person, acme: Running, kept: Path
) -> None:
    _sign_in(person, acme)
    (file,) = kept.glob("*.json")
    assert json.loads(file.read_text(encoding="utf-8"))["client"]["client_id"] == "mine"
    assert [path.parent for path in kept.parent.rglob("*.json")] == [kept]
    job = another.begin(scope="use admin")
    assert job.stage == "waiting"
    visit(job.url)
    assert another.end(job).stage == "signed in"


def test_a_secret_that_was_typed_renews_the_token_and_is_in_no_file(
    person: Person, acme: Running, kept: Path
) -> None:
    _sign_in(person, acme, _SECRET)
    assert person.call().text == "Hello world"
    acme.service.access.clear()
    assert person.call().text == "Hello world"
    acme.service.access.clear()
    assert person.call().text == "Hello world"
    assert acme.service.counts["refreshed"] == 2
    job = person.begin(scope="use admin")
    assert job.stage == "waiting"
    visit(job.url)
    assert person.end(job).stage == "signed in"
    assert '"by_hand": true' in _files(kept.parent)
    assert _SECRET not in _files(kept.parent)


def test_a_kernel_without_the_secret_asks_for_it_and_spoils_nothing(
    person: Person, another: Person, acme: Running
) -> None:
    _sign_in(person, acme, _SECRET)
    acme.service.access.clear()
    with pytest.raises(AuthorizationRequired):
        another.call()
    (job,) = another.shown
    assert _missing(job).known == "mine"
    assert person.call().text == "Hello world"
    assert person.end(job).stage == "signed in"  # seen by the other's prompt
    assert another.call().text == "Hello world"
    assert acme.service.counts["refreshed"] == 1


def test_a_name_that_the_service_does_not_know_is_asked_for_again(
    person: Person, acme: Running
) -> None:
    job = person.begin()
    job.use_client("typo")
    moved(person, job)
    assert _missing(job).why == "does not seem to know this client id (HTTP 400)"
    assert _missing(job).known == "typo"
    _register(acme, job)
    job.use_client("mine")
    moved(person, job)
    visit(job.url)
    assert person.end(job).stage == "signed in"


def test_who_gets_the_answer_is_said_where_it_is_another_host(
    person: Person, acme: Running
) -> None:
    """A server may name the page of one service, and collect its answers itself."""
    page = f"{acme.service.issuer}/authorize".replace("127.0.0.1", "localhost")
    acme.service.habits.authorization = page
    job = person.begin()
    receiver = acme.service.issuer.removeprefix("http://")
    assert f"(the answer goes to {receiver}), which does not let" in job.text()
    _register(acme, job)
    job.use_client("mine")
    moved(person, job)
    assert f"sign in at localhost:{receiver.partition(':')[2]} (the" in job.text()


def test_who_insists_on_a_name_is_believed(person: Person, kept: Path) -> None:
    job = person.begin()
    for _ in range(2):
        job.use_client("typo")
        moved(person, job)
    assert job.stage == "waiting"
    assert "client_id=typo" in job.url
    assert not list(kept.glob("*.json"))  # kept once it has been of use


def test_a_wrong_secret_is_told_and_asked_for_again(
    person: Person, acme: Running
) -> None:
    job = person.begin()
    _register(acme, job, password=_SECRET)
    job.use_client("mine", "wrong")
    moved(person, job)
    visit(job.url)
    assert "gave no token: invalid_client" in person.end(job).text()
    assert person.begin().stage == "registering"


def test_a_name_that_the_service_forgot_is_asked_for_and_shown(
    person: Person, acme: Running
) -> None:
    _sign_in(person, acme)
    acme.service.clients.clear()
    job = person.begin(scope="use admin")
    assert _missing(job).known == "mine"


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "caf\u00e9", "x" * 501])
def test_what_cannot_be_a_name_is_refused_and_asked_for_still(
    person: Person, name: str
) -> None:
    job = person.begin()
    with pytest.raises(AnswerRefused, match="no client id"):
        job.use_client(name)
    with pytest.raises(AnswerRefused, match="no client secret"):
        job.use_client("mine", "two\nlines")
    assert job.stage == "registering"


def test_the_name_comes_before_the_address(person: Person, acme: Running) -> None:
    job = person.begin()
    with pytest.raises(AnswerRefused, match="client id is wanted first"):
        job.submit("http://127.0.0.1/callback?code=1&state=2")
    _register(acme, job)
    job.use_client("mine")
    with pytest.raises(AnswerRefused, match="no client id is asked for now"):
        job.use_client("mine")


def test_whoever_waits_in_a_program_is_told_at_once(person: Person) -> None:
    job = person.begin()
    with pytest.raises(SignInFailed) as caught:
        job.wait()
    told = str(caught.value)
    assert "does not let programs register themselves: register a client" in told
    assert told.endswith("and give its id with use_client")
    assert "\n" not in told


def test_it_can_be_cancelled_and_ends_by_itself(person: Person) -> None:
    job = person.begin()
    job.cancel()
    assert "was cancelled" in person.end(job).text()
    with pytest.raises(AnswerRefused, match="is over"):
        job.use_client("mine")
    late = person.end(person.begin(limit=0.05)).text()
    assert "nobody gave a client id of 127.0.0.1:" in late


def test_another_session_that_signs_in_ends_it(
    person: Person, another: Person, acme: Running
) -> None:
    job = person.begin()
    _sign_in(another, acme)
    assert person.end(job).stage == "signed in"
    assert person.call().text == "Hello world"


def test_the_address_to_register_is_the_same_the_next_time(person: Person) -> None:
    job = person.begin()
    first = _missing(job).redirect_uri
    job.cancel()
    person.end(job)
    assert _missing(person.begin()).redirect_uri == first


def test_nobody_is_asked_where_nobody_is(person: Person) -> None:
    person.is_there = False
    with pytest.raises(AuthorizationRequired, match="nobody is here to do so"):
        person.call()
    assert person.shown == []


def test_nothing_that_was_typed_prints(person: Person, acme: Running) -> None:
    job = person.begin()
    _register(acme, job, password=_SECRET)
    job.use_client("mine", _SECRET)
    moved(person, job)
    for one in (job, vars(job), job.text(), vars(vars(job)["_attempt"])):
        assert _SECRET not in repr(one)
