"""Take secrets out of what is shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import urlsplit, urlunsplit

__all__ = [
    "SECRET_WORD",
    "command",
    "holds_secret",
    "is_token",
    "names_secret",
    "people",
    "prose",
    "url",
    "without",
]

# Names of options, variables and parameters whose value is likely a secret.
SECRET_WORD = re.compile(
    r"key|token|secret|passw|passphrase|(?<=[_-])pwd|(?<!un)auth(?!ors?\b)|credential|bearer"
    r"|cookie",
    re.IGNORECASE,
)
"""Is found in the names of ``names_secret``; a browser reads it as Python does."""
# Tokens that are known by their beginning: GitHub, GitLab, OpenAI and Anthropic, Slack,
# AWS, Google, Hugging Face, npm, PyPI, JWT.
_TOKEN = re.compile(
    r"\b(?:gh[opsur]_|github_pat_|glpat-|sk-|xox[a-z]-|AKIA|AIza|hf_|npm_|pypi-|eyJ)"
    r"[\w.-]{8,}"
)
_RUN = re.compile(r"[\w-]{24,}", re.ASCII)
# A scheme has an end: from each dot of a long word it would be looked for once more.
_URL = re.compile(r"[A-Za-z][\w+.-]{0,40}://[^\s'\"<>)]+")
_NAME = r"(?<![\w./:@-])([\w-]+)([\"']?\s*[=:]\s*[\"']?)"
_IN_WORD = re.compile(rf"{_NAME}([^\"'&]+)")
_IN_PROSE = re.compile(
    rf"{_NAME}((?:(?:Bearer|Basic|Token)\s+)?[^\s\"'&,;]+)", re.IGNORECASE
)
_SCHEME = re.compile(r"\b(Bearer|Basic)(\s+)(?!token\b|\$\{)[^\s\"',;]+", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"(?:(?:Bearer|Basic|Token)\s+)?\$\{[A-Za-z_]\w*\}", re.IGNORECASE
)

# Accounts that tell nothing about a person.
_NOBODY = frozenset(
    "root jovyan node app user ubuntu vscode coder codespace runner jupyter nobody "
    "home public shared".split()
)
_HOMES = re.compile(
    r"(?i)(?<![\w~])((?:[A-Z]:)?[\\/](?:home|Users)[\\/])([^\\/\s:;'\"]+)"
)


def names_secret(name: str) -> bool:
    """Whether an option or variable of that name likely holds a secret."""
    return SECRET_WORD.search(name) is not None


def is_token(text: str) -> bool:
    """Whether a word is likely a token, by its beginning or by how random it is."""
    return _TOKEN.search(text) is not None or any(map(_random, _RUN.findall(text)))


def _random(run: str) -> bool:
    digits = sum(map(str.isdigit, run))
    return digits >= 3 and run.lower() != run != run.upper()


def url(text: str) -> str:
    """Return a URL without its user, password and fragment, query values hidden."""
    try:
        parts = urlsplit(text)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "(a URL that cannot be read)"
    query = re.sub(r"=[^&]*", "=…", parts.query)
    return urlunsplit((parts.scheme, host, parts.path, query, ""))


def command(words: Sequence[str]) -> str:
    """Return a command line as a shell reads it, what is secret in its words hidden."""
    pairs = zip(("", *words), words, strict=False)
    return " ".join(_quoted(word, _hidden(word, before)) for before, word in pairs)


def holds_secret(word: str, before: str = "") -> bool:
    """Whether a word of a command is or holds a secret, by its name or its looks.

    Args:
        word: The word.
        before: The word in front of it, which may be an option that names it.
    """
    return _hidden(word, before, addresses=False) != word


def _hidden(word: str, before: str, *, addresses: bool = True) -> str:
    named = before.startswith("-") and "=" not in before and names_secret(before)
    if named and word and not word.startswith("-"):
        return word if _PLACEHOLDER.fullmatch(word) else "…"
    return _without_secrets(word, _IN_WORD, addresses=addresses)


def _quoted(word: str, shown: str) -> str:
    if shown == word:
        return shlex.quote(word)
    plain = shown.replace("…", "")
    return shown if not plain or shlex.quote(plain) == plain else f"'{shown}'"


def prose(text: str, secrets: Collection[str] = ()) -> str:
    """Return a text without what looks like a secret in it.

    Args:
        text: Any text, such as an error's.
        secrets: Texts that are known to be secret.
    """
    # Shorter ones stand in every text by chance.
    text = without(text, (one for one in secrets if len(one) > 3))
    return _without_secrets(text, _IN_PROSE, addresses=True)


def _without_secrets(text: str, given: re.Pattern[str], *, addresses: bool) -> str:
    if addresses:
        text = _URL.sub(lambda match: url(match.group()), text)
    text = _SCHEME.sub(r"\1\2…", given.sub(_without_value, text))
    text = _TOKEN.sub("…", text)
    return _RUN.sub(lambda run: "…" if _random(run.group()) else run.group(), text)


def _without_value(match: re.Match[str]) -> str:
    name, between, value = match.groups()
    kept = _PLACEHOLDER.fullmatch(value) or value.startswith("//")
    kept = kept or value.strip().lower() in ("", "bearer", "basic", "token")
    return match.group() if kept or not names_secret(name) else f"{name}{between}…"


def without(text: str, secrets: Iterable[str]) -> str:
    """Return a text with ``…`` in place of each of *secrets*."""
    for one in sorted(secrets, key=len, reverse=True):
        text = text.replace(one, "…")
    return text


def people(text: str, *, home: str, user: str) -> str:
    """Return a text whose paths name no person: ``~`` for the home folder.

    Args:
        text: Any text with paths in it.
        home: The person's home folder; empty if there is none.
        user: The person's account; empty if it is not known.
    """
    if len(home) > 1:
        text = re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text)
    text = _HOMES.sub(lambda m: m[1] + (m[2] if m[2] in _NOBODY else "…"), text)
    if len(user) < 2 or user.lower() in _NOBODY:
        return text
    return re.sub(rf"(?<![\w.-]){re.escape(user)}(?![\w.-])", "…", text)
