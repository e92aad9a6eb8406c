"""What is known about servers before anything starts: their entries."""

from mcp_magic.config.answers import Answers
from mcp_magic.config.approvals import Approval, Approvals, needs_approval
from mcp_magic.config.catalogue import Catalogue, Problem, Standing, standings
from mcp_magic.config.entries import (
    Http,
    InProcess,
    Input,
    ServerEntry,
    Source,
    Stdio,
    Target,
    demo_entry,
    name_for,
    read_target,
)
from mcp_magic.config.eras import Eras
from mcp_magic.config.expand import (
    Ask,
    expand,
    expand_oauth,
    inputs_of,
    literals,
    nobody,
)
from mcp_magic.config.filters import permits, why_refused
from mcp_magic.config.sources import is_file, read_all, read_text

__all__ = [
    "Answers",
    "Approval",
    "Approvals",
    "Ask",
    "Catalogue",
    "Eras",
    "Http",
    "InProcess",
    "Input",
    "Problem",
    "ServerEntry",
    "Source",
    "Standing",
    "Stdio",
    "Target",
    "demo_entry",
    "expand",
    "expand_oauth",
    "inputs_of",
    "is_file",
    "literals",
    "name_for",
    "needs_approval",
    "nobody",
    "permits",
    "read_all",
    "read_target",
    "read_text",
    "standings",
    "why_refused",
]
