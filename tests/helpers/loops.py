"""Coroutines on the Qt loop, and a bridge to a real host."""

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
import shiboken6

from ui.process.event_loop import EventLoop

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.host import Host
    from ui.bridge import Bridge

T = TypeVar("T")
RunAsync = Callable[[Coroutine[Any, Any, T]], T]

# Longer than anything a test waits for, shorter than the run's own limit.
LIMIT_S = 30.0


@pytest.fixture
def qt_loop(qapp: "QApplication") -> Iterator[asyncio.AbstractEventLoop]:
    """Return an asyncio loop that runs inside Qt's."""
    loop = EventLoop(qapp)
    asyncio.set_event_loop(loop)
    yield loop
    loop.close()
    asyncio.set_event_loop(None)
    # The loop leaves pending timers alive; destroyed on another thread by a later garbage collection, they crash Qt.
    shiboken6.delete(loop._timer)
    gc.collect()


@pytest.fixture
def run_async(qt_loop: asyncio.AbstractEventLoop) -> RunAsync[Any]:
    """Run a coroutine on the Qt loop and return its value: ``run_async(bridge.call(operations.vault.status()))``."""

    def run(coroutine: Coroutine[Any, Any, T]) -> T:
        return qt_loop.run_until_complete(asyncio.wait_for(coroutine, LIMIT_S))

    return run


@pytest.fixture
def bridge(host: "Host", qt_loop: asyncio.AbstractEventLoop) -> Iterator["Bridge"]:
    """Return the window's bridge to a real host, on the Qt loop."""
    from ui.bridge import Bridge

    bridge = Bridge(host)
    yield bridge
    qt_loop.run_until_complete(bridge.close())
    bridge.deleteLater()
