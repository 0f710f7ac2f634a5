"""Calls of one connection keep the order in which they came."""

import asyncio

from app.mcp.tools.call_order import CallOrder


def test_a_read_waits_for_the_writes_before_it_and_reads_run_side_by_side() -> None:
    async def talk() -> list[str]:
        order, log = CallOrder(), []
        gates = {name: asyncio.Event() for name in ("w1", "r1", "r2", "w2", "r3")}

        async def call(name: str) -> None:
            async with order.turn(writes=name.startswith("w")):
                log.append(f"+{name}")
                await gates[name].wait()
            log.append(f"-{name}")

        calls = [asyncio.create_task(call(name)) for name in gates]
        for name in ("r3", "r2", "w2", "w1", "r1"):
            gates[name].set()
            for _ in range(10):
                await asyncio.sleep(0)
        await asyncio.gather(*calls)
        return log

    log = asyncio.run(talk())
    assert log[0] == "+w1"
    assert log.index("-w1") < min(log.index("+r1"), log.index("+r2"))
    assert max(log.index("-r1"), log.index("-r2")) < log.index("+w2")
    assert log.index("-w2") < log.index("+r3")
    assert log.index("+r2") < log.index("-r1")


def test_a_call_that_asks_the_person_holds_nobody_up() -> None:
    async def talk() -> None:
        order, answer = CallOrder(), asyncio.Event()

        async def ask() -> None:
            async with order.turn(writes=True) as end_turn:
                end_turn()
                await answer.wait()

        asking = asyncio.create_task(ask())
        await asyncio.sleep(0)
        async with order.turn(writes=False):
            answer.set()
        await asking

    asyncio.run(talk())
