"""The list of memories: filter, order, trash, and a row for each."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.text import without_markup
from app.memories.model import KINDS, MemoryFilter, MemoryRow
from ui import operations
from ui.models.cards import Badge, Card
from ui.models.dates import short_date
from ui.panes.filtered_list import FilteredList, ListLabels
from ui.panes.labels import attribution, display_title, kind_icon, kind_label, source_label
from ui.style.design_tokens import Space
from ui.widgets.button import icon_button
from ui.widgets.header_row import HeaderRow

if TYPE_CHECKING:
    from app.core.facets import Facets
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall

FILTER_MIN = 120
ENTITIES = 15
_BADGES = 2


class NoteList(FilteredList):
    """The memories that fit filter and facets, or those in the trash."""

    counted = Signal(object)
    """``Facets`` over what is shown."""
    named = Signal(object)
    """The ``NamedThing`` values that what is shown names."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self._facets = MemoryFilter()
        self.trash = icon_button("trash-2", self.tr("Show deleted notes"), checkable=True, parent=self)
        self.trash.toggled.connect(self.load)
        self.new = icon_button("plus", self.tr("New note"), shortcut="Ctrl+N", tint="accent", parent=self)
        self.new.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.sides = icon_button("funnel", self.tr("Show or hide the filters"), checkable=True, parent=self)
        self._arrange()

    @property
    def current_filter(self) -> MemoryFilter:
        """The filter in force: words, facets and trash."""
        facets = self._facets
        return MemoryFilter(
            text=self.filter.text().strip(),
            kinds=facets.kinds,
            tags=facets.tags,
            stores=facets.stores,
            source=facets.source,
            entities=facets.entities,
            created_since=facets.created_since,
            created_until=facets.created_until,
            pinned=facets.pinned,
            deleted=self.trash.isChecked(),
        )

    @property
    def filtered(self) -> bool:
        """True when the filter may leave something out."""
        return self.current_filter != MemoryFilter()

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return self.filter, self.sides, self._sorting.button, self.trash, self.new, self.list

    def set_facets(self, facets: MemoryFilter) -> None:
        """Narrow by facets."""
        self._facets = facets
        self.load()

    def add_below_head(self, part: QWidget) -> None:
        """Put another part between the filter and the rows."""
        self._head.addWidget(part)

    def _arrange(self) -> None:
        buttons = [self.sides, self._sorting.button, self.trash, self.new]
        head = QVBoxLayout()
        head.setContentsMargins(Space.M, Space.M, Space.S, Space.S)
        head.setSpacing(Space.S)
        head.addWidget(HeaderRow(self.filter, [buttons], FILTER_MIN, self))
        self._head = head
        self._lay_out(head)

    def _labels(self) -> ListLabels:
        orders = (
            ("recent", self.tr("Last changed first")),
            ("oldest", self.tr("Longest unchanged first")),
            ("created", self.tr("Newest first")),
            ("title", self.tr("By title")),
        )
        filtering = (self.tr("Filter notes"), self.tr("Filter by words"))
        return ListLabels(self.tr("Notes"), *filtering, self.tr("Order"), orders)

    def _rows_call(self, ids: list[str]) -> "TypedCall[list[MemoryRow]]":
        return operations.note.rows(ids=ids)

    async def _load(self) -> None:
        chosen, order = self.current_filter, self._sorting.current
        ids = await self._bridge.call(operations.note.ids(filter=chosen, order=order))
        # That the trash is empty is said once, beside the list.
        is_trash = chosen == MemoryFilter(deleted=True)
        nothing = "" if is_trash else self.tr("No note fits this filter.")
        self._show_ids(ids, nothing)
        self._work.latest(self._count, chosen)

    async def _count(self, chosen: MemoryFilter) -> None:
        facets: Facets = await self._bridge.call(operations.note.facets(filter=chosen))
        self.counted.emit(facets)
        entities = await self._bridge.call(operations.note.entities(filter=chosen, limit=ENTITIES))
        self.named.emit(entities)

    def _card(self, row: MemoryRow) -> Card:
        badges = [Badge(f"#{tag}", "accent") for tag in row.tags[:_BADGES]]
        if row.kind not in ("note",):
            badges.insert(0, Badge(kind_label(row.kind)))
        if row.pinned:
            badges.insert(0, Badge("", "warn", "pin"))
        title = display_title(row.title, row.preview, self.tr("Untitled"))
        when = short_date(row.said_at or row.updated_at, datetime.now(UTC))
        below = attribution(row.said_by, row.said_at) or source_label(row.source)
        spoken = [
            title,
            kind_label(row.kind),
            row.preview,
            attribution(row.said_by, row.said_at),
            ", ".join(row.tags),
            when,
        ]
        if row.pinned:
            spoken.append(self.tr("pinned"))
        return Card(
            title,
            without_markup(row.preview) if row.title else below,
            when,
            tuple(badges),
            icon=kind_icon(row.kind) if row.kind in KINDS else "file-text",
            faded=row.archived or self.trash.isChecked(),
            spoken=", ".join(part for part in spoken if part),
        )
