"""A server that wants a person to sign in, and the service where one does, to try with.

``python -m mcp_magic.teaching`` serves both; `mcp_magic.teaching.running.start` does so
inside this process. This module itself imports nothing.
"""
