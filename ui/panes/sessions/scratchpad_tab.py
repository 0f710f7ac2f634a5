"""The scratchpad of a conversation: a line for each item, saved as one."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtWidgets import QWidget

from ui import operations, theme
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.fields.text_field import TextField
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from ui.bridge import Bridge

MAX_ITEMS: Final = 32
MAX_CHARACTERS: Final = 240


class ScratchpadTab(QWidget):
    """Goals and steps that an agent keeps while a conversation goes on."""

    def __init__(
        self, bridge: "Bridge", do: Callable[[Coroutine[Any, Any, None]], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._do = do
        self._session = ""
        about = PlainLabel(
            self.tr("What the agent notes for itself during this conversation, one item a line. You can change it."),
            self,
            style="body muted",
            wraps=True,
        )
        self.text = TextField(self.tr("Scratchpad"), self, placeholder=self.tr("Nothing is noted"))
        self._room = PlainLabel("", self, style="small muted", wraps=True)
        self.save = text_button(self.tr("Save"), "primary", parent=self)
        self.save.setEnabled(False)
        self.clear = text_button(self.tr("Clear"), parent=self)
        row = hbox(self.save, self.clear, (self._room, 1), spacing=Space.S)
        vbox(about, (self.text, 1), row, parent=self, margins=(Space.XL, Space.L, Space.XL, Space.L), spacing=Space.M)
        self.text.textChanged.connect(self._on_text_changed)
        self.save.clicked.connect(self._on_save_clicked)
        self.clear.clicked.connect(self._on_clear_clicked)

    @property
    def items(self) -> list[str]:
        """The items as they stand in the field."""
        return [line.strip() for line in self.text.toPlainText().splitlines() if line.strip()]

    def load(self, session: str) -> None:
        """Show the scratchpad of a conversation.

        What is typed and not saved yet stays.
        """
        if session == self._session and self.save.isEnabled():
            return
        self._session = session
        self._do(self._load(session))

    async def _load(self, session: str) -> None:
        scratchpad = await self._bridge.call(operations.session.scratchpad.read(session=session))
        if session == self._session:
            self.text.setPlainText("\n".join(scratchpad.items))
            self.save.setEnabled(False)

    async def _write(self, session: str, items: list[str]) -> None:
        await self._bridge.reply(operations.session.scratchpad.write(session=session, items=items))
        await self._load(session)

    def _on_text_changed(self) -> None:
        items = self.items
        longest = max(map(len, items), default=0)
        fits = len(items) <= MAX_ITEMS and longest <= MAX_CHARACTERS
        words = self.tr("{n} of {most} items; the longest has {length} of {room} characters")
        self._room.setText(words.format(n=len(items), most=MAX_ITEMS, length=longest, room=MAX_CHARACTERS))
        theme.set_type(self._room, "small muted" if fits else "small danger")
        self.save.setEnabled(fits)

    def _on_save_clicked(self) -> None:
        self._do(self._write(self._session, self.items))

    def _on_clear_clicked(self) -> None:
        self._do(self._write(self._session, []))
