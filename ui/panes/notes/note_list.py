"""The list of memories: filter, order, trash, and one row for each."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid

from app.core.text import without_markup
from app.errors import KeepsakeError
from app.memories.model import KINDS, MemoryFilter, MemoryRow
from ui.models.cards import Badge, Card
from ui.models.dates import short_date
from ui.models.id_list_model import IdListModel
from ui.panes.labels import display_title, kind_icon, kind_label, source_label
from ui.style.tokens import Space
from ui.widgets.button import icon_button
from ui.widgets.header_row import HeaderRow
from ui.widgets.lists.list_view import CardList
from ui.widgets.lists.sort_menu import SortMenu
from ui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.core.facets import Facets
    from ui.bridge import Bridge

FILTER_LEAST = 120
_BADGES = 2


class NoteList(QWidget):
    """Memories, as many as there are.

    Args:
        bridge: The door to the engine.
        parent: Its parent.
    """

    loaded = Signal()
    """Another list of ids is shown."""
    counted = Signal(object)
    """``Facets`` over what is shown."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._asked = 0
        self._wanted = ""
        self._facets = MemoryFilter()
        self.model = IdListModel(self._rows, bridge.start, self._card, self)
        self.filter = SearchBox(self.tr("Filter notes"), self.tr("Filter by words"), parent=self)
        self.filter.searched.connect(self.load)
        self.filter.stepped_down.connect(self._on_filter_stepped_down)
        self._sorting = self._make_orders()
        self._sorting.changed.connect(self.load)
        self.trash = icon_button("trash-2", self.tr("Show deleted notes"), checkable=True, parent=self)
        self.trash.toggled.connect(self.load)
        self.new = icon_button("plus", self.tr("New note"), shortcut="Ctrl+N", tint="accent", parent=self)
        self.sides = icon_button("funnel", self.tr("Show or hide the facets"), checkable=True, parent=self)
        self.list = CardList(self.tr("Notes"), self)
        self.list.set_source(self.model)
        self.model.failed.connect(self.failed)
        self._soon = QTimer(self, singleShot=True, interval=200)
        self._soon.timeout.connect(self.load)
        self._arrange()

    @property
    def chosen(self) -> MemoryFilter:
        """What is shown now."""
        facets = self._facets
        return MemoryFilter(
            text=self.filter.text().strip(),
            kinds=facets.kinds,
            tags=facets.tags,
            stores=facets.stores,
            source=facets.source,
            pinned=facets.pinned,
            deleted=self.trash.isChecked(),
        )

    @property
    def filtered(self) -> bool:
        """Whether something is left out."""
        return self.chosen != MemoryFilter()

    @property
    def state(self) -> dict[str, Any]:
        """What is worth keeping."""
        return {"order": self._sorting.current}

    def restore(self, state: dict[str, Any]) -> None:
        """Apply what ``state`` gave."""
        self._sorting.restore(state.get("order"))

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """What takes the keyboard, as one reads."""
        return self.filter, self.sides, self._sorting.button, self.trash, self.new, self.list

    def set_facets(self, facets: MemoryFilter) -> None:
        """Narrow by facets."""
        self._facets = facets
        self.load()

    def load(self) -> None:
        """Fetch the ids anew; the old list shows until they arrive."""
        self._asked += 1
        self._bridge.start(self._load(self.chosen, self._asked))

    def load_soon(self) -> None:
        """Fetch anew when a burst of changes is over."""
        self._soon.start()

    def choose(self, identity: str) -> None:
        """Make a row current, now or when the list with it has arrived."""
        self._wanted = "" if self.list.choose(identity, quiet=True) else identity

    def _arrange(self) -> None:
        buttons = [self.sides, self._sorting.button, self.trash, self.new]
        head = QVBoxLayout()
        head.setContentsMargins(Space.M, Space.M, Space.S, Space.S)
        head.addWidget(HeaderRow(self.filter, [buttons], FILTER_LEAST, self))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)

    def _make_orders(self) -> SortMenu:
        orders = (
            ("recent", self.tr("Last changed first")),
            ("oldest", self.tr("Longest unchanged first")),
            ("created", self.tr("Newest first")),
            ("title", self.tr("By title")),
        )
        return SortMenu(self.tr("Order"), orders, self)

    async def _rows(self, ids: list[str]) -> "Sequence[MemoryRow]":
        rows: list[MemoryRow] = await self._bridge.call("note.rows", ids=ids)
        return rows

    async def _load(self, chosen: MemoryFilter, asked: int) -> None:
        try:
            ids = await self._bridge.call("note.ids", filter=chosen, order=self._sorting.current)
        except KeepsakeError as error:
            if isValid(self) and asked == self._asked:
                self.failed.emit(error)
            return
        if not isValid(self) or asked != self._asked:
            return
        nothing = self.tr("The trash is empty.") if chosen.deleted else self.tr("No note fits this filter.")
        self.list.set_empty_text(nothing if self.filtered else "")
        self.model.set_ids(ids)
        if self._wanted:
            self.choose(self._wanted)
        self.loaded.emit()
        facets: Facets = await self._bridge.call("note.facets", filter=chosen)
        if isValid(self) and asked == self._asked:
            self.counted.emit(facets)

    def _card(self, row: MemoryRow) -> Card:
        badges = [Badge(f"#{tag}", "accent") for tag in row.tags[:_BADGES]]
        if row.kind not in ("note",):
            badges.insert(0, Badge(kind_label(row.kind)))
        if row.pinned:
            badges.insert(0, Badge("", "warn", "pin"))
        title = display_title(row.title, row.preview, self.tr("Untitled"))
        when = short_date(row.updated_at, datetime.now(UTC))
        spoken = [title, kind_label(row.kind), row.preview, ", ".join(row.tags), when]
        if row.pinned:
            spoken.append(self.tr("pinned"))
        return Card(
            title,
            without_markup(row.preview) if row.title else source_label(row.source),
            when,
            tuple(badges),
            icon=kind_icon(row.kind) if row.kind in KINDS else "file-text",
            faded=row.archived or self.trash.isChecked(),
            spoken=", ".join(part for part in spoken if part),
        )

    def _on_filter_stepped_down(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
