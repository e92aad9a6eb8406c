"""Tools that change something: notes, kept as long as the server runs."""

from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from mcp_magic.demo.offer import ADDS, DELETES, READS, offer

__all__ = ["Note", "Notes", "install"]

URI = "demo://notes"


class Note(BaseModel):
    """A text with a number."""

    id: int = Field(description="The number of the note, counted from 1.")
    text: str = Field(description="What it says.")


class Notes:
    """The notes of one server; numbers are never given twice."""

    def __init__(self) -> None:
        self._notes: dict[int, Note] = {}
        self._last = 0
        self.add("Welcome. This note can be deleted: it has the number 1.")

    def add(self, text: str) -> Note:
        """Keep *text* and return it with its number."""
        self._last += 1
        note = self._notes[self._last] = Note(id=self._last, text=text)
        return note

    def all(self) -> list[Note]:
        """Return all notes, the oldest first."""
        return list(self._notes.values())

    def remove(self, number: int) -> Note | None:
        """Forget the note with this *number* and return it, if there is one."""
        return self._notes.pop(number, None)


def install(server: MCPServer, notes: Notes) -> None:
    """Offer tools over *notes* on *server*, and the notes as a resource."""

    async def list_notes() -> list[Note]:
        """List all notes with their numbers, the oldest first. The server forgets them
        when it ends.
        """
        return notes.all()

    async def add_note(
        ctx: Context,
        text: Annotated[
            str, Field(min_length=1, max_length=1000, description="What to note.")
        ],
    ) -> Note:
        """Keep a note as long as this server runs, and tell its number."""
        note = notes.add(text)
        await ctx.notify_resource_updated(URI)
        return note

    async def delete_note(
        ctx: Context,
        id: Annotated[int, Field(description="The number of the note.")],  # noqa: A002 - what such tools call it
    ) -> Note:
        """Delete a note for good. There is no way back, which is why this tool is
        marked as destructive.
        """
        note = notes.remove(id)
        if note is None:
            raise ToolError(f"No note has the number {id}.")
        await ctx.notify_resource_updated(URI)
        return note

    offer(server, list_notes, "List the notes", READS)
    offer(server, add_note, "Add a note", ADDS)
    offer(server, delete_note, "Delete a note", DELETES)

    @server.resource(
        URI,
        title="The notes",
        description="All notes, one a line; it changes when a note comes or goes.",
        mime_type="text/plain",
    )
    async def notes_text() -> str:
        return "".join(f"{note.id}. {note.text}\n" for note in notes.all())
