"""How a server is connected to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mcp_magic.client.auth.store import Store
from mcp_magic.client.questions import Sampler
from mcp_magic.config import Ask, Eras, nobody

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is connected to.

    Attributes:
        connect_timeout: Seconds it may take to start and shake hands.
        eras: Remembers which servers speak the older protocol.
        era: ``"older"`` (2025-11-25 and before) or ``"newer"`` (2026-07-28) alone;
            ``None`` finds out.
        sampler: Answers the server's sampling requests; ``None`` does not offer it.
        roots: Folders that the server may know of.
        ask: Gives the values of its inputs; called on the loop, where nobody waits.
        people: Whether a person may be asked for a model's answer, where no function
            gives it.
        store: Keeps the tokens of people who sign in; ``None``: nobody does.
    """

    connect_timeout: float = 60.0
    eras: Eras = field(default_factory=lambda: Eras(None))
    era: Literal["older", "newer"] | None = None
    sampler: Sampler | None = None
    roots: tuple[Path, ...] = ()
    ask: Ask = nobody
    people: bool = False
    store: Store | None = None
