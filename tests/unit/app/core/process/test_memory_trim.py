"""Freed memory goes back to the system, and that happens after work, not by the clock."""

import asyncio
import platform
import subprocess
import sys
from collections.abc import Awaitable, Callable

import pytest

from app.core.process.memory_trim import private_bytes
from app.upkeep.memory_trimmer import WORTH_BYTES, MemoryTrimmer

_LIMIT_S = 30.0
_GLIBC = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told")

# What is freed last stays, so that all before it is kept by the library until it is asked.
_FREEING = """
from app.core.process.memory_trim import trim_memory, private_bytes
pieces = [bytearray(10_000) for _ in range(20_000)]
last = pieces.pop()
pieces.clear()
print(private_bytes())
trim_memory()
print(private_bytes())
"""

_THREADS = """
import ctypes, threading
from app.core.process.memory_trim import share_one_arena
{first}
def take():
    together.wait()
    kept.append([bytearray(2_000) for _ in range(100)])
    together.wait()
together, kept = threading.Barrier(6), []
threads = [threading.Thread(target=take) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
ctypes.CDLL(None).malloc_stats()
"""


def _reported(script: str) -> str:
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True, timeout=60)
    return done.stdout


@_GLIBC
def test_freed_memory_goes_back_to_the_system() -> None:
    before, after = map(int, _reported(_FREEING).split())
    assert before > 200_000_000
    assert after < 100_000_000


@_GLIBC
def test_threads_share_one_arena() -> None:
    assert _reported(_THREADS.format(first="share_one_arena()")).count("Arena ") == 1
    assert _reported(_THREADS.format(first="")).count("Arena ") > 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say")
def test_what_a_process_holds_grows_with_it() -> None:
    before = private_bytes()
    touched = bytearray(b"\1") * (64 << 20)
    assert private_bytes() - before > 32 << 20
    assert len(touched) == 64 << 20


class _Process:
    """A process whose memory is as much as a test says, and less by what is given back."""

    def __init__(self) -> None:
        self.bytes = 100 << 20
        self.kept = 0
        self.released = 0
        self.looks = asyncio.Semaphore(0)

    def held(self) -> int:
        """Return how much it holds."""
        self.looks.release()
        return self.bytes + self.kept

    def release(self) -> None:
        """Give back what is kept."""
        self.released += 1
        self.kept = 0

    async def was_looked_at(self) -> None:
        """Return once somebody asked how much it holds, once for each time it was asked."""
        async with asyncio.timeout(_LIMIT_S):
            await self.looks.acquire()


Story = Callable[[_Process, MemoryTrimmer, asyncio.Event], Awaitable[None]]


def _care(story: Story) -> _Process:
    async def main() -> _Process:
        process, is_quiet = _Process(), asyncio.Event()
        is_quiet.set()

        async def quiet() -> None:
            await is_quiet.wait()

        care = MemoryTrimmer(quiet, 0.0, process.release, process.held)
        running = asyncio.create_task(care.run())
        await process.was_looked_at()
        await story(process, care, is_quiet)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return process

    return asyncio.run(main())


async def _after_work(process: _Process, care: MemoryTrimmer) -> None:
    care.wake()
    await process.was_looked_at()


def test_much_that_was_kept_is_given_back_after_work() -> None:
    async def story(process: _Process, care: MemoryTrimmer, _quiet: asyncio.Event) -> None:
        process.kept = WORTH_BYTES
        await _after_work(process, care)  # sees that it has grown
        await process.was_looked_at()  # and how little it is afterwards
        process.bytes += WORTH_BYTES // 2
        await _after_work(process, care)

    assert _care(story).released == 1


def test_a_little_is_left_until_it_is_much() -> None:
    async def story(process: _Process, care: MemoryTrimmer, _quiet: asyncio.Event) -> None:
        process.kept = WORTH_BYTES - 1
        await _after_work(process, care)
        assert process.released == 0
        process.kept += 1
        await _after_work(process, care)
        await process.was_looked_at()

    assert _care(story).released == 1


def test_what_is_in_use_is_not_taken_for_kept_again_and_again() -> None:
    async def story(process: _Process, care: MemoryTrimmer, _quiet: asyncio.Event) -> None:
        process.bytes += 2 * WORTH_BYTES
        await _after_work(process, care)
        await process.was_looked_at()
        await _after_work(process, care)
        await _after_work(process, care)

    assert _care(story).released == 1


def test_growth_counts_from_the_least_there_was() -> None:
    async def story(process: _Process, care: MemoryTrimmer, _quiet: asyncio.Event) -> None:
        process.bytes -= 2 * WORTH_BYTES
        await _after_work(process, care)
        process.kept = WORTH_BYTES
        await _after_work(process, care)
        await process.was_looked_at()

    assert _care(story).released == 1


def test_it_waits_for_the_work_that_follows_a_change() -> None:
    async def story(process: _Process, care: MemoryTrimmer, quiet: asyncio.Event) -> None:
        quiet.clear()
        process.kept = WORTH_BYTES
        care.wake()
        for _ in range(20):
            await asyncio.sleep(0)
        assert process.looks.locked()
        quiet.set()
        await process.was_looked_at()
        await process.was_looked_at()

    assert _care(story).released == 1
