"""The bridge between the window and the engine, over a real host."""

import asyncio

import pytest

from app.errors import InputError
from tests.helpers.watched_connection import WatchedConnection
from ui import operations
from ui.bridge import Bridge


def test_it_closes_while_work_has_just_ended(bridge: Bridge, qt_loop: asyncio.AbstractEventLoop) -> None:
    async def nothing() -> None:
        """End at once, before anything hears of it."""

    bridge.start(nothing())
    qt_loop.run_until_complete(bridge.close())
    assert not bridge.is_busy


def test_a_call_waits_though_its_answer_is_there(
    bridge: Bridge, connection: WatchedConnection, qt_loop: asyncio.AbstractEventLoop
) -> None:
    connection.refused["settings.list"] = InputError("No settings today.")
    steps: list[str] = []

    async def other() -> None:
        steps.append("other work")

    async def call() -> None:
        started = asyncio.ensure_future(other())
        with pytest.raises(InputError):
            await bridge.call(operations.settings.list())
        steps.append("the answer")
        await started

    qt_loop.run_until_complete(call())
    assert steps == ["other work", "the answer"]
