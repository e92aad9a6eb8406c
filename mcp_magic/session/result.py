"""What a call gives back: a value for Python that also shows itself."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_magic.answer import Answer, Audio, Block, Embedded, Image, Link, Text
from mcp_magic.display import answers
from mcp_magic.display.limits import Limits, pretty
from mcp_magic.display.text import Reveal
from mcp_magic.errors import McpMagicError
from mcp_magic.model import Json
from mcp_magic.session import given

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CallResult"]


@dataclass(frozen=True, slots=True, repr=False)
class CallResult:
    """The result of one call.

    Attributes:
        answer: Everything that arrived, read.
        server: The configured name of the server.
        requested: The tool name as typed.
        called: The tool name that ran; differs from *requested* after a correction.
        seconds: How long the call took, without connecting.
    """

    answer: Answer
    server: str
    requested: str
    called: str
    seconds: float
    _reveal: Reveal = field(default=str, compare=False)
    _limits: Callable[[], Limits] = field(default=Limits, compare=False)

    @property
    def data(self) -> object:
        """The answer as a Python value: see ``Answer.data`` for the rule."""
        return self.answer.data

    @property
    def text(self) -> str:
        """All text of the answer, a line break between blocks."""
        return self.answer.text

    @property
    def content(self) -> tuple[Block, ...]:
        """The content blocks in order."""
        return self.answer.blocks

    @property
    def images(self) -> tuple[Image, ...]:
        """The image blocks in order."""
        return tuple(block for block in self.content if isinstance(block, Image))

    @property
    def raw(self) -> Mapping[str, Json]:
        """The result as received, as JSON values."""
        return self.answer.raw

    @property
    def is_error(self) -> bool:
        """Whether the tool reported an error."""
        return self.answer.is_error

    def to_pandas(self) -> pd.DataFrame:
        """Return the data as a pandas ``DataFrame``.

        A list of mappings gives a row each, also where it stands in a mapping beside
        plain values; a mapping of lists gives a column each, another mapping one row,
        and a list of other values a single column ``value``.

        Raises:
            McpMagicError: pandas is not installed, or the data are no table.
        """
        try:
            import pandas as pd  # noqa: PLC0415 - optional, and slow to import
        except ImportError:
            why = "to_pandas() needs pandas: %pip install pandas"
            raise McpMagicError(why) from None
        data = self.data
        held = answers.held_rows(data)
        if held is not None:
            return pd.DataFrame(held.rows)
        if isinstance(data, Mapping):
            columns = bool(data) and all(isinstance(v, list) for v in data.values())
            data = data if columns else [data]
        if not isinstance(data, list | Mapping):
            kind = type(data).__name__
            raise McpMagicError(f"to_pandas() needs rows, and .data is {kind}")
        if isinstance(data, list) and not all(isinstance(v, Mapping) for v in data):
            return pd.DataFrame({"value": data})
        return pd.DataFrame(data)

    def save(self, folder: str | Path) -> list[Path]:
        """Write every block to a file of its own; nothing is overwritten.

        Args:
            folder: Where to; it is made if it does not exist.

        Returns:
            The files written, in the order of the blocks; structured content as JSON.

        Raises:
            ArgumentError: *folder* is no path.
            McpMagicError: It cannot be written; what is there by then is whole.
        """
        target = given.folder("save", folder)
        parts = [_file(block) for block in self.content]
        if "structuredContent" in self.raw:
            whole = json.dumps(self.answer.structured, indent=2, ensure_ascii=False)
            parts.append((".json", whole.encode("utf-8", "surrogatepass")))
        try:
            target.mkdir(parents=True, exist_ok=True)
            return [_write(target, at, *part) for at, part in enumerate(parts, 1)]
        except OSError as error:
            why = error.strerror or str(error)
        where = given.shown(str(target))
        raise McpMagicError(f"{where} cannot be written: {why}; choose another folder")

    def __repr__(self) -> str:
        return self._reveal(answers.as_text(self.answer, self._limits()))

    def __reduce__(self) -> tuple[object, ...]:
        # What names mean and how much is shown is known to this process alone.
        kept = (self.answer, self.server, self.requested, self.called, self.seconds)
        return CallResult, kept

    def _repr_mimebundle_(self, **_kinds: object) -> dict[str, object]:
        bundle: dict[str, object] = {"text/plain": repr(self)}
        match self.content:
            case [Image(mime="image/png" | "image/jpeg" as mime, data=data)] if (
                "structuredContent" not in self.raw
            ):
                # The front end's own way to show a picture, also in a saved notebook.
                bundle[mime] = data
            case _:
                page = answers.as_page(self.answer, self._limits(), self._reveal)
                if page is not None:
                    bundle["text/html"] = page
        return bundle


def _file(block: Block) -> tuple[str, bytes]:
    match block:
        case Text(content) | Embedded(text=str(content)):
            return ".txt", content.encode("utf-8", "surrogatepass")
        case Image(mime, data) | Audio(mime, data):
            return mimetypes.guess_extension(mime) or ".bin", data
        case Embedded(mime=mime, data=bytes(data)):
            return mimetypes.guess_extension(mime) or ".bin", data
        case Link(uri=uri):
            return ".uri", uri.encode("utf-8", "surrogatepass")
    return ".json", pretty(getattr(block, "raw", None)).encode()


def _write(folder: Path, number: int, suffix: str, content: bytes) -> Path:
    for attempt in range(1, 10_000):
        extra = "" if attempt == 1 else f"-{attempt}"
        path = folder / f"part-{number}{extra}{suffix}"
        try:
            file = path.open("xb")
        except FileExistsError:
            continue
        try:
            with file:
                file.write(content)
        except OSError:  # the disk is full: half a file is worse than none
            path.unlink(missing_ok=True)
            raise
        return path
    raise McpMagicError(f"{folder} is full of saved parts; choose another folder")
