"""The schedule pane. Nothing runs on a schedule yet, and it says so."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.panes.pane import Pane
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from ui.actions import Actions
    from ui.bridge import Bridge


class SchedulePane(Pane):
    """An honest empty state: what will be here, and what happens without a schedule today."""

    name: ClassVar[str] = "schedule"
    title: ClassVar[str] = "Schedule"
    icon: ClassVar[str] = "calendar-clock"

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._empty = EmptyState(
            "calendar-clock",
            self.tr("What Keepsake does on its own"),
            self.tr(
                "Upkeep will be planned here: when it runs next, what it did, and undo for every run. "
                "This version runs nothing on a schedule and changes nothing by itself. "
                "New text is indexed as it arrives; the line below shows when that is going on."
            ),
            self.tr("Open Settings"),
            parent=self,
        )
        self._empty.triggered.connect(self._on_settings_requested)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._empty)

    def focus_first(self) -> None:
        """Put the keyboard on the one button."""
        self._empty.button.setFocus()

    def _on_settings_requested(self) -> None:
        self.registry.run("file.settings")
