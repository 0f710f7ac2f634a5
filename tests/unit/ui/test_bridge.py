"""The bridge between the window and the engine, over a real host."""

import asyncio

from ui.bridge import Bridge


def test_it_closes_while_work_has_just_ended(bridge: Bridge, qt_loop: asyncio.AbstractEventLoop) -> None:
    async def nothing() -> None:
        """End at once, before anything hears of it."""

    bridge.start(nothing())
    qt_loop.run_until_complete(bridge.close())
    assert not bridge.is_busy
