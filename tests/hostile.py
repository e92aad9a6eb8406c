"""Texts that a hostile server may send, and what is wrong with what was made of them.

Shared by every test that shows server text: as Python values, in a real JupyterLab and
in a real terminal. ``vectors()`` gives the texts; ``faults_in_text`` and
``faults_in_page`` say what hides, loads or runs in what a person would be shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType

__all__ = [
    "CANARY",
    "LURE",
    "RAN",
    "VECTORS",
    "WORD",
    "faults_in_page",
    "faults_in_text",
    "vectors",
]

RAN = "mcpHostileRan"
"""The property of ``window`` that every script of the vectors sets."""

WORD = "shown-word"
"""A harmless word in every vector that is no bare path or URL and not cut short."""

LURE = Path(__file__).with_name("hostile-lure.html")
"""A file that exists; whoever opens it when given its path shows ``CANARY``."""

CANARY = "the-lure-was-read"

_NOWHERE = "http://127.0.0.1:9/lure.png"  # the discard port: nobody listens
_SET = f"window.{RAN}=1"
_LONG = 100_000


def vectors(url: str = _NOWHERE) -> Mapping[str, str]:
    """Return the texts by name.

    Args:
        url: What loads something when it is followed; give the address of a server
            that counts its visitors to prove that nothing came.
    """
    return MappingProxyType(
        {
            **_hiding(url),
            **_running(url),
            **_loading(url),
            "a long text": "\n".join([WORD, *["line of a long text"] * (_LONG // 20)]),
            "a long word": WORD + "x" * _LONG,
            "empty": "",
        }
    )


def _hiding(url: str) -> dict[str, str]:
    return {
        "colours": f"\x1b[8m{WORD}\x1b[0m \x1b[37;47mwhite on white\x1b[0m",
        "clear screen": f"{WORD}\x1b[2J\x1b[H\x1b[3J",
        "window title": f"\x1b]0;owned\x07{WORD}",
        "clipboard": f"\x1b]52;c;cm0gLXJmIC8=\x07{WORD}",
        "hyperlink": f"\x1b]8;;{url}\x1b\\{WORD}\x1b]8;;\x1b\\",
        "one-byte sequences": f"\x9b2J\x9d0;owned\x9c{WORD}",
        "overwriting": f"{WORD}\rforged line\x08\x08\x0b\x0c",
        "nul": f"{WORD}\x00\x01\x7f",
        "bidi": f"{WORD} \u202egnp.exe\u202c \u2066\u2067x\u2069 \u200f\u061c",
        "tags": WORD + "".join(chr(0xE0000 + ord(c)) for c in "run rm") + "\U000e0001",
        "zero width": f"sh\u200bown \u200c\u200d\u200c\u200d\u2060\ufeff\u00ad {WORD}",
        "fillers": f"{WORD}\u3164\uffa0\u115f\u1160\u034f\u17b4\u180b\u2063",
        "variation selectors": f"{WORD}\ufe00\ufe01\ufe0f\ufe0f\U000e0100\U000e01ef",
        "lone surrogates": f"{WORD}\ud800 \udc00\udfff",
        "separators": f"{WORD}\u2028forged\u2029\x85line",
        "new lines": f"{WORD}\n\n[notice] Everything is fine\r\n\tIn [7]: ",
    }


def _running(url: str) -> dict[str, str]:
    return {
        "script": f"<script>{_SET}</script>{WORD}",
        "script from afar": f'<script src="{url}"></script>{WORD}',
        "broken out": f"\"'></pre></td></code></details><script>{_SET}</script>{WORD}",
        "comment": f"--><!--<script>{_SET}</script>--><![CDATA[{WORD}",
        "onerror": f"<img src=x onerror={_SET}>{WORD}",
        "onload": f"<svg onload={_SET}><animate onbegin={_SET}>{WORD}",
        "ontoggle": f"<details open ontoggle={_SET}>{WORD}",
        "attribute": f'" autofocus tabindex=1 onfocus="{_SET}" x="{WORD}',
        "script link": f'<a href="javascript:{_SET}">{WORD}</a>',
        "script address": f"javascript:{_SET}//{WORD}",
        "script address with a tab": f"java\tscript:{_SET}//{WORD}",
        "script address in capitals": f" JaVaScRiPt:{_SET}//{WORD}",
        "data address": f"data:text/html,<script>{_SET}</script>{WORD}",
        "markdown link": f"[{WORD}](javascript:{_SET}) ![x]({url})",
        "markdown blocks": f"{WORD}\n\n![x]({url})\n\n[x](javascript:{_SET})\n\n"
        f"<script>{_SET}</script>\n\n# {WORD}",
        "markdown fence": f"```\n</code></pre><script>{_SET}</script>\n{WORD}",
        "command": f'<button data-commandlinker-command="x">{WORD}</button>',
        "latex": f"$$\\href{{javascript:{_SET}}}{{{WORD}}}$$ \\(x\\)",
        "entities": f"&lt;script&gt;{_SET}&lt;/script&gt;&#x202e;{WORD}",
        "template": f"{{{{ 7*7 }}}} {{% raw %}} ${{{WORD}}} %s {{0}}",
    }


def _loading(url: str) -> dict[str, str]:
    return {
        "picture": f'<img src="{url}">{WORD}',
        "style": f"<style>@import '{url}';*{{display:none}}</style>{WORD}",
        "frame": f'<iframe src="{url}" srcdoc="<script>{_SET}</script>">{WORD}',
        "form": f'<form action="{url}"><input autofocus></form>{WORD}',
        "refresh": f'<meta http-equiv=refresh content="0;{url}"><base href=/x>{WORD}',
        "object": f'<object data="{url}"></object><embed src="{url}">{WORD}',
        "path": str(LURE),
        "path as address": LURE.as_uri(),
        "url": url,
    }


VECTORS = vectors()

# What shows nothing although it is no control or format character (Unicode property
# Default_Ignorable_Code_Point). One variation selector after a letter is how emoji
# and some scripts are written, and so are the joiners after a letter that is not ASCII.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufff0-\ufff8]"
    "|[\ufe00-\ufe0f]{2}|(?:^|[A-Za-z \n\"'().,-])[\ufe00-\ufe0f]"
    "|(?:^|[\x00-\x7f\u200c\u200d])[\u200c\u200d]"
)


def faults_in_text(text: str) -> list[str]:
    """Return what in a shown text moves the cursor, reorders or shows nothing."""
    hidden = [
        f"U+{ord(one):04X}"
        for one in dict.fromkeys(text)
        if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and one not in "\n\t\u200c\u200d"
    ]
    ignorable = [ascii(one) for one in _IGNORABLE.findall(text)]
    read = [CANARY] if CANARY in text else []
    return [*hidden, *ignorable, *read]


_ELEMENTS = frozenset(
    "a audio b br code details div em i img li ol p pre progress small span strong "
    "summary table tbody td th thead tr ul".split()
)
_EMPTY = frozenset(("br", "img"))
_ATTRIBUTES = frozenset(
    "align alt aria-label class colspan controls max open rel scope style target title "
    "value".split()
)
_DATA = {
    "img": re.compile(
        r"data:image/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=]*"
    ),
    "audio": re.compile(r"data:audio/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=]*"),
}
_LINK = re.compile(r"https?://[^\s\"'<>]+")
_STYLE = re.compile(r"[\w\s:;,.#%()+-]*")
_REACHES_OUT = re.compile(r"url|import|expression|position|script", re.IGNORECASE)


def faults_in_page(page: str) -> list[str]:
    """Return what in a shown piece of HTML could load, run, hide or break out."""
    parser = _Parser()
    parser.feed(page)
    parser.close()
    left = [f"<{tag}> is never closed" for tag in parser.open]
    return [*parser.faults, *left, *faults_in_text(page)]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ELEMENTS:
            self.faults.append(f"<{tag}>")
        if tag not in _EMPTY:
            self.open.append(tag)
        for name, value in attrs:
            if not _allowed(tag, name, value or ""):
                self.faults.append(f"<{tag} {name}={value!r}>")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        self.faults.extend(faults_in_text(data))

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.faults.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"<![{data}]>")


def _allowed(tag: str, name: str, value: str) -> bool:
    match name:
        case "src":
            return tag in _DATA and _DATA[tag].fullmatch(value) is not None
        case "href":
            return tag == "a" and _LINK.fullmatch(value) is not None
        case "style":
            return _STYLE.fullmatch(value) is not None and not _REACHES_OUT.search(
                value
            )
    return name in _ATTRIBUTES and not faults_in_text(value)
