"""The list of memories: filter, order, trash, and one row for each."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.errors import KeepsakeError
from app.memories.model import KINDS, Facets, MemoryFilter, MemoryOrder, MemoryRow
from ui.models.cards import Badge, Card
from ui.models.ids import IdListModel
from ui.models.when import short
from ui.panes.words import kind_icon, kind_word, source_word, title_of
from ui.tokens import Space
from ui.widgets.button import icon_button
from ui.widgets.listview import CardList
from ui.widgets.searchbox import SearchBox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ui.bridge import Bridge

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
    trash_toggled = Signal(bool)

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._asked = 0
        self._wanted = ""
        self._order: MemoryOrder = "recent"
        self._facets = MemoryFilter()
        self.model = IdListModel(self._rows, bridge.start, self._card, self)
        self.filter = SearchBox(self.tr("Filter notes"), self.tr("Filter by words"), parent=self)
        self.filter.searched.connect(self.load)
        self.filter.stepped_down.connect(self._on_filter_stepped_down)
        self._sorting = icon_button("arrow-up-down", self.tr("Order"), parent=self)
        self._sorting.setPopupMode(self._sorting.ToolButtonPopupMode.InstantPopup)
        self._sorting.setMenu(self._menu())
        self.trash = icon_button("trash-2", self.tr("Show deleted notes"), checkable=True, parent=self)
        self.trash.toggled.connect(self._on_trash_toggled)
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
        return {"order": self._order}

    def restore(self, state: dict[str, Any]) -> None:
        """Apply what ``state`` gave."""
        for action in self._orders.actions():
            if action.data() == state.get("order"):
                action.setChecked(True)
                self._order = action.data()

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

    def show_all(self) -> None:
        """Take every filter away."""
        self.filter.set_text_quietly("")
        self._facets = MemoryFilter()
        if self.trash.isChecked():
            self.trash.setChecked(False)
        else:
            self.load()

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(Space.M, Space.M, Space.S, Space.S)
        head.setSpacing(Space.XS)
        head.addWidget(self.filter, 1)
        for button in (self.sides, self._sorting, self.trash, self.new):
            head.addWidget(button)
        head.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        self._orders = QActionGroup(menu)
        for order, title in (
            ("recent", self.tr("Last changed first")),
            ("oldest", self.tr("Longest unchanged first")),
            ("created", self.tr("Newest first")),
            ("title", self.tr("By title")),
        ):
            action = QAction(title, self._orders)
            action.setCheckable(True)
            action.setData(order)
            action.setChecked(order == self._order)
            menu.addAction(action)
        self._orders.triggered.connect(self._on_orders_triggered)
        return menu

    async def _rows(self, ids: list[str]) -> "Sequence[MemoryRow]":
        rows: list[MemoryRow] = await self._bridge.call("note.rows", ids=ids)
        return rows

    async def _load(self, chosen: MemoryFilter, asked: int) -> None:
        try:
            ids = await self._bridge.call("note.ids", filter=chosen, order=self._order)
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
            badges.insert(0, Badge(kind_word(row.kind)))
        if row.pinned:
            badges.insert(0, Badge("", "warn", "pin"))
        title = title_of(row.title, row.preview, self.tr("Untitled"))
        when = short(row.updated_at, datetime.now(UTC))
        spoken = [title, kind_word(row.kind), row.preview, ", ".join(row.tags), when]
        if row.pinned:
            spoken.append(self.tr("pinned"))
        return Card(
            title,
            row.preview.lstrip("# ") if row.title else source_word(row.source),
            when,
            tuple(badges),
            icon=kind_icon(row.kind) if row.kind in KINDS else "file-text",
            faded=row.archived or self.trash.isChecked(),
            spoken=", ".join(part for part in spoken if part),
        )

    def _on_orders_triggered(self, action: QAction) -> None:
        self._order = action.data()
        self.load()

    def _on_trash_toggled(self, on: bool) -> None:
        self.trash_toggled.emit(on)
        self.load()

    def _on_filter_stepped_down(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
