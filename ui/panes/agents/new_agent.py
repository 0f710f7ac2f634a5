"""Form for a new agent, and its token, which is shown once."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QWidget

from ui import operations, theme
from ui.panes.agents.agent_labels import LEVELS, trust_words
from ui.panes.reading_pane import copy_text
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.elided_combo_box import ElidedComboBox
from ui.widgets.plain_text import PlainLabel
from ui.widgets.reading_column import ReadingColumn
from ui.widgets.wrapped_button import WrappedCheckBox

if TYPE_CHECKING:
    from app.agents.model import AgentToken

WIDTH = 600


class NewAgentForm(QScrollArea):
    """Name, trust and review of a new agent."""

    requested = Signal(object)
    """Arguments of ``agent.add``."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget(self)
        self._title = _label(self.tr("Add an agent"), "title", page)
        self._about = _label(
            self.tr(
                "An agent is a program that you let use your memories. It gets a token, with which it shows who it is."
            ),
            "body muted",
            page,
        )
        self.name = QLineEdit(page)
        self.name.setAccessibleName(self.tr("Name"))
        self.name.setPlaceholderText(self.tr("Such as claude-code"))
        self.trust = ElidedComboBox(page)
        self.trust.setAccessibleName(self.tr("Trust"))
        for level in LEVELS:
            self.trust.addItem(trust_words(level), level)
        self.trust.setCurrentIndex(LEVELS.index("inner"))
        self.review = WrappedCheckBox(self.tr("What it writes waits in the inbox until you accept it"), page)
        self.review.setChecked(True)
        self.add = text_button(self.tr("Add"), "primary", parent=page)
        self.cancel = text_button(self.tr("Cancel"), parent=page)
        self.token = QLineEdit(page)
        self.token.setReadOnly(True)
        self.token.setAccessibleName(self.tr("Token"))
        self.copy = text_button(self.tr("Copy"), "primary", icon_name="copy", parent=page)
        self.done = text_button(self.tr("Done"), parent=page)
        self._how = _label(
            self.tr("Put it into the variable KEEPSAKE_TOKEN of the program. It is not shown again."), "body", page
        )
        self._arrange(page)
        self.name.textChanged.connect(self._refresh_add)
        self.name.returnPressed.connect(self.add.click)
        self.add.clicked.connect(self._on_add_clicked)
        self.cancel.clicked.connect(self.closed)
        self.done.clicked.connect(self._on_done_clicked)
        self.copy.clicked.connect(self._on_copy_clicked)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return self.name, self.trust, self.review, self.add, self.cancel, self.token, self.copy, self.done

    def begin(self) -> None:
        """Show the empty form."""
        self.name.clear()
        self.token.clear()
        self._show_part(has_token=False)
        self._title.setText(self.tr("Add an agent"))
        self._refresh_add()
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_token(self, token: "AgentToken") -> None:
        """Show the token of an agent, this once."""
        self._title.setText(self.tr("The token of {name}").format(name=token.name))
        self.token.setText(token.token)
        self._show_part(has_token=True)
        self.copy.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the form on Escape, unless a token is there, which is not shown again."""
        if event.key() == Qt.Key.Key_Escape and not self.token.text():
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _show_part(self, *, has_token: bool) -> None:
        for widget in (self._about, self.name, self.trust, self.review, self.add, self.cancel):
            widget.setVisible(not has_token)
        for widget in (self.token, self.copy, self.done, self._how):
            widget.setVisible(has_token)

    def _arrange(self, page: QWidget) -> None:
        buttons = hbox(self.add, self.cancel, self.copy, self.done, Stretch(), spacing=Space.S)
        column = vbox(margins=Space.XL, spacing=Space.M)
        for widget in (self._title, self._about, self.name, self.trust, self.review, self.token, self._how):
            column.addWidget(widget)
        column.addLayout(buttons)
        column.addStretch(1)
        ReadingColumn(column, page, WIDTH)
        self.setWidget(page)

    def _refresh_add(self) -> None:
        self.add.setEnabled(bool(self.name.text().strip()))

    def _on_add_clicked(self) -> None:
        if name := self.name.text().strip():
            trust, review = self.trust.currentData(), self.review.isChecked()
            self.requested.emit(operations.agent.add(name=name, trust=trust, review=review))

    def _on_copy_clicked(self) -> None:
        copy_text(self.token.text())

    def _on_done_clicked(self) -> None:
        self.token.clear()
        self.closed.emit()


def _label(words: str, kind: str, parent: QWidget) -> PlainLabel:
    label = PlainLabel(words, parent, wraps=True)
    theme.set_type(label, kind)
    return label
