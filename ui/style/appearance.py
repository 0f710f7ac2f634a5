"""The settings that the window itself obeys: colours, size of text, and what closing does."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.config.model import SettingValue
from app.errors import KeepsakeError
from ui import operations, theme
from ui.style.own_keys import read_keys
from ui.theme import Scheme

if TYPE_CHECKING:
    from ui.bridge import Bridge

THEME, SCALE, CLOSE = "window.theme", "window.scale", "window.close_to_tray"
CONTRAST, MOTION, SHORTCUTS = "window.contrast", "window.reduced_motion", "window.shortcuts"
STEP = 10
LOWEST, HIGHEST = 75, 200


class Appearance(QObject):
    """Applies settings at once and stores what is changed from a menu."""

    keys_changed = Signal(object)
    """The keys that the person chose, by action."""

    def __init__(self, bridge: "Bridge", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.close_to_tray = True
        self.close_decided = False
        self.error = ""

    async def load(self) -> None:
        """Apply all settings as they are."""
        for setting in await self._bridge.call(operations.settings.list()):
            self.apply(setting)

    def apply(self, setting: SettingValue) -> None:
        """Obey ``setting`` if it is one of the window's."""
        look = theme.current()
        if setting.name == THEME and look.scheme != setting.value:
            look.set_scheme(Scheme(str(setting.value)))
        elif setting.name == SCALE and round(look.scale * 100) != setting.value:
            look.set_scale(float(setting.value) / 100)
        elif setting.name == CONTRAST and look.contrast != (setting.value == "high"):
            look.set_contrast(setting.value == "high")
        elif setting.name == MOTION:
            look.reduced_motion = bool(setting.value)
        elif setting.name == SHORTCUTS:
            self.keys_changed.emit(read_keys(str(setting.value)))
        elif setting.name == CLOSE:
            self.close_to_tray = bool(setting.value)
            self.close_decided = self.close_decided or setting.source != "default"

    def set_scheme(self, scheme: Scheme) -> None:
        """Switch to ``scheme`` and remember it."""
        theme.current().set_scheme(scheme)
        self._store(THEME, scheme.value)

    def set_percent(self, percent: int) -> None:
        """Set the size of text and remember it."""
        percent = min(max(percent, LOWEST), HIGHEST)
        theme.current().set_scale(percent / 100)
        self._store(SCALE, percent)

    def zoom(self, steps: int) -> None:
        """Make text larger or smaller."""
        self.set_percent(round(theme.current().scale * 100) + steps * STEP)

    def decide_close(self, *, to_tray: bool) -> None:
        """Remember what closing the window does."""
        self.close_to_tray, self.close_decided = to_tray, True
        self._store(CLOSE, to_tray)

    def _store(self, name: str, value: str | int | bool) -> None:
        self._bridge.start(self._set(name, value))

    async def _set(self, name: str, value: str | int | bool) -> None:
        try:
            await self._bridge.call(operations.settings.set(name=name, value=value))
        except KeepsakeError as error:
            # The look is applied already; only remembering it failed, which the banner tells.
            self._bridge.failed.emit(error)
