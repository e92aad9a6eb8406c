"""A tool that takes its time, tells how far it is, and can be stopped."""

from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, MCPServer
from pydantic import Field

from mcp_magic.demo.notes import Notes
from mcp_magic.demo.offer import ADDS, offer

__all__ = ["install"]


def install(server: MCPServer, notes: Notes) -> None:
    """Offer the tool on *server*; when it is stopped, it leaves one of *notes*."""

    async def slow(
        ctx: Context,
        seconds: Annotated[
            float, Field(ge=0, le=600, description="How long it shall take in all.")
        ] = 3,
        steps: Annotated[
            int, Field(ge=1, le=1000, description="How often it shall report.")
        ] = 10,
    ) -> str:
        """Do nothing for a while and report progress after each step. When it is
        stopped early, it leaves a note that tells how far it came.
        """
        done = 0
        try:
            while done < steps:
                await anyio.sleep(seconds / steps)
                done += 1
                await ctx.report_progress(done, steps, f"Step {done} of {steps}")
        except anyio.get_cancelled_exc_class():
            # Whoever stopped it can see here that the server noticed.
            notes.add(f"slow was stopped after {done} of {steps} steps.")
            raise
        return f"Took {_count(seconds, 'second')} in {_count(steps, 'step')}."

    offer(server, slow, "Take some time", ADDS)


def _count(number: float, noun: str) -> str:
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"
