"""Searches one after the other, but never for ever."""

import asyncio

import pytest

from app.retrieval.serial_executor import SearchQueue


def test_one_at_a_time() -> None:
    async def run() -> int:
        turns, inside, most = SearchQueue(10.0), 0, 0

        async def work() -> None:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

        await asyncio.gather(*(turns.run(work) for _ in range(8)))
        return most

    assert asyncio.run(run()) == 1


def test_a_slow_search_does_not_block_others_for_long() -> None:
    async def run() -> str:
        turns, slow = SearchQueue(0.01), asyncio.Event()
        first = asyncio.create_task(turns.run(slow.wait))
        await asyncio.sleep(0)

        async def answer() -> str:
            return "here"

        second = await turns.run(answer)
        slow.set()
        await first
        return second

    assert asyncio.run(run()) == "here"


def test_a_failure_or_a_cancelled_wait_leaves_the_turn_free() -> None:
    async def run() -> str:
        turns, slow = SearchQueue(10.0), asyncio.Event()

        async def fail() -> str:
            raise ValueError("broke")

        async def answer() -> str:
            return "here"

        with pytest.raises(ValueError, match="broke"):
            await turns.run(fail)
        first = asyncio.create_task(turns.run(slow.wait))
        await asyncio.sleep(0)
        second = asyncio.create_task(turns.run(answer))
        await asyncio.sleep(0)
        second.cancel()
        slow.set()
        await first
        return await turns.run(answer)

    assert asyncio.run(run()) == "here"
