"""Quick capture by a shortcut that the desktop grants."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.errors import KeepsakeError
from ui import operations
from ui.engine_texts import error_text
from ui.notice import Notice
from ui.process.shortcut_portal import ShortcutPortal, ShortcutPortalError
from ui.work import Work

if TYPE_CHECKING:
    from app.config.model import SettingValue
    from ui.bridge import Bridge

SETTING = "window.global_shortcut"
KEY = "capture"
WANTED_KEYS = "CTRL+ALT+space"


class GlobalCapture(QObject):
    """Asks the desktop for the shortcut while the setting is on, and gives it back.

    Args:
        bridge: The way to the engine.
        parent: The Qt parent.
    """

    pressed = Signal()
    notice = Signal(object)
    """A ``Notice`` on what the desktop said."""
    _bound = Signal(str)
    _failed = Signal(object)

    def __init__(self, bridge: "Bridge", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._portal: ShortcutPortal | None = None
        self._is_first = True
        self._bound.connect(self._on_bound)
        self._failed.connect(self._on_failed)
        self._work.on_areas({"settings"}, self._refresh)
        self._refresh()

    def stop(self) -> None:
        """Give the shortcut back."""
        if self._portal is not None:
            portal, self._portal = self._portal, None
            portal.stop()

    async def _read(self) -> None:
        try:
            settings: list[SettingValue] = await self._bridge.call(operations.settings.list())
        except KeepsakeError:
            return  # asked again with the next change
        is_on = any(setting.name == SETTING and setting.value is True for setting in settings)
        if is_on and self._portal is None:
            self._portal = ShortcutPortal(
                KEY, self.tr("Quick capture"), WANTED_KEYS, self.pressed.emit, self._bound.emit, self._failed.emit
            )
            self._portal.start()
        elif not is_on:
            self.stop()
        self._is_first = False if not is_on else self._is_first

    def _refresh(self) -> None:
        self._work.latest(self._read)

    def _on_bound(self, keys: str) -> None:
        if self._is_first:  # granted at an earlier time
            self._is_first = False
            return
        words = (
            self.tr("Quick capture opens from anywhere with {keys}")
            if keys
            else self.tr("Quick capture opens from anywhere")
        )
        self.notice.emit(Notice(words.format(keys=keys)))

    def _on_failed(self, error: Any) -> None:
        if self._portal is not None and isinstance(error, ShortcutPortalError):
            self.stop()
            more = self.tr("Settings, Desktop shows a command that a shortcut of your desktop can run instead.")
            self.notice.emit(Notice(f"{error_text(error)} {more}", kind="error"))
            self._bridge.start(self._turn_off())

    async def _turn_off(self) -> None:
        """Turn the setting off, which says what is."""
        with suppress(KeepsakeError):  # it is tried again at the next start
            await self._bridge.call(operations.settings.set(name=SETTING, value=False))
