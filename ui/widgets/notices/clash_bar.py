"""Bar about a text just written that may contradict a stored fact: both sides, calmly."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.core.text import excerpt
from ui import theme
from ui.models.dates import short_date
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import icon_button, text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.memories.model import Clash

LENGTH = 200


class ClashBar(QFrame):
    """One clash at a time; the person decides what is done about it."""

    opened = Signal(str)
    """Show the stored fact of this id."""
    set_aside = Signal(str)
    """Forget the stored fact of this id."""
    inbox_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("accessBar")
        self._clash: Clash | None = None
        heading = PlainLabel(self.tr("What you just wrote may not agree with what is stored"), self, style="strong")
        self._new, self._old = PlainLabel(self), PlainLabel(self)
        words = vbox(heading, spacing=2)
        for label in (self._new, self._old):
            label.setWordWrap(True)
            words.addWidget(label)
        self.open_button = text_button(self.tr("Open the stored fact"), "quiet", parent=self)
        self.aside_button = text_button(self.tr("Forget the stored fact"), "quiet", parent=self)
        self.inbox_button = text_button(self.tr("Open the inbox"), "quiet", parent=self)
        self.close_button = icon_button("x", self.tr("Keep both"), parent=self)
        choice = hbox(Stretch(), self.inbox_button, self.open_button, self.aside_button, spacing=Space.S)
        words.addLayout(choice)
        row = hbox(parent=self, margins=(Space.L, Space.S, Space.S, Space.S), spacing=Space.S)
        top = IconLabel("split", "accent", parent=self)
        column = vbox(top, Stretch())
        row.addLayout(column)
        row.addLayout(words, 1)
        close = vbox(self.close_button, Stretch())
        row.addLayout(close)
        self.open_button.clicked.connect(self._on_open_clicked)
        self.aside_button.clicked.connect(self._on_aside_clicked)
        self.inbox_button.clicked.connect(self.inbox_requested)
        self.close_button.clicked.connect(self._on_close_clicked)
        self.hide()

    @property
    def sides(self) -> tuple[str, str]:
        """Both sides as they are shown."""
        return self._new.text(), self._old.text()

    def show_clash(self, clash: "Clash | None") -> None:
        """Show a clash; hide for none."""
        self._clash = clash
        if clash is None:
            self.hide()
            return
        self._new.setText(self.tr("Now: {text}").format(text=excerpt(clash.sentence, LENGTH)))
        when = short_date(clash.fact.created_at, datetime.now(UTC))
        words = self.tr("Stored ({when}): {text}")
        self._old.setText(words.format(when=when, text=excerpt(clash.fact.content, LENGTH)))
        self.show()

    def _on_open_clicked(self) -> None:
        if self._clash is not None:
            self.opened.emit(self._clash.fact.id)

    def _on_aside_clicked(self) -> None:
        if self._clash is not None:
            self.set_aside.emit(self._clash.fact.id)

    def _on_close_clicked(self) -> None:
        self.show_clash(None)
        self.closed.emit()
