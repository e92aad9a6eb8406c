"""The server `demo`: small tools that show what MCP can do, without a network.

``python -m mcp_magic.demo`` serves it; `mcp_magic.demo.server.build` makes one to be
connected inside this process. This module itself imports nothing, so that looking at
the package costs nothing.
"""
