"""The public API as a person uses it; only the type checker reads this file."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from inspect import Signature
from pathlib import Path
from typing import assert_type

from IPython.core.interactiveshell import InteractiveShell

import mcp_magic
from mcp_magic.answer import Block, Image
from mcp_magic.model import Json, LogLine, Resource, ResourceTemplate, Skill, Tool
from mcp_magic.naming import Codec, Corrected, Exact, Unresolved, decode, resolve


async def call() -> None:
    """Call tools."""
    demo = mcp_magic.connect("demo")
    assert_type(demo, mcp_magic.Server)
    result = demo.add(a=2, b=3)
    assert_type(result, mcp_magic.CallResult)
    assert_type(await demo.add.aio(a=2, b=3), mcp_magic.CallResult)
    assert_type(demo["odd-name"].with_options(timeout=5)(x=1), mcp_magic.CallResult)
    assert_type(demo.add.__name__, str)
    assert_type(demo.add.__doc__, str)
    assert_type(demo.add.__signature__, Signature)
    function: Callable[..., mcp_magic.CallResult] = demo.add
    assert_type(list(map(function, [1], [2])), list[mcp_magic.CallResult])


def look_at_a_server(demo: mcp_magic.Server) -> None:
    """Use a server as what it is: a collection of tools, a handle that travels."""
    assert_type(list(demo), list[str])
    assert_type(len(demo), int)
    assert_type("add" in demo, bool)
    assert_type(copy.deepcopy(demo), mcp_magic.Server)
    assert_type(pickle.dumps(demo.add), bytes)
    assert_type(demo == mcp_magic.connect("npx -y some-server", name="mine"), bool)


def look_at_a_result(result: mcp_magic.CallResult) -> None:
    """Read a result."""
    assert_type(result.data, object)
    assert_type(result.text, str)
    assert_type(result.content, tuple[Block, ...])
    assert_type(result.images, tuple[Image, ...])
    assert_type(result.raw, Mapping[str, Json])
    assert_type(result.is_error, bool)
    assert_type((result.server, result.requested, result.called), tuple[str, str, str])
    assert_type(result.seconds, float)
    assert_type(result.to_pandas().shape, tuple[int, int])
    assert_type(result.save(Path()), list[Path])


def use_functions(demo: mcp_magic.Server, skill: Skill) -> None:
    """Do what can be done with servers besides calling their tools."""
    for tool in mcp_magic.tools(demo):
        assert_type(tool, Tool)
    for one in mcp_magic.servers():
        assert_type((one.name, one.state, one.tools), tuple[str, str, int | None])
    for resource in mcp_magic.resources("demo"):
        assert_type(resource, Resource | ResourceTemplate)
    assert_type(mcp_magic.read(demo, "demo://readme").text, str)
    assert_type(mcp_magic.watch(demo, "demo://notes", seconds=1), int)
    assert_type(mcp_magic.prompts(demo)[0].name, str)
    filled = mcp_magic.prompt(demo, "introduce", world="Titan")
    assert_type(filled.messages, tuple[tuple[str, Block], ...])
    assert_type(mcp_magic.logs(demo)[0], LogLine)
    assert_type(mcp_magic.last(demo), mcp_magic.CallResult)
    assert_type(mcp_magic.skills(demo), tuple[Skill, ...])
    assert_type(mcp_magic.skill(demo, skill), str)
    mcp_magic.sampling(demo, lambda params: str(params.get("messages")))
    mcp_magic.sampling("demo", None)
    mcp_magic.roots(demo, Path(), "folder")
    for section in mcp_magic.doctor():
        assert_type((section.title, section.findings[0].amiss), tuple[str, bool])
    assert_type(mcp_magic.doctor(demo).amiss, tuple[str, ...])
    assert_type(mcp_magic.auth(demo, scope="read"), mcp_magic.SignIn)
    mcp_magic.close(demo)
    mcp_magic.close()
    assert_type(mcp_magic.__version__, str)


def catch_errors(demo: mcp_magic.Server) -> None:
    """Catch errors from the narrow to the wide."""
    try:
        demo.fail(message="x")
    except mcp_magic.ToolFailed as failed:
        assert_type(failed.result, object)
    except mcp_magic.ToolRefused as refused:
        assert_type(str(refused), str)
    except mcp_magic.UnknownServer as unknown:
        assert_type(unknown.suggestions, tuple[str, ...])
    except (mcp_magic.NamesNeeded, mcp_magic.ArgumentError) as error_of_arguments:
        assert_type(str(error_of_arguments), str)
    except (mcp_magic.NoSuchAttribute, mcp_magic.UnknownTool, mcp_magic.NotPortable):
        pass
    except mcp_magic.LineError as error_of_line:
        assert_type(error_of_line.column, int)
    except mcp_magic.McpMagicError:
        pass
    except mcp_magic.CallStopped as stopped:
        raise KeyboardInterrupt from stopped


def catch_errors_on_the_way(demo: mcp_magic.Server) -> None:
    """Catch what goes wrong between here and a server."""
    try:
        demo.add(a=2, b=3)
    except (mcp_magic.ServerExited, mcp_magic.ServerUnreachable):
        pass
    except (mcp_magic.CallTimedOut, mcp_magic.AuthorizationRequired) as on_the_way:
        assert_type(on_the_way.server, str)
    except mcp_magic.ApprovalRequired as unapproved:
        assert_type(unapproved.server, str)
    except (mcp_magic.AnswerRefused, mcp_magic.SignInFailed) as not_signed_in:
        assert_type(not_signed_in.server, str)
    except mcp_magic.RequestRefused as refused:
        assert_type(refused.code, int)
    except mcp_magic.ServerError as error:
        assert_type((error.server, error.status), tuple[str, int | None])


def load(shell: InteractiveShell) -> None:
    """Load the extension and take it out again."""
    mcp_magic.load_ipython_extension(shell)
    mcp_magic.unload_ipython_extension(shell)


def use_names() -> None:
    """Correct and decode names."""
    match resolve("ad", ["add"]):
        case Exact(name) | Corrected(name):
            assert_type(name, str)
        case Unresolved(suggestions=names):
            assert_type(names, tuple[str, ...])
    assert_type(Codec([("a", "b")]).decode("bridge--a--b"), tuple[str, str])
    assert decode("a--b") is not None
