"""Fields in which what an agent proposed is edited before it is accepted."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from ui import theme
from ui.panes.inbox.proposal_labels import field_words
from ui.style.design_tokens import Space
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.inbox.model import Proposal

TEXT_HEIGHT = 160
_LONG = 80
_EDITABLE = ("title", "content", "category", "key", "value", "name", "summary")


class ProposalForm(QWidget):
    """The texts of a proposal as fields.

    What was typed is kept for each proposal, until the window is closed.
    """

    left = Signal()
    """The person wants to edit no more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, QLineEdit | QPlainTextEdit] = {}
        self._identity = 0
        self._drafts: dict[int, dict[str, str]] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(Space.S)
        self.hide()

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the fields, by the names of the arguments."""
        return {
            name: field.text() if isinstance(field, QLineEdit) else field.toPlainText()
            for name, field in self.fields.items()
        }

    def open(self, proposal: "Proposal") -> None:
        """Show the texts of ``proposal``, as they were typed where that was begun."""
        self.close_fields()
        self._identity = proposal.id
        before = self._drafts.get(proposal.id, {})
        for name in editable(proposal):
            self._add(name, str(proposal.arguments[name]), before.get(name))
        self.show()
        next(iter(self.fields.values())).setFocus(Qt.FocusReason.OtherFocusReason)

    def close_fields(self) -> None:
        """Take the fields away; what was typed is kept."""
        if self.fields:
            self._drafts[self._identity] = self.texts
        self.fields = {}
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _add(self, name: str, value: str, typed: str | None) -> None:
        text = value if typed is None else typed
        label = PlainLabel(field_words(name), self)
        theme.set_type(label, "strong")
        field: QLineEdit | QPlainTextEdit
        if len(value) > _LONG or "\n" in value or name == "content":
            field = QPlainTextEdit(self)
            field.setPlainText(text)
            field.setProperty("framed", True)
            field.setTabChangesFocus(True)
            field.setFixedHeight(theme.current().scaled(TEXT_HEIGHT))
        else:
            field = QLineEdit(text, self)
        field.setAccessibleName(field_words(name))
        self.fields[name] = field
        self._column.addWidget(label)
        self._column.addWidget(field)


def editable(proposal: "Proposal") -> list[str]:
    """Return the names of the arguments that a person may edit."""
    return [name for name in _EDITABLE if isinstance(proposal.arguments.get(name), str)]
