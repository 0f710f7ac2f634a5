"""The transcript of a conversation: reading it with keyboard and mouse."""

from bisect import bisect_right

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextCursor,
)

from app.sessions.model import Message
from ui.models.markup import target_of
from ui.panes.sessions.transcript.message_block import BlockPart, MessageBlock
from ui.panes.sessions.transcript.transcript_view import TranscriptView
from ui.style.design_tokens import Space
from ui.widgets.text.markdown_view import open_outside
from ui.widgets.text.name_links import DocumentLink

_PLAIN, _SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


class Transcript(TranscriptView):
    """A transcript that is read with keyboard and mouse.

    One can go from message to message, fold, select text, follow links and open a menu.
    """

    wiki_clicked = Signal(str)
    tag_clicked = Signal(str)
    link_clicked = Signal(str)
    attachment_clicked = Signal(str)
    menu_requested = Signal(object, object)
    """A context menu is wanted for a ``Message`` at a global position."""
    match_requested = Signal(int)
    """The next marked turn is wanted, or the one before where it is negative."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which turn holds the keyboard."""
        super().focusInEvent(event)
        if self._current is None and self._blocks:
            self._select_current(self._blocks[self._first_visible()].message.seq)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the ring."""
        super().focusOutEvent(event)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move with arrows, Page keys, Home and End; fold or follow with Enter."""
        key = event.key()
        if event.matches(QKeySequence.StandardKey.Copy) and self.selected_text():
            self._copy_selection()
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._walk(1 if key == Qt.Key.Key_Down else -1)
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_Space):
            back = key == Qt.Key.Key_PageUp or bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + (-1 if back else 1) * (self.viewport().height() - 60))
        elif key == Qt.Key.Key_Home:
            self.go_to_first()
        elif key == Qt.Key.Key_End:
            self.go_to_last()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step_link(1 if (key == Qt.Key.Key_Right) != self.isRightToLeft() else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not self._follow_chosen():
                self._toggle_current()
        elif key == Qt.Key.Key_N and event.modifiers() in (_PLAIN, _SHIFT):
            self.match_requested.emit(1 if event.modifiers() == _PLAIN else -1)
        else:
            super().keyPressEvent(event)

    def _copy_selection(self) -> None:
        QGuiApplication.clipboard().setText(self.selected_text())

    def _walk(self, step: int) -> None:
        """Move to the next message, or scroll within one that is taller than the view."""
        if not self._blocks:
            return
        bar, page = self.verticalScrollBar(), self.viewport().height()
        place = self._place_of(self._current) if self._current is not None else -1
        if place < 0:
            self._select_current(self._blocks[self._first_visible()].message.seq)
            return
        top = self._base() + self._tops[place] - bar.value()
        bottom = top + self._blocks[place].height
        if (step > 0 and bottom > page) or (step < 0 and top < 0):
            bar.setValue(bar.value() + step * min(page // 2, max(bottom - page, 40) if step > 0 else max(-top, 40)))
            return
        target = min(max(0, place + step), len(self._blocks) - 1)
        self._select_current(self._blocks[target].message.seq)
        top = self._base() + self._tops[target] - bar.value()
        if top < 0:
            bar.setValue(bar.value() + top - Space.S)
        elif top + self._blocks[target].height > page:
            bar.setValue(bar.value() + min(top - Space.S, top + self._blocks[target].height - page + Space.S))

    def links(self, message: Message) -> list[DocumentLink]:
        """Return the links of a message in sight, names of people and things included."""
        place = self._place_of(message.seq)
        return [] if place < 0 else [link for _, link in self._blocks[place].links()]

    def _step_link(self, step: int) -> None:
        """Choose the next link of the current message, or the one before."""
        place = -1 if self._current is None else self._place_of(self._current)
        links = [] if place < 0 else self._blocks[place].links()
        if not links:
            return
        starts = [link.cursor.selectionStart() for _, link in links]
        chosen = -1 if self._link is None else bisect_right(starts, self._link.selectionStart()) - 1
        nearest = max(0, min(chosen + step, len(links) - 1)) if chosen >= 0 or step > 0 else len(links) - 1
        part, link = links[nearest]
        self._link = link.cursor
        self._show_link(self._blocks[place], part, link)
        words = self.tr("Link: {words}").format(words=link.words)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))
        self.viewport().update()

    def _show_link(self, block: MessageBlock, part: BlockPart, link: DocumentLink) -> None:
        """Scroll to a link of a message that is taller than the view."""
        if part.document is None:
            return
        spot = part.document.documentLayout().blockBoundingRect(link.cursor.block()).top() + block.origin(part).y()
        bar = self.verticalScrollBar()
        top = self._base() + self._tops[self._place_of(block.message.seq)] - bar.value() + round(spot)
        if not 0 <= top < self.viewport().height() - Space.XL:
            bar.setValue(bar.value() + top - self.viewport().height() // 3)

    def _follow_chosen(self) -> bool:
        place = -1 if self._current is None else self._place_of(self._current)
        if self._link is None or place < 0:
            return False
        chosen = next((link for _, link in self._blocks[place].links() if link.cursor == self._link), None)
        if chosen is not None:
            self._follow(chosen.href)
        return chosen is not None

    def _toggle_current(self) -> None:
        place = -1 if self._current is None else self._place_of(self._current)
        if place < 0:
            return
        block = self._blocks[place]
        key = next((part.key for part in block.parts if part.kind in ("fold", "more")), "")
        if key:
            self._toggle(block, key)

    def _toggle(self, block: MessageBlock, key: str) -> None:
        self._selection = self._pressed = self._link = None
        self._repin()
        if self._pin is None:
            place = self._place_of(block.message.seq)
            top = self._base() + self._tops[place] - self.verticalScrollBar().value()
            self._pin = (block.message.seq, top)
        block.toggle(key)
        self._retop()
        self._settle()

    # --- mouse ---

    def _hit(self, point: QPoint) -> tuple[MessageBlock, BlockPart, QPointF] | None:
        """Return the block and part under ``point``, and the point within the block."""
        height = point.y() + self.verticalScrollBar().value() - self._base()
        place = bisect_right(self._tops, height) - 1
        if not 0 <= place < len(self._blocks):
            return None
        block = self._blocks[place]
        inner = QPointF(point.x() - self._column().left(), height - self._tops[place])
        part = block.part_at(int(inner.y()))
        return None if part is None else (block, part, inner)

    def _link_at(self, point: QPoint) -> str:
        hit = self._hit(point)
        if hit is None or hit[1].document is None:
            return ""
        block, part, inner = hit
        return hit[1].document.documentLayout().anchorAt(inner - block.origin(part))

    def _cursor_at(self, block: MessageBlock, part: BlockPart, point: QPoint) -> int:
        if part.document is None:
            return 0
        place = self._place_of(block.message.seq)
        top = self._base() + self._tops[place] - self.verticalScrollBar().value()
        spot = QPointF(point.x() - self._column().left(), point.y() - top) - block.origin(part)
        return part.document.documentLayout().hitTest(spot, Qt.HitTestAccuracy.FuzzyHit)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the message, begin a selection, or fold."""
        hit = self._hit(event.position().toPoint())
        self._selection = self._pressed = self._link = None
        if hit is not None and event.button() == Qt.MouseButton.LeftButton:
            block, part, _ = hit
            self._select_current(block.message.seq)
            if part.kind in ("fold", "more"):
                self._toggle(block, part.key)
            elif part.document is not None:
                self._pressed = (block, part)
                self._selection = QTextCursor(part.document)
                self._selection.setPosition(max(0, self._cursor_at(block, part, event.position().toPoint())))
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Extend the selection, or show what a click would do."""
        point = event.position().toPoint()
        if event.buttons() & Qt.MouseButton.LeftButton and self._pressed and self._selection:
            spot = max(0, self._cursor_at(*self._pressed, point))
            self._selection.setPosition(spot, QTextCursor.MoveMode.KeepAnchor)
            self.viewport().update()
            return
        hit = self._hit(point)
        shape = Qt.CursorShape.ArrowCursor
        if self._link_at(point) or (hit is not None and hit[1].kind in ("fold", "more")):
            shape = Qt.CursorShape.PointingHandCursor
        elif hit is not None and hit[1].document is not None:
            shape = Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Follow a link that was clicked."""
        if event.button() == Qt.MouseButton.LeftButton and not self.selected_text():
            self._follow(self._link_at(event.position().toPoint()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select a word."""
        self.mousePressEvent(event)
        if self._selection is not None:
            self._selection.select(QTextCursor.SelectionType.WordUnderCursor)
            self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request a menu for the message under the pointer, or the current one."""
        hit = self._hit(event.pos())
        message = self.current
        if hit is not None and event.reason() == QContextMenuEvent.Reason.Mouse:
            message = hit[0].message
        if message is not None:
            self.menu_requested.emit(message, event.globalPos())

    def _follow(self, href: str) -> None:
        if not href:
            return
        kind, target = target_of(href)
        if kind == "wiki":
            self.wiki_clicked.emit(target)
        elif kind == "tag":
            self.tag_clicked.emit(target)
        elif kind == "keepsake":
            self.link_clicked.emit(target)
        elif kind == "attachment":
            self.attachment_clicked.emit(target)
        elif kind == "web":
            open_outside(self, target)
