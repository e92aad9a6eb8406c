"""The magics ``%mcp`` and ``%%mcp``, and their settings."""

from __future__ import annotations

import contextlib
import math
from collections import ChainMap
from typing import TYPE_CHECKING, Any, cast

from IPython.core.magic import (
    Magics,
    line_cell_magic,
    magics_class,
    needs_local_scope,
    no_var_expand,
)
from traitlets import Bool, Enum, Float, Int, TraitError, validate
from traitlets.config import Config

from mcp_magic.display.limits import Limits
from mcp_magic.errors import CallStopped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from IPython.core.interactiveshell import InteractiveShell

    from mcp_magic.naming import Policy
    from mcp_magic.notebook.warming import Warming
    from mcp_magic.notebook.widgets.present import Presenter
    from mcp_magic.session import Session

__all__ = ["McpMagics"]


@magics_class
class McpMagics(Magics):
    """The tools of MCP servers; ``%mcp help`` explains the line."""

    autocorrect: Enum[str] = Enum(
        ("guarded", "threshold", "suggest", "off"),
        default_value="guarded",
        help="What happens to a mistyped server or tool name: 'guarded' corrects clear "
        "typos and suggests the rest, 'threshold' corrects by distance alone, "
        "'suggest' never corrects, 'off' does not even suggest.",
    ).tag(config=True)

    connect_timeout = Float(
        60.0,
        help="Seconds that a server may take to start and to shake hands.",
    ).tag(config=True)

    call_timeout = Float(
        None,
        allow_none=True,
        help="Seconds that a call may take, unless --timeout says otherwise; "
        "None waits as long as it takes.",
    ).tag(config=True)

    read_only = Bool(
        False,  # noqa: FBT003 - traitlets' way to give a default
        help="Let only tools run that their server declares to be read-only.",
    ).tag(config=True)

    widgets = Bool(
        True,  # noqa: FBT003 - the default
        help="Show lists of tools and servers as widgets where a front end is live; "
        "otherwise as tables, which any front end can draw.",
    ).tag(config=True)

    max_rows = Int(
        20,
        help="Rows of a table of records that are shown; the others are folded away "
        "or counted. Also the content blocks of an answer.",
    ).tag(config=True)

    max_lines = Int(
        60,
        help="Lines of a text that are shown; the others are folded away or counted.",
    ).tag(config=True)

    max_chars = Int(
        4000,
        help="Characters of a text that are shown; the others are folded away or "
        "counted.",
    ).tag(config=True)

    nest_asyncio = Bool(
        False,  # noqa: FBT003 - the default
        help="Let asyncio.run(main()) work in cells, by nest-asyncio2, from "
        '%pip install "mcp-magic[nest]"; %mcp itself does not need it. '
        "Once on, it lasts until the kernel restarts.",
    ).tag(config=True)

    def __init__(self, shell: InteractiveShell) -> None:
        # All at once, a single one that cannot be would keep the others out, and us.
        super().__init__(shell, config=Config())
        for name, value in shell.config.get(type(self).__name__, {}).items():
            self._take(name, value)
        self._session: Session | None = None
        self.matcher: object = None
        self.warming: Warming | None = None
        self.presenter: Presenter | None = None
        self.observe(self._apply, list(self.class_own_traits(config=True)))

    def _take(self, name: str, value: object) -> None:
        """Take over one setting of the shell's, or say why that cannot be."""
        try:
            self.update_config(Config({type(self).__name__: {name: value}}))
        except TraitError as error:
            kept = getattr(self, name)
            print(f"McpMagics.{name} stays {kept!r}: {error}")  # noqa: T201 - a line

    @validate("connect_timeout", "call_timeout")
    def _positive(self, proposal: Mapping[str, Any]) -> float | None:
        seconds: float | None = proposal["value"]
        if seconds is not None and not 0 < seconds < math.inf:
            name = proposal["trait"].name
            raise TraitError(f"{name} takes seconds above 0, not {seconds:g}")
        return seconds

    @validate("max_rows", "max_lines", "max_chars")
    def _some(self, proposal: Mapping[str, Any]) -> int:
        count: int = proposal["value"]
        if count < 1:
            name = proposal["trait"].name
            raise TraitError(f"{name} takes a whole number above 0, not {count}")
        return count

    @validate("nest_asyncio")
    def _nest(self, proposal: Mapping[str, Any]) -> bool:
        from mcp_magic.notebook import nesting  # noqa: PLC0415 - few ask for it

        return nesting.settle(proposal["value"])

    @property
    def session(self) -> Session:
        """The session of this process, made to speak through the notebook."""
        if self._session is None:
            # Costs a tenth of a second; ``%load_ext`` should cost nothing.
            from mcp_magic.notebook.asking import Cell  # noqa: PLC0415
            from mcp_magic.notebook.person import ask, only_looks  # noqa: PLC0415
            from mcp_magic.notebook.signin import PROMPTER  # noqa: PLC0415
            from mcp_magic.notebook.waiting import watch  # noqa: PLC0415
            from mcp_magic.session import current  # noqa: PLC0415

            session = self._session = current()
            session.person.watch = watch
            session.person.ask = ask
            session.person.looks = only_looks
            session.person.answer = Cell(session.person.say).ask
            session.sign_ins.prompter = PROMPTER
            self._apply()
        return self._session

    def let_go(self) -> None:
        """End every server that was started here."""
        if self._session is not None:
            self._session.shut_down()
            self._session = None

    def _apply(self, _change: object = None) -> None:
        if self._session is not None:
            self._session.policy = cast("Policy", self.autocorrect)
            self._session.connections.connect_timeout = self.connect_timeout
            self._session.call_timeout = self.call_timeout
            self._session.limits = Limits(self.max_rows, self.max_lines, self.max_chars)
            self._session.read_only = self.read_only

    @needs_local_scope
    @no_var_expand
    @line_cell_magic
    def mcp(
        self,
        line: str,
        cell: str | None = None,
        local_ns: Mapping[str, object] | None = None,
    ) -> object:
        """Call tools of MCP servers.

        ::

            %mcp                          known servers
            %mcp demo                     tools of a server
            %mcp demo.add a=2 b=3         call a tool
            r = %mcp demo.add(a=2, b=x)   Python values
            %mcp help                     all of it
        """
        assert self.shell is not None  # noqa: S101 - set by our __init__
        user = self.shell.user_ns
        with _one_line_if_stopped():
            from mcp_magic.notebook import verbs  # noqa: PLC0415 - see session

            namespace = ChainMap(dict(local_ns or {}), user)
            result, name = verbs.run(self.session, namespace, line, cell)
        if name is None:
            return result
        user[name] = result
        return None


@contextlib.contextmanager
def _one_line_if_stopped() -> Iterator[None]:
    """Let Ctrl-C at a question, or while modules are imported, be one line too."""
    stopped = False
    try:
        yield
    except CallStopped:
        raise
    except KeyboardInterrupt:
        stopped = True
    if stopped:
        raise CallStopped("stopped")
