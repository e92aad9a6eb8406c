"""What is told apart on standard output, and which words of a server are quoted."""

from __future__ import annotations

import pytest
from mcp_types import (
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from mcp_magic.client.overheard import Overheard, read_line, secret_texts

_ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"a":1}}'
_NOTE = '{"jsonrpc":"2.0","method":"notifications/x"}'
_PING = '{"jsonrpc":"2.0","id":9,"method":"ping"}'
_OLD = '{"jsonrpc":"1.0","id":1,"result":{}}'
_ODD_ID = '{"jsonrpc":"2.0","id":true,"result":{}}'
_NO_ID = '{"jsonrpc":"2.0","result":{}}'
_LIST = '{"jsonrpc":"2.0","id":9,"method":"tools/list"}'


@pytest.mark.parametrize(
    ("line", "kinds", "noise"),
    [
        (_ANSWER, "R", ""),
        (f"  {_ANSWER}\r", "R", ""),
        (f"\ufeff{_ANSWER}", "R", ""),
        (f"[info] up {_ANSWER}", "R", "[info] up"),
        (f"\x1b[32m{_ANSWER}\x1b[0m", "R", ""),
        (f"{_ANSWER}{_NOTE} {_ANSWER}", "RNR", ""),
        (f"a {_ANSWER} b {_NOTE} c", "RN", "a b c"),
        (f"[{_ANSWER},{_NOTE}]", "RN", ""),
        (f"log: [{_ANSWER}, {_NOTE}] end", "RN", "log: end"),
        (f"{{oops {_ANSWER}", "R", "{oops"),
        (f"asked {_PING}", "Q", "asked"),
        (_LIST, "Q", ""),
        (f"received {_LIST}", "", f"received {_LIST}"),
        ('{"level":"info"}', "", '{"level":"info"}'),
        (_OLD, "", _OLD),
        (_ODD_ID, "", _ODD_ID),
        (_NO_ID, "", _NO_ID),
        (_ANSWER[:-1], "", _ANSWER[:-1]),
        ("null", "", "null"),
        ("   ", "", ""),
    ],
)  # fmt: skip
def test_messages_are_found_in_a_line_and_the_rest_is_noise(
    line: str, kinds: str, noise: str
) -> None:
    """A request behind log text is ours, echoed, unless servers may ask it."""
    letters = {
        JSONRPCResponse: "R",
        JSONRPCNotification: "N",
        JSONRPCRequest: "Q",
        JSONRPCError: "E",
    }
    heard = read_line(line.encode())
    assert "".join(letters[type(one)] for one in heard.messages) == kinds
    assert heard.noise == noise


@pytest.mark.parametrize(
    ("given", "result"),
    [("[]", {}), ("null", {}), ('"pong"', {"result": "pong"}), ('{"a":NaN}', None)],
)
def test_a_result_that_is_no_object_becomes_one(
    given: str, result: dict[str, object] | None
) -> None:
    line = f'{{"jsonrpc":"2.0","id":1,"result":{given}}}'
    (message,) = read_line(line.encode()).messages
    assert isinstance(message, JSONRPCResponse)
    assert result is None or message.result == result


@pytest.mark.parametrize(
    ("given", "code", "text"),
    [
        ('{"code":-32000,"message":"no"}', -32000, "no"),
        ('{"code":"E1","message":"no"}', -32603, "no"),
        ('{"message":{"why":"ü"}}', -32603, '{"why": "ü"}'),
        ('"no"', -32603, "no"),
    ],
)
def test_an_error_gets_a_code_and_a_message(given: str, code: int, text: str) -> None:
    line = f'{{"jsonrpc":"2.0","id":1,"error":{given}}}'
    (message,) = read_line(line.encode()).messages
    assert isinstance(message, JSONRPCError)
    assert (message.error.code, message.error.message) == (code, text)


_NODE = """\
node:internal/modules/cjs/loader:1080
  throw err;
  ^

Error: Cannot find module '/srv/index.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1077:15)
    at Object.throwLoaderError (node:internal:1) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v18.19.0
"""
_NPM = """\
npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/@x%2fy - Not found
npm error 404  '@x/y@*' is not in this registry.
npm error A complete log of this run can be found in: /root/.npm/_logs/1.log
"""
_PYTHON = """\
Traceback (most recent call last):
  File "server.py", line 1, in <module>
    import yaml
ModuleNotFoundError: No module named 'yaml'
"""


@pytest.mark.parametrize(
    ("stderr", "last"),
    [
        (_NODE, "Error: Cannot find module '/srv/index.js'"),
        (_NPM, "npm error 404 Not Found - GET https://registry.npmjs.org/@x%2fy"),
        (_PYTHON, "ModuleNotFoundError: No module named 'yaml'"),
        ("listening\nbye\n", "bye"),
        ("half a line", "half a line"),
        ("one\rtwo\r\n\r\n", "two"),
        ("\x1b[31mred\x1b[0m\n", "red"),
        ("", ""),
    ],
    ids=["node", "npm", "python", "plain", "unended", "progress", "colour", "none"],
)
def test_the_last_words_end_with_the_line_that_says_most(
    stderr: str, last: str
) -> None:
    heard = Overheard()
    heard.stderr(stderr.encode())
    assert heard.last_words().rpartition("\n")[2].startswith(last)


def test_what_is_kept_is_bounded() -> None:
    heard = Overheard()
    for _ in range(50):
        heard.stderr(b"line\n" * 10_000 + b"x" * 1_000_000)
        heard.stray("y" * 1_000_000)
    assert len(heard.stderr_lines) <= 201
    assert max(map(len, (*heard.stderr_lines, *heard.stray_lines))) <= 500


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_secret_is_concealed_wherever_the_reads_cut_it(cut: int) -> None:
    heard = Overheard()
    heard.conceal(["s3cr3t", "s3cr3t-longer"])
    text = b"a s3cr3t-longer b\n"
    heard.stderr(text[:cut])
    assert "s3cr3t" not in heard.last_words()
    heard.stderr(text[cut:])
    assert heard.stderr_lines == ("a … b",)


@pytest.mark.parametrize(
    ("env", "args", "environ", "hidden", "shown"),
    [
        ({"API_KEY": "ab"}, (), {}, {"ab"}, set()),
        ({"DEBUG": "1", "MODE": "on"}, (), {}, set(), {"1", "on"}),
        ({"X": "Bearer abcdefgh"}, (), {}, {"Bearer abcdefgh", "abcdefgh"}, set()),
        ({"PEM": "-----\nlinelinelin\n"}, (), {}, {"linelinelin"}, set()),
        ({"X": "u:longvalue@h"}, (), {"PW": "longvalue"}, {"longvalue"}, set()),
        ({}, ("--k=longvalue",), {"MY_TOKEN": "longvalue"}, {"longvalue"}, set()),
        ({}, ("longvalue",), {"PROJECT": "longvalue"}, set(), {"longvalue"}),
        ({"X": "/home/me/data"}, (), {"HOME": "/home/me"}, set(), {"/home/me"}),
    ],
)
def test_values_of_variables_are_secrets_unless_they_would_hide_everything(
    env: dict[str, str],
    args: tuple[str, ...],
    environ: dict[str, str],
    hidden: set[str],
    shown: set[str],
) -> None:
    found = secret_texts(env, args, environ)
    assert hidden <= found
    assert not shown & found
