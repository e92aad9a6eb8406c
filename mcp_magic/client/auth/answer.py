"""Judge what comes back from a sign-in page: a redirect, or an address that is pasted.

Pure. An answer that is *unfit* belongs to something else and is left alone; the
sign-in goes on waiting. Nothing here repeats a code or a state.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import parse_qsl

from mcp_magic.errors import visible
from mcp_magic.model import Secret

__all__ = ["Answer", "Code", "Expected", "Refusal", "Unfit", "judge", "read_pasted"]


@dataclass(frozen=True, slots=True)
class Expected:
    """What the answer to one sign-in must have.

    Attributes:
        redirect_uri: Where the browser is sent.
        state: What ties the answer to the question.
        issuer: The service that was asked.
        names_issuer: Whether it promised to name itself in the answer (RFC 9207).
        has_pkce: Whether a code is worthless to anybody else.
    """

    redirect_uri: str
    state: Secret
    issuer: str
    names_issuer: bool
    has_pkce: bool


@dataclass(frozen=True, slots=True)
class Code:
    """The person agreed: what is exchanged for tokens."""

    code: Secret


@dataclass(frozen=True, slots=True)
class Refusal:
    """The sign-in is over: the person or the service refused, or is another one."""

    why: str


@dataclass(frozen=True, slots=True)
class Unfit:
    """It does not belong to this sign-in, which goes on waiting."""

    why: str


Answer: TypeAlias = Code | Refusal | Unfit


def judge(query: Mapping[str, str], expected: Expected) -> Answer:
    """Return what the query of a redirect means."""
    state = query.get("state", "").encode()
    if not hmac.compare_digest(state, expected.state.reveal().encode()):
        return Unfit(
            "this address belongs to another sign-in (its state differs); "
            "use the link that was shown last"
        )
    return _of_service(query, expected)


def _of_service(query: Mapping[str, str], expected: Expected) -> Answer:
    named = query.get("iss")
    if named is None and expected.names_issuer:
        return Refusal(
            "the answer does not name the sign-in service, which promised to (iss); "
            "nothing was sent to it"
        )
    if named is not None and named != expected.issuer:
        # Whoever it is: not a word of it is shown.
        return Refusal(
            f"the answer came from another sign-in service than {expected.issuer} "
            "(iss); nothing was sent to it"
        )
    if "error" in query:
        return Refusal(_said(query["error"], query.get("error_description", "")))
    code = query.get("code", "")
    return Code(Secret(code)) if code else Unfit("there is no code in this address")


def _said(error: str, description: str) -> str:
    word = re.sub(r"[^\x20-\x7e]", "", error)[:60]
    more = " ".join(visible(description).split())[:200]
    refused = "it was refused" if word == "access_denied" else "the service refused it"
    return f"{refused}: {word}" + (f" ({more})" if more else "")


def read_pasted(text: str, expected: Expected) -> Answer:
    """Return what an address that a person pasted means.

    A bare code is taken only where an address could say no more.
    """
    text = text.strip().strip("<>'\"").strip()
    if re.search(r"\b(code|error)=", text):
        return _pasted_address(text, expected)
    if re.fullmatch(r"[\w.~+/=-]{4,}", text) and "://" not in text:
        if expected.names_issuer or not expected.has_pkce:
            return Unfit("paste the whole address of the page, not the code alone")
        return Code(Secret(text))
    return Unfit(
        "paste the address of the page that you were sent to; "
        "it begins with " + expected.redirect_uri
    )


def _pasted_address(text: str, expected: Expected) -> Answer:
    """Return what an address means, or what stands behind its question mark."""
    place, mark, query = text.partition("?")
    if not mark:
        place, query = "", text
    # Some browsers show and copy an address without its scheme.
    whole = place if "://" in place else f"http://{place}"
    if place and whole != expected.redirect_uri:
        return Unfit(f"this address does not begin with {expected.redirect_uri}")
    return judge(dict(parse_qsl(query.partition("#")[0])), expected)
