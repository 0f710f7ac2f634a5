"""Clash watcher: looks, after the person wrote something, for stored facts that it may contradict."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from app.changes import ChangeSet
from app.core.declared_operations import declared_operations
from app.errors import KeepsakeError, NotFoundError
from ui import operations
from ui.engine_texts import error_text
from ui.notice import Notice
from ui.panes.known_hints import SETTING
from ui.panes.reading_pane import history_of
from ui.shell.navigation import Place
from ui.widgets.notices.clash_bar import ClashBar
from ui.work import Work

if TYPE_CHECKING:
    from app.config.model import SettingValue
    from app.memories.model import Clash
    from ui.bridge import Bridge

PERSON: Final = "person"
QUIET_MS: Final = 2500
"""A text is looked at once nothing more of it was saved for this long."""
_MOST = 20


class ClashWatcher(QObject):
    """Shows each clash once, in a bar; looks at what the person writes alone.

    Args:
        bridge: The way to the engine.
        bar: Where a clash is shown.
        parent: The Qt parent.
    """

    place_requested = Signal(object)  # Place
    notice = Signal(object)  # Notice

    def __init__(self, bridge: "Bridge", bar: ClashBar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._bar = bar
        self._written: list[str] = []
        self._shown: set[tuple[str, str]] = set()
        self._waiting: list[Clash] = []
        self._timer = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        bridge.changed.connect(self._on_bridge_changed)
        bar.opened.connect(self._on_bar_opened)
        bar.set_aside.connect(self._on_bar_set_aside)
        bar.inbox_requested.connect(self._on_bar_inbox_requested)
        bar.closed.connect(self._show_next)

    async def _look(self, ids: list[str]) -> None:
        try:
            settings: list[SettingValue] = await self._bridge.call(operations.settings.list())
            if not any(setting.name == SETTING and bool(setting.value) for setting in settings):
                return
            for identity in ids:
                self._waiting += await self._clashes(identity)
        except KeepsakeError:
            return  # what was written is stored; the search itself tells what is wrong
        if self._bar.isHidden():
            self._show_next()

    async def _clashes(self, identity: str) -> "list[Clash]":
        """Return the clashes of a text that were not shown yet."""
        try:
            clashes: list[Clash] = await self._bridge.call(operations.fact.clashes(id=identity))
        except NotFoundError:
            return []  # deleted meanwhile
        new = [clash for clash in clashes if (identity, clash.fact.id) not in self._shown]
        self._shown |= {(identity, clash.fact.id) for clash in new}
        return new

    def _show_next(self) -> None:
        self._bar.show_clash(self._waiting.pop(0) if self._waiting else None)

    async def _forget(self, identity: str) -> None:
        reply = await self._bridge.reply(operations.fact.forget(id=identity))
        self.notice.emit(Notice(self.tr("Forgot the stored fact"), history_of(reply)))
        self._show_next()

    def _tell(self, error: KeepsakeError) -> None:
        self.notice.emit(Notice(error_text(error), kind="error"))

    def _on_bridge_changed(self, changes: ChangeSet) -> None:
        if changes.operation in declared_operations().checks_facts and changes.actor == PERSON:
            self._written = [*(identity for identity in self._written if identity not in changes.ids), *changes.ids][
                -_MOST:
            ]
            self._timer.start()

    def _on_timer_timeout(self) -> None:
        ids, self._written = self._written, []
        self._work.refresh(self._look(ids))

    def _on_bar_opened(self, identity: str) -> None:
        self.place_requested.emit(Place("notes", identity))

    def _on_bar_set_aside(self, identity: str) -> None:
        self._work.start(self._forget(identity), self._tell)

    def _on_bar_inbox_requested(self) -> None:
        self.place_requested.emit(Place("inbox"))
