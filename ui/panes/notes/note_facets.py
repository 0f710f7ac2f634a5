"""The facets of the Notes pane: kinds, tags, stores, sources."""

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.facets import Facets
from app.memories.model import Kind, MemoryFilter
from ui import theme
from ui.panes.labels import kind_plural, source_label, store_label
from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.lists.facet_tree import FacetGroup, FacetRow, FacetTree

if TYPE_CHECKING:
    from app.core.stores import StoreName

_GROUPS = ("special", "kind", "tag", "store", "source")


class NoteFacets(QWidget):
    """A column to narrow the list by."""

    changed = Signal(object)
    """Another ``MemoryFilter`` (its text and trash are not this column's)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tree = FacetTree(self.tr("Facets"), self)
        self.tree.toggled.connect(self._on_tree_toggled)
        head = ElidedLabel(self.tr("Narrow down"), self)
        theme.set_type(head, "strong")
        self._clear = text_button(self.tr("Clear"), "quiet", parent=self)
        self._clear.clicked.connect(self.clear)
        row = QHBoxLayout()
        row.setContentsMargins(Space.M, Space.M, Space.S, Space.XS)
        row.addWidget(head, 1)
        row.addWidget(self._clear)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.tree, 1)
        self._clear.setEnabled(False)

    def show_counts(self, facets: Facets) -> None:
        """Show what there is to narrow by."""
        rows = {
            "special": [FacetRow("pinned", None, self.tr("Pinned"))],
            "kind": [FacetRow(f.name, f.count, kind_plural(f.name)) for f in facets.kinds],
            "tag": [FacetRow(f.name, f.count) for f in facets.tags],
            "store": [FacetRow(f.name, f.count, store_label(f.name)) for f in facets.stores],
            "source": [FacetRow(f.name, f.count, source_label(f.name)) for f in facets.sources],
        }
        titles = {
            "special": self.tr("Marked"),
            "kind": self.tr("Kind"),
            "tag": self.tr("Tags"),
            "store": self.tr("Store"),
            "source": self.tr("Source"),
        }
        self.tree.set_groups(FacetGroup(key, titles[key], rows[key], nested=key == "tag") for key in _GROUPS)

    @property
    def filter(self) -> MemoryFilter:
        """The filter that the checked values stand for."""
        sources = self.tree.chosen("source")
        return MemoryFilter(
            kinds=cast("tuple[Kind, ...]", self.tree.chosen("kind")),
            tags=self.tree.chosen("tag"),
            stores=cast("tuple[StoreName, ...]", self.tree.chosen("store")),
            source=sources[0] if sources else "",
            pinned=True if self.tree.chosen("special") else None,
        )

    def choose_tag(self, tag: str) -> None:
        """Narrow by one tag and nothing else."""
        for group in _GROUPS:
            self.tree.set_chosen(group, [tag] if group == "tag" else [])
        self._tell()

    def clear(self) -> None:
        """Narrow by nothing."""
        for group in _GROUPS:
            self.tree.set_chosen(group, [])
        self._tell()

    def _on_tree_toggled(self, group: str, name: str, on: bool) -> None:
        if group == "source" and on:
            self.tree.set_chosen("source", [name])
        self._tell()

    def _tell(self) -> None:
        self._clear.setEnabled(self.filter != MemoryFilter())
        self.changed.emit(self.filter)
