"""`%mcp` and `%%mcp`: the tools of any MCP server, from a notebook or IPython."""
