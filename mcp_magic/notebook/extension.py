"""Load the extension into an IPython shell, and take it out again without a trace."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, cast

from mcp_magic.notebook.magics import McpMagics
from mcp_magic.notebook.warming import Warming
from mcp_magic.notebook.widgets.present import Presenter

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["connect_session", "load", "unload"]

_loaded: list[McpMagics] = []


def load(shell: InteractiveShell) -> None:
    """Register the magics with *shell*; what they need is imported at first use."""
    magics = McpMagics(shell)
    shell.register_magics(magics)
    _loaded.append(magics)
    magics.matcher = _matcher(magics)
    _matchers(shell).append(magics.matcher)
    magics.presenter = Presenter(shell, lambda: magics.session, lambda: magics.widgets)
    magics.presenter.register()
    if "mcp_magic.session" in sys.modules:
        connect_session()
    # The rest takes most of a second to import: have it ready before the first server.
    magics.warming = Warming(shell, _warm)


def connect_session() -> None:
    """Let the session that functions of the package use speak through the notebook."""
    for magics in _loaded:
        magics.session  # noqa: B018 - set up when it is first asked for


def unload(shell: InteractiveShell) -> None:
    """Take the magics out of *shell* and end every server started here."""
    configurables = cast("list[object]", shell.configurables)
    for magics in _loaded:
        magics.let_go()
        if magics.warming is not None:
            magics.warming.stop()
        matchers = _matchers(shell)
        if magics.matcher in matchers:
            matchers.remove(magics.matcher)
        if magics.presenter is not None:
            magics.presenter.unregister()
        if magics in configurables:
            configurables.remove(magics)
    _loaded.clear()
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("mcp", None)
    shell.magics_manager.registry.pop(McpMagics.__name__, None)


def _matchers(shell: InteractiveShell) -> list[object]:
    completer = getattr(shell, "Completer", None)  # some shells complete nothing
    return getattr(completer, "custom_matchers", [])


def _matcher(magics: McpMagics) -> object:
    """Return what Tab asks; the real matcher is imported when it is first needed."""
    from IPython.core.completer import context_matcher  # noqa: PLC0415 - IPython has it

    @context_matcher()  # type: ignore[untyped-decorator] # IPython's
    def mcp_matcher(context: CompletionContext) -> SimpleMatcherResult:
        if "mcp" not in context.full_text:
            return {"completions": [], "suppress": False}
        from mcp_magic.notebook.completion import complete  # noqa: PLC0415 - costs

        return complete(context, magics.session, _variables(magics))

    return mcp_matcher


def _variables(magics: McpMagics) -> list[str]:
    """Return the names that the person gave."""
    shell = magics.shell
    if shell is None:
        return []
    hidden = shell.user_ns_hidden
    return [one for one in shell.user_ns if one[:1] != "_" and one not in hidden]


def _warm() -> None:
    for module in ("notebook.verbs", "naming.nearness", "client.connection"):
        importlib.import_module(f"mcp_magic.{module}")
    connect_session()
    for magics in _loaded:
        magics.session.known.reread()  # Tab knows what files say
