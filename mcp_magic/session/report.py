"""A report in sections that shows itself, fit to be pasted where anyone reads it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mcp_magic.display import html
from mcp_magic.errors import visible

__all__ = ["Finding", "Report", "Section"]

_WIDTH = 88
_LABEL = 32


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        label: What.
        text: How it is.
        amiss: Whether a person should do something about it.
    """

    label: str
    text: str
    amiss: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Findings under a title."""

    title: str
    findings: tuple[Finding, ...]


class Report(tuple[Section, ...]):
    """Sections, one below the other; those with trouble are told first."""

    __slots__ = ()

    @property
    def amiss(self) -> tuple[str, ...]:
        """What needs attention, one sentence each; a cause is not told twice."""
        kept: list[tuple[str, str]] = []
        for section in self:
            for one in section.findings:
                if one.amiss and not any(text in one.text for _, text in kept):
                    kept.append((section.title, one.text))
        return tuple(_sentence(title, text) for title, text in kept)

    def __repr__(self) -> str:
        return visible("\n\n".join("\n".join(part) for part in self._parts()))

    def _repr_mimebundle_(self, **_kinds: object) -> dict[str, object]:
        return {"text/plain": repr(self), "text/html": html.paragraph(repr(self))}

    def _parts(self) -> Iterator[list[str]]:
        told = self.amiss or ("Nothing amiss was noticed.",)
        yield ["Needs attention" if self.amiss else "All in all", *_items(told)]
        for section in self:
            yield [section.title, *_rows(section.findings)]


def _sentence(title: str, text: str) -> str:
    """Return a finding with its place; one that names its server does so once."""
    name = title.removeprefix("Server ").partition(" ")[0]
    names_it = text.startswith((f"{name} ", f"the server {name} "))
    return text if names_it else f"{title}: {text}"


def _items(texts: Iterable[str]) -> Iterator[str]:
    for one in texts:
        yield from _wrapped(one, "  ", "    ")


def _rows(findings: tuple[Finding, ...]) -> Iterator[str]:
    width = min(max((len(one.label) for one in findings), default=0), _LABEL)
    for one in findings:
        yield from _wrapped(one.text, f"  {one.label:{width}}  ", " " * (width + 4))


def _wrapped(text: str, first: str, others: str) -> list[str]:
    # A path is never broken: it could not be copied any more.
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]
