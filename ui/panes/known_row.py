"""Row of related memories at the foot of a text."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.core.text import excerpt
from ui import theme
from ui.models.dates import day_of, full_date, short_date
from ui.panes.pane import Place
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import icon_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.inspector import LineButton
from ui.widgets.plain_text import tooltip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.retrieval.model import Hit

MOST = 3
HEIGHT = 36
TITLE_LENGTH = 60
TIP_LENGTH = 240


class KnownRow(QWidget):
    """One line of constant height, so that the text above never moves.

    It takes the keyboard by Tab alone, and shows nothing while nothing is known.
    """

    opened = Signal(object)  # Place
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("You already know"))
        self._hits: Sequence[Hit] = ()
        self._content = QWidget(self)
        sign = IconLabel("lightbulb", "muted", size=16, parent=self._content)
        self._buttons = [self._button() for _ in range(MOST)]
        self.close_button = icon_button("x", self.tr("No hints for this text"), parent=self._content)
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.close_button.clicked.connect(self._on_close_clicked)
        row = hbox(sign, parent=self._content, margins=(Space.L, 0, Space.S, 0), spacing=Space.XS)
        for button in self._buttons:
            row.addWidget(button, 1)
        row.addWidget(self.close_button)
        hbox(self._content, parent=self, margins=0)
        theme.current().changed.connect(self._fit)
        self._fit()
        self.show_hits(())

    @property
    def hits(self) -> "Sequence[Hit]":
        """The memories and messages shown, at most three."""
        return self._hits

    @property
    def titles(self) -> list[str]:
        """The words of what is shown."""
        return [] if self._content.isHidden() else [button.words for button in self._buttons if not button.isHidden()]

    def show_hits(self, hits: "Sequence[Hit]") -> None:
        """Show what is known, at most three; nothing for none."""
        self._hits = hits[:MOST]
        now = datetime.now(UTC)
        for place, button in enumerate(self._buttons):
            hit = self._hits[place] if place < len(self._hits) else None
            button.setVisible(hit is not None)
            if hit is None:
                continue
            words = excerpt(hit.title or hit.snippet, TITLE_LENGTH)
            # The time of a note may be that of its import; a message has the day on which it was said.
            is_said = hit.target == "message"
            is_old = is_said and day_of(hit.created_at) != day_of(now)
            button.set_words(f"{words} · {short_date(hit.created_at, now)}" if is_old else words)
            when = full_date(hit.created_at)
            about = (
                self.tr("You already know: {what} ({when})").format(what=words, when=when)
                if is_said
                else self.tr("You already know: {what}").format(what=words)
            )
            button.setAccessibleName(about)
            button.setToolTip(tooltip(f"{about}\n{excerpt(hit.snippet, TIP_LENGTH)}"))
        self._content.setVisible(bool(self._hits))

    def _button(self) -> LineButton:
        button = LineButton("", self._content)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.set_type(button, "small")
        button.clicked.connect(self._on_button_clicked)
        return button

    def _fit(self) -> None:
        self.setFixedHeight(theme.current().scaled(HEIGHT))

    def _on_button_clicked(self) -> None:
        place = next((at for at, button in enumerate(self._buttons) if button is self.sender()), -1)
        if 0 <= place < len(self._hits):
            self.opened.emit(place_of_hit(self._hits[place]))

    def _on_close_clicked(self) -> None:
        self.show_hits(())
        self.dismissed.emit()


def settled(shown: "Sequence[Hit]", fresh: "Sequence[Hit]") -> "list[Hit]":
    """Return what to show of the found, with those shown before in their places.

    A hint stays while it is among the found, so that the row does not change at every pause.
    """
    there = {hit.id: hit for hit in fresh}
    hits = [there[hit.id] for hit in shown if hit.id in there]
    before = {hit.id for hit in hits}
    return [*hits, *(hit for hit in fresh if hit.id not in before)][:MOST]


def place_of_hit(hit: "Hit") -> Place:
    """Return where a hit is shown."""
    if hit.target == "message" and hit.session_id is not None:
        return Place("sessions", hit.session_id, str(hit.seq), title=hit.title, words=hit.why.terms)
    return Place("notes", hit.id, title=hit.title)
