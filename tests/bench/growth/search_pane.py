"""Latency of the Search pane while a person types, over a vault in the same process.

``python -m tests.bench.growth.search_pane TELLING MATERIAL VAULT``. Measured from the request, after the pause in which
the pane waits for a next key, until the list has painted the first answer. That is the lexical answer, which comes
before the one by words and meaning.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject
from shiboken6 import isValid

from tests.bench.growth import workload
from tests.bench.growth.footprint import memory
from tests.bench.growth.keepsake_system import open_vault
from tests.bench.growth.measurements import MeasurementFiles, figures
from ui.actions import Actions
from ui.app import make_application
from ui.bridge import Bridge
from ui.panes.search.pane import PAUSE_MS, SearchPane
from ui.process.event_loop import EventLoop

_QUESTIONS = 30
_TYPED = 12  # questions typed key by key
_KEY_S = 0.12  # a quick typist
_GIVE_UP_S = 30.0


class Painted(QObject):
    """Tells when the list of results paints an answer that it had not painted before.

    Args:
        pane: The Search pane.
    """

    def __init__(self, pane: SearchPane) -> None:
        super().__init__(pane)
        self._pane = pane
        self._begun = 0.0
        self._shown: object = None
        self.first: asyncio.Future[float] = asyncio.get_event_loop().create_future()
        pane.results.viewport().installEventFilter(self)

    def ask(self, text: str) -> "asyncio.Future[float]":
        """Put ``text`` in and search for it now; the answer's future holds milliseconds until its first paint."""
        self._shown, self.first = self._pane._found, asyncio.get_event_loop().create_future()
        self._pane.box.setText(text)
        self._begun = time.perf_counter()
        self._pane.box.search_now()
        return self.first

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note the first paint after the answer came."""
        if event.type() == QEvent.Type.Paint and not self.first.done() and self._pane._found is not self._shown:
            self.first.set_result((time.perf_counter() - self._begun) * 1000)
        return super().eventFilter(watched, event)


async def _one_by_one(pane: SearchPane, painted: Painted, questions: list[str]) -> dict[str, Any]:
    """Ask for beginnings of questions, each when the one before is answered in full."""
    taken: dict[str, list[float]] = {}
    for text in questions:
        words = text.split()
        beginnings = {"one word": words[0], "half a word": text[: len(text) * 2 // 3], "five words": text}
        for name, typed in beginnings.items():
            first = await asyncio.wait_for(painted.ask(typed), _GIVE_UP_S)
            taken.setdefault(name, []).append(first)
            await _settled(pane)
    return {name: figures(values) for name, values in taken.items()}


async def _key_by_key(pane: SearchPane, painted: Painted, questions: list[str]) -> dict[str, Any]:
    """Type questions; every key asks, whether or not the answer to the one before has come."""
    taken: list[float] = []
    overtaken = 0
    for text in questions:
        pane.box.clear()
        await _settled(pane)
        for end in range(3, len(text) + 1):
            if text[end - 1] == " ":
                continue
            first = painted.ask(text[:end])
            await asyncio.sleep(_KEY_S)
            if first.done():
                taken.append(first.result())
            else:
                overtaken += 1
        await _settled(pane)
    return figures(taken) | {"overtaken": overtaken}


async def _settled(pane: SearchPane) -> None:
    begun = time.perf_counter()
    while pane.bridge.is_busy and isValid(pane):
        if time.perf_counter() - begun > _GIVE_UP_S:
            raise TimeoutError("the pane is not answered")
        await asyncio.sleep(0.005)


async def _measure(bridge: Bridge, questions: list[str]) -> dict[str, Any]:
    registry = Actions()
    pane = SearchPane(bridge, registry)
    pane.resize(1300, 800)
    pane.show()
    pane.shown()
    await _settled(pane)
    painted = Painted(pane)
    await _one_by_one(pane, painted, questions[: workload.WARM_UP])
    requested = questions[workload.WARM_UP :]
    result = {
        "pause_ms": PAUSE_MS,
        "alone": await _one_by_one(pane, painted, requested[:_QUESTIONS]),
        "typing": await _key_by_key(pane, painted, requested[_QUESTIONS : _QUESTIONS + _TYPED]),
        "memory": memory(),
    }
    pane.hide()
    await bridge.close()
    pane.deleteLater()
    return result


def main() -> int:
    """Measure and tell."""
    reported, given, vault = sys.argv[1:4]
    application = make_application()
    loop = EventLoop(application)
    asyncio.set_event_loop(loop)
    host = open_vault(Path(vault))
    try:
        result = loop.run_until_complete(_measure(Bridge(host), workload.questions(Path(given))))
    finally:
        host.stop()
    loop.close()
    MeasurementFiles(Path(reported)).measured(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
