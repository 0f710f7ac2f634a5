"""The view of a transcript, which lays out only the messages in sight."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSlider, QFrame, QWidget

from app.sessions.model import Message
from ui import theme
from ui.models.dates import day_heading, day_of
from ui.panes.labels import role_label
from ui.panes.name_lookup import NameLookup
from ui.panes.sessions.transcript.block_documents import shows_attachment
from ui.panes.sessions.transcript.block_metrics import lengths
from ui.panes.sessions.transcript.message_block import BlockPart, MessageBlock, ReadingState, TranscriptLabels
from ui.panes.sessions.transcript.message_pager import MessagePager
from ui.panes.sessions.transcript.speakers import Speakers

if TYPE_CHECKING:
    from ui.widgets.text.picture_cache import PictureCache

COLUMN = 780
MARGIN = 24
NEAR = 20
FAR = 150
KEPT_DOCUMENTS = 60
FLASH_MS = 1600
JUMP_MS = 60


class TranscriptView(QAbstractScrollArea):
    """Shows what ``MessagePager`` has at hand, and asks it for more where the reader goes.

    Heights of messages not yet laid out are estimates. A pin, one message and its distance from the top of the view,
    keeps the place: when heights change, the pinned message does not move.
    """

    current_changed = Signal(object)
    """The message with the keyboard focus changed: its number, or ``None``."""

    def __init__(self, pager: MessagePager, names: NameLookup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = names
        self._pictures: PictureCache | None = None
        self._link: QTextCursor | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Transcript"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(40)
        self._pager = pager
        self._blocks: list[MessageBlock] = []
        self._tops: list[int] = [0]
        self._speakers = Speakers()
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
        self._labels = self._make_labels()
        self._flash = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=FLASH_MS)
        self._flash.valueChanged.connect(self._on_flash_value_changed)
        self._flashing: MessageBlock | None = None
        self._jump = QTimer(self, singleShot=True, interval=JUMP_MS)
        self._jump.timeout.connect(self._on_jump_timeout)
        pager.replaced.connect(self._on_pager_replaced)
        pager.grew.connect(self._on_pager_grew)
        self.verticalScrollBar().valueChanged.connect(self._on_bar_value_changed)
        self.verticalScrollBar().actionTriggered.connect(self._on_bar_action_triggered)
        names.found.connect(self._on_names_found)
        names.renewed.connect(self._want_names)
        theme.current().changed.connect(self._forget_layouts)

    def _make_labels(self) -> TranscriptLabels:
        roles = {role: role_label(role) for role in ("user", "assistant", "tool", "system")}
        more = self.tr("Show more ({count} more characters)")
        return TranscriptLabels(more, self.tr("Called {name}"), self.tr("{name} answered"), roles, self.tr("important"))

    # --- what the pane uses ---

    def set_pictures(self, pictures: "PictureCache") -> None:
        """Show pictures of the attachments folder in messages, when they arrive."""
        self._pictures = pictures
        pictures.arrived.connect(self._on_pictures_arrived)

    @property
    def current(self) -> Message | None:
        """The message that holds the keyboard."""
        place = -1 if self._current is None else self._place_of(self._current)
        return self._blocks[place].message if place >= 0 else None

    def top_seq(self) -> int | None:
        """Return the number of the first message in sight."""
        place = self._first_visible()
        return self._blocks[place].message.seq if self._blocks else None

    def show_seq(self, seq: int) -> bool:
        """Bring a message at hand into view; False when it is not at hand."""
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
        self._flashing = block
        self._flash.setDuration(0 if theme.current().reduced_motion else FLASH_MS)
        self._flash.start()
        return True

    def mark(self, term: str | tuple[str, ...]) -> None:
        """Mark every place of a text, or of several whole words, in the messages shown."""
        self._term = term
        for block in self._blocks:
            block.mark(term)
        self.viewport().update()

    def selected_text(self) -> str:
        """Return what is selected within a message."""
        return "" if self._selection is None else self._selection.selection().toPlainText()

    def scroll_to_end(self) -> None:
        """Go to the last message and stay with it."""
        self._pin = None
        self._settle()

    # --- geometry ---

    def _column(self) -> QRect:
        room = self.viewport().width() - 2 * MARGIN
        width = min(COLUMN, max(160, room))
        return QRect((self.viewport().width() - width) // 2, 0, width, 0)

    def _base(self) -> int:
        """Return the height of all that lies before the messages at hand."""
        return MARGIN + self._pager.before * self._average

    def _rebuild(self) -> None:
        """Make blocks for the messages at hand, keeping those that were there."""
        # Once it is a group its messages have other bubbles.
        keeps = not self._speakers.meet(self._pager.messages)
        known = {block.message.seq: block for block in self._blocks if keeps}
        width = self._column().width()
        fresh: list[MessageBlock] = []
        last: date | None = None
        for place, message in enumerate(self._pager.messages):
            block = known.get(message.seq)
            if block is None or block.message is not message:
                reading = self._readings.setdefault(message.seq, ReadingState())
                block = MessageBlock(message, self._labels, reading, width, self._speakers)
                block.mirrored = self.isRightToLeft()
                block.term = self._term
                block.pictures = self._pictures
                block.names = self._names.names(f"{message.session_id}#{message.seq}")
            day = day_of(message.created_at)
            begins = day != last and (place > 0 or self._pager.at_start)
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
        self._want_names()
        self.viewport().update()
        self._ask_for_more()

    def _apply_pin(self) -> None:
        self._moving = True
        bar = self.verticalScrollBar()
        page = self.viewport().height()
        total = self._base() + self._tops[-1] + self._pager.after * self._average + MARGIN
        bar.setPageStep(page)
        bar.setRange(0, max(0, total - page))
        if self._pin is None:
            bar.setValue(bar.maximum())
        elif (place := self._place_of(self._pin[0])) >= 0:
            bar.setValue(self._base() + self._tops[place] - self._pin[1])
        self._moving = False

    def _repin(self) -> None:
        """Pin the first message in sight, or the end."""
        bar = self.verticalScrollBar()
        if self._pager.at_end and bar.value() >= bar.maximum() - 2:
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

    def _want_names(self) -> None:
        """Have the names looked up that the messages in sight mention."""
        messages = (self._blocks[place].message for place in self._visible())
        self._names.want(f"{message.session_id}#{message.seq}" for message in messages)

    def _on_names_found(self, owners: object) -> None:
        if not isinstance(owners, set):
            return
        for block in self._blocks:
            owner = f"{block.message.session_id}#{block.message.seq}"
            if owner in owners:
                block.set_names(self._names.names(owner))
        self.viewport().update()

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
            self._pager.extend_before()
        if bottom > self._tops[max(0, len(self._blocks) - NEAR)] and beyond <= FAR * self._average // 4:
            self._pager.extend_after()

    # --- events of the conversation ---

    def _on_pager_replaced(self, seq: object) -> None:
        self._laid.clear()
        self._blocks = []
        self._speakers = Speakers()
        if self._pictures is not None:
            self._pictures.clear()
        self._selection = self._pressed = self._link = None
        self._today = datetime.now().astimezone().date()
        if not self._pager.messages:
            self._current = None
        self._rebuild()
        if self._blocks:
            self._average = max(40, self._tops[-1] // len(self._blocks))
        self._pin = None
        if isinstance(seq, int) and self._blocks:
            near = next((b.message.seq for b in self._blocks if b.message.seq >= seq), self._blocks[-1].message.seq)
            self._pin = (near, max(MARGIN, self.viewport().height() // 5))
        self._settle()

    def _on_pager_grew(self) -> None:
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
        """Show the first message."""
        if not self._pager.at_start:
            self._pager.open(self._pager.session, 0)
        elif self._blocks:
            self._select_current(self._blocks[0].message.seq)
            self._pin = (self._blocks[0].message.seq, MARGIN)
            self._settle()

    def go_to_last(self) -> None:
        """Show the last message."""
        if not self._pager.at_end:
            self._pager.open(self._pager.session)
        elif self._blocks:
            self._select_current(self._blocks[-1].message.seq)
            self.scroll_to_end()

    def _on_jump_timeout(self) -> None:
        """Begin anew where the reader dragged the bar to."""
        place = round((self.verticalScrollBar().value() - MARGIN) / max(1, self._average))
        self._pager.open(self._pager.session, self._pager.seq_near(place))

    def _on_flash_value_changed(self, value: object) -> None:
        if self._flashing is not None and isinstance(value, float):
            self._flashing.flash = value
            self.viewport().update()

    def _on_pictures_arrived(self) -> None:
        """Lay out again the messages in sight that show files."""
        for place in list(self._visible()):
            block = self._blocks[place]
            if block.laid_out and shows_attachment(block.message.content):
                if self._pressed is not None and self._pressed[0] is block:
                    self._selection = self._pressed = None
                self._link = None
                block.lay_out()
        self._retop()
        self._settle()

    def _forget_layouts(self) -> None:
        self._selection = self._pressed = self._link = None
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
        """Paint the messages in sight, and bars where messages are on their way."""
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
            is_current = self.hasFocus() and block.message.seq == self._current
            block.paint(painter, self._selection, is_current, self._link if is_current else None)
            painter.restore()

    def _paint_bars(self, painter: QPainter, offset: int) -> None:
        """Paint placeholders before and after the messages at hand."""
        column, sizes = self._column(), lengths()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.current().colour("hover"))
        spots: list[int] = []
        if self._pager.before:
            spots += range(offset - self._average, -self._average, -self._average)
        if self._pager.after:
            spots += range(offset + self._tops[-1], self.viewport().height(), self._average)
        for top in spots[:60]:
            painter.drawEllipse(column.left(), top, sizes.face, sizes.face)
            painter.drawRoundedRect(column.left() + sizes.gutter, top + 4, 120, 10, 5, 5)
            painter.drawRoundedRect(column.left() + sizes.gutter, top + 26, column.width() - 160, 10, 5, 5)

    def _select_current(self, seq: int) -> None:
        if seq == self._current:
            return
        self._current = seq
        self._link = None
        place = self._place_of(seq)
        if place >= 0:
            words = self._blocks[place].speech
            self.setAccessibleDescription(words)
            if self.hasFocus():
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))
        self.current_changed.emit(seq)
        self.viewport().update()
