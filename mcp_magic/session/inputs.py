"""The inputs that entries want from a person: asked for once, kept in memory."""

from __future__ import annotations

import os
from functools import partial

from mcp_magic.config import Answers, Input, ServerEntry
from mcp_magic.config.private import near_home
from mcp_magic.model import Secret
from mcp_magic.session.telling import Ask

__all__ = ["gather"]


def gather(answers: Answers, entry: ServerEntry, ask: Ask) -> None:
    """Ask for what an entry wants and nothing gives yet.

    Args:
        answers: What was answered before.
        entry: A server that is about to be started.
        ask: Asks the person.
    """
    answers.gather(entry, partial(_ask_for, entry, ask))


def _ask_for(entry: ServerEntry, ask: Ask, wanted: Input) -> Secret | None:
    if wanted.variable in os.environ:
        return None
    where = "" if entry.source is None else f" ({near_home(entry.source.file)})"
    said = wanted.description or wanted.id
    choices = f" [{', '.join(wanted.options)}]" if wanted.options else ""
    known = wanted.default and not wanted.secret
    usual = f" (Enter for {wanted.default})" if known else ""
    question = f"{entry.name}{where} asks for {said}{choices}{usual}: "
    answer = ask(question.replace("\n", " "), masked=wanted.secret)
    return None if answer is None else Secret(answer or wanted.default)
