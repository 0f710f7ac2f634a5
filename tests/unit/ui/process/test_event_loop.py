"""Event loop of the window: callbacks run in their context, and nothing of asyncio that goes is used."""

import asyncio
import contextvars
import warnings

import pytest
from PySide6.QtWidgets import QApplication

from ui.process.event_loop import EventLoop

WORD: contextvars.ContextVar[str] = contextvars.ContextVar("word", default="")


def test_callbacks_run_later_and_in_their_context(qapp: QApplication) -> None:
    calls: list[str] = []
    context = contextvars.copy_context()
    context.run(WORD.set, "roses")
    with EventLoop(qapp) as loop:
        loop.call_soon(calls.append, "soon")
        loop.call_later(0.01, lambda: calls.append(WORD.get()), context=context)
        loop.run_until_complete(asyncio.sleep(0.05))
        loop.call_later(0, calls.append, "cancelled").cancel()
        loop.run_until_complete(asyncio.sleep(0.01))
    assert calls == ["soon", "roses"]


def test_what_is_no_callback_is_refused(qapp: QApplication) -> None:
    async def work() -> None:
        """Do nothing."""

    with EventLoop(qapp) as loop:
        for wrong in (work, "roses", None):
            with pytest.raises(TypeError, match="must be a function"):
                loop.call_later(0, wrong)


def test_no_deprecated_function_of_asyncio_is_called(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    def deprecated(_function: object) -> bool:
        warnings.warn("'asyncio.iscoroutinefunction' is deprecated", DeprecationWarning, stacklevel=2)
        return False

    monkeypatch.setattr(asyncio, "iscoroutinefunction", deprecated)
    with EventLoop(qapp) as loop:
        assert loop.run_until_complete(asyncio.sleep(0, "done")) == "done"


def test_tasks_go_on_while_only_qt_takes_events(qapp: QApplication) -> None:
    steps: list[str] = []

    async def work() -> None:
        for number in range(3):
            steps.append(f"{number} {asyncio.get_running_loop() is loop}")
            await asyncio.sleep(0)

    with EventLoop(qapp) as loop:
        task = loop.create_task(work())
        for _ in range(50):
            qapp.processEvents()
        assert steps == ["0 True", "1 True", "2 True"]
        assert task.done()
