"""The language of ``%mcp``: from text and a JSON Schema to values, or a caret error.

Pure: nothing is read, printed or run here, but for the Python of a call form, which
``evaluate`` runs once with the names it is given. Names are imported when they are
first used: a list of tools needs no reader of YAML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_magic.lazy import lazily

if TYPE_CHECKING:
    from mcp_magic.language.arguments import Arguments, evaluate, values, with_body
    from mcp_magic.language.binding import Bound, bind
    from mcp_magic.language.check import Problem
    from mcp_magic.language.command import split_command
    from mcp_magic.language.entries import (
        Chosen,
        Entry,
        Filled,
        Known,
        Null,
        Reading,
        Rows,
        Typed,
        Variant,
        read_form,
    )
    from mcp_magic.language.filling import filled
    from mcp_magic.language.forms import Choice, Field, Form, Kind, fields
    from mcp_magic.language.help import help_page
    from mcp_magic.language.line import CALLS, VERBS, Line, read_line
    from mcp_magic.language.options import OPTIONS, SWITCHES, Options, options_of
    from mcp_magic.language.paths import Namespace
    from mcp_magic.language.scan import Word
    from mcp_magic.language.signatures import signature
    from mcp_magic.language.spelling import spell, spell_python, spell_verb
    from mcp_magic.language.target import (
        Catalogue,
        Given,
        Target,
        Url,
        split_target,
        split_tool,
    )
    from mcp_magic.language.typed import FILE_LIMIT, ReadFile

__all__ = [
    "CALLS",
    "FILE_LIMIT",
    "OPTIONS",
    "SWITCHES",
    "VERBS",
    "Arguments",
    "Bound",
    "Catalogue",
    "Choice",
    "Chosen",
    "Entry",
    "Field",
    "Filled",
    "Form",
    "Given",
    "Kind",
    "Known",
    "Line",
    "Namespace",
    "Null",
    "Options",
    "Problem",
    "ReadFile",
    "Reading",
    "Rows",
    "Target",
    "Typed",
    "Url",
    "Variant",
    "Word",
    "bind",
    "evaluate",
    "fields",
    "filled",
    "help_page",
    "options_of",
    "read_form",
    "read_line",
    "signature",
    "spell",
    "spell_python",
    "spell_verb",
    "split_command",
    "split_target",
    "split_tool",
    "values",
    "with_body",
]

_HOMES = {
    "arguments": ("Arguments", "evaluate", "values", "with_body"),
    "binding": ("Bound", "bind"),
    "check": ("Problem",),
    "command": ("split_command",),
    "entries": (
        *("Chosen", "Entry", "Filled", "Known", "Null", "Reading", "Rows"),
        *("Typed", "Variant", "read_form"),
    ),
    "filling": ("filled",),
    "forms": ("Choice", "Field", "Form", "Kind", "fields"),
    "help": ("help_page",),
    "line": ("CALLS", "VERBS", "Line", "read_line"),
    "options": ("OPTIONS", "SWITCHES", "Options", "options_of"),
    "paths": ("Namespace",),
    "scan": ("Word",),
    "signatures": ("signature",),
    "spelling": ("spell", "spell_python", "spell_verb"),
    "target": ("Catalogue", "Given", "Target", "Url", "split_target", "split_tool"),
    "typed": ("FILE_LIMIT", "ReadFile"),
}
__getattr__ = lazily(__name__, {f"{__name__}.{one}": _HOMES[one] for one in _HOMES})


def __dir__() -> list[str]:
    return __all__
