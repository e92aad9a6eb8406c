"""What ``%mcp help`` and ``%mcp help VERB`` show: every verb, its usage, an example."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

__all__ = ["HELP", "OVERVIEW", "VerbHelp", "verb_page"]

_WIDTH = 88
_USAGE = 32  # columns of the overview for what stands after %mcp


@dataclass(frozen=True, slots=True)
class VerbHelp:
    """The help of a verb.

    Attributes:
        usage: What is typed after ``%mcp``.
        brief: What it does, in the few words of the overview.
        example: A line that can be tried, after ``%mcp``.
        more: What there is to know besides.
    """

    usage: str
    brief: str
    example: str
    more: str = ""


HELP: Mapping[str, VerbHelp] = {
    "servers": VerbHelp(
        "servers [--all]",
        "known servers and their state",
        "servers --all",
        "Nothing is started. %mcp alone does the same. With --all every entry of every "
        "file is shown, why it is not used if it is not, and what could not be read.",
    ),
    "list": VerbHelp(
        "list [SERVER … | --all]",
        "tools of several servers",
        "list demo",
        "Servers are started at once; one that fails is a line among the others. "
        "%mcp SERVER lists one server.",
    ),
    "call": VerbHelp(
        "call SERVER.TOOL key=value …",
        "call a tool",
        "call demo.add a=2 b=3",
        "The same as %mcp SERVER.TOOL …, for a server that is called like a verb too. "
        "The value is a CallResult: .data, .text, .images, .to_pandas(), .save().",
    ),
    "help": VerbHelp(
        "help [VERB | SERVER[.TOOL]]",
        "this page, a verb, a server, a tool",
        "help demo.add",
        "A known server that is called like a verb comes before the verb.",
    ),
    "add": VerbHelp(
        "add [--save] NAME URL|COMMAND",
        "make a server known",
        "add --env API_KEY=${MY_KEY} search npx -y some-server",
        "Nothing is started. Options stand before NAME: --env K=V, --cwd DIR, "
        "--header K=V. ${VARIABLE} is filled in when the server starts, so no secret "
        "needs to stand in the notebook. --save keeps it in your mcp.json for other "
        "kernels.",
    ),
    "remove": VerbHelp(
        "remove NAME …",
        "forget servers",
        "remove search",
        "In this kernel and in your mcp.json; files of other products are never "
        "changed. Their connections are closed.",
    ),
    "import": VerbHelp(
        "import KIND [NAME …]",
        "copy servers of another product",
        "import cursor",
        "Into your mcp.json, placeholders and all; what is there already stays. KIND "
        "is a product of %mcp servers --all, such as claude-code.",
    ),
    "approve": VerbHelp(
        "approve [SERVER …]",
        "agree to what a folder brings",
        "approve --list",
        "A server of a project's own file is not used before you agreed to its entry. "
        "This shows what it would do, and asks. --list shows what you agreed to, "
        "--revoke [SERVER …] takes it back.",
    ),
    "status": VerbHelp(
        "status [SERVER …]",
        "calls, failures, errors",
        "status demo",
        "Nothing is started.",
    ),
    "close": VerbHelp(
        "close [SERVER …]",
        "end connections",
        "close demo",
        "Without a name all of them. Processes that were started end; the next call "
        "connects again.",
    ),
    "auth": VerbHelp(
        "auth SERVER | URL",
        "sign in, in the background",
        "auth https://host/mcp",
        "--scope 'A B' asks for these; --paste asks here for the address of the page "
        "that the browser could not open, or for a client id that is missing; "
        "--timeout S gives so many seconds; --reset forgets what is kept first; "
        "--forget signs out.",
    ),
    "resources": VerbHelp(
        "resources SERVER",
        "its resources and templates",
        "resources demo",
    ),
    "read": VerbHelp(
        "read SERVER URI",
        "one resource",
        "read demo demo://readme",
        "The value is a CallResult, as of a call. %mcp resources SERVER shows the "
        "addresses.",
    ),
    "watch": VerbHelp(
        "[--timeout S] watch SERVER URI",
        "say every change until Stop",
        "--timeout 60 watch demo demo://notes",
        "The value is the number of changes.",
    ),
    "prompts": VerbHelp("prompts SERVER", "its prompts", "prompts demo"),
    "prompt": VerbHelp(
        "prompt SERVER.NAME key=value …",
        "a prompt filled in",
        "prompt demo.introduce world=Titan audience=children",
        "The value has .messages, ready for a model.",
    ),
    "logs": VerbHelp(
        "logs SERVER",
        "the latest lines of its log",
        "logs demo",
        "Lines that a command wrote to its standard error are among them.",
    ),
    "sampling": VerbHelp(
        "sampling SERVER FUNCTION",
        "let a function answer for a model",
        "sampling demo ask_my_model",
        "FUNCTION is a function of this notebook: it takes the request's parameters "
        "and returns a text or a whole result.",
    ),
    "doctor": VerbHelp(
        "doctor [SERVER …]",
        "why a server may not start",
        "doctor demo",
        "Versions, PATH, proxies, and for each server what would be run. Nothing is "
        "started. The report has no secrets and names no person, so that it can be "
        "pasted into an issue.",
    ),
}
"""By verb its help, in the order of the overview."""

_SPECIAL = frozenset({"servers", "call"})  # lines of their own say more


def verb_page(verb: str) -> str:
    """Return what ``%mcp help VERB`` shows."""
    one = HELP[verb]
    said = f"{one.brief[0].upper()}{one.brief[1:]}. {one.more}".strip()
    parts = [f"%mcp {one.usage}", textwrap.fill(said, _WIDTH), f"  %mcp {one.example}"]
    return "\n\n".join(parts)


def _verbs() -> Iterator[str]:
    for verb, one in HELP.items():
        if verb not in _SPECIAL:
            yield f"%mcp {f'{one.usage}  ':{_USAGE}}{one.brief}"


_VERBS = "\n".join(_verbs())

OVERVIEW = f"""\
%mcp                                 known servers and their state
%mcp servers --all                   every entry of every file, and why it is not used
%mcp SERVER                          the tools of a server
%mcp SERVER.TOOL key=value …         call a tool; also  SERVER TOOL …
r = %mcp SERVER.TOOL(key=value)      the call form: Python between the brackets
%mcp URL [TOOL …]                    a server at a URL
%mcp --stdio "COMMAND" [TOOL …]      a command that is started; --name N names it
{_VERBS}

Arguments: key=value, key:value, --key value, key:=JSON, values in order. key=$name
passes a Python object, key=@file the text of a file. "…" and '…' group words.

Options stand before the target: --timeout S, --out NAME, --raw, --no-correct,
--stdio CMD, --url URL, --env K=V, --cwd DIR, --header K=V, --name N, --args JSON,
--body PARAM.

A cell gives the arguments as JSON or YAML:
%%mcp --out r SERVER.TOOL
{{"key": "value"}}

IPython reads a line before %mcp does: a call form over several lines needs \\ at each
line's end, a line that ends in \\ swallows the next one, and a line that ends in ? asks
IPython for help, so quote such a text: q="what?".
"""
