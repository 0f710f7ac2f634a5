"""The facets of the Notes pane: saved filters, kinds, tags, names, dates, stores, sources."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from app.core.facets import Facets
from app.memories.model import Kind, MemoryFilter, NamedThing
from ui import theme
from ui.panes.labels import kind_plural, source_label, store_label
from ui.panes.notes.date_facet import SPANS, bounds, day_named, span_label
from ui.panes.notes.saved_filters import SavedFilters
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import icon_button, text_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.lists.facet_tree import FacetGroup, FacetRow, FacetTree

if TYPE_CHECKING:
    from app.core.stores import StoreName

_SAVED = "saved"
_GROUPS = ("special", "kind", "tag", "entity", "date", "store", "source")
_ONE_ONLY = ("date", "source")
"""Groups of which only one value can be on."""


class NoteFacets(QWidget):
    """A column to narrow the list by."""

    changed = Signal(object)
    """Another ``MemoryFilter`` (its text and trash are not this column's)."""
    words_chosen = Signal(str)
    """A saved filter wants these words in the filter field."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.read_words: Callable[[], str] = str
        """Returns the words in the filter field, which a saved filter keeps too."""
        self._facets = Facets()
        self._entities: dict[str, NamedThing] = {}
        self._shown_entities: tuple[str, ...] = ()
        self.saved = SavedFilters(self)
        self.saved.changed.connect(self._on_saved_changed)
        self.tree = FacetTree(self.tr("Filters"), self)
        self.tree.toggled.connect(self._on_tree_toggled)
        self.tree.menu_requested.connect(self._on_tree_menu_requested)
        self.tree.rename_requested.connect(self._on_tree_rename_requested)
        self.tree.delete_requested.connect(self._on_tree_delete_requested)
        head = ElidedLabel(self.tr("Filters"), self)
        theme.set_type(head, "strong")
        self._save = icon_button("bookmark-plus", self.tr("Save this filter"), parent=self)
        self._save.clicked.connect(self.save)
        self._clear = text_button(self.tr("Clear"), "quiet", parent=self)
        self._clear.clicked.connect(self.clear)
        row = hbox((head, 1), self._save, self._clear, margins=(Space.M, Space.M, Space.S, Space.XS))
        self._column = vbox(row, (self.tree, 1), parent=self, margins=0, spacing=0)
        self.refresh_buttons()

    def add_below(self, part: QWidget) -> None:
        """Put another part below the tree."""
        self._column.addWidget(part)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return self._save, self._clear, self.tree

    def show_counts(self, facets: Facets) -> None:
        """Show what there is to narrow by."""
        self._facets = facets
        self._refresh_tree()

    def show_entities(self, entities: Sequence[NamedThing]) -> None:
        """Show the people and things that the listed notes name."""
        self._entities |= {entity.id: entity for entity in entities}
        self._shown_entities = tuple(entity.id for entity in entities)
        self._refresh_tree()

    @property
    def filter(self) -> MemoryFilter:
        """The filter that the checked values stand for."""
        sources, dates = self.tree.chosen("source"), self.tree.chosen("date")
        since, until = bounds(dates[0], date.today()) if dates else (None, None)  # noqa: DTZ011
        return MemoryFilter(
            kinds=cast("tuple[Kind, ...]", self.tree.chosen("kind")),
            tags=self.tree.chosen("tag"),
            stores=cast("tuple[StoreName, ...]", self.tree.chosen("store")),
            source=sources[0] if sources else "",
            entities=self.tree.chosen("entity"),
            created_since=since,
            created_until=until,
            pinned=True if self.tree.chosen("special") else None,
        )

    @property
    def chosen_labels(self) -> list[str]:
        """Labels of the chosen values, as people call them."""
        return [self._label(group, name) for group, names in self._chosen().items() for name in names]

    @property
    def chosen_day(self) -> date | None:
        """The one day that the list is narrowed to."""
        dates = self.tree.chosen("date")
        return day_named(dates[0]) if dates else None

    @property
    def state(self) -> list[dict[str, Any]]:
        """The saved filters, to keep between starts."""
        return self.saved.state

    def choose_tag(self, tag: str) -> None:
        """Narrow by one tag and nothing else."""
        self._choose({"tag": (tag,)})

    def choose_day(self, day: date) -> None:
        """Narrow to the notes made on a day, and by nothing else."""
        self._choose({"date": (day.isoformat(),)})

    def clear(self) -> None:
        """Narrow by nothing."""
        self._choose({})

    def save(self) -> None:
        """Ask for a name and save the filter in force."""
        chosen, words = self._chosen(), self.read_words()
        if not chosen and not words.strip():
            return
        self.saved.ask_to_save(words, chosen, ", ".join([*self.chosen_labels, *words.split()])[:40])

    def refresh_buttons(self) -> None:
        """Follow the words in the filter field: they can be saved too."""
        chosen, words = self._chosen(), self.read_words()
        self._clear.setEnabled(bool(chosen))
        self._save.setEnabled(bool(chosen) or bool(words.strip()))
        known = self.saved.matching(words, chosen)
        self.tree.set_chosen(_SAVED, [known] if known else [])

    # --- the tree ---

    def _refresh_tree(self) -> None:
        facets = self._facets
        days = [day for day in self.tree.chosen("date") if day not in SPANS]
        entities = [self._entities[entity] for entity in self._shown_entities]
        away = [entity for entity in self.tree.chosen("entity") if entity not in self._shown_entities]
        rows = {
            _SAVED: [FacetRow(name) for name in self.saved.names],
            "special": [FacetRow("pinned", None, self.tr("Pinned"))],
            "kind": [FacetRow(f.name, f.count, kind_plural(f.name)) for f in facets.kinds],
            "tag": [FacetRow(f.name, f.count) for f in facets.tags],
            "entity": [
                *(FacetRow(entity, None, self._label("entity", entity)) for entity in away),
                *(FacetRow(entity.id, entity.count, entity.name) for entity in entities),
            ],
            "date": [FacetRow(name, None, span_label(name)) for name in (*days, *SPANS)],
            "store": [FacetRow(f.name, f.count, store_label(f.name)) for f in facets.stores],
            "source": [FacetRow(f.name, f.count, source_label(f.name)) for f in facets.sources],
        }
        titles = {
            _SAVED: self.tr("Saved filters"),
            "special": self.tr("Marked"),
            "kind": self.tr("Kind"),
            "tag": self.tr("Tags"),
            "entity": self.tr("People and things"),
            "date": self.tr("Written"),
            "store": self.tr("Store"),
            "source": self.tr("Source"),
        }
        keys = (_SAVED, *_GROUPS)
        self.tree.set_groups(FacetGroup(key, titles[key], rows[key], nested=key == "tag") for key in keys)

    def _label(self, group: str, name: str) -> str:
        if group == "entity":
            return self._entities[name].name if name in self._entities else self.tr("a name")
        labels = {"kind": kind_plural, "store": store_label, "source": source_label, "date": span_label}
        if group == "special":
            return self.tr("Pinned")
        return labels[group](name) if group in labels else name

    def _chosen(self) -> dict[str, tuple[str, ...]]:
        chosen_values = {group: self.tree.chosen(group) for group in _GROUPS}
        return {group: names for group, names in chosen_values.items() if names}

    def _choose(self, chosen: dict[str, Iterable[str]]) -> None:
        for group in _GROUPS:
            self.tree.set_chosen(group, chosen.get(group, ()))
        self._tell()

    def _on_tree_toggled(self, group: str, name: str, on: bool) -> None:
        if group == _SAVED:
            saved = self.saved.get(name) if on else None
            self.words_chosen.emit(saved.words if saved else "")
            self._choose(dict(saved.facets) if saved else {})
            return
        if group in _ONE_ONLY and on:
            self.tree.set_chosen(group, [name])
        self._tell()

    def _on_tree_menu_requested(self, group: str, name: str, where: QPoint) -> None:
        if group == _SAVED:
            self.saved.open_menu(name, where)

    def _on_tree_rename_requested(self, group: str, name: str) -> None:
        if group == _SAVED:
            self.saved.ask_to_rename(name)

    def _on_tree_delete_requested(self, group: str, name: str) -> None:
        if group == _SAVED:
            self.saved.remove(name)

    def _on_saved_changed(self) -> None:
        self.refresh_buttons()
        self._refresh_tree()

    def _tell(self) -> None:
        self.refresh_buttons()
        self._refresh_tree()
        self.changed.emit(self.filter)
