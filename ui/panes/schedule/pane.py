"""Schedule pane: which work Keepsake does on its own."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.panes.pane import Pane
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from ui.actions import Actions
    from ui.bridge import Bridge


class SchedulePane(Pane):
    """Description of the work in the background; there are no jobs to plan."""

    name: ClassVar[str] = "schedule"
    title: ClassVar[str] = "Schedule"
    icon: ClassVar[str] = "calendar-clock"

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Schedule"))
        self._empty = EmptyState(
            "calendar-clock",
            self.tr("Nothing to plan"),
            self.tr(
                "There are no jobs that you can schedule. On its own, Keepsake indexes new text, recognises names "
                "in it and makes backups. The line at the foot of the window shows such work while it goes on."
            ),
            parent=self,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._empty)
