"""The pane a window opens with loads like any other."""

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from app.host import Host
from ui.actions import Actions
from ui.shell.navigation import Place
from ui.shell.pane_stack import PaneStack

if TYPE_CHECKING:
    from ui.bridge import Bridge


def _rows(stack: PaneStack) -> int:
    views = stack.findChildren(QListView)
    return max((view.model().rowCount() for view in views if view.model() and view.accessibleName()), default=0)


def test_the_first_pane_shows_what_is_there(
    qtbot: QtBot, host: Host, bridge: "Bridge", qt_loop: asyncio.AbstractEventLoop
) -> None:
    for number in range(3):
        host.ask("session.append", messages=[{"role": "user", "content": "Hello"}], title=f"Talk {number}")
    actions = Actions()
    stack = PaneStack(bridge, actions)
    qtbot.addWidget(stack)
    stack.show()
    stack.open(Place("sessions"))

    async def filled() -> None:
        end = qt_loop.time() + 20
        while _rows(stack) < 3:
            assert qt_loop.time() < end, "the list stayed empty"
            await asyncio.sleep(0.01)

    qt_loop.run_until_complete(filled())
    actions.deleteLater()
