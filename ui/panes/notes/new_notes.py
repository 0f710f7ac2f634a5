"""New notes from templates, and daily notes."""

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QInputDialog

from ui import operations
from ui.panes.labels import display_title
from ui.panes.pane import Place
from ui.panes.reading_pane import ReadingPane, history_of
from ui.widgets.context_menu import Entry, open_menu

if TYPE_CHECKING:
    from app.memories.model import Memory, MemoryRow

TEMPLATE, DAILY = "template", "template/daily"
_DAILY_TAG = "daily"


class NewNotes(QObject):
    """Makes notes from templates, and opens or begins daily notes.

    Args:
        pane: The pane that asks for titles and tells what was done.
        begin: Opens an empty note of a title and tags.
        opened: Opens a note by its id.
    """

    def __init__(
        self, pane: ReadingPane, begin: Callable[[str, tuple[str, ...]], None], opened: Callable[[str], None]
    ) -> None:
        super().__init__(pane)
        self._pane = pane
        self._begin = begin
        self._open = opened

    # --- the daily note ---

    def open_daily(self, day: date) -> None:
        """Open the daily note of a day, or begin it from its template."""
        self._pane.do(self._open_daily(day.isoformat()))

    async def _open_daily(self, title: str) -> None:
        note = await self._pane.bridge.call(operations.note.resolve(title=title))
        if note:
            self._open(note)
            return
        template = next((row for row in await self._templates() if DAILY in row.tags), None)
        if template is None:
            self._begin(title, (_DAILY_TAG,))
        else:
            await self._create(template.id, title, (_DAILY_TAG,))

    # --- templates ---

    def choose_template(self, where: QPoint) -> None:
        """Open a menu of the templates at a global position."""
        self._pane.do(self._choose_template(where))

    def use_template(self, template: str, suggestion: str = "") -> None:
        """Ask for a title and make a note from a template."""
        box = QInputDialog(self._pane)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(self.tr("New note from a template"))
        box.setLabelText(self.tr("Title:"))
        box.setTextValue(suggestion)
        box.textValueSelected.connect(partial(self.create, template))
        box.open()

    def create(self, template: str, title: str) -> None:
        """Make a note from a template and open it."""
        self._pane.do(self._create(template, title, ()))

    def set_daily_template(self, identity: str) -> None:
        """Make a note the template of the daily note, in place of another."""
        self._pane.do(self._set_daily_template(identity))

    async def _choose_template(self, where: QPoint) -> None:
        rows = await self._templates()
        if not rows:
            words = self.tr("There are no templates yet. Give a note the tag #template to make it one.")
            self._pane.show_notice(words)
            return
        entries: list[Entry] = []
        for row in rows:
            title = display_title(row.title, row.preview, self.tr("Untitled"))
            label = self.tr("{title} (daily note)").format(title=title) if DAILY in row.tags else title
            entries.append((label, partial(self.use_template, row.id, "" if "{{" in title else title)))
        open_menu(self._pane, where, [entries])

    async def _templates(self) -> "list[MemoryRow]":
        rows: list[MemoryRow] = await self._pane.bridge.call(operations.note.templates())
        return rows

    async def _create(self, template: str, title: str, tags: tuple[str, ...]) -> None:
        reply = await self._pane.bridge.reply(
            operations.note.from_template(template=template, title=title, tags=list(tags))
        )
        note: Memory = reply.value
        name = display_title(note.title, note.content, self.tr("Untitled"))
        self._pane.show_result(self.tr("Began ‘{title}’ from its template"), name, reply)
        self._pane.navigate.emit(Place(self._pane.name))
        self._open(note.id)

    async def _set_daily_template(self, identity: str) -> None:
        others = [row.id for row in await self._templates() if DAILY in row.tags and row.id != identity]
        history: tuple[int, ...] = ()
        if others:
            reply = await self._pane.bridge.reply(operations.note.tag_many(ids=others, add=[TEMPLATE], remove=[DAILY]))
            history = history_of(reply)
        reply = await self._pane.bridge.reply(operations.note.tag_many(ids=[identity], add=[DAILY]))
        self._pane.show_notice(self.tr("New daily notes begin with this template"), (*history, *history_of(reply)))
