"""The transcript: a conversation of any length, of which only what is in sight is laid out."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date, datetime

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSlider, QFrame, QWidget

from app.sessions.model import Message
from ui import theme
from ui.models.dates import day_heading, day_of
from ui.models.markup import target_of
from ui.panes.labels import role_label
from ui.panes.sessions.message_block import BlockPart, MessageBlock, ReadingState, TranscriptLabels, lengths
from ui.panes.sessions.message_pager import MessagePager
from ui.style.tokens import Space
from ui.widgets.text.markdown_view import open_outside

COLUMN = 780
MARGIN = 24
NEAR = 20
FAR = 150
KEPT_DOCUMENTS = 60
FLASH_MS = 1600
JUMP_MS = 60
_PLAIN, _SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


class Transcript(QAbstractScrollArea):
    """Shows what ``MessagePager`` has at hand, and asks it for more where the reader goes.

    Heights of turns not yet laid out are estimates, so places are kept by a pin: one turn and its distance from the top
    of the view. Whatever changes height, the pinned turn stays where it is.
    """

    wiki_clicked = Signal(str)
    tag_clicked = Signal(str)
    link_clicked = Signal(str)
    menu_requested = Signal(object, object)
    """A context menu is wanted for a ``Message`` at a global position."""
    match_requested = Signal(int)
    """The next marked turn is wanted, or the one before where it is negative."""
    current_changed = Signal(object)
    """The turn that holds the keyboard became another: its number, or ``None``."""

    def __init__(self, reach: MessagePager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Transcript"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(40)
        self._reach = reach
        self._blocks: list[MessageBlock] = []
        self._tops: list[int] = [0]
        self._readings: dict[int, ReadingState] = {}
        self._pin: tuple[int, int] | None = None
        self._average = 90
        self._moving = False
        self._term: str | tuple[str, ...] = ""
        self._current: int | None = None
        self._selection: QTextCursor | None = None
        self._pressed: tuple[MessageBlock, BlockPart] | None = None
        self._laid: dict[int, MessageBlock] = {}
        self._today = datetime.now().astimezone().date()
        self._words = self._make_words()
        self._flash = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=FLASH_MS)
        self._flash.valueChanged.connect(self._on_flash_value_changed)
        self._flashing: MessageBlock | None = None
        self._jump = QTimer(self, singleShot=True, interval=JUMP_MS)
        self._jump.timeout.connect(self._on_jump_timeout)
        reach.replaced.connect(self._on_reach_replaced)
        reach.grew.connect(self._on_reach_grew)
        self.verticalScrollBar().valueChanged.connect(self._on_bar_value_changed)
        self.verticalScrollBar().actionTriggered.connect(self._on_bar_action_triggered)
        theme.current().changed.connect(self._on_theme_changed)

    def _make_words(self) -> TranscriptLabels:
        roles = {role: role_label(role) for role in ("user", "assistant", "tool", "system")}
        more = self.tr("Show more ({count} more characters)")
        return TranscriptLabels(more, self.tr("Called {name}"), self.tr("{name} answered"), roles, self.tr("important"))

    # --- what the pane uses ---

    @property
    def current(self) -> Message | None:
        """The turn that holds the keyboard."""
        place = -1 if self._current is None else self._place_of(self._current)
        return self._blocks[place].message if place >= 0 else None

    def top_seq(self) -> int | None:
        """Return the number of the first turn in sight."""
        place = self._first_visible()
        return self._blocks[place].message.seq if self._blocks else None

    def show_seq(self, seq: int, *, flash: bool = True) -> bool:
        """Bring a turn at hand into view; False when it is not at hand."""
        place = self._place_of(seq)
        if place < 0:
            return False
        self._flash.stop()
        if self._flashing is not None:
            self._flashing.flash = 0.0
        self._pin = (seq, max(MARGIN, self.viewport().height() // 5))
        self._select_current(seq)
        self._settle()
        block = self._blocks[place]
        inner = block.match_top() if self._term else 0
        if inner > self.viewport().height() // 2:
            self._pin = (seq, self.viewport().height() // 3 - inner)
            self._settle()
        if flash:
            self._flashing = block
            self._flash.start()
        return True

    def mark(self, term: str | tuple[str, ...]) -> None:
        """Mark every place of a text, or of several whole words, in the turns shown."""
        self._term = term
        for block in self._blocks:
            block.mark(term)
        self.viewport().update()

    def selected_text(self) -> str:
        """Return what is selected within a turn."""
        return "" if self._selection is None else self._selection.selection().toPlainText()

    def scroll_to_end(self) -> None:
        """Go to the last turn and stay with it."""
        self._pin = None
        self._settle()

    # --- geometry ---

    def _column(self) -> QRect:
        room = self.viewport().width() - 2 * MARGIN
        width = min(COLUMN, max(160, room))
        return QRect((self.viewport().width() - width) // 2, 0, width, 0)

    def _base(self) -> int:
        """Return the height of all that lies before the turns at hand."""
        return MARGIN + self._reach.before * self._average

    def _rebuild(self) -> None:
        """Make blocks for the turns at hand, keeping those that were there."""
        known = {block.message.seq: block for block in self._blocks}
        width = self._column().width()
        fresh: list[MessageBlock] = []
        last: date | None = None
        for place, message in enumerate(self._reach.messages):
            block = known.get(message.seq)
            if block is None or block.message is not message:
                reading = self._readings.setdefault(message.seq, ReadingState())
                block = MessageBlock(message, self._words, reading, width)
                block.mirrored = self.isRightToLeft()
                block.term = self._term
            day = day_of(message.created_at)
            begins = day != last and (place > 0 or self._reach.at_start)
            block.day = day_heading(day, self._today) if begins else ""
            last = day
            fresh.append(block)
        self._blocks = fresh
        self._retop()

    def _retop(self) -> None:
        tops, top = [0], 0
        for block in self._blocks:
            top += block.height
            tops.append(top)
        self._tops = tops

    def _settle(self) -> None:
        """Lay out what is in sight, with the pinned turn where it is."""
        for _ in range(6):
            self._apply_pin()
            changed = False
            for place in self._visible():
                block = self._blocks[place]
                if not block.laid_out:
                    before = block.height
                    block.lay_out()
                    changed |= block.height != before
                self._laid.pop(block.message.seq, None)
                self._laid[block.message.seq] = block
            if not changed:
                break
            self._retop()
        self._release_far()
        self.viewport().update()
        self._ask_for_more()

    def _apply_pin(self) -> None:
        self._moving = True
        bar = self.verticalScrollBar()
        page = self.viewport().height()
        total = self._base() + self._tops[-1] + self._reach.after * self._average + MARGIN
        bar.setPageStep(page)
        bar.setRange(0, max(0, total - page))
        if self._pin is None:
            bar.setValue(bar.maximum())
        elif (place := self._place_of(self._pin[0])) >= 0:
            bar.setValue(self._base() + self._tops[place] - self._pin[1])
        self._moving = False

    def _repin(self) -> None:
        """Pin the first turn in sight, or the end."""
        bar = self.verticalScrollBar()
        if self._reach.at_end and bar.value() >= bar.maximum() - 2:
            self._pin = None
        elif self._blocks:
            place = self._first_visible()
            self._pin = (self._blocks[place].message.seq, self._base() + self._tops[place] - bar.value())

    def _visible(self) -> Iterator[int]:
        top = self.verticalScrollBar().value() - self._base()
        bottom = top + self.viewport().height()
        place = self._first_visible()
        while place < len(self._blocks) and self._tops[place] < bottom:
            if self._tops[place + 1] > top:
                yield place
            place += 1

    def _first_visible(self) -> int:
        top = self.verticalScrollBar().value() - self._base()
        return min(max(0, bisect_right(self._tops, top) - 1), max(0, len(self._blocks) - 1))

    def _place_of(self, seq: int) -> int:
        return next((place for place, block in enumerate(self._blocks) if block.message.seq == seq), -1)

    def _release_far(self) -> None:
        chosen = None if self._selection is None else self._pressed and self._pressed[0].message.seq
        while len(self._laid) > KEPT_DOCUMENTS:
            seq, block = next(iter(self._laid.items()))
            del self._laid[seq]
            if seq != chosen:
                block.release()

    def _ask_for_more(self) -> None:
        if not self._blocks:
            return
        bar = self.verticalScrollBar()
        top = bar.value() - self._base()
        bottom = top + self.viewport().height()
        beyond = max(-bottom, top - self._tops[-1])
        if beyond > FAR * self._average // 4:
            self._jump.start()
        elif self._first_visible() < NEAR or top < 0:
            self._reach.extend_before()
        if bottom > self._tops[max(0, len(self._blocks) - NEAR)] and beyond <= FAR * self._average // 4:
            self._reach.extend_after()

    # --- events of the conversation ---

    def _on_reach_replaced(self, seq: object) -> None:
        self._laid.clear()
        self._blocks = []
        self._selection = self._pressed = None
        self._today = datetime.now().astimezone().date()
        if not self._reach.messages:
            self._current = None
        self._rebuild()
        if self._blocks:
            self._average = max(40, self._tops[-1] // len(self._blocks))
        self._pin = None
        if isinstance(seq, int) and self._blocks:
            near = next((b.message.seq for b in self._blocks if b.message.seq >= seq), self._blocks[-1].message.seq)
            self._pin = (near, max(MARGIN, self.viewport().height() // 5))
        self._settle()

    def _on_reach_grew(self) -> None:
        self._rebuild()
        self._settle()

    def _on_bar_value_changed(self) -> None:
        if not self._moving:
            self._repin()
            self._settle()

    def _on_bar_action_triggered(self, action: int) -> None:
        """Let Home and End mean the conversation's ends, not those of what is at hand."""
        if action == QAbstractSlider.SliderAction.SliderToMinimum.value:
            self.go_to_first()
        elif action == QAbstractSlider.SliderAction.SliderToMaximum.value:
            self.go_to_last()

    def go_to_first(self) -> None:
        """Show the first turn."""
        if not self._reach.at_start:
            self._reach.open(self._reach.session, 0)
        elif self._blocks:
            self._select_current(self._blocks[0].message.seq)
            self._pin = (self._blocks[0].message.seq, MARGIN)
            self._settle()

    def go_to_last(self) -> None:
        """Show the last turn."""
        if not self._reach.at_end:
            self._reach.open(self._reach.session)
        elif self._blocks:
            self._select_current(self._blocks[-1].message.seq)
            self.scroll_to_end()

    def _on_jump_timeout(self) -> None:
        """Begin anew where the reader dragged the bar to."""
        place = round((self.verticalScrollBar().value() - MARGIN) / max(1, self._average))
        self._reach.open(self._reach.session, self._reach.seq_near(place))

    def _on_flash_value_changed(self, value: object) -> None:
        if self._flashing is not None and isinstance(value, float):
            self._flashing.flash = value
            self.viewport().update()

    def _on_theme_changed(self) -> None:
        self._forget_layouts()

    def _forget_layouts(self) -> None:
        self._selection = self._pressed = None
        width = self._column().width()
        for block in self._blocks:
            block.mirrored = self.isRightToLeft()
            block.forget_layout(width)
        self._laid.clear()
        self._retop()
        if self._blocks:
            self._average = max(40, self._tops[-1] // len(self._blocks))
        self._settle()

    # --- Qt events ---

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew for another width; another height only moves."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._forget_layouts()
        else:
            self._settle()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the reading direction."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._forget_layouts()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paint anew; nothing is moved."""
        del dx, dy
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the turns in sight, and bars where turns are on their way."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), theme.current().colour("surface"))
        left = self._column().left()
        offset = self._base() - self.verticalScrollBar().value()
        self._paint_bars(painter, offset)
        for place in self._visible():
            block = self._blocks[place]
            top = offset + self._tops[place]
            if top > event.rect().bottom() or top + block.height < event.rect().top():
                continue
            painter.save()
            painter.translate(left, top)
            block.paint(painter, self._selection, self.hasFocus() and block.message.seq == self._current)
            painter.restore()

    def _paint_bars(self, painter: QPainter, offset: int) -> None:
        """Paint placeholders before and after the turns at hand."""
        column, sizes = self._column(), lengths()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.current().colour("hover"))
        spots: list[int] = []
        if self._reach.before:
            spots += range(offset - self._average, -self._average, -self._average)
        if self._reach.after:
            spots += range(offset + self._tops[-1], self.viewport().height(), self._average)
        for top in spots[:60]:
            painter.drawEllipse(column.left(), top, sizes.face, sizes.face)
            painter.drawRoundedRect(column.left() + sizes.gutter, top + 4, 120, 10, 5, 5)
            painter.drawRoundedRect(column.left() + sizes.gutter, top + 26, column.width() - 160, 10, 5, 5)

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
        """Walk turns with the arrows, pages with Page keys, ends with Home and End; fold with Enter."""
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
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._toggle_current()
        elif key == Qt.Key.Key_N and event.modifiers() in (_PLAIN, _SHIFT):
            self.match_requested.emit(1 if event.modifiers() == _PLAIN else -1)
        else:
            super().keyPressEvent(event)

    def _copy_selection(self) -> None:
        QGuiApplication.clipboard().setText(self.selected_text())

    def _walk(self, step: int) -> None:
        """Move to the next turn, or scroll within one that is taller than the view."""
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

    def _select_current(self, seq: int) -> None:
        if seq == self._current:
            return
        self._current = seq
        place = self._place_of(seq)
        if place >= 0:
            words = self._blocks[place].speech
            self.setAccessibleDescription(words)
            if self.hasFocus():
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))
        self.current_changed.emit(seq)
        self.viewport().update()

    def _toggle_current(self) -> None:
        place = -1 if self._current is None else self._place_of(self._current)
        if place < 0:
            return
        block = self._blocks[place]
        key = next((part.key for part in block.parts if part.kind in ("fold", "more")), "")
        if key:
            self._toggle(block, key)

    def _toggle(self, block: MessageBlock, key: str) -> None:
        self._selection = self._pressed = None
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
        """Choose the turn, begin a selection, or fold."""
        hit = self._hit(event.position().toPoint())
        self._selection = self._pressed = None
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
        """Ask for a menu for the turn under the pointer, or the one that holds the keyboard."""
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
        elif kind == "web":
            open_outside(self, target)
