"""Entity field: a text field that completes names and picks one of them."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from app.entities.model import EntityFilter, EntityRow
from app.errors import KeepsakeError
from ui import operations
from ui.models.dates import format_number
from ui.panes.graph.entity_types import type_label
from ui.widgets.fields.completion_popup import CompletionPopup
from ui.widgets.fields.field_icons import FieldIcons
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge

PAUSE_MS = 90
LIMIT = 10
_ROW = Qt.ItemDataRole.UserRole + 1


class EntityField(QLineEdit):
    """Field in which one types part of a name and picks an entity.

    Args:
        bridge: Answers which names fit.
        name: Accessible name.
        placeholder: Text shown while it is empty.
        parent: Its parent.
    """

    picked = Signal(object)
    """An ``EntityRow`` was chosen."""
    typed = Signal(str)
    """Typing paused."""
    left = Signal()
    """Esc was pressed in the empty field."""

    def __init__(self, bridge: "Bridge", name: str, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._offered = ""
        self.chosen: EntityRow | None = None
        self.without = ""
        """An id that is not offered."""
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        FieldIcons(self, "search")
        self._model = QStandardItemModel(self)
        self._popup = CompletionPopup(self.tr("Names that fit"))
        self._completer = QCompleter(self)
        self._completer.setModel(self._model)
        self._completer.setWidget(self)
        self._completer.setPopup(self._popup)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._popup.activated.connect(self._take)
        self._popup.clicked.connect(self._take)
        self.textEdited.connect(self._on_text_edited)

    def pick(self, row: EntityRow) -> None:
        """Choose an entity."""
        self._popup.hide()
        self.chosen = row
        self.setText(row.name)
        self.picked.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pick the first with Enter, clear with Esc."""
        key = event.key()
        is_offered = self._popup.isVisible() and self._offered == self.text().strip()
        if is_offered and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            index = self._popup.currentIndex()
            self._take(index if index.isValid() else self._completer.completionModel().index(0, 0))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.text().strip():
            self._work.cancel(self._on_pause)
            self._work.latest(self._look_up, pick_first=True)
        elif key == Qt.Key.Key_Escape:
            if not self.text():
                self.left.emit()
            self.clear()
            self._popup.hide()
            self._on_text_edited()
            self.typed.emit("")
        else:
            super().keyPressEvent(event)

    def _on_text_edited(self) -> None:
        self.chosen = None
        self._work.after(PAUSE_MS, self._on_pause)

    def _on_pause(self) -> None:
        self.typed.emit(self.text().strip())
        if self.text().strip():
            self._work.latest(self._look_up)
        else:
            self._work.cancel(self._look_up)
            self._popup.hide()

    async def _look_up(self, *, pick_first: bool = False) -> None:
        text = self.text().strip()
        try:
            rows = await self._bridge.call(operations.entity.list(filter=EntityFilter(text=text), limit=LIMIT))
        except KeepsakeError:
            rows = []
        rows = [row for row in rows if row.id != self.without]
        self._offered = text
        if pick_first and rows:
            self.pick(rows[0])
        elif self.hasFocus() or self._popup.isVisible():
            self._offer(rows)

    def _offer(self, rows: list[EntityRow]) -> None:
        self._model.clear()
        for row in rows:
            words = self.tr("{type}, 1 mention") if row.mentions == 1 else self.tr("{type}, {count} mentions")
            detail = words.format(type=type_label(row.type), count=format_number(row.mentions))
            item = QStandardItem(f"{row.name}   —   {detail}")
            item.setData(row, _ROW)
            self._model.appendRow(item)
        if not rows:
            self._popup.hide()
            return
        spot = self.rect().translated(0, 4)
        spot.setWidth(max(self.width(), 320))
        self._completer.complete(spot)

    def _take(self, index: QModelIndex) -> None:
        row = index.data(_ROW)
        if isinstance(row, EntityRow):
            self.pick(row)
