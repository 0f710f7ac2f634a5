"""Find within a conversation: n of m, next, previous."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from ui.models.dates import counted, format_number
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import icon_button
from ui.widgets.fields.search_box import SearchBox
from ui.widgets.plain_text import PlainLabel

PAUSE_MS = 150


class FindBar(QFrame):
    """A bar above the transcript; it only knows turn numbers, others find and show them."""

    searched = Signal(str)
    """Look for this."""
    went = Signal(object)
    """Show the message of this number."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seqs: list[int] = []
        self._at = -1
        self.box = SearchBox(
            self.tr("Find in this conversation"), self.tr("Find in this conversation"), PAUSE_MS, parent=self
        )
        self._count = PlainLabel(self, style="small muted")
        before = icon_button("chevron-up", self.tr("Previous match"), shortcut="Shift+Return", parent=self)
        after = icon_button("chevron-down", self.tr("Next match"), shortcut="Return", parent=self)
        close = icon_button("x", self.tr("Stop finding"), shortcut="Escape", parent=self)
        row = hbox((self.box, 1), parent=self, margins=(Space.L, Space.XS, Space.S, Space.XS), spacing=Space.XS)
        for widget in (self._count, before, after, close):
            row.addWidget(widget)
        self.box.searched.connect(self.searched)
        self.box.entered.connect(self.go_next)
        self.box.stepped_down.connect(self.go_next)
        before.clicked.connect(self.go_previous)
        after.clicked.connect(self.go_next)
        close.clicked.connect(self.close_bar)
        self.hide()

    @property
    def term(self) -> str:
        """The text searched for, empty while the bar is closed."""
        return self.box.text() if self.isVisible() else ""

    def open_bar(self, term: str = "") -> None:
        """Show the bar and take the keyboard."""
        self.show()
        if term:
            self.box.setText(term)
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def close_bar(self) -> None:
        """Hide the bar and forget what it found."""
        self.hide()
        self.box.set_text_quietly("")
        self.set_found([], None)
        self.closed.emit()

    def set_shown(self, seqs: list[int], seq: int) -> None:
        """Take what was found elsewhere; the match of number ``seq`` is in view already."""
        self.set_found(seqs, seq)
        if seq in seqs:
            self._at = seqs.index(seq)

    def set_found(self, seqs: list[int], near: int | None) -> None:
        """Take what was found; the match at or after ``near`` comes first."""
        self._seqs = seqs
        self._at = next((place for place, seq in enumerate(seqs) if near is not None and seq >= near), 0) - 1
        self._tell()

    def go_next(self) -> None:
        """Show the next match, from the last on the first."""
        self._go(1)

    def go_previous(self) -> None:
        """Show the match before."""
        self._go(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)

    def _go(self, step: int) -> None:
        self.box.search_now()
        if self._seqs:
            self._at = (self._at + step) % len(self._seqs)
            self._tell()
            self.went.emit(self._seqs[self._at])

    def _tell(self) -> None:
        if not self.box.text():
            words = ""
        elif not self._seqs:
            words = self.tr("no match")
        elif self._at < 0:
            words = counted(len(self._seqs), self.tr("1 message"), self.tr("{n} messages"))
        else:
            words = self.tr("{n} of {m}").format(n=format_number(self._at + 1), m=format_number(len(self._seqs)))
        self._count.setText(words)
