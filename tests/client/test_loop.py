"""The background loop: flows, cancelling, forks, and stopping."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial

import anyio
import pytest

from mcp_magic.client.caller import Asked, Caller, Waiting
from mcp_magic.client.loop import Flow, Loop, OnLoop
from mcp_magic.errors import CallStopped, McpMagicError
from mcp_magic.model import (
    Accepted,
    Declined,
    Event,
    FormQuestion,
    Notice,
    Progress,
    Reply,
)

_LIMIT = 60  # seconds; only what fails takes so long


async def _nothing() -> None:
    """Close nothing."""


@pytest.fixture(name="loop")
def _loop() -> Iterator[Loop]:
    loop = Loop(_nothing)
    yield loop
    loop.stop()


def _name() -> OnLoop[str]:
    async def work(_caller: Caller) -> str:
        return threading.current_thread().name

    return OnLoop(work)


def test_a_flow_stays_in_its_thread_and_its_steps_run_on_the_loop(loop: Loop) -> None:
    async def flow() -> tuple[str, str]:
        there = await _name()
        return threading.current_thread().name, there

    assert loop.run(flow()) == (threading.current_thread().name, "mcp-magic")


def test_an_error_of_a_step_can_be_caught_in_the_flow(loop: Loop) -> None:
    async def fail(_caller: Caller) -> None:
        raise KeyError("x")

    async def flow() -> str:
        try:
            await OnLoop(fail)
        except KeyError:
            return await _name()
        return "not reached"

    assert loop.run(flow()) == "mcp-magic"


def test_events_of_a_step_arrive_in_the_callers_thread(loop: Loop) -> None:
    async def work(caller: Caller) -> int:
        caller.tell(Progress(1))
        await asyncio.to_thread(caller.tell, Progress(2))
        return 3

    async def flow() -> int:
        return await OnLoop(work)

    heard: list[tuple[float, str]] = []
    here = threading.current_thread().name

    def hear(event: Event) -> None:
        assert isinstance(event, Progress)
        heard.append((event.done, threading.current_thread().name))

    result = loop.run(flow(), Waiting(hear))
    assert (result, heard) == (3, [(1, here), (2, here)])


def test_ctrl_c_cancels_the_step_and_reaches_the_flow(loop: Loop) -> None:
    flow, cancelled = _endless(_press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        loop.run(flow)
    assert cancelled.wait(_LIMIT)
    assert loop.run(_again()) == "mcp-magic"


async def _again() -> str:
    return await _name()


def test_a_flow_can_be_driven_from_another_event_loop(loop: Loop) -> None:
    assert asyncio.run(loop.arun(_again())) == "mcp-magic"


def test_cancelling_the_other_loops_task_cancels_the_step(loop: Loop) -> None:
    cancelled, running = threading.Event(), threading.Event()

    async def forever(_caller: Caller) -> None:
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async def flow() -> None:
        await OnLoop(forever)

    async def other() -> None:
        task = asyncio.ensure_future(loop.arun(flow()))
        await asyncio.to_thread(running.wait, _LIMIT)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(other())
    assert cancelled.wait(_LIMIT)


def _press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _endless(begun: Callable[[], object]) -> tuple[Flow[None], threading.Event]:
    """Return a flow that never ends, and what is set when its step is cancelled.

    Args:
        begun: Called by the step, once it runs.
    """
    cancelled = threading.Event()

    async def forever(_caller: Caller) -> None:
        begun()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async def flow() -> None:
        await OnLoop(forever)

    return flow(), cancelled


def test_limits_of_the_callers_own_library_end_a_step(loop: Loop) -> None:
    """``asyncio.timeout`` and anyio ask what kind of cancellation it was."""
    ended: list[threading.Event] = []

    def flow(end: Callable[[], object]) -> Flow[None]:
        here = asyncio.get_running_loop()
        made, cancelled = _endless(partial(here.call_soon_threadsafe, end))
        ended.append(cancelled)
        return made

    async def limited() -> None:
        async with asyncio.timeout(_LIMIT) as limit:
            await loop.arun(flow(partial(limit.reschedule, 0)))

    async def scoped() -> bool:
        with anyio.move_on_after(_LIMIT) as scope:
            await loop.arun(flow(partial(setattr, scope, "deadline", 0)))
        return scope.cancelled_caught

    with pytest.raises(TimeoutError):
        asyncio.run(limited())
    assert anyio.run(scoped)
    assert [one.wait(_LIMIT) for one in ended] == [True, True]


def test_ctrl_c_ends_an_awaited_step_of_a_plain_program(loop: Loop) -> None:
    flow, cancelled = _endless(_press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(loop.arun(flow))
    assert cancelled.wait(_LIMIT)


def test_ctrl_c_that_leaves_the_callers_loop_ends_an_awaited_step(loop: Loop) -> None:
    """As IPython in a terminal, which drives its loop itself."""
    flow, cancelled = _endless(_press_ctrl_c)
    theirs = asyncio.new_event_loop()
    with pytest.raises(CallStopped, match="the server was told to cancel"):
        theirs.run_until_complete(loop.arun(flow))
    assert cancelled.wait(_LIMIT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert theirs.run_until_complete(loop.arun(_again())) == "mcp-magic"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    theirs.close()


def test_what_a_signal_handler_leaves_to_a_loop_is_done_while_it_waits(
    loop: Loop,
) -> None:
    """As Stop does in ipykernel, whose handler wakes no loop."""
    flow, cancelled = _endless(_press_ctrl_c)

    async def cell() -> None:
        here, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        usual = signal.signal(signal.SIGINT, lambda *_: here.call_soon(task.cancel))
        try:
            await loop.arun(flow)
        finally:
            signal.signal(signal.SIGINT, usual)

    with pytest.raises(asyncio.CancelledError) as caught:
        asyncio.run(cell())
    assert cancelled.wait(_LIMIT)
    (line,) = vars(caught.value)["_render_traceback_"]()
    assert line.endswith("stopped; the server was told to cancel")


def test_a_blocking_call_on_the_loops_own_thread_is_refused(loop: Loop) -> None:
    async def nested(_caller: Caller) -> str:
        return loop.run(_again())

    async def flow() -> str:
        return await OnLoop(nested)

    with pytest.raises(RuntimeError, match="own thread"):
        loop.run(flow())


def test_stopping_says_farewell_once_and_ends_the_thread() -> None:
    said: list[str] = []

    async def farewell() -> None:
        said.append("bye")

    loop = Loop(farewell)
    loop.stop()
    loop.stop()
    assert said == ["bye"]
    assert not loop.alive
    with pytest.raises(McpMagicError):
        loop.run(_again())


_QUESTION = FormQuestion("srv", "Your name?")


async def _ask() -> Reply:
    return await OnLoop(lambda caller: caller.ask(_QUESTION))


def test_a_question_is_answered_in_the_callers_thread(loop: Loop) -> None:
    def answer(asked: Asked) -> Reply:
        assert asked.question is _QUESTION
        return Accepted({"thread": threading.current_thread().name})

    reply = loop.run(_ask(), Waiting(lambda _: None, answer))
    assert reply == Accepted({"thread": threading.current_thread().name})


def test_a_question_to_nobody_is_declined_and_told(loop: Loop) -> None:
    heard: list[Event] = []
    assert loop.run(_ask(), Waiting(heard.append)) == Declined()
    assert isinstance(heard[0], Notice)
    assert asyncio.run(loop.arun(_ask())) == Declined()


def test_an_error_in_answering_reaches_who_asked(loop: Loop) -> None:
    def answer(_asked: Asked) -> Reply:
        raise KeyError("no idea")

    with pytest.raises(KeyError, match="no idea"):
        loop.run(_ask(), Waiting(lambda _: None, answer))


def test_stop_while_answering_cancels_the_call(loop: Loop) -> None:
    def answer(_asked: Asked) -> Reply:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loop.run(_ask(), Waiting(lambda _: None, answer))
    assert loop.run(_again()) == "mcp-magic"
