"""Advice watcher: asks after an import whether the search model suits the texts."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.changes import ChangeSet
from app.core.declared_operations import declared_operations
from app.errors import KeepsakeError
from ui import operations
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.widgets.notices.sentence_bar import SentenceBar


class AdviceWatcher(QObject):
    """Shows the engine's advice in a bar, after each import that gives cause for it.

    Args:
        bridge: The way to the engine.
        bar: Where the advice is shown.
        parent: The Qt parent.
    """

    def __init__(self, bridge: "Bridge", bar: "SentenceBar", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._bar = bar
        bridge.changed.connect(self._on_bridge_changed)

    async def _ask(self) -> None:
        try:
            advice: str = await self._bridge.call(operations.embedding.advice())
        except KeepsakeError:
            return  # the sheet of the search models asks again, and tells what is wrong
        if advice:
            self._bar.show_sentence(advice)

    def _on_bridge_changed(self, changes: ChangeSet) -> None:
        if changes.operation in declared_operations().imports:
            self._work.refresh(self._ask())
