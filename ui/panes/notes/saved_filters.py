"""Saved filters of the Notes pane: named choices of facets and words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from ui.widgets.context_menu import open_menu

MAX_NAME = 60


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """A named filter.

    Args:
        words: What stands in the filter field.
        facets: The chosen values of each group.
    """

    name: str
    words: str = ""
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class SavedFilters(QObject):
    """Keeps filters by name, asks for names, and shows a filter's menu.

    Args:
        parent: The widget that asks.
    """

    changed = Signal()
    noticed = Signal(str)
    """A sentence about what was done."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._widget = parent
        self._filters: dict[str, SavedFilter] = {}

    @property
    def names(self) -> list[str]:
        """The names, in order."""
        return sorted(self._filters, key=str.casefold)

    @property
    def state(self) -> list[dict[str, Any]]:
        """The filters to keep between starts."""
        return [
            {
                "name": saved.name,
                "words": saved.words,
                "facets": {key: list(values) for key, values in saved.facets.items()},
            }
            for saved in self._filters.values()
        ]

    def restore(self, state: object) -> None:
        """Restore what ``state`` returned; what is no filter is left out."""
        self._filters = {}
        for entry in state if isinstance(state, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("name"), str) and entry["name"]:
                facets = entry.get("facets")
                groups = facets.items() if isinstance(facets, dict) else ()
                chosen = {str(key): _texts(values) for key, values in groups}
                self._filters[entry["name"]] = SavedFilter(entry["name"], str(entry.get("words") or ""), chosen)
        self.changed.emit()

    def get(self, name: str) -> SavedFilter | None:
        """Return the filter of a name."""
        return self._filters.get(name)

    def matching(self, words: str, facets: Mapping[str, Sequence[str]]) -> str:
        """Return the name of the filter that chooses just this, ``""`` for none."""
        wanted = SavedFilter("", words.strip(), {key: tuple(values) for key, values in facets.items() if values})
        same = (
            saved
            for saved in self._filters.values()
            if (saved.words, dict(saved.facets)) == (wanted.words, wanted.facets)
        )
        return next((saved.name for saved in same), "")

    def save(self, name: str, words: str, facets: Mapping[str, Sequence[str]]) -> None:
        """Save a filter; one of the same name is replaced."""
        if clean := " ".join(name.split())[:MAX_NAME]:
            chosen = {key: tuple(values) for key, values in facets.items() if values}
            self._filters[clean] = SavedFilter(clean, words.strip(), chosen)
            self.changed.emit()
            self.noticed.emit(self.tr("Saved the filter ‘{name}’").format(name=clean))

    def rename(self, name: str, new: str) -> None:
        """Give a filter another name."""
        query, clean = self._filters.get(name), " ".join(new.split())[:MAX_NAME]
        if query is None or not clean or clean == name:
            return
        if clean in self._filters:
            self.noticed.emit(self.tr("Another filter is called ‘{name}’ already.").format(name=clean))
            return
        del self._filters[name]
        self._filters[clean] = SavedFilter(clean, query.words, query.facets)
        self.changed.emit()

    def remove(self, name: str) -> None:
        """Forget a filter; the notes stay."""
        if self._filters.pop(name, None) is not None:
            self.changed.emit()
            self.noticed.emit(self.tr("Removed the filter ‘{name}’. Its notes stay.").format(name=name))

    # --- asking ---

    def ask_to_save(self, words: str, facets: Mapping[str, Sequence[str]], suggestion: str) -> None:
        """Ask for a name and save a filter under it."""
        box = self._box(self.tr("Save this filter"), suggestion)
        box.textValueSelected.connect(partial(self._on_name_given, words, facets))
        box.open()

    def ask_to_rename(self, name: str) -> None:
        """Ask for another name."""
        box = self._box(self.tr("Rename the filter"), name)
        box.textValueSelected.connect(partial(self.rename, name))
        box.open()

    def open_menu(self, name: str, where: QPoint) -> None:
        """Open the menu of a filter."""
        entries = [
            (self.tr("Rename…"), partial(self.ask_to_rename, name)),
            (self.tr("Delete"), partial(self.remove, name)),
        ]
        open_menu(self._widget, where, [entries])

    def _box(self, title: str, text: str) -> QInputDialog:
        box = QInputDialog(self._widget)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(title)
        box.setLabelText(self.tr("Name:"))
        box.setTextValue(text)
        return box

    def _on_name_given(self, words: str, facets: Mapping[str, Sequence[str]], name: str) -> None:
        self.save(name, words, facets)


def _texts(values: object) -> tuple[str, ...]:
    return tuple(str(value) for value in values) if isinstance(values, list) else ()
