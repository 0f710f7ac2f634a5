"""The summary of a conversation's older messages: read, edit, and make anew."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui import operations
from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.fields.text_field import TextField
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import PlainLabel
from ui.widgets.wrapped_button import WrappedButton

if TYPE_CHECKING:
    from ui.bridge import Bridge


class SummaryTab(QWidget):
    """The rolling summary with its state, and the buttons that write it."""

    roll_requested = Signal()
    """Summarise the older messages now."""
    compact_requested = Signal()
    """Condense all but the latest messages now."""

    def __init__(
        self, bridge: "Bridge", do: Callable[[Coroutine[Any, Any, None]], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._do = do
        self._session = ""
        self._epoch = 0
        self._about = PlainLabel("", self, style="body muted", wraps=True)
        self.text = TextField(self.tr("Summary"), self, placeholder=self.tr("No summary yet"))
        self.save = text_button(self.tr("Save"), "primary", parent=self)
        self.save.setEnabled(False)
        self.make = text_button(self.tr("Summarise now"), icon_name="sparkles", parent=self)
        self.compact = WrappedButton(self.tr("Condense all but the latest messages"), self)
        row = FlowLayout(spacing=Space.S)
        for button in (self.save, self.make, self.compact):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.XL, Space.L, Space.XL, Space.L)
        column.setSpacing(Space.M)
        column.addWidget(self._about)
        column.addWidget(self.text, 1)
        column.addLayout(row)
        self.save.clicked.connect(self._on_save_clicked)
        self.make.clicked.connect(self.roll_requested)
        self.compact.clicked.connect(self.compact_requested)
        self.text.textChanged.connect(self._on_text_changed)

    @property
    def about(self) -> str:
        """The sentence about the summary."""
        return self._about.text()

    def load(self, session: str) -> None:
        """Show the summary of a conversation.

        What is typed and not saved yet stays.
        """
        if session == self._session and self.save.isEnabled():
            return
        self._session = session
        self._do(self._load(session))

    async def _load(self, session: str, prefix: str = "") -> None:
        state = await self._bridge.call(operations.session.summary.get(session=session))
        if session != self._session:
            return
        self._epoch = state.epoch
        self.text.setPlainText(state.summary)
        self.save.setEnabled(False)
        if state.summary:
            words = self.tr("It stands for the messages up to number {n} of {last}. Version {epoch}.")
            about = words.format(n=state.upper_seq, last=state.last_seq, epoch=state.epoch)
        else:
            about = self.tr("Long conversations are condensed by themselves; agents are then given this summary.")
        self._about.setText(f"{prefix} {about}".strip())

    async def _save(self, session: str) -> None:
        done = await self._bridge.call(
            operations.session.summary.set(session=session, summary=self.text.toPlainText(), expected_epoch=self._epoch)
        )
        late = self.tr("Somebody else wrote it meanwhile; this is theirs.")
        await self._load(session, "" if done.applied else late)

    def _on_text_changed(self) -> None:
        self.save.setEnabled(True)

    def _on_save_clicked(self) -> None:
        self._do(self._save(self._session))
