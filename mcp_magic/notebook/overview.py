"""The page that ``%mcp help`` shows."""

from __future__ import annotations

__all__ = ["OVERVIEW"]

OVERVIEW = """\
%mcp                              known servers and their state
%mcp SERVER                       the tools of a server
%mcp SERVER.TOOL key=value …      call a tool; also  SERVER TOOL …
r = %mcp SERVER.TOOL(key=value)   the call form: Python between the brackets
%mcp URL [TOOL …]                 a server at a URL
%mcp --stdio "COMMAND" [TOOL …]   a command that is started; --name N names it
%mcp list [SERVER … | --all]      tools of several servers
%mcp help [SERVER[.TOOL]]         this page, a server, one tool
%mcp add NAME URL|COMMAND         make a server known in this kernel
%mcp remove NAME                  forget it
%mcp status [SERVER …]            calls, failures, errors
%mcp close [SERVER …]             end connections
%mcp resources SERVER             its resources and templates
%mcp read SERVER URI              one resource
%mcp [--timeout S] watch SERVER URI   say every change until Stop
%mcp prompts SERVER               its prompts
%mcp prompt SERVER.NAME key=value …   a prompt filled in
%mcp logs SERVER                  the latest lines of its log
%mcp sampling SERVER FUNCTION     let a function answer for a model

Arguments: key=value, key:value, --key value, key:=JSON, values in order. key=$name
passes a Python object, key=@file the text of a file. "…" and '…' group words.

Options stand before the target: --timeout S, --out NAME, --raw, --no-correct,
--stdio CMD, --url URL, --env K=V, --cwd DIR, --header K=V, --name N, --args JSON,
--body PARAM.

A cell gives the arguments as JSON or YAML:
%%mcp --out r SERVER.TOOL
{"key": "value"}

IPython reads a line before %mcp does: a call form over several lines needs \\ at each
line's end, a line that ends in \\ swallows the next one, and a line that ends in ? asks
IPython for help, so quote such a text: q="what?".
"""
