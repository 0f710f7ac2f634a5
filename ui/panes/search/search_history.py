"""Saved and recent searches, and the button that saves the one in the search box."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from ui.style.icons import icon
from ui.widgets.button import icon_button, name_button

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.widgets.search_box import SearchBox

RECENT_LIMIT = 12


class SearchHistory(QObject):
    """Keeps searches that were saved, and the last ones that led somewhere.

    Args:
        box: The search box.
        parent: The pane, where the button goes.
    """

    noticed = Signal(str)
    """A sentence about what was done."""

    def __init__(self, box: "SearchBox", parent: "QWidget") -> None:
        super().__init__(parent)
        self._box = box
        self.saved: list[str] = []
        self.recent: list[str] = []
        self.button = icon_button("bookmark-plus", self.tr("Save this search"), shortcut="Ctrl+D", parent=parent)
        self.button.clicked.connect(self.toggle_saved)

    @property
    def recent_unsaved(self) -> list[str]:
        """Recent searches that are not saved, latest first."""
        return [text for text in self.recent if text not in self.saved]

    @property
    def state(self) -> dict[str, Any]:
        """The searches to keep between starts."""
        return {"saved": self.saved, "recent": self.recent}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned."""
        self.saved = [str(text) for text in state.get("saved") or ()]
        self.recent = [str(text) for text in state.get("recent") or ()]

    def remember(self, text: str) -> None:
        """Put a search first among the recent ones."""
        text = text.strip()
        self.recent = [text, *(known for known in self.recent if known != text)][:RECENT_LIMIT]

    def toggle_saved(self) -> None:
        """Save the search in the box, or remove it from the saved ones."""
        text = self._box.text().strip()
        if text in self.saved:
            self.saved.remove(text)
            self.noticed.emit(self.tr("Removed the search ‘{text}’").format(text=text))
        elif text:
            self.saved.insert(0, text)
            self.noticed.emit(self.tr("Saved the search ‘{text}’").format(text=text))
        self.show_state()

    def show_state(self) -> None:
        """Show on the button whether the search in the box is saved."""
        text = self._box.text().strip()
        known = text in self.saved
        title = self.tr("Remove this saved search") if known else self.tr("Save this search")
        name_button(self.button, title, "Ctrl+D")
        self.button.setIcon(icon("bookmark", "accent") if known else icon("bookmark-plus"))
        self.button.setEnabled(bool(text))
