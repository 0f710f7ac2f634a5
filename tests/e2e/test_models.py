"""Another search model over a real vault: prepared, compared, switched to and taken back by the window alone."""

import asyncio
import gc
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.host import Host
from ui import theme
from ui.bridge import Bridge
from ui.dialogs.models.models import ModelsDialog

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
SAID = ("roses for the north wall", "the boat on the lake", "bread in the oven", "a train to Lisbon", "frost on roses")


@pytest.fixture
def models(
    host: Host, bridge: Bridge, qtbot: QtBot, qapp: QApplication, qt_loop: asyncio.AbstractEventLoop
) -> Iterator[ModelsDialog]:
    theme.current().install(qapp)
    gc.collect()  # loops of earlier tests have timers, which must not end on the engine's thread
    host.ask("session.append", session="s", messages=[{"role": "user", "content": text} for text in SAID])
    host.ask("vault.settle")
    dialog = ModelsDialog(bridge)
    qtbot.addWidget(dialog)
    dialog.bring_to_front()
    yield dialog
    if isValid(dialog):
        dialog.hide()
    qt_loop.run_until_complete(until(lambda: not bridge.is_busy))
    qt_loop.run_until_complete(bridge.close())


async def until(happened: Callable[[], object]) -> None:
    while not happened():
        await asyncio.sleep(0.005)


def test_prepared_compared_switched_and_taken_back(models: ModelsDialog, qt_loop: asyncio.AbstractEventLoop) -> None:
    def states() -> dict[str, str]:
        return {row.info.model: row.info.state for row in models.rows.rows}

    def become(**wanted: str) -> None:
        qt_loop.run_until_complete(until(lambda: states() == wanted))

    become(static="serving")
    models.wanted.setCurrentText("hashed")
    models.prepare.click()
    become(static="serving", hashed="ready")
    models.rows.rows[1].buttons["compare"].click()
    qt_loop.run_until_complete(until(lambda: not models.comparing.is_busy))
    assert "Built-in model finds 1 of 1 known answers" in models.comparing.result.text()
    models.rows.rows[1].buttons["switch"].click()
    become(hashed="serving", static="kept")
    models.rows.rows[1].buttons["return"].click()
    become(static="serving", hashed="kept")
