"""View of the context that an agent would get, with its tokens."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QLineEdit, QProgressBar, QVBoxLayout, QWidget

from ui import operations
from ui.engine_texts import engine_text
from ui.models.dates import format_number
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import text_button
from ui.widgets.fields.text_field import TextField
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.context.model import Context
    from ui.bridge import Bridge


class AgentView(QWidget):
    """The context for a question, as a fully trusted agent gets it."""

    def __init__(
        self, bridge: "Bridge", do: Callable[[Coroutine[Any, Any, None]], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._do = do
        self._session = ""
        self.question = QLineEdit(self)
        self.question.setAccessibleName(self.tr("Question to the agent"))
        self.question.setPlaceholderText(self.tr("A question to the agent; empty for what it is told anyway"))
        self.show_button = text_button(self.tr("Show"), parent=self)
        self.meter = QProgressBar(self)
        self.meter.setTextVisible(False)
        self.meter.setAccessibleName(self.tr("Tokens used"))
        self._tokens = PlainLabel("", self, style="small muted", wraps=True)
        empty = self.tr("There is nothing to tell it yet.")
        self.text = TextField(self.tr("What the agent would be told"), self, placeholder=empty, is_read_only=True)
        row = hbox((self.question, 1), self.show_button, spacing=Space.S)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.XL, Space.L, Space.XL, Space.L)
        column.setSpacing(Space.S)
        column.addLayout(row)
        column.addWidget(self.meter)
        column.addWidget(self._tokens)
        column.addWidget(self.text, 1)
        self.question.returnPressed.connect(self._on_show_clicked)
        self.show_button.clicked.connect(self._on_show_clicked)

    @property
    def tokens(self) -> str:
        """The sentence about the tokens."""
        return self._tokens.text()

    def load(self, session: str) -> None:
        """Show what an agent in a conversation would be told."""
        self._session = session
        self._do(self._load(session, self.question.text()))

    async def _load(self, session: str, question: str) -> None:
        context: Context = await self._bridge.call(operations.memory.context(prompt=question, session=session))
        if session != self._session:
            return
        self.text.setPlainText(context.text)
        self.meter.setRange(0, max(context.max_tokens, 1))
        self.meter.setValue(min(context.tokens, context.max_tokens))
        parts = [
            f"{engine_text(section.heading)} {format_number(section.tokens)}"
            for section in context.sections
            if section.items
        ]
        words = self.tr("{n} of {most} tokens").format(
            n=format_number(context.tokens), most=format_number(context.max_tokens)
        )
        self._tokens.setText("  ·  ".join([words, *parts]))

    def _on_show_clicked(self) -> None:
        self._do(self._load(self._session, self.question.text()))
