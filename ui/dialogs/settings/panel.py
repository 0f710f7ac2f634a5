"""Panel: the tools of a section of the settings, beside its fields."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.errors import KeepsakeError
from ui.dialogs.base_dialog import note
from ui.engine_texts import error_text
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.config.model import SettingValue
    from ui.bridge import Bridge


class SettingsPanel(QWidget):
    """Tools of a section; they ask the vault only once they are shown."""

    stored = Signal(object)
    """A ``SettingValue`` that the panel stored."""
    is_first = True
    """Whether it stands above the fields of its section."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bridge = bridge
        self.work = Work(self, bridge)
        self.column = vbox(parent=self, margins=(0, Space.S, 0, Space.S), spacing=Space.M)
        self.error = note("", self, "body danger")
        self.error.hide()
        self.column.addWidget(self.error)

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        return ""

    def shown(self) -> None:
        """Load what the panel shows; it came into sight."""

    def follow(self, setting: "SettingValue") -> None:
        """Take notice of a stored setting."""

    def run(self, work: "Coroutine[Any, Any, None]", finished: "Callable[[], None] | None" = None) -> None:
        """Start work whose failure is shown above the panel."""
        self.work.start(self._guarded(work), ended=finished)

    def show_error(self, text: str) -> None:
        """Show a failure; ``""`` for none."""
        self.error.setText(text)
        self.error.setVisible(bool(text))

    async def _guarded(self, work: "Coroutine[Any, Any, None]") -> None:
        try:
            await work
        except KeepsakeError as error:
            self.show_error(error_text(error))
        else:
            self.show_error("")
