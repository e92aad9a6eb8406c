"""What a person is shown before agreeing to a server that a folder brings along.

All of it is in the words of whoever wrote the file, so nothing in it may break a line
or hide, and only what cannot be a command is left out as a secret.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from mcp_magic.config import syntax
from mcp_magic.config.entries import Http, InProcess, ServerEntry, Stdio
from mcp_magic.display.redact import is_token, names_secret
from mcp_magic.errors import visible
from mcp_magic.model import Secret

__all__ = ["request"]

# A value that is nothing but one word can be no command.
_ARGUMENTS = "its arguments"
_ONE_WORD = re.compile(r"[\w+=-]+|eyJ[\w.-]+")


def request(entry: ServerEntry, replaces: ServerEntry | None = None) -> str:
    """Return what an entry would do, in lines to be read before agreeing.

    Args:
        entry: An entry that was read from a file.
        replaces: What its name means now.
    """
    lines = [f"{entry.name} wants to be used; {_where(entry)} asks for it:"]
    match entry.target:
        case Stdio() as target:
            lines += _command(target, entry)
        case Http() as target:
            lines += _address(target, entry)
        case InProcess():
            pass
    lines += _sign_in(entry)
    if replaces is not None:
        was = f"{replaces.name} ({replaces.origin}: {replaces.target})"
        lines.append(f"  instead of  your {was}")
    return "\n".join(map(_in_line, lines))


def _where(entry: ServerEntry) -> str:
    source = entry.source
    if source is None:
        return entry.origin
    line = f":{source.line}" if source.line else ""
    return f"{source.file}{line} ({source.key})"


def _command(target: Stdio, entry: ServerEntry) -> Iterator[str]:
    words = (target.command, *target.args)
    yield f"  runs        {shlex.join(_without_tokens(words))}"
    folder = Path.cwd() if entry.source is None else entry.source.folder
    yield f"  in          {target.cwd or folder}"
    for name, value in target.env.items():
        yield f"  sets        {name}={_value(name, value)}"
    if target.env_file:
        yield f"  sets        whatever stands in {target.env_file} when it starts"
    command = Path(target.command).name
    values = {_ARGUMENTS: " ".join(words)}
    values |= {f"its {name}": one.reveal() for name, one in target.env.items()}
    yield from _sends(values, f"the command {command}", entry)
    yield "  gets        every environment variable of this kernel"


def _address(target: Http, entry: ServerEntry) -> Iterator[str]:
    yield f"  connects to {_url(target.url)}"
    for name, value in target.headers.items():
        yield f"  sends       {name}: {_value(name, value)}"
    values = {"its address": target.url}
    values |= {f"the header {n}": one.reveal() for n, one in target.headers.items()}
    host = re.match(r"(?:\w+://)?(?:[^/?#]*@)?([^/?#]*)", target.url)
    receiver = target.url if host is None else host[1]
    yield from _sends(values, receiver, entry)


def _sign_in(entry: ServerEntry) -> Iterator[str]:
    values = {
        name: one.reveal() if isinstance(one, Secret) else str(one)
        for name, one in entry.oauth.items()
    }
    for name, text in values.items():
        yield f"  signs in    with {name}={_value(name, Secret(text))}"
    texts = {f"the {name} of the sign-in": text for name, text in values.items()}
    yield from _sends(texts, "whoever signs you in", entry)


def _sends(values: dict[str, str], receiver: str, entry: ServerEntry) -> Iterator[str]:
    product = "mcp-magic" if entry.source is None else entry.source.product
    for place, text in values.items():
        found = syntax.find(text, product, in_value=place != _ARGUMENTS)
        for what in dict.fromkeys(map(_in_words, found)):
            if what:
                yield f"  passes on   {what} to {receiver}, in {place}"


def _in_words(reference: syntax.Reference) -> str:
    match reference.kind:
        case "variable":
            return f"your variable {reference.name}"
        case "input":
            return f"what you type for {reference.name}"
        case "file":
            return f"your file {reference.name}"
    return ""


def _without_tokens(words: tuple[str, ...]) -> Iterator[str]:
    for before, word in zip(("", *words), words, strict=False):
        option, equals, value = word.partition("=")
        if before.startswith("-") and names_secret(before) and _is_word(word):
            yield "…"
        elif equals and names_secret(option) and _is_word(value):
            yield f"{option}=…"
        else:
            yield "…" if is_token(word) and _is_word(word) else word


def _is_word(text: str) -> bool:
    return _ONE_WORD.fullmatch(text) is not None


def _value(name: str, value: Secret) -> str:
    text = value.reveal()
    scheme, space, rest = text.partition(" ")
    if space and scheme.lower() in ("bearer", "basic", "token") and _is_word(rest):
        return f"{scheme} …"
    hidden = (names_secret(name) or is_token(text)) and _is_word(text)
    return "…" if hidden else text


def _url(url: str) -> str:
    """Return a URL with its password and values that look like tokens hidden."""
    url = re.sub(r"^(\w+://[^/?#@:]*):[^/?#@]*@", r"\1:…@", url)

    def hide(match: re.Match[str]) -> str:
        secret = names_secret(match[1]) or is_token(match[2])
        return f"{match[1]}=…" if secret and _is_word(match[2]) else match.group()

    return re.sub(r"(?<=[?&])([^?=&#]*)=([^&#]*)", hide, url)


def _in_line(text: str) -> str:
    """Return a text that stays on its line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")
