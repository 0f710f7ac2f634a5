"""Fields in which what an agent proposed is edited before it is accepted."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from ui import theme
from ui.panes.inbox.proposal_labels import field_words
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.fields.text_field import TextField
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.inbox.model import Proposal

TEXT_HEIGHT = 160
KEEP_MS = 800
_LONG = 80
_EDITABLE = ("title", "content", "category", "key", "value", "name", "summary")


class ProposalForm(QWidget):
    """The texts of a proposal as fields.

    What was typed is kept for each proposal, here and soon afterwards in the vault.
    """

    left = Signal()
    """The person wants to edit no more."""
    typed = Signal(object, object)
    """The number of a proposal, and what was typed in place of its texts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, QLineEdit | QPlainTextEdit] = {}
        self._identity = 0
        self._kept: dict[str, str] = {}
        self._drafts: dict[int, dict[str, str]] = {}
        self._put_away: set[int] = set()
        self._keep = QTimer(self, singleShot=True, interval=KEEP_MS)
        self._keep.timeout.connect(self.keep)
        self._column = vbox(parent=self, margins=0, spacing=Space.S)
        self.hide()

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the fields, by the names of the arguments."""
        return {
            name: field.text() if isinstance(field, QLineEdit) else field.toPlainText()
            for name, field in self.fields.items()
        }

    def open(self, proposal: "Proposal", *, has_focus: bool = True) -> None:
        """Show the texts of ``proposal``, as they were typed where that was begun."""
        self.close_fields()
        self._identity = proposal.id
        self._put_away.discard(proposal.id)
        before = self._draft(proposal)
        for name in editable(proposal):
            self._add(name, str(proposal.arguments[name]), before.get(name))
        self._kept = self.texts
        self.show()
        if has_focus:
            next(iter(self.fields.values())).setFocus(Qt.FocusReason.OtherFocusReason)

    def is_begun(self, proposal: "Proposal") -> bool:
        """Return whether something was typed in place of the proposal's texts, and not put away."""
        before = self._draft(proposal)
        is_other = any(before[name] != proposal.arguments.get(name) for name in before)
        return is_other and bool(editable(proposal)) and proposal.id not in self._put_away

    def put_away(self) -> None:
        """Take the fields away until the person wants to edit again."""
        self._put_away.add(self._identity)
        self.close_fields()

    def keep(self) -> None:
        """Let what was typed be kept in the vault."""
        if (unkept := self.take_unkept()) is not None:
            self.typed.emit(*unkept)

    def take_unkept(self) -> tuple[int, dict[str, str]] | None:
        """Return the unkept texts with their proposal; they count as kept from then on."""
        self._keep.stop()
        if not self.fields or self.texts == self._kept:
            return None
        self._kept = self.texts
        return self._identity, self._kept

    def forget(self, identity: int) -> None:
        """Forget what was typed into a proposal that is decided."""
        self._drafts.pop(identity, None)
        self._put_away.discard(identity)
        if identity == self._identity:
            self._keep.stop()
            self._kept = self.texts

    def close_fields(self) -> None:
        """Take the fields away; what was typed is kept."""
        if self.fields:
            self._drafts[self._identity] = self.texts
            self.keep()
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

    def _draft(self, proposal: "Proposal") -> dict[str, str]:
        return self._drafts.get(proposal.id) or proposal.draft

    def _on_text_changed(self) -> None:
        if not self._keep.isActive():  # who types without a pause is kept meanwhile, too
            self._keep.start()

    def _add(self, name: str, value: str, typed: str | None) -> None:
        text = value if typed is None else typed
        label = PlainLabel(field_words(name), self, style="strong")
        field: QLineEdit | QPlainTextEdit
        if len(value) > _LONG or "\n" in value or name == "content":
            field = TextField(field_words(name), self, text=text)
            field.setFixedHeight(theme.current().scaled(TEXT_HEIGHT))
        else:
            field = QLineEdit(text, self)
        field.textChanged.connect(self._on_text_changed)
        field.setAccessibleName(field_words(name))
        self.fields[name] = field
        self._column.addWidget(label)
        self._column.addWidget(field)


def editable(proposal: "Proposal") -> list[str]:
    """Return the names of the arguments that a person may edit."""
    return [name for name in _EDITABLE if isinstance(proposal.arguments.get(name), str)]
