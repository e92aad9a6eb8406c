"""Skills that a server offers (extension ``io.modelcontextprotocol/skills``, SEP-2640).

Listing reads nothing else; a skill's files are read when they are wanted, and checked
against the size and digest that the listing tells before anyone sees them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from mcp import Client
from mcp_types import METHOD_NOT_FOUND, PaginatedRequestParams, Request, Result
from pydantic import ConfigDict

from mcp_magic.answer import Embedded
from mcp_magic.client.caller import Caller
from mcp_magic.client.connection import Connection
from mcp_magic.client.listing import pages
from mcp_magic.client.mending import Raw
from mcp_magic.client.reading import read_list
from mcp_magic.client.requests import read
from mcp_magic.errors import RequestRefused
from mcp_magic.model import Skill, SkillFile

__all__ = ["list_skills", "read_file", "read_skill"]


class _ListSkills(Request[PaginatedRequestParams | None, Literal["skills/list"]]):
    method: Literal["skills/list"] = "skills/list"
    params: PaginatedRequestParams | None = None


class _Anything(Result):
    model_config = ConfigDict(extra="allow")


async def list_skills(to: Connection) -> list[Skill]:
    """Return the skills of a server; none if it offers none."""

    async def ask(client: Client, cursor: str | None) -> object:
        params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
        return await client.session.send_request(_ListSkills(params=params), _Anything)

    notes: list[str] = []
    found: list[Raw] = []
    try:
        found = await pages(to, ask)
    except RequestRefused as error:
        if error.code != METHOD_NOT_FOUND:
            raise
    return [one for page in found for one in read_list(page, "skills", _skill, notes)]


def _skill(item: Mapping[str, Any], notes: list[str]) -> Skill | None:
    if not isinstance(item.get("uri"), str):
        return None
    front = item.get("frontmatter")
    front = dict(front) if isinstance(front, Mapping) else {}
    files = read_list({"files": item.get("resources") or []}, "files", _file, notes)
    name = front.get("name") or item.get("name")
    said = front.get("description") or item.get("description")
    return Skill(
        uri=item["uri"],
        name=name if isinstance(name, str) else item["uri"],
        description=said if isinstance(said, str) else "",
        front=front,
        files=tuple(files),
    )


def _file(item: Mapping[str, Any], _notes: list[str]) -> SkillFile | None:
    uri, size, digest = (item.get(key) for key in ("uri", "size", "digest"))
    if not isinstance(uri, str):
        return None
    return SkillFile(
        uri,
        size if isinstance(size, int) else None,
        digest if isinstance(digest, str) else "",
    )


async def read_skill(to: Connection, skill: Skill, caller: Caller) -> str:
    """Return a skill's own text, its front matter checked against the listing.

    Raises:
        RequestRefused: The text is not what the listing promised.
    """
    text = (await read_file(to, skill, skill.uri, caller)).decode("utf-8", "replace")
    if skill.front and _front_matter(text) != skill.front:
        raise _broken(to, skill.uri, "front matter")
    return text


async def read_file(to: Connection, skill: Skill, uri: str, caller: Caller) -> bytes:
    """Return one of a skill's files, checked against the listing.

    Raises:
        RequestRefused: It is not what the listing promised, or not listed.
    """
    listed = next((one for one in skill.files if one.uri == uri), None)
    if listed is None and uri != skill.uri:
        raise RequestRefused(
            f"{skill.name} lists no file {uri}; its .files are what it lists",
            to.entry.name,
        )
    answer = await read(to, uri, caller)
    block = answer.blocks[0] if answer.blocks else None
    content = b""
    if isinstance(block, Embedded):
        content = block.data or (block.text or "").encode("utf-8", "surrogatepass")
    if listed is not None and listed.size not in (None, len(content)):
        raise _broken(to, uri, "size")
    if listed is not None and listed.digest and listed.digest != _digest(content):
        raise _broken(to, uri, "digest")
    return content


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _broken(to: Connection, uri: str, what: str) -> RequestRefused:
    name = to.entry.name
    return RequestRefused(
        f"{name} sent {uri} with another {what} than it listed; it is not used", name
    )


def _front_matter(text: str) -> object:
    import yaml  # noqa: PLC0415 - few servers have skills

    parts = text.split("---", 2)
    try:
        return yaml.safe_load(parts[1]) if len(parts) == 3 else None
    except yaml.YAMLError:
        return None
