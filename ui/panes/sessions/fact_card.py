"""Card of a fact: its words, the messages that say so, and actions."""

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from app.core.text import excerpt, without_markup
from ui import theme
from ui.models.dates import format_number
from ui.panes.graph.entity.link_row import LinkRow
from ui.panes.labels import attribution, kind_label
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import icon_button
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.entities.model import MentionedEntity
    from app.memories.model import SessionMemory

QUOTED = 140
MOST_QUOTES = 4
MOST_NAMES = 8


class FactCard(QFrame):
    """One memory, as a card."""

    quote_opened = Signal(int)
    """Show the message of this number."""
    name_opened = Signal(str)
    """Show the page of the entity of this id."""
    confirmed = Signal(str)
    corrected = Signal(str, str)
    """Id of the memory, and what is right."""
    forgotten = Signal(str)
    opened = Signal(str)
    """Show the memory of this id."""

    def __init__(self, kept: "SessionMemory", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.found = kept
        memory = kept.memory
        self._words = PlainLabel(
            without_markup(memory.content or memory.title or "; ".join(memory.facts)), self, wraps=True
        )
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._edit = _CorrectionField(self)
        self._edit.setAccessibleName(self.tr("What is right"))
        self._edit.hide()
        # One label with links: a button for each name would cost the window a moment for each.
        self.names = PlainLabel("", self)
        self.names.setTextFormat(Qt.TextFormat.RichText)
        self.names.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.names.setObjectName("linkLine")
        self.names.setWordWrap(True)
        self.names.setContentsMargins(Space.S, 0, 0, 0)
        self.names.setAccessibleName(self.tr("People and things in it"))
        self.names.hide()
        self._known: dict[str, str] = {}
        self._make_buttons()
        self._arrange()
        self.names.linkActivated.connect(self.name_opened)
        theme.current().changed.connect(self._write_names)
        self._edit.returnPressed.connect(self._on_edit_returned)
        self._edit.left.connect(self._stop_editing)

    def show_names(self, names: "Sequence[MentionedEntity]") -> None:
        """Show the people and things that it names, each with the way to its page."""
        known = {name.entity_id: name.name for name in names}
        if known != self._known:
            self._known = known
            self._write_names()

    def _write_names(self) -> None:
        colour = theme.current().tokens.link
        links = [
            f'<a href="{escape(entity)}" style="color: {colour}; text-decoration: none">{escape(name)}</a>'
            for entity, name in list(self._known.items())[:MOST_NAMES]
        ]
        self.names.setText("&nbsp;&nbsp;·&nbsp;&nbsp;".join(links))
        self.names.setVisible(bool(links))

    def _make_buttons(self) -> None:
        memory = self.found.memory
        is_fact = memory.kind == "fact"
        self.confirm = icon_button("check", self.tr("Confirm: it is certain and never fades"), parent=self)
        self.correct = icon_button("pencil", self.tr("Correct it"), parent=self)
        self.open = icon_button("external-link", self.tr("Open it in Notes"), parent=self)
        self.forget = icon_button("trash-2", self.tr("Delete it"), parent=self)
        self.confirm.setVisible(is_fact and not _is_certain(self.found))
        self.correct.setVisible(is_fact)
        self.confirm.clicked.connect(self._on_confirm_clicked)
        self.correct.clicked.connect(self._on_correct_clicked)
        self.open.clicked.connect(self._on_open_clicked)
        self.forget.clicked.connect(self._on_forget_clicked)

    def _arrange(self) -> None:
        facts = PlainLabel(self._about(), self, style="small muted")
        head = hbox(spacing=0)
        words = vbox(self._words, self._edit, facts, spacing=2)
        head.addLayout(words, 1)
        for button in (self.confirm, self.correct, self.open, self.forget):
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = vbox(head, parent=self, margins=(Space.L, Space.M, Space.S, Space.M), spacing=Space.XS)
        for quote in self.found.quotes[:MOST_QUOTES]:
            quote_text = excerpt(without_markup(quote.text), QUOTED) or self.tr("A message without words")
            row = LinkRow(quote_text, str(quote.seq), "", "quote", self.tr("Show this message"), self)
            row.triggered.connect(self._on_quote_triggered)
            column.addWidget(row)
        column.addWidget(self.names)

    def _about(self) -> str:
        memory = self.found.memory
        parts = [kind_label(memory.kind), attribution(memory.said_by, memory.said_at)]
        if _is_certain(self.found):
            parts.append(self.tr("confirmed"))
        elif memory.kind == "fact":
            parts.append(self.tr("{n} % certain").format(n=round(memory.confidence * 100)))
        if memory.mention_count > 1:
            parts.append(self.tr("said {n} times").format(n=format_number(memory.mention_count)))
        return "  ·  ".join(filter(None, parts))

    def _stop_editing(self) -> None:
        self._edit.hide()
        self._words.show()
        self.correct.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_edit_returned(self) -> None:
        words = self._edit.text().strip()
        if words and words != self.found.memory.content:
            self.corrected.emit(self.found.memory.id, words)
        self._stop_editing()

    def _on_correct_clicked(self) -> None:
        self._edit.setText(self.found.memory.content)
        self._words.hide()
        self._edit.show()
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_confirm_clicked(self) -> None:
        self.confirmed.emit(self.found.memory.id)

    def _on_open_clicked(self) -> None:
        self.opened.emit(self.found.memory.id)

    def _on_forget_clicked(self) -> None:
        self.forgotten.emit(self.found.memory.id)

    def _on_quote_triggered(self, seq: str) -> None:
        self.quote_opened.emit(int(seq))


class _CorrectionField(QLineEdit):
    """The field for what is right; Esc leaves it."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def _is_certain(kept: "SessionMemory") -> bool:
    memory = kept.memory
    return memory.kind == "fact" and memory.confidence >= 1 and memory.decay_rate == 0
