"""What namespaced names mean, as far as connected servers tell (docs/names.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from mcp_magic.display.text import cell
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
        self._of: Mapping[str, tuple[str, ...]] = {}
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

    def _names(self) -> Codec:
        listed = self._listed()
        if self._codec is None or self._of != listed:
            pairs = [(server, tool) for server in listed for tool in listed[server]]
            self._of, self._codec = listed, Codec(pairs)
        return self._codec
