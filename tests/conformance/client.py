"""The program that the official conformance suite runs and watches.

The suite plays the server, gives its URL as the last argument and the rest in the
environment, and grades what it saw. A user of ``mcp_magic`` would do no more than this.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

import httpx2

import mcp_magic
from mcp_magic.config import Http, ServerEntry
from mcp_magic.language import Bound
from mcp_magic.model import (
    Accepted,
    Declined,
    FormQuestion,
    Json,
    Prompt,
    Question,
    Reply,
    Resource,
    Schema,
    Secret,
    Skill,
    Tool,
    UrlQuestion,
)
from mcp_magic.session import call, current
from mcp_magic.session.signin import Prompter, SignIn

T = TypeVar("T")
Step: TypeAlias = Callable[[], object]

_SERVER = "suite"
_ROUNDS = 5  # more than anybody should be asked to sign in
_DOCUMENT = "https://conformance-test.local/client-metadata.json"
_SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
_CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")

# Values for what must be given, by type.
_SAMPLES: Mapping[str, Json] = {
    "string": "x",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "object": {},
    "array": [],
    "null": None,
}


def main(url: str) -> None:
    """Connect, and use whatever there is."""
    session = current()
    session.person.answer = lambda asked: answer(asked.question)
    session.sign_ins.prompter = Prompter(lambda: True, _browse)
    session.add(ServerEntry(_SERVER, Http(url), oauth=_oauth()))
    mcp_magic.sampling(_SERVER, lambda _request: "A text.")
    mcp_magic.roots(_SERVER, Path.cwd())
    try:
        for step in _steps(_signed_in(partial(mcp_magic.connect, _SERVER))):
            _try(partial(_signed_in, step))
    except mcp_magic.McpMagicError as error:
        sys.exit(_told(error))
    finally:
        session.shut_down()


def answer(question: Question) -> Reply:
    """Accept, with the defaults of a form and a value for what else must be given."""
    match question:
        case FormQuestion(schema=schema):
            return Accepted({**_sample(schema), **_defaults(schema)})
        case UrlQuestion():
            return Accepted()
    return Declined()


def _oauth() -> dict[str, Json | Secret]:
    """Return what a person would have configured, by our names."""
    known = {
        "client_id": "client_id",
        "client_secret": "client_secret",
        "private_key_pem": "private_key",
        "signing_algorithm": "algorithm",
        "idp_id_token": "id_token",
        "idp_token_endpoint": "id_token_endpoint",
        "idp_client_id": "id_client_id",
    }
    given = {name: _CONTEXT[key] for key, name in known.items() if key in _CONTEXT}
    if "id_token" in given:
        given["grant"] = "identity_assertion"
    elif "client-credentials" in _SCENARIO:
        given["grant"] = "client_credentials"
    return {"client_metadata_url": _DOCUMENT, **given}


def _browse(job: SignIn) -> None:
    """Play the person and the browser: the suite's page agrees by itself."""
    with httpx2.Client() as browser:
        answer = browser.get(job.url)
        browser.get(answer.headers["location"])


def _signed_in(step: Callable[[], T]) -> T:
    """Do a step, and again each time a person has signed in for it."""
    for _ in range(_ROUNDS):
        try:
            return step()
        except mcp_magic.AuthorizationRequired:
            current().run(current().sign_ins.settled(_SERVER))
    return step()


def _try(step: Step) -> None:
    try:
        said = repr(step())
    except mcp_magic.McpMagicError as error:
        said = _told(error)
    sys.stdout.write(f"{said}\n")


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _steps(server: mcp_magic.Server) -> Iterator[Step]:
    """Yield what the scenario wants done; else the use of everything there is."""
    if "toolCalls" in _CONTEXT:
        yield from map(_as_told, _CONTEXT["toolCalls"])
    elif "sep-2640" in _SCENARIO:
        yield from _skills()
    else:
        yield from _tools(server)
        yield from _resources()
        yield from _prompts()


def _as_told(wanted: Mapping[str, Json]) -> Step:
    """Send arguments to the letter, also those that the tool's schema forbids."""
    given = wanted.get("arguments")
    bound = Bound(dict(given) if isinstance(given, Mapping) else {})
    tool = str(wanted["name"])
    return lambda: current().run(call(current(), _SERVER, tool, lambda *_: bound))


def _tools(server: mcp_magic.Server) -> Iterator[Step]:
    listed = {tool.name: tool for tool in mcp_magic.tools(server)}
    for name, tool in listed.items():
        yield partial(server[name], **_arguments(tool, listed))


def _arguments(tool: Tool, listed: Mapping[str, Tool]) -> dict[str, Json]:
    if tool.name == "json_schema_echo":  # it wants to see what became of another's
        seen = listed["json_schema_2020_12_tool"].input_schema
        return {"schema": dict(seen) if isinstance(seen, Mapping) else seen}
    return _sample(tool.input_schema)


def _resources() -> Iterator[Step]:
    for one in mcp_magic.resources(_SERVER):
        if isinstance(one, Resource):
            yield partial(mcp_magic.read, _SERVER, one.uri)


def _prompts() -> Iterator[Step]:
    for one in mcp_magic.prompts(_SERVER):
        yield partial(mcp_magic.prompt, _SERVER, one.name, **_words(one))


def _words(prompt: Prompt) -> dict[str, str]:
    return {one.name: "x" for one in prompt.arguments if one.required}


def _skills() -> Iterator[Step]:
    """Load every skill: its files, too, if its own text is what was listed."""
    listed = mcp_magic.skills(_SERVER)
    if _SCENARIO.endswith("no-prefetch"):
        return  # it watches that listing alone reads no file
    for one in listed:
        yield partial(_load, one)


def _load(skill: Skill) -> list[str]:
    own = mcp_magic.skill(_SERVER, skill)
    others = [one.uri for one in skill.files if one.uri != skill.uri]
    return [own, *(mcp_magic.skill(_SERVER, skill, uri) for uri in others)]


def _sample(schema: Schema) -> dict[str, Json]:
    """Return values for the properties that an object must have."""
    required = schema.get("required") if isinstance(schema, Mapping) else None
    names = required if isinstance(required, list) else []
    known = _properties(schema)
    return {name: _value(known.get(name, {})) for name in map(str, names)}


def _defaults(schema: Schema) -> dict[str, Json]:
    known = _properties(schema)
    return {name: one["default"] for name, one in known.items() if "default" in one}


def _properties(schema: Schema) -> dict[str, Mapping[str, Json]]:
    found = schema.get("properties") if isinstance(schema, Mapping) else None
    items = found.items() if isinstance(found, Mapping) else ()
    return {name: one for name, one in items if isinstance(one, Mapping)}


def _value(schema: Mapping[str, Json]) -> Json:
    return _SAMPLES.get(str(schema.get("type")), "x")


if __name__ == "__main__":
    main(sys.argv[-1])
