"""The Graph pane, which says that the picture is not drawn yet."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.panes.pane import Pane, Place
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from ui.actions import Actions
    from ui.bridge import Bridge


class GraphPane(Pane):
    """An honest empty state: what will be here, and where links can be seen today."""

    name: ClassVar[str] = "graph"
    title: ClassVar[str] = "Graph"
    icon: ClassVar[str] = "waypoints"

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._empty = EmptyState(
            "waypoints",
            self.tr("A map of people, places and ideas"),
            self.tr(
                "This view will draw what your conversations and notes mention and how it hangs together. "
                "This version does not recognise people and things yet, so there is nothing to draw. "
                "Links between notes are already there: each note lists what it links to and what links to it."
            ),
            self.tr("Open Notes"),
            hint=self.tr("Write [[a title]] in a note to link it."),
            parent=self,
        )
        self._empty.triggered.connect(self._on_notes_requested)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._empty)

    def focus_first(self) -> None:
        """Put the keyboard on the one button."""
        self._empty.button.setFocus()

    def _on_notes_requested(self) -> None:
        self.navigate.emit(Place("notes"))
