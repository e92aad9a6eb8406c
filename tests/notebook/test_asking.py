"""Questions of a server: in a kernel with a front end, and where nobody is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from mcp_magic.model import FormQuestion, Question, SamplingQuestion, UrlQuestion
from mcp_magic.notebook.asking import refusal
from tests import headless
from tests.bells import Bell
from tests.kernels import Kernel

_BOOKED = [
    ["guests", {"typed": "4"}],
    ["day", {"typed": "2027-05-01"}],
    ["seats", {"chosen": [1]}],
]
_VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(name="kernel", scope="module")
def _kernel(
    tmp_path_factory: pytest.TempPathFactory, servers: Path
) -> Iterator[Kernel]:
    home = tmp_path_factory.mktemp("home")
    env = {**os.environ, "HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
    with Kernel(home, env) as kernel:
        assert kernel.run("%load_ext mcp_magic").error == ""
        command = f"{sys.executable} {servers / 'asking.py'}"
        assert kernel.run(f"%mcp add asking {command}").error == ""
        kernel.run("import mcp_magic.notebook.asking as ours")
        _wait_for_a_front_end(kernel, 60)
        yield kernel


def _wait_for_a_front_end(kernel: Kernel, seconds: float) -> None:
    """Let those questions that nothing draws become prompts after so long."""
    assert kernel.run(f"ours._HANDSHAKE = {seconds}").error == ""


class FrontEnd:
    """A front end without a screen: it draws forms and answers them."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.seen: list[dict[str, Any]] = []

    def until(self, kind: str) -> dict[str, Any]:
        """Return the content of the next message of a kind."""
        self.seen += self.kernel.until(kind)
        found: dict[str, Any] = self.seen[-1]["content"]
        return found

    def drawn(self) -> tuple[str, dict[str, Any]]:
        """Draw the next form; return its comm and what it was given."""
        view = self.until("display_data")["data"][_VIEW]
        self.kernel.send_comm(view["model_id"], {"kind": "ready"})
        while True:
            content = self.until("comm_msg")
            if content["data"].get("method") == "custom":
                return view["model_id"], content["data"]["content"]["drawn"]


def _answer(*members: Any) -> dict[str, Any]:
    return {"kind": "answer", "mark": {"members": list(members)}}


def test_queued_cells_run_after_the_answer_in_their_order(kernel: Kernel) -> None:
    """The shell stream's callback is swapped while the cell waits; nothing is lost."""
    kernel.run("order = []")
    cell = "r = %mcp demo.book_table restaurant=Roma\norder.append(r.data['status'])"
    kernel.start(cell)
    kernel.start("order.append('second')")
    last = kernel.start("order.append('third'); order")
    comm, drawn = FrontEnd(kernel).drawn()
    assert drawn["who"] == "demo"
    assert drawn["message"] == "Which table shall it be?"
    kernel.send_comm(comm, _answer(*_BOOKED))
    assert kernel.finish(last).text == "['booked', 'second', 'third']"


def test_what_is_missing_is_told_and_the_form_stays(kernel: Kernel) -> None:
    asked = kernel.start("r = %mcp demo.book_table restaurant=Roma\nr.data['guests']")
    front = FrontEnd(kernel)
    comm, _ = front.drawn()
    kernel.send_comm(comm, _answer(["guests", {"typed": "40"}]))
    problems = front.until("comm_msg")["data"]["content"]["problems"]
    assert [one["pointer"] for one in problems] == ["/day", "/guests"]
    kernel.send_comm(comm, _answer(*_BOOKED))
    assert kernel.finish(asked).text == "4"


def test_two_forms_come_one_after_the_other(kernel: Kernel) -> None:
    asked = kernel.start("%mcp asking.twice")
    front = FrontEnd(kernel)
    for typed in ("1", "2"):
        comm, _ = front.drawn()
        kernel.send_comm(comm, _answer(["number", {"typed": typed}]))
    assert kernel.finish(asked).text == "1 and 2"


@pytest.mark.parametrize(
    ("kind", "outcome", "summary"),
    [("decline", "decline", "Declined."), ("cancel", "cancel", "Cancelled.")],
)
def test_declining_and_cancelling_are_told_apart(
    kernel: Kernel, kind: str, outcome: str, summary: str
) -> None:
    asked = kernel.start("%mcp asking.login")
    comm, _ = FrontEnd(kernel).drawn()
    kernel.send_comm(comm, {"kind": kind})
    shown = kernel.finish(asked)
    assert shown.text == outcome
    assert summary in shown.displays[-1]["text/plain"]


def test_a_secret_that_was_typed_is_nowhere_afterwards(kernel: Kernel) -> None:
    asked = kernel.start("%mcp asking.login")
    front = FrontEnd(kernel)
    comm, _ = front.drawn()
    entered = [["name", {"typed": "Ada"}], ["password", {"typed": "canary-4711"}]]
    kernel.send_comm(comm, _answer(*entered, ["colours", {"default": True}]))
    shown = kernel.finish(asked)
    assert shown.text == "Ada, 11 characters, ['red']"
    assert "password: •••" in shown.displays[-1]["text/plain"]
    assert "canary" not in repr((front.seen, shown))


def test_a_secret_that_was_typed_is_in_no_log(kernel: Kernel, tmp_path: Path) -> None:
    """Jupyter logs every message of a widget when everything is logged."""
    log = tmp_path / "log"
    kernel.run(
        "import logging, traitlets.log\n"
        f"logging.basicConfig(filename={str(log)!r}, level=logging.DEBUG, force=True)\n"
        "traitlets.log.get_logger().setLevel(logging.DEBUG)"
    )
    asked = kernel.start("%mcp asking.login")
    comm, _ = FrontEnd(kernel).drawn()
    entered = [["name", {"typed": "Ada"}], ["password", {"typed": "canary-0815"}]]
    kernel.send_comm(comm, _answer(*entered))
    assert "11 characters" in kernel.finish(asked).text
    kernel.run("logging.getLogger().setLevel(logging.WARNING); logging.shutdown()")
    said = log.read_text(encoding="utf-8")
    assert "a message of a widget" in said
    assert "canary" not in said


def test_a_page_is_shown_with_its_host_and_never_opened(kernel: Kernel) -> None:
    asked = kernel.start("%mcp asking.page url=https://a.example/terms")
    comm, drawn = FrontEnd(kernel).drawn()
    assert (drawn["host"], drawn["url"]) == ("a.example", "https://a.example/terms")
    kernel.send_comm(comm, {"kind": "answer"})
    assert kernel.finish(asked).text == "accept"


def test_a_model_s_answer_can_be_given_by_hand_or_refused(kernel: Kernel) -> None:
    asked = kernel.start("%mcp asking.think")
    front = FrontEnd(kernel)
    comm, drawn = front.drawn()
    assert "Be brief." in drawn["message"]
    assert "A word for sea?" in drawn["message"]
    assert "[maxTokens] 9" in drawn["message"]
    kernel.send_comm(comm, {"kind": "answer", "text": " "})
    assert front.until("comm_msg")["data"]["content"]["kind"] == "problems"
    kernel.send_comm(comm, {"kind": "answer", "text": "mer"})
    assert kernel.finish(asked).text == "person said mer"
    asked = kernel.start("%mcp asking.think")
    comm, _ = FrontEnd(kernel).drawn()
    kernel.send_comm(comm, {"kind": "decline"})
    assert "did not answer" in kernel.finish(asked).error


def test_stop_ends_the_question_and_the_next_cell_works(kernel: Kernel) -> None:
    asked = kernel.start("%mcp demo.ask_name")
    FrontEnd(kernel).drawn()
    kernel.interrupt()
    shown = kernel.finish(asked)
    assert "stopped" in shown.traceback
    assert "withdrawn" in shown.displays[-1]["text/plain"]
    assert kernel.run("%mcp demo.add a=2 b=3").text == "5"


def test_a_server_that_leaves_takes_its_question_along(kernel: Kernel) -> None:
    with Bell() as bell:
        asked = kernel.start(f"%mcp asking.leave port={bell.port}")
        FrontEnd(kernel).drawn()
    shown = kernel.finish(asked)
    assert "exited with code 3" in shown.traceback
    assert "withdrawn" in shown.displays[-1]["text/plain"]


def test_a_front_end_that_draws_nothing_is_asked_line_by_line(kernel: Kernel) -> None:
    _wait_for_a_front_end(kernel, 0.5)
    asked = kernel.start("%mcp demo.ask_name")
    for typed in ("", "Ada", "", "y"):
        kernel.prompt()
        kernel.type(typed)
    assert kernel.finish(asked).text == "HELLO, ADA!"
    _wait_for_a_front_end(kernel, 60)


def test_async_code_and_threads_decline_and_say_what_to_do(kernel: Kernel) -> None:
    kernel.run("demo = %mcp demo")
    shown = kernel.run("(await demo.ask_name.aio()).text")
    assert "rather not say" in shown.text
    assert "What is your name? It was declined" in shown.stdout
    assert "in a cell of its own" in shown.stdout
    shown = kernel.run(
        "import threading\n"
        "t = threading.Thread(target=lambda: print(demo.ask_name().text))\n"
        "t.start(); t.join()"
    )
    assert "rather not say" in shown.stdout


def test_a_notebook_run_without_a_person_declines_at_once(tmp_path: Path) -> None:
    cells = ["%load_ext mcp_magic", "%mcp demo.book_table restaurant=Roma"]
    notebook = headless.execute(headless.of_cells(cells), tmp_path)
    said, result = notebook.cells[1].outputs
    assert "Which table shall it be? It was declined" in said["text"]
    assert "declined" in result["data"]["text/plain"]
    assert "widget" not in nbformat.writes(notebook)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/",
        "javascript:alert(1)",
        "https://a.example@b.example/",
        "https://[/",
        "https:///x",
        "https://a.example/\u202e",
        "https://b.example\\.a.example/",
        "https://b.example%2e/.a.example/",
        "https://\u0430.example/",
        "https://a.example:x/",
    ],
)
def test_an_address_that_is_no_plain_https_is_not_even_shown(url: str) -> None:
    assert "declined" in refusal(UrlQuestion("s", "?", url))


@pytest.mark.parametrize(
    "question",
    [
        FormQuestion("s", "?"),
        SamplingQuestion("s", {}),
        UrlQuestion("s", "?", "https://a.example/x?y=1"),
        UrlQuestion("s", "?", "https://xn--80ak6aa92e.example:8443/"),
        UrlQuestion("s", "?", "https://[2001:db8::1]/"),
    ],
    ids=repr,
)
def test_other_questions_are_asked(question: Question) -> None:
    assert refusal(question) == ""
