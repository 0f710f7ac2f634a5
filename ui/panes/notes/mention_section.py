"""Unlinked mentions in the inspector: notes that name this one, each linked with a click."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.errors import KeepsakeError
from app.memories.model import Link, Memory
from ui import operations, theme
from ui.panes.labels import display_title
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import icon_button
from ui.widgets.inspector import Section, line_button
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge


class MentionSection(Section):
    """Lists the notes that name the open note without a link.

    Args:
        bridge: The way to the engine.
        parent: Its parent.
    """

    opened = Signal(str)
    done = Signal(str, object)
    """A note was linked: a sentence, and the ``Reply`` that undoes it."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._title = self.tr("Named without a link")
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._memory: Memory | None = None
        self.hide()

    def show_memory(self, memory: Memory | None) -> None:
        """Look for notes that name ``memory``."""
        self._work.cancel(self._load)
        if memory is None or self._memory is None or memory.id != self._memory.id:
            self.hide()
        self._memory = memory
        if memory is not None and memory.title and memory.kind == "note" and memory.deleted_at is None:
            self._work.latest(self._load, memory.id)
        else:
            self.hide()

    async def _load(self, identity: str) -> None:
        try:
            mentions: list[Link] = await self._bridge.call(operations.note.mentions(id=identity))
        except KeepsakeError:
            return  # it was deleted in between; the pane hears of that by itself
        self.clear()
        self.set_count(len(mentions))
        self.setVisible(bool(mentions))
        for link in mentions:
            self.rows.addWidget(self._row(link))

    def _row(self, link: Link) -> QWidget:
        title = display_title(link.title, link.text, self.tr("Untitled"))
        opener = line_button(title, link.memory_id)
        opener.clicked.connect(self._on_opener_clicked)
        linker = icon_button("link", self.tr("Link it in ‘{title}’").format(title=title))
        linker.setProperty("target", link.memory_id)
        linker.setProperty("title", title)
        linker.clicked.connect(self._on_linker_clicked)
        words = PlainLabel(link.text)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setWordWrap(True)
        words.setContentsMargins(Space.S, 0, 0, 0)
        theme.set_type(words, "small muted")
        top = hbox((opener, 1), linker, spacing=Space.XS)
        holder = QWidget()
        vbox(top, words, parent=holder, margins=(0, 0, 0, Space.XS), spacing=0)
        return holder

    def _on_opener_clicked(self) -> None:
        self.opened.emit(str(self.sender().property("target")))

    def _on_linker_clicked(self) -> None:
        button = self.sender()
        if self._memory is not None and isinstance(button, QWidget):
            button.setEnabled(False)
            self._work.start(self._link(str(button.property("target")), str(button.property("title")), self._memory))

    async def _link(self, source: str, title: str, memory: Memory) -> None:
        try:
            reply = await self._bridge.reply(operations.note.link_mention(id=source, target=memory.id))
        except KeepsakeError as error:
            self.failed.emit(error)
            self.show_memory(self._memory)
            return
        self.done.emit(self.tr("Linked it in ‘{title}’").format(title=title), reply)
