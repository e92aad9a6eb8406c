"""The security checklist of signing in, row by row: where each is tested, and the rows
that have no test elsewhere.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mcp_magic.config import Http
from mcp_magic.errors import McpMagicError
from mcp_magic.session import Server, Session
from mcp_magic.teaching.running import Running, visit
from tests.auth.conftest import Person
from tests.kernels import Kernel
from tests.servers.documents import Documents, serving
from tests.waiting import patiently

_ROWS = {
    "1 no token is printed, displayed or returned": (
        "test_notebook.test_nothing_secret_is_shown_or_logged",
        "test_store.test_nothing_secret_prints",
        "test_answer.test_nothing_secret_prints",
        "test_by_hand.test_nothing_that_was_typed_prints",
    ),
    "2 errors are ours, without bodies": (
        "test_answer.test_what_a_service_says_is_short_and_hides_nothing",
        "test_discovery.test_what_a_service_says_is_shown_without_what_it_was_sent",
        "test_tokens.test_a_server_that_repeats_the_token_does_not_have_it_shown",
    ),
    "3 logs hold no code, state, token or secret": (
        "test_checklist.test_the_most_that_is_logged_holds_neither_state_nor_code",
        "test_notebook.test_nothing_secret_is_shown_or_logged",
    ),
    "4 the output is replaced, what is pasted is kept nowhere": (
        "test_notebook.test_the_cell_returns_and_its_prompt_is_replaced_when_it_ends",
        "test_checklist.test_a_prompt_that_failed_leaves_no_link",
        "test_prompts.test_a_client_typed_in_the_widget_signs_in_and_shows_in_nothing",
    ),
    "5 every address is checked": (
        "test_urls.test_an_address_that_is_unsafe_anywhere_is_refused",
        "test_urls.test_a_server_elsewhere_leads_nobody_into_this_network",
        "test_urls.test_no_setting_opens_this_machine_or_anything_else",
        "test_signin.test_an_unsafe_page_is_never_shown",
    ),
    "6 links are escaped, the host is shown, no shell": (
        "test_hostile_prompt.test_what_a_service_asks_for_is_only_text",
        "test_signin.test_the_prompt_says_who_asks_where_for_what_and_how_long",
        "test_notebook.test_the_cell_returns_and_its_prompt_is_replaced_when_it_ends",
    ),
    "7 state and issuer": (
        "test_signin.test_every_safeguard_of_the_specification_is_asked_for",
        "test_signin.test_a_wrong_state_in_the_browser_leaves_the_prompt_open",
        "test_signin.test_an_answer_of_another_service_is_never_used",
        "test_answer.test_an_answer_is_judged",
    ),
    "8 the listener": (
        "test_listener.test_only_the_browsers_own_visit_is_heard",
        "test_listener.test_junk_gets_no_answer_and_does_no_harm",
        "test_listener.test_what_it_says_is_escaped_and_kept_from_caches_and_scripts",
        "test_signin.test_nothing_listens_after_the_end",
    ),
    "9 what is pasted": (
        "test_signin.test_what_does_not_fit_is_refused_and_the_sign_in_goes_on",
        "test_answer.test_a_bare_code_is_taken_only_where_an_address_says_no_more",
    ),
    "10 a public client; no secret in our files": (
        "test_checklist.test_this_program_registers_without_a_secret",
        "test_by_hand.test_a_secret_that_was_typed_renews_the_token_and_is_in_no_file",
    ),
    "11 tokens go where they are meant for": (
        "test_checklist.test_a_token_does_not_follow_to_another_origin",
        "test_signin.test_two_servers_of_one_session_do_not_share_tokens",
        "test_store.test_another_address_finds_no_token",
    ),
    "12 a project neither names a token file nor opens a check": (
        "test_signin.test_a_private_service_of_a_public_server_is_allowed_by_its_host",
        "test_store.test_a_path_that_is_not_full_names_no_folder_of_a_project",
    ),
    "13 more rights, twice at most, and said": (
        "test_signin.test_a_tool_that_wants_more_is_asked_for_without_losing_the_rest",
        "test_signin.test_a_server_that_is_never_content_is_believed_twice",
    ),
    "14 nobody is there": (
        "test_notebook.test_nbclient_fails_at_once_and_says_what_to_do",
        "test_by_hand.test_nobody_is_asked_where_nobody_is",
    ),
}


@pytest.mark.parametrize("row", _ROWS)
def test_every_row_is_tested(row: str) -> None:
    for test in _ROWS[row]:
        module, _, name = test.partition(".")
        assert hasattr(importlib.import_module(f"tests.auth.{module}"), name), test


# Row 3.


def test_the_most_that_is_logged_holds_neither_state_nor_code(
    acme: Running, tmp_path: Path, kept: Path
) -> None:
    """With a registration that is kept, the page is looked at before it is shown."""
    log = tmp_path / "log.txt"
    with Kernel(tmp_path, dict(os.environ)) as kernel:
        kernel.run("%load_ext mcp_magic")
        kernel.run(
            f"import logging; logging.basicConfig(level=1, filename={str(log)!r})"
        )
        kernel.run("logging.getLogger('httpcore2').setLevel(1)")
        states = []
        for cell in (f"%mcp auth {acme.url}", f"%mcp auth --scope use {acme.url}"):
            (bundle,) = kernel.run(cell).displays
            link = re.search(r"http://\S+/authorize\?\S+", bundle["text/plain"])
            assert link is not None
            states.append(re.search(r"state=([\w-]+)", link.group()))
            visit(link.group())
            while kernel.message()["msg_type"] != "update_display_data":
                pass
    logged = log.read_text(encoding="utf-8")
    assert "/authorize" in logged
    assert len(acme.service.secrets) == 8
    assert [one for one in states if one is None or one[1] in logged] == []
    assert [one for one in acme.service.secrets if one in logged] == []


# Row 4.


@pytest.mark.parametrize("how", ["refused", "late"])
def test_a_prompt_that_failed_leaves_no_link(
    acme: Running, tmp_path: Path, kept: Path, how: str
) -> None:
    with Kernel(tmp_path, dict(os.environ)) as kernel:
        kernel.run("%load_ext mcp_magic")

        def prompt(limit: float) -> str:
            late = f"--timeout {limit:g} " if how == "late" else ""
            (bundle,) = kernel.run(f"%mcp auth {late}{acme.url}").displays
            link = re.search(r"http://\S+/authorize\?\S+", bundle["text/plain"])
            assert link is not None
            return link.group()

        link = patiently(prompt)
        if how == "refused":
            visit(link, allow=False)
        while (message := kernel.message())["msg_type"] != "update_display_data":
            pass
        assert "authorize" not in repr(message["content"]["data"])
        assert "Not signed in to" in message["content"]["data"]["text/plain"]


# Row 10.


def test_this_program_registers_without_a_secret(
    person: Person, acme: Running, kept: Path
) -> None:
    person.sign_in()
    (file,) = kept.glob("*.json")
    written = file.read_text(encoding="utf-8")
    assert '"token_endpoint_auth_method": "none"' in written
    assert "client_secret" not in written.partition('"client": ')[2]


# Row 11.


@pytest.fixture(name="elsewhere")
def _elsewhere() -> Iterator[Documents]:
    with serving() as site:
        yield site


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_token_does_not_follow_to_another_origin(
    session: Session, person: Person, acme: Running, elsewhere: Documents, status: int
) -> None:
    person.sign_in()
    record = session.sign_ins.store.read(acme.url)
    assert record is not None
    with serving() as site:
        url, away = f"{site.origin}/mcp", {"location": f"{elsewhere.origin}/mcp"}
        site.pages["POST /mcp"] = status, b"", away
        session.adopt(Http(url), "moved")
        session.sign_ins.store.write(url, replace(record, resource=url))
        with pytest.raises(McpMagicError):
            Server(session, session.find("moved"))["hello"]()
        assert site.asked[0].headers["Authorization"].startswith("Bearer access-")
    assert [one for one in elsewhere.asked if "Authorization" in one.headers] == []
