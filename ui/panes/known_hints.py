"""Hints while the person types: related memories, asked for after a pause."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.errors import KeepsakeError
from ui import operations
from ui.panes.known_row import settled
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.config.model import SettingValue
    from ui.bridge import Bridge
    from ui.panes.known_row import KnownRow

SETTING = "window.hints"
PAUSE_MS = 900
LEAST = 12
MOST = 400
WIDE = 8
"""Hits among which a hint that is shown stays."""


class KnownHints(QObject):
    """Fills a row with what is related to the end of what was typed.

    Args:
        bridge: The way to the engine.
        row: Where it is shown.
        parent: The Qt parent.
        own: Returns the id of what is being written, which is no hint; a new note gets one while it is written.
    """

    def __init__(
        self, bridge: "Bridge", row: "KnownRow", parent: QObject | None = None, own: "Callable[[], str]" = str
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._row = row
        self._text = ""
        self._own = own
        self._is_on: bool | None = None
        self._is_dismissed = False
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        row.dismissed.connect(self._on_row_dismissed)
        self._work.on_areas({"settings"}, self._on_settings_changed)

    def begin(self) -> None:
        """Show nothing: another text is being written now."""
        self._work.cancel(self._ask)
        self._timer.stop()
        self._is_dismissed = False
        self._row.show_hits(())

    def typed(self, text: str) -> None:
        """Take over the text before the cursor, and ask once the typing pauses."""
        self._text = text[-MOST:]
        self._work.cancel(self._ask)
        if len(self._text.strip()) < LEAST:
            self._timer.stop()
            self._row.show_hits(())
        elif not self._is_dismissed:
            self._timer.start()

    async def _ask(self) -> None:
        try:
            if self._is_on is None:
                settings: list[SettingValue] = await self._bridge.call(operations.settings.list())
                self._is_on = any(setting.name == SETTING and bool(setting.value) for setting in settings)
            without = list(filter(None, [self._own()]))
            hits = (
                await self._bridge.call(operations.memory.related(text=self._text, limit=WIDE, without=without))
                if self._is_on
                else []
            )
        except KeepsakeError:
            hits = []  # a hint is no place for errors: the search itself tells what is wrong
        if not self._is_dismissed:
            hits = [hit for hit in hits if hit.id != self._own()]
            self._row.show_hits(settled(self._row.hits, hits))

    def _on_timer_timeout(self) -> None:
        self._work.latest(self._ask)

    def _on_row_dismissed(self) -> None:
        self._is_dismissed = True

    def _on_settings_changed(self) -> None:
        self._is_on = None
        self.begin()
