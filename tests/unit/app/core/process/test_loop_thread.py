"""Event loop on a thread of its own: results, errors, and its end while something runs."""

import asyncio
import threading
from concurrent.futures import CancelledError

import pytest

from app.core.process.loop_thread import LoopThread


class Ending:
    """Notes in which thread the loop ended."""

    def __init__(self) -> None:
        self.threads: list[str] = []

    async def __call__(self) -> None:
        self.threads.append(threading.current_thread().name)


async def _name() -> str:
    return threading.current_thread().name


async def _fail() -> None:
    raise ValueError("no")


def test_work_is_done_on_the_thread() -> None:
    ending = Ending()
    thread = LoopThread("the-loop", ending)
    assert thread.run(_name) == "the-loop"
    with pytest.raises(ValueError, match="no"):
        thread.run(_fail)
    thread.close()
    assert ending.threads == ["the-loop"]


def test_closing_cancels_what_runs() -> None:
    begun = threading.Event()
    errors: list[type[BaseException]] = []

    async def wait() -> None:
        begun.set()
        await asyncio.sleep(600)

    def run() -> None:
        with pytest.raises(CancelledError) as caught:
            thread.run(wait)
        errors.append(caught.type)

    thread = LoopThread("the-loop", Ending())
    waiting = threading.Thread(target=run)
    waiting.start()
    assert begun.wait(10)
    thread.close()
    waiting.join(10)
    assert errors == [CancelledError]
    with pytest.raises(CancelledError):
        thread.run(_name)


def test_a_loop_that_was_never_used_can_be_closed() -> None:
    ending = Ending()
    LoopThread("the-loop", ending).close()
    assert ending.threads == []


def test_a_machine_without_a_thread_to_spare_is_asked_again_later() -> None:
    thread = LoopThread("the-loop", Ending())
    before = threading.stack_size(1 << 46)  # more than any machine gives
    try:
        with pytest.raises(RuntimeError, match="thread"):
            thread.run(_name)
    finally:
        threading.stack_size(before)
    assert thread.run(_name) == "the-loop"
    thread.close()
