"""Adds the live view to what IPython shows, where a front end can show it.

What is saved stays the static table: the view is one more entry of the bundle, and a
page without the kernel falls back to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mcp_magic.errors import visible
from mcp_magic.notebook.widgets.views import view

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from mcp_magic.notebook.pages import Listing
    from mcp_magic.notebook.widgets.servers import ServerDesk
    from mcp_magic.session import Server, Session
    from mcp_magic.session.status import Servers

__all__ = ["Presenter"]

Bundle = dict[str, object]


class Presenter:
    """Shows servers live.

    Args:
        shell: The shell whose results are shown.
        session: Returns the session; called when something is to be shown.
        wanted: Returns whether anything is to be shown live.
    """

    def __init__(
        self,
        shell: InteractiveShell,
        session: Callable[[], Session],
        wanted: Callable[[], bool],
    ) -> None:
        self._shell = shell
        self._session = session
        self._wanted = wanted
        self._drafts: dict[tuple[str, str], object] = {}
        self._tables: list[ServerDesk] = []
        self._shows: dict[str, Callable[[Any], Bundle]] = {
            "mcp_magic.session.server.Server": self._server,
            "mcp_magic.session.status.Servers": self._servers,
            "mcp_magic.notebook.pages.Listing": self._listing,
        }

    def register(self) -> None:
        """Let the shell ask here how to show servers; imports nothing."""
        for path, show in self._shows.items():
            module, _, name = path.rpartition(".")
            self._formatter.for_type_by_name(module, name, show)
        self._events.register("post_run_cell", self._look)

    def unregister(self) -> None:
        """Undo ``register``."""
        for path in self._shows:
            self._formatter.pop(path, None)
        self._events.unregister("post_run_cell", self._look)

    def _look(self, *_: object) -> None:
        """Have the tables of servers tell what a cell or a call changed."""
        for table in self._tables:
            table.look()

    @property
    def _events(self) -> Any:
        return self._shell.events

    @property
    def _formatter(self) -> Any:
        return self._shell.display_formatter.mimebundle_formatter  # type: ignore[union-attr] # set by the shell

    def _server(self, server: Server) -> Bundle:
        return self._with_tools([server], server._repr_mimebundle_())

    def _listing(self, listing: Listing) -> Bundle:
        from mcp_magic.session import Server  # noqa: PLC0415 - it is loaded by now

        servers = [one for one in listing if isinstance(one, Server)]
        failed = [repr(one) for one in listing if not isinstance(one, Server)]
        return self._with_tools(servers, listing._repr_mimebundle_(), failed)

    def _servers(self, shown: Servers) -> Bundle:
        bundle = shown._repr_mimebundle_()
        # A table with other columns, as of ``%mcp status``, stays as it is.
        if not self._is_live() or "origin" not in shown.headers:
            return bundle
        return {**bundle, **view(self._table([one.name for one in shown]))}

    def _with_tools(
        self, servers: list[Server], bundle: Bundle, failed: Sequence[str] = ()
    ) -> Bundle:
        if "text/html" not in bundle or not servers or not self._is_live():
            return bundle
        from mcp_magic.session.server import entry_of  # noqa: PLC0415 - the same

        names = [entry_of(server).name for server in servers]
        return {**bundle, **view(self._tools(names, failed))}

    def _is_live(self) -> bool:
        """Whether a person's front end is attached; nbclient and papermill take no
        input, and a saved page without scripts must hold no dead widget.
        """
        kernel = getattr(self._shell, "kernel", None)
        return self._wanted() and bool(getattr(kernel, "_allow_stdin", False))

    def _tools(self, names: list[str], failed: Sequence[str]) -> str:
        """Make the list of tools of some servers, and return its model's id.

        Args:
            names: The servers.
            failed: Lines about those that could not be listed.
        """
        # ipywidgets and anywidget take 50 ms to import: at the first list shown.
        from mcp_magic.notebook.widgets.catalogue import Listed, rows  # noqa: PLC0415
        from mcp_magic.notebook.widgets.desk import Desk  # noqa: PLC0415
        from mcp_magic.notebook.widgets.front import ToolList  # noqa: PLC0415

        session = self._session()
        lives = [(name, session.connections.live(name)) for name in names]
        listed = [
            Listed(name, tool)
            for name, live in lives
            for tool in (() if live is None else (live.tools or {}).values())
        ]
        notes = [
            f"{visible(name)}: {visible(note)}"
            for name, live in lives
            for note in (() if live is None else live.listing.notes)
        ]
        widget = ToolList(rows(listed, session.meanings.of), [*failed, *notes])
        desk = Desk(session, listed, widget.send, self._drafts, self._look)
        widget.attend(desk.receive)
        return str(widget.model_id)

    def _table(self, names: list[str]) -> str:
        """Make the table of some servers, and return its model's id."""
        from mcp_magic.notebook.widgets.front import ServerTable  # noqa: PLC0415
        from mcp_magic.notebook.widgets.servers import ServerDesk  # noqa: PLC0415

        widget = ServerTable()
        desk = ServerDesk(self._session(), names, widget.tell, widget.send)
        widget.tell(desk.rows())
        widget.attend(desk.receive)
        self._tables.append(desk)
        return str(widget.model_id)
