"""What namespaced names mean, as far as connected servers tell (docs/names.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from mcp_magic.display.text import cell
from mcp_magic.model import Tool
from mcp_magic.naming import Codec, spot

__all__ = ["Meanings"]


class Meanings:
    """Reads the namespaced names of the servers that are known.

    Args:
        listed: Gives the tools that each connected server listed.
        servers: Gives the names of all known servers.
    """

    def __init__(
        self,
        listed: Callable[[], Mapping[str, tuple[str, ...]]],
        servers: Callable[[], Collection[str]],
    ) -> None:
        self._listed = listed
        self._servers = servers
        self._read: Mapping[str, tuple[str, ...]] = {}
        self._codec: Codec | None = None

    def reveal(self, text: str) -> str:
        """Return *text* with the meaning of known namespaced names beside them."""
        if "--" not in text and "__" not in text:
            return text
        parts, end = [], 0
        for found in spot(text, pairs=self._names(), servers=self._servers()):
            parts += [
                text[end : found.end],
                f" ({cell(found.server)} › {cell(found.tool)})",
            ]
            end = found.end
        return "".join([*parts, text[end:]])

    def of(self, name: str) -> str:
        """Return what a tool's namespaced name means, or an empty text."""
        return self.reveal(name)[len(name) + 2 : -1]

    def beside(self, tools: Iterable[Tool], *, read_only: bool) -> Callable[[str], str]:
        """Return what says, of a listed tool, what stands beside its name.

        Args:
            tools: Those that are listed.
            read_only: Whether only tools may run that declare to be read-only.
        """
        runs = {one.name for one in tools if one.annotations.read_only or not read_only}

        def say(name: str) -> str:
            refused = "" if name in runs else "read_only: does not run"
            return "; ".join(filter(None, (self.of(name), refused)))

        return say

    def _names(self) -> Codec:
        listed = self._listed()
        if self._codec is None or self._read != listed:
            pairs = [(server, tool) for server in listed for tool in listed[server]]
            self._read, self._codec = listed, Codec(pairs)
        return self._codec
