"""Hostile texts of a real server in a real JupyterLab: nothing runs, loads or hides.

Every text stands in names, descriptions, results, errors, logs, resources, prompts and
progress; the notebook is trusted, so Lab removes nothing by itself. The page is looked
at while the kernel runs, and again from the saved file without one.
"""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.lab import (
    Lab,
    last_cell_ran,
    notebook,
    opened_page,
    outputs,
    run_all,
    save,
)
from tests.hostile import CANARY, RAN, WORD, faults_in_text

_ROOT = Path(__file__).parents[2]
_NAME = "hostile.ipynb"

# Kinds of content that are drawn in different ways; tests/display has them all.
_KINDS = (
    *("text", "structured", "records", "image type", "svg", "link", "web link"),
    *("resource", "blob image", "unknown", "error", "refusal"),
)

_SHOW = f"""
for kind in {_KINDS}:
    for vector in VECTORS:
        try:
            display(srv["show"](kind=kind, vector=vector))
        except mcp_magic.McpMagicError:
            get_ipython().showtraceback()
"""
_REPORT = """
for vector in VECTORS:
    srv["report"](vector=vector)
"""
_ASK = """
for vector in VECTORS:
    display(mcp_magic.read(srv, f"vector:{vector}"))
    display(mcp_magic.prompt(srv, "fill", vector=vector))
"""
_MISTYPE = """
for text in VECTORS.values():
    try:
        srv[text[:500].replace("shown", "shwon") + "q"](value="x")
    except mcp_magic.McpMagicError:
        get_ipython().showtraceback()
"""

# What is on a page of outputs that no server may put there, what it reaches for, and
# how much of it there is. Lab itself makes links of addresses in plain text.
_LOOK = """
() => {
  const outputs = [...document.querySelectorAll('.jp-OutputArea-output')];
  const inside = outputs.flatMap(one => [...one.querySelectorAll('*')]);
  const attributes = inside.flatMap(
    one => [...one.attributes].map(a => [one.localName, a.name, a.value]));
  return {
    tags: [...new Set(inside.map(one => one.localName))],
    handlers: attributes.filter(a => a[1].startsWith('on')),
    reaching: attributes.filter(
      a => ['href', 'src', 'srcset', 'action', 'data', 'xlink:href', 'style',
            'srcdoc', 'formaction', 'poster'].includes(a[1])),
    texts: outputs.map(one => one.textContent),
    heights: outputs.map(one => one.offsetHeight),
    links: inside.filter(one => one.localName === 'a').map(
      one => [one.href, one.target, one.rel, !!one.closest('.jp-RenderedText')]),
    hidden: inside.filter(one =>
      getComputedStyle(one).display === 'none' &&
      !one.closest('details, .mcp-w [hidden]')).length,
    ran: window.RAN,
  };
}
""".replace("RAN", RAN)

_TAGS = frozenset(
    "a audio b br code details div em i img li ol p pre progress small span strong "
    "summary table tbody td th thead tr ul".split()
)
_WIDGET = frozenset("button input section".split())  # of the list of tools
_LONGEST = 60_000  # characters of one output: a list of 140 hostile tools
_TALLEST = 12_000  # pixels of it
_RESULT = 2_000  # pixels of a single result


@dataclass
class _Lure:
    """A web server that nobody should visit."""

    visits: list[str] = field(default_factory=list)
    address: str = ""


@pytest.fixture(name="lure", scope="module")
def _lure() -> Iterator[_Lure]:
    lure = _Lure()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            lure.visits.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    lure.address = f"http://127.0.0.1:{server.server_port}/lure.png"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield lure
    server.shutdown()
    server.server_close()


@dataclass
class _Seen:
    """What a page showed and asked for."""

    page: dict[str, Any]
    requests: list[str]
    opened: tuple[str, ...] = ()


@pytest.fixture(name="live", scope="module")
def _live(browser: Browser, lab: Lab, lure: _Lure) -> _Seen:
    """The notebook after Run All, saved."""
    _write(lab.folder / _NAME, lure.address)
    with opened_page(browser) as page:
        requests = _recorded(page)
        run_all(page, lab.url(_NAME))
        last_cell_ran(page)
        expect(outputs(page).last).to_have_text(repr("the end"))
        found = page.evaluate(_LOOK)
        page.locator("a[href^='data:text/html,<script>']").first.click()
        save(page)
        return _Seen(found, requests, tuple(one.url for one in page.context.pages[1:]))


@pytest.fixture(name="reopened", scope="module")
def _reopened(browser: Browser, lab: Lab, live: _Seen) -> _Seen:
    """The saved notebook, trusted, opened where its kernel does not exist."""
    name = "reopened.ipynb"
    saved = lab.saved(_NAME)
    saved["metadata"]["kernelspec"] = {"name": "gone", "display_name": "Gone"}
    nbformat.write(saved, lab.folder / name)
    trust = [sys.executable, "-m", "jupyter", "trust", str(lab.folder / name)]
    subprocess.run(trust, env=dict(lab.env), check=True, capture_output=True)
    with opened_page(browser) as page:
        requests = _recorded(page)
        page.goto(lab.url(name))
        page.get_by_role("button", name="No Kernel", exact=True).click()
        expect(outputs(page).last).to_have_text(repr("the end"))
        return _Seen(page.evaluate(_LOOK), requests)


def _write(path: Path, address: str) -> None:
    command = f"{sys.executable} {_ROOT}/tests/servers/hostile.py {address}"
    notebook(
        path,
        f"import sys\nsys.path.insert(0, {str(_ROOT)!r})\n"
        "import mcp_magic\nfrom tests.hostile import VECTORS",
        "%load_ext mcp_magic",
        f"%mcp add srv {command}",
        "srv = %mcp srv\nsrv",
        "%mcp help srv",
        "%mcp resources srv",
        "%mcp prompts srv",
        _SHOW,
        _REPORT,
        _ASK,
        _MISTYPE,
        "%mcp logs srv",
        "%mcp status srv",
        repr("the end"),
    )


def _recorded(page: Page) -> list[str]:
    """Return a list that grows with every request of a page and of its frames."""
    requests: list[str] = []
    page.context.on("request", lambda one: requests.append(one.url))
    return requests


@pytest.fixture(name="seen", params=["live", "reopened"])
def _seen(request: pytest.FixtureRequest) -> _Seen:
    found: _Seen = request.getfixturevalue(request.param)
    return found


def test_nothing_ran(seen: _Seen) -> None:
    assert seen.page["ran"] is None
    assert seen.page["handlers"] == []


def test_nothing_was_asked_for(seen: _Seen, lab: Lab, lure: _Lure) -> None:
    outside = [
        one
        for one in seen.requests
        if not one.startswith((lab.address, "data:", "blob:"))
    ]
    assert outside == []
    assert lure.visits == []


def test_no_element_of_the_server_is_there(seen: _Seen) -> None:
    assert set(seen.page["tags"]) <= _TAGS | _WIDGET
    for tag, name, value in seen.page["reaching"]:
        match name:
            case "href":
                assert tag == "a"
            case "src":
                assert value.startswith(("data:image/", "data:audio/")), (tag, value)
            case "style":
                assert "url" not in value, (tag, value)
            case _:
                pytest.fail(f"<{tag} {name}={value!r}>")


def test_every_link_leads_to_the_web_or_was_made_by_lab(seen: _Seen) -> None:
    """Of addresses in plain text Lab makes links, ``data:`` and ``file:`` too."""
    for address, target, rel, in_plain_text in seen.page["links"]:
        if not in_plain_text:
            assert address.startswith(("http://", "https://")), address
            assert target == "_blank"
            assert "noopener" in rel  # ours says noreferrer too; Lab takes that off


def test_a_link_to_a_script_that_lab_made_opens_nothing(live: _Seen) -> None:
    assert live.opened == ()


def test_nothing_is_hidden(seen: _Seen) -> None:
    assert seen.page["hidden"] == 0
    found = {fault for text in seen.page["texts"] for fault in faults_in_text(text)}
    assert found == set()
    assert CANARY not in json.dumps(seen.page["texts"])


def test_what_is_shown_is_to_be_read_and_not_too_long(seen: _Seen) -> None:
    texts, heights = seen.page["texts"], seen.page["heights"]
    assert sum(WORD in text for text in texts) > 500
    assert max(map(len, texts)) < _LONGEST
    assert max(heights) < _TALLEST
    assert sorted(heights)[-20] < _RESULT
