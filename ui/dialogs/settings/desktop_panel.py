"""Panel on the desktop: start at login, and quick capture from anywhere."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from app.errors import KeepsakeError
from ui import theme
from ui.dialogs.base_dialog import note
from ui.dialogs.settings.panel import SettingsPanel
from ui.engine_texts import error_text
from ui.process.autostart import Autostart, autostart, hidden_start
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from ui.bridge import Bridge

CAPTURE_COMMAND = "keepsake --open keepsake://capture"


class DesktopPanel(SettingsPanel):
    """Switches that belong to this computer, not to the vault.

    Args:
        bridge: The way to the vault.
        vault: The vault's folder, which is opened at login.
        place: Where the system looks for programs to start; its own when not given.
        parent: Its parent.
    """

    def __init__(
        self, bridge: "Bridge", vault: str, parent: QWidget | None = None, place: Autostart | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._vault = vault
        self._place = place or autostart()
        self.start = QCheckBox(self.tr("Start Keepsake when you log in"), self)
        self.start.setAccessibleDescription(self.tr("It starts in the tray, where your agents reach it."))
        self.start.toggled.connect(self._on_start_toggled)
        about = note(self.tr("It starts in the tray, where your agents reach it. No window opens."), self)
        heading = PlainLabel(self.tr("Quick capture by a command"), self, style="strong")
        how = note(
            self.tr("Where your desktop grants no shortcuts to programs, add one in its settings with this command:"),
            self,
        )
        command = PlainLabel(CAPTURE_COMMAND, self)
        command.setAccessibleName(self.tr("Command of quick capture"))
        command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        command.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme.set_type(command, "code")
        more = note(self.tr("‘keepsake capture TEXT’ saves a note at once, without a window."), self)
        for widget in (self.start, about, heading, how, command, more):
            self.column.addWidget(widget)

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        return self.tr("Start at login, autostart, quick capture, global shortcut").casefold()

    def shown(self) -> None:
        """Show whether it starts at login."""
        self.start.blockSignals(True)
        self.start.setChecked(self._place.is_on())
        self.start.blockSignals(False)

    def _on_start_toggled(self, is_on: bool) -> None:
        self.show_error("")
        try:
            if is_on:
                self._place.turn_on(hidden_start(Path(self._vault)))
            else:
                self._place.turn_off()
        except KeepsakeError as error:
            self.show_error(error_text(error))
            self.shown()
