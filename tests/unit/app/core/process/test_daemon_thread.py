"""Calls on threads that nobody has to wait for."""

import asyncio
import contextvars
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.process.daemon_thread import Calls, begin_in_daemon_thread, in_daemon_thread, stoppable
from app.errors import CallStoppedError
from tests.helpers.sample_data import ROOT

NAME = contextvars.ContextVar("NAME", default="")

_HANGS = """
import asyncio, sys
from app.core.process.daemon_thread import in_daemon_thread

async def main():
    call = asyncio.ensure_future(in_daemon_thread(open, sys.argv[1], "rb"))
    await asyncio.sleep(0)
    call.cancel()

asyncio.run(main())
print("ended")
"""


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Return what lets the threads of a test end, which is set at its end."""
    event = threading.Event()
    yield event
    event.set()


def test_what_is_called_answers_or_fails_as_it_would_here() -> None:
    async def main() -> None:
        NAME.set("of the caller")
        assert await in_daemon_thread(NAME.get) == "of the caller"
        assert await in_daemon_thread(int, "12", base=8) == 10
        assert not await in_daemon_thread(lambda: threading.current_thread() is threading.main_thread())
        with pytest.raises(ValueError, match="invalid literal"):
            await in_daemon_thread(int, "x")

    asyncio.run(main())


def test_the_program_does_not_wait_for_a_disk_that_hangs(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = subprocess.run(
        [sys.executable, "-c", _HANGS, str(pipe)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")


def test_those_who_wait_are_told_when_it_is_given_up(released: threading.Event) -> None:
    async def main() -> None:
        calls, begun = Calls(), threading.Event()

        def hang() -> None:
            begun.set()
            released.wait()

        async def call() -> None:
            with calls.begun():
                with pytest.raises(CallStoppedError):
                    await in_daemon_thread(hang)
                with pytest.raises(CallStoppedError):
                    await in_daemon_thread(int)

        waiting = asyncio.ensure_future(call())
        await in_daemon_thread(begun.wait)
        calls.give_up()
        await waiting
        with calls.begun():
            assert await in_daemon_thread(int) == 0
        calls.close()
        with pytest.raises(CallStoppedError), calls.begun():
            pass
        assert await in_daemon_thread(int) == 0

    asyncio.run(main())


def test_what_others_do_goes_on(released: threading.Event) -> None:
    async def main() -> None:
        calls, others = Calls(), Calls()

        async def call() -> bool:
            with others.begun():
                return await in_daemon_thread(released.wait)

        waiting = asyncio.ensure_future(call())
        await asyncio.sleep(0)
        calls.give_up()
        calls.close()
        released.set()
        assert await waiting

    asyncio.run(main())


def test_a_result_that_comes_too_late_bothers_nobody(released: threading.Event) -> None:
    ended = threading.Event()

    def hang() -> None:
        released.wait()
        ended.set()
        raise ValueError("too late")

    class Service:
        def __init__(self) -> None:
            self.calls = Calls()

        @stoppable
        async def ask(self) -> None:
            await in_daemon_thread(hang)

    async def main() -> None:
        service = Service()
        waiting = asyncio.ensure_future(service.ask())
        await asyncio.sleep(0)
        service.calls.give_up()
        with pytest.raises(CallStoppedError, match="stopped before it was done"):
            await waiting

    asyncio.run(main())
    begin_in_daemon_thread(hang)
    released.set()
    assert ended.wait(60)
