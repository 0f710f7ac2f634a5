"""Actions on one or several conversations: rename, delete, and the menu that offers them."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Signal

from app.core.text import excerpt
from app.errors import KeepsakeError
from app.sessions.model import Session
from ui import operations
from ui.models.dates import format_number
from ui.panes.erasure_prompt import ask_to_erase, erase_for_ever
from ui.panes.pane import Place
from ui.panes.project_field import project_words
from ui.panes.reading_pane import TITLE, ReadingPane, history_of
from ui.panes.sessions.session_work import SessionWork
from ui.widgets.context_menu import Entry, open_menu
from ui.widgets.selection_summary import SHOWN, BulkAction, SelectionSummary

if TYPE_CHECKING:
    from ui.panes.sessions.session_list import SessionList


class SessionActions(QObject):
    """Renames and deletes conversations, begins longer work on them, and offers to undo it.

    Args:
        pane: The pane that shows notices and runs work in the background.
        listing: The list with the selection.
    """

    rename_requested = Signal(str)
    """Edit the title of a conversation."""
    head_requested = Signal(object)
    """Show the head of this ``Session`` again."""

    def __init__(self, pane: ReadingPane, listing: "SessionList") -> None:
        super().__init__(pane)
        self._pane = pane
        self._listing = listing
        self.work = SessionWork(pane)
        self.summary = SelectionSummary(
            [
                BulkAction("facts", self.tr("Draw facts"), "lightbulb"),
                BulkAction("delete", self.tr("Delete"), "trash-2"),
            ],
            pane,
        )
        self.summary.picked.connect(self._on_summary_picked)
        listing.list.delete_requested.connect(self.delete)
        listing.list.menu_requested.connect(self.open_menu)

    def show_selection(self, count: int) -> None:
        """Show how many conversations are selected."""
        heading = self.tr("{count} conversations selected").format(count=format_number(count))
        self.summary.show_selection(heading, count, self._listing.list.selected_titles(SHOWN))

    def open_menu(self, ids: list[str], where: QPoint) -> None:
        """Open the menu of rows at a global position."""
        link: list[Entry] = []
        working: list[Entry] = []
        changing: list[Entry] = []
        known = self._known(ids)
        drawing = self.tr("Draw facts from {count} conversations now").format(count=format_number(len(ids)))
        delete = self.tr("Delete {count} conversations").format(count=format_number(len(ids)))
        if len(ids) == 1:
            link = [(self.tr("Copy link"), partial(self._pane.copy_link, Place(self._pane.name, ids[0])))]
            drawing = self.tr("Draw facts from it now")
            changing = [(self.tr("Rename"), partial(self.rename_requested.emit, ids[0]))]
            delete = self.tr("Delete")
        if known:
            working = [(drawing, partial(self.work.draw_facts, known))]
        if len(ids) == 1 and known:
            working += self.entries(known[0])
        changing += [(delete, partial(self.delete, ids)), (self.tr("Erase for ever…"), partial(self.ask_to_erase, ids))]
        open_menu(self._pane, where, [link, working, changing])

    def entries(self, session: Session) -> list[Entry]:
        """Return the menu entries of longer work on one conversation."""
        work = self.work
        return [
            (self.tr("Summarise older messages now"), partial(work.summarise, session)),
            (self.tr("Condense all but the latest messages"), partial(work.compact, session)),
            (self.tr("Export as Markdown…"), partial(work.export, session, "markdown")),
            (self.tr("Export as JSONL…"), partial(work.export, session, "jsonl")),
        ]

    def _known(self, ids: list[str]) -> list[Session]:
        """Return the conversations of rows that were loaded."""
        rows = (self._listing.model.value(identity) for identity in ids)
        return [row for row in rows if isinstance(row, Session)]

    def rename(self, session: Session, title: str) -> None:
        """Give a conversation another title."""
        self._pane.work.start(self._rename(session, title))

    async def _rename(self, session: Session, title: str) -> None:
        try:
            reply = await self._pane.bridge.reply(operations.session.rename(session=session.id, title=title))
        except KeepsakeError as error:
            self._pane.show_error(error)
            self.head_requested.emit(session)
            return
        self._listing.model.put([reply.value])
        self._pane.show_result(self.tr("Renamed to ‘{title}’"), title, reply)

    def set_project(self, session: Session, project: str) -> None:
        """Put a conversation into a project, or out of its own."""
        self._pane.work.start(self._set_project(session, project))

    async def _set_project(self, session: Session, project: str) -> None:
        try:
            reply = await self._pane.bridge.reply(operations.session.set_project(session=session.id, project=project))
        except KeepsakeError as error:
            self._pane.show_error(error)
            self.head_requested.emit(session)
            return
        self.head_requested.emit(reply.value)
        if history_of(reply):
            self._pane.show_result(project_words(project), project, reply)

    def delete(self, ids: list[str]) -> None:
        """Delete conversations and go on to the next one in the list."""
        self._pane.do(self._delete(ids, self._listing.list.neighbour(ids)))

    async def _delete(self, ids: list[str], neighbour: str) -> None:
        if len(ids) == 1:
            reply = await self._pane.bridge.reply(operations.session.forget(session=ids[0]))
            title = reply.value.label or self.tr("Untitled conversation")
            words, history = self.tr("Deleted ‘{title}’").format(title=excerpt(title, TITLE)), history_of(reply)
        else:
            history = history_of(await self._pane.bridge.reply(operations.session.forget_many(sessions=ids)))
            words = self.tr("Deleted {count} conversations").format(count=format_number(len(ids)))
        if neighbour:
            self._listing.list.choose(neighbour)
        self._pane.show_notice(words, history)

    def ask_to_erase(self, ids: list[str]) -> None:
        """Ask whether conversations may be erased for ever."""
        text = self.tr("Erase {count} conversations for ever?").format(count=format_number(len(ids)))
        if len(ids) == 1:
            text = self.tr("Erase ‘{title}’ for ever?").format(title=self._title(ids[0]))
        done = self.tr("Erased {count} conversations for ever").format(count=format_number(len(ids)))
        if len(ids) == 1:
            done = self.tr("Erased the conversation for ever")
        what = self.tr(
            "All messages, summaries and scratchpads are removed from this vault. Facts that were drawn from them stay."
        )
        ask_to_erase(self._pane, text, what, partial(self._on_erase_agreed, ids, done))

    def _title(self, identity: str) -> str:
        title = next((session.label for session in self._known([identity])), "")
        return excerpt(title, TITLE) or self.tr("Untitled conversation")

    def _on_erase_agreed(self, ids: list[str], done: str) -> None:
        self._pane.do(self._erase(ids, self._listing.list.neighbour(ids), done))

    async def _erase(self, ids: list[str], neighbour: str, done: str) -> None:
        if neighbour:
            # Erasing takes its time; until then nothing of an erased conversation is asked for.
            self._listing.list.choose(neighbour)
        self._pane.notice.emit(await erase_for_ever(self._pane.bridge, done, sessions=ids))

    def _on_summary_picked(self, name: str) -> None:
        ids = self._listing.list.selected_ids()
        if name == "facts":
            self.work.draw_facts(self._known(ids))
        else:
            self.delete(ids)
