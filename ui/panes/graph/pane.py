"""Graph pane: how many people and things are known, and how to search for them."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid

from app.entities.model import EntityFilter
from ui.models.dates import format_number
from ui.panes.pane import Pane, Place
from ui.panes.search.query_text import term_of
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from app.entities.model import EntityRow
    from ui.actions import Actions
    from ui.bridge import Bridge


class GraphPane(Pane):
    """Counts of the recognised names, and a button that searches for the most mentioned one."""

    name: ClassVar[str] = "graph"
    title: ClassVar[str] = "Graph"
    icon: ClassVar[str] = "waypoints"

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._example = ""
        self._empty = EmptyState(
            "waypoints",
            self.tr("People and things"),
            self._text(0, 0),
            self.tr("Open Notes"),
            hint=self.tr("Write [[a title]] in a note to link it to another note."),
            parent=self,
        )
        self._empty.triggered.connect(self._on_button_clicked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._empty)

    def focus_first(self) -> None:
        """Put the keyboard on the one button."""
        self._empty.button.setFocus()

    def shown(self) -> None:
        """Count the names again."""
        self.bridge.start(self._load())

    def refresh(self, changes: "ChangeSet") -> None:
        """Count the names again when some were recognised, merged or renamed."""
        if self.isVisible() and "entities" in changes.areas:
            self.bridge.start(self._load())

    async def _load(self) -> None:
        people: list[str] = await self.bridge.call("entity.ids", filter=EntityFilter(types=("person",)))
        known: list[str] = await self.bridge.call("entity.ids")
        most: list[EntityRow] = await self.bridge.call("entity.list", limit=1)
        if not isValid(self):
            return
        self._example = most[0].name if most else ""
        self._empty.set_text(self.tr("People and things"), self._text(len(people), len(known)))
        words = self.tr("Search for {name}").format(name=self._example) if self._example else self.tr("Open Notes")
        self._empty.button.setText(words)

    def _text(self, people: int, known: int) -> str:
        if not known:
            return self.tr(
                "No people or things are known yet. "
                "Keepsake recognises them in your conversations and notes as they come in."
            )
        return self.tr(
            "Keepsake knows {people} people and {things} other names from your conversations and notes. "
            "They are not drawn as a graph. Search for entity:name to find everything that mentions one of them, "
            "under its other names too."
        ).format(people=format_number(people), things=format_number(known - people))

    def _on_button_clicked(self) -> None:
        if self._example:
            self.navigate.emit(Place("search", extra=term_of("entity", self._example)))
        else:
            self.navigate.emit(Place("notes"))
