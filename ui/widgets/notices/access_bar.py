"""The bar in which the person allows or refuses a program that asks for access."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QWidget

from app.agents.model import AccessRequest
from app.core.text import excerpt
from ui import theme
from ui.models.dates import counted
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel, tooltip

LEVELS: Final = ("public", "familiar", "inner", "full")
_MAX_NAME: Final = 60
_MAX_REASON: Final = 160


class AccessBar(QFrame):
    """One request at a time, the oldest first, with the trust that the person gives."""

    allowed = Signal(object, str, bool)  # AccessRequest, trust, whether its writes wait in the inbox
    refused = Signal(object)  # AccessRequest

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("accessBar")
        self._request: AccessRequest | None = None
        self._sentence = PlainLabel(self, wraps=True)
        self._reason = PlainLabel(self, style="small muted", wraps=True)
        self._trust = QComboBox(self)
        self._trust.setAccessibleName(self.tr("Trust of the program"))
        for level, words in self._levels():
            self._trust.addItem(words, level)
        self._review = QCheckBox(self.tr("Review what it writes"), self)
        self._review.setToolTip(tooltip(self.tr("Its changes wait in the inbox until you accept them.")))
        self.allow_button = text_button(self.tr("Allow"), "primary", parent=self)
        self.allow_button.clicked.connect(self._on_allow_clicked)
        self.refuse_button = text_button(self.tr("Refuse"), parent=self)
        self.refuse_button.clicked.connect(self._on_refuse_clicked)
        self._lay_out()
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._sentence.text()

    @property
    def trust(self) -> str:
        """The chosen trust."""
        return str(self._trust.currentData())

    def show_requests(self, waiting: list[AccessRequest]) -> None:
        """Show the oldest request; hide when none waits."""
        first = waiting[0] if waiting else None
        if first is None:
            self._request = None
            self.hide()
            return
        if self._request is None or self._request.id != first.id:
            # Nobody gives more trust by accident than the least that is of use.
            self._trust.setCurrentIndex(LEVELS.index("familiar" if first.trust == "full" else first.trust))
            self._review.setChecked(False)
        self._request = first
        self._sentence.setText(self._words(first, len(waiting) - 1))
        reason = excerpt(first.reason, _MAX_REASON)
        self._reason.setText(self.tr("It says: {reason}").format(reason=reason) if reason else "")
        self._reason.setVisible(bool(reason))
        for widget in (self._trust, self._review):
            widget.setVisible(not first.has_access)
        self.show()

    def _words(self, request: AccessRequest, more: int) -> str:
        name = excerpt(request.name, _MAX_NAME)
        if request.has_access:
            text = self.tr(
                "“{name}” has access already and asks for a new token. Is this the same program? Then allow it: its"
                " trust stays, and the token it had ends."
            ).format(name=name)
        else:
            text = self.tr("“{name}” asks for access to your memory, with {trust} trust.").format(
                name=name, trust=request.trust
            )
        waiting = counted(more, self.tr("1 more waits."), self.tr("{n} more wait."))
        return f"{text} {waiting}" if more else text

    def _levels(self) -> tuple[tuple[str, str], ...]:
        return (
            ("public", self.tr("Public: reads nothing")),
            ("familiar", self.tr("Familiar: reads social memories")),
            ("inner", self.tr("Inner: reads shared and social, and writes")),
            ("full", self.tr("Full: reads and writes everything")),
        )

    def _lay_out(self) -> None:
        words = vbox(self._sentence, self._reason, spacing=0)
        sentence_row = hbox(IconLabel("plug", "accent", parent=self), (words, 1), spacing=Space.S)
        choice = hbox(Stretch(), self._trust, self._review, self.refuse_button, self.allow_button, spacing=Space.S)
        vbox(sentence_row, choice, parent=self, margins=(Space.L, Space.S, Space.L, Space.S), spacing=Space.XS)

    def _on_allow_clicked(self) -> None:
        if self._request is not None:
            self.allowed.emit(self._request, self.trust, self._review.isChecked())

    def _on_refuse_clicked(self) -> None:
        if self._request is not None:
            self.refused.emit(self._request)
