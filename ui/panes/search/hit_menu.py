"""The context menu of a result: open, copy, and change a memory."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QMenu

from app.core.text import excerpt
from app.errors import NotFoundError
from app.retrieval.model import Hit, Query
from ui import operations
from ui.panes.labels import display_title
from ui.panes.pane import Place
from ui.panes.reading_pane import TITLE, ReadingPane, copy_text
from ui.panes.search.hit_painter import GroupHeading
from ui.panes.search.query_text import terms_of
from ui.panes.search.why.why_panel import said_in
from ui.widgets.context_menu import Entry, open_menu
from ui.widgets.plain_text import caption
from ui.work import Work

if TYPE_CHECKING:
    from app.entities.model import MentionedEntity
    from app.memories.model import Memory
    from app.sessions.model import Message

MOST_NAMES = 8
"""People and things of a hit that its menu offers."""


def place_of_row(row: Hit | GroupHeading, query: Query | None = None) -> Place:
    """Return where a hit, or the conversation of a heading, is read.

    The words of ``query`` are marked there, or without one those of the hit.
    """
    if isinstance(row, GroupHeading):
        return Place("sessions", row.session_id, title=row.title)
    words = row.why.terms if query is None else terms_of(query, row)
    if row.target == "message" and row.session_id:
        return Place("sessions", row.session_id, str(row.seq), title=row.title, words=words)
    return Place("notes", row.id, title=row.title, words=words)


class HitMenu(QObject):
    """Opens the menu of a row and does what is chosen.

    Args:
        pane: The pane that has the results; it tells what was done.
    """

    opened = Signal(object)
    """The person wants to go to this ``Place``."""
    why_requested = Signal()
    """The reasons of the current hit are to be shown."""

    def __init__(self, pane: ReadingPane) -> None:
        super().__init__(pane)
        self._pane = pane

    def open_at(self, where: QPoint, row: Hit | GroupHeading, *, is_archived: bool = False) -> None:
        """Open the menu of a row at a global position.

        Archived items cannot be changed.
        """
        go: list[Entry] = [(self.tr("Open"), partial(self.opened.emit, place_of_row(row)))]
        copying: list[Entry] = [(self.tr("Copy link"), partial(self._pane.copy_link, place_of_row(row)))]
        if isinstance(row, GroupHeading):
            delete = partial(self._start_deleting_session, row)
            open_menu(self._pane, where, [go, copying, [(self.tr("Delete"), delete)]])
            return
        if row.target == "message":
            go = [(self.tr("Open in its conversation"), partial(self.opened.emit, place_of_row(row)))]
        elif row.session_id:
            source = Place("sessions", row.session_id)
            go.append((self.tr("Open its conversation"), partial(self.opened.emit, source)))
        copying.insert(0, (self.tr("Copy text"), partial(self._start_copying, row)))
        why: list[Entry] = [(self.tr("Why this was found"), self.why_requested.emit)]
        changing: list[Entry] = []
        if row.target == "memory" and not is_archived:
            changing = [
                (self.tr("Pin or unpin"), partial(self._start_pinning, row.id)),
                (self.tr("Add tags…"), partial(self._ask_for_tags, row.id)),
                (self.tr("Delete"), partial(self._start_deleting, row.id)),
            ]
        menu = open_menu(self._pane, where, [go, copying, why, changing])
        Work(menu, self._pane.bridge).start(self._add_names(menu, row.id), self._pane.show_error)

    async def _add_names(self, menu: QMenu, owner: str) -> None:
        """Add the pages of people and things in a hit at the menu's end."""
        names: list[MentionedEntity] = await self._pane.bridge.call(operations.entity.named(owners=[owner]))
        if not names:
            return
        menu.addSeparator()
        words = self.tr("Open the page of ‘{name}’")
        for entity, name in list({name.entity_id: name.name for name in names}.items())[:MOST_NAMES]:
            title = caption(words.format(name=excerpt(name, TITLE)))
            menu.addAction(title, partial(self.opened.emit, Place("graph", entity, title=name)))

    # --- copying ---

    def _start_copying(self, hit: Hit) -> None:
        self._pane.do(self._copy(hit))

    async def _copy(self, hit: Hit) -> None:
        text = await self._text_of(hit)
        if text is None:
            self._pane.show_notice(self.tr("This message is no longer there."))
        else:
            copy_text(text)
            self._pane.show_notice(self.tr("Copied the text"))

    async def _text_of(self, hit: Hit) -> str | None:
        """Return all of a hit's text, ``None`` where it is gone."""
        call = self._pane.bridge.call
        if hit.target == "memory" or hit.session_id is None or hit.seq is None:
            return said_in(await call(operations.note.get(id=hit.id)))
        try:
            messages: list[Message] = await call(
                operations.session.messages(session=hit.session_id, after=hit.seq - 1, limit=1)
            )
        except NotFoundError:  # its conversation is gone too
            return None
        return next((message.content for message in messages if message.seq == hit.seq), None)

    # --- changing ---

    def _start_pinning(self, identity: str) -> None:
        self._pane.do(self._pin(identity))

    async def _pin(self, identity: str) -> None:
        memory = await self._pane.bridge.call(operations.note.get(id=identity))
        reply = await self._pane.bridge.reply(operations.note.pin(id=identity, pinned=not memory.pinned))
        words = self.tr("Unpinned ‘{title}’") if memory.pinned else self.tr("Pinned ‘{title}’")
        self._pane.show_result(words, self._title(memory), reply)

    def _ask_for_tags(self, identity: str) -> None:
        self._pane.ask_for_tags(self.tr("Tags, separated by commas:"), partial(self._start_tagging, identity))

    def _start_tagging(self, identity: str, tags: list[str]) -> None:
        self._pane.do(self._tag(identity, tags))

    async def _tag(self, identity: str, tags: list[str]) -> None:
        memory = await self._pane.bridge.call(operations.note.get(id=identity))
        reply = await self._pane.bridge.reply(operations.note.tag_many(ids=[identity], add=tags))
        self._pane.show_result(self.tr("Tagged ‘{title}’"), self._title(memory), reply)

    def _start_deleting(self, identity: str) -> None:
        self._pane.do(self._delete(identity))

    async def _delete(self, identity: str) -> None:
        reply = await self._pane.bridge.reply(operations.note.delete(id=identity))
        self._pane.show_result(self.tr("Deleted ‘{title}’"), self._title(reply.value), reply)

    def _start_deleting_session(self, row: GroupHeading) -> None:
        self._pane.do(self._delete_session(row))

    async def _delete_session(self, row: GroupHeading) -> None:
        reply = await self._pane.bridge.reply(operations.session.forget(session=row.session_id))
        self._pane.show_result(self.tr("Deleted ‘{title}’"), row.title, reply)

    def _title(self, memory: "Memory") -> str:
        return display_title(memory.title, memory.content, self.tr("Untitled"))
