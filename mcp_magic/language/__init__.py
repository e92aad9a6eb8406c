"""The language of ``%mcp``: from text and a JSON Schema to values, or a caret error.

Pure: nothing is read, printed or run here, but for the Python of a call form, which
``evaluate`` runs once with the names it is given.
"""

from mcp_magic.language.arguments import Arguments, evaluate, values, with_body
from mcp_magic.language.bind import Bound, bind
from mcp_magic.language.help import help_page
from mcp_magic.language.line import VERBS, Line, read_line
from mcp_magic.language.options import OPTIONS, Options
from mcp_magic.language.typed import FILE_LIMIT, ReadFile
from mcp_magic.language.paths import Namespace
from mcp_magic.language.scan import Word
from mcp_magic.language.signature import signature
from mcp_magic.language.spell import spell, spell_python
from mcp_magic.language.target import (
    Catalogue,
    Given,
    Target,
    Url,
    split_target,
    split_tool,
)

__all__ = [
    "FILE_LIMIT",
    "OPTIONS",
    "VERBS",
    "Arguments",
    "Bound",
    "Catalogue",
    "Given",
    "Line",
    "Namespace",
    "Options",
    "ReadFile",
    "Target",
    "Url",
    "Word",
    "bind",
    "evaluate",
    "help_page",
    "read_line",
    "signature",
    "spell",
    "spell_python",
    "split_target",
    "split_tool",
    "values",
    "with_body",
]
