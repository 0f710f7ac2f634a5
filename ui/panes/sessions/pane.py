"""The Sessions pane: conversations at the left, the chosen one at the right."""

import asyncio
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QDate, QPoint, Qt, QTimer
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.core.text import excerpt
from app.errors import KeepsakeError, NotFoundError
from app.sessions.model import Message, NewMessage, Session
from ui.actions import Action
from ui.models.dates import format_number
from ui.panes.pane import Place
from ui.panes.pane_state import bytes_of, pack, unpack
from ui.panes.reading_pane import ReadingPane, copy_text, history_of, set_tab_chain
from ui.panes.sessions.composer import Composer
from ui.panes.sessions.find_bar import FindBar
from ui.panes.sessions.header import SessionHeader
from ui.panes.sessions.message_pager import MessagePager
from ui.panes.sessions.session_list import SessionList
from ui.panes.sessions.transcript import Transcript
from ui.widgets.context_menu import Entry, open_menu
from ui.widgets.empty_state import EmptyState
from ui.widgets.selection_summary import SHOWN, BulkAction, SelectionSummary
from ui.widgets.splitter import PaneSplitter, hairline
from ui.widgets.word_marks import has_word

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from ui.actions import Actions
    from ui.bridge import Bridge

SELF = "self"
CHOICE_MS = 90
FIND_LIMIT = 100_000


class SessionsPane(ReadingPane):
    """Browse, read, find, rename, forget and write conversations."""

    name = "sessions"
    title = str(QT_TRANSLATE_NOOP("Panes", "Sessions"))
    icon = "message-square"

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._session: Session | None = None
        self._opening = ""
        self._draft = False
        self._dirty = True
        self._places: dict[str, int] = {}
        self.listing = SessionList(bridge, self)
        self.pager = MessagePager(bridge, self)
        self.transcript = Transcript(self.pager, self)
        self.header = SessionHeader(self)
        self.find_bar = FindBar(self)
        self.composer = Composer(self)
        self._find_asked = 0
        self._words: tuple[str, ...] = ()
        self._is_read_next = False
        self._flash_at: int | None = None
        self._choice = QTimer(self, singleShot=True, interval=CHOICE_MS)
        self._arrange()
        self._connect()
        set_tab_chain(*self.listing.tab_chain, *self.header.tab_chain, self.transcript, self.composer.field)

    # --- what the frame calls ---

    def shown(self) -> None:
        """Load what was put off."""
        if self._dirty:
            self._dirty = False
            self.listing.load()

    def open_place(self, place: Place) -> None:
        """Open a conversation, at a turn when the place names one."""
        seq = int(place.extra) if place.extra.isdecimal() else None
        if place.id:
            self.listing.choose(place.id)
            self._words = place.words
            self._is_read_next = seq is not None
            self._open(place.id, seq)

    def current_place(self) -> Place:
        """Return the open conversation."""
        if self._session is None:
            return Place(self.name)
        return Place(self.name, self._session.id, title=self._session.label)

    def commands(self) -> list[Action]:
        """Return what can be done here."""
        opened = self._has_session
        always = partial(Action, group="sessions", pane=self.name)
        action = partial(always, enabled=opened)
        last, first = self.transcript.go_to_last, self.transcript.go_to_first
        return [
            always("sessions.new", self.tr("New conversation with yourself"), self.new_session, "plus", "Ctrl+N"),
            always("sessions.filter", self.tr("Filter conversations"), self.listing.filter.setFocus, "funnel"),
            action("sessions.find", self.tr("Find in conversation"), self._open_finder, "search", "Ctrl+F"),
            action("sessions.next", self.tr("Next match"), self.find_bar.go_next, "chevron-down", "F3"),
            action("sessions.previous", self.tr("Previous match"), self.find_bar.go_previous, "chevron-up", "Shift+F3"),
            action("sessions.first", self.tr("First message"), first, "chevron-up"),
            action("sessions.last", self.tr("Last message"), last, "chevron-down"),
            action("sessions.rename", self.tr("Rename conversation"), self.header.edit_title, "pencil"),
            always(
                "sessions.forget",
                self.tr("Forget conversation"),
                self._forget_chosen,
                "trash-2",
                enabled=self._can_forget,
            ),
        ]

    def focus_first(self) -> None:
        """Put the keyboard on the list."""
        self.listing.list.setFocus(Qt.FocusReason.TabFocusReason)

    def regions(self) -> list[QWidget]:
        """Return list, transcript and composer."""
        parts: list[QWidget] = [self.listing.list, self.transcript]
        return [*parts, self.composer.field] if self.composer.isVisible() else parts

    def refresh(self, changes: "ChangeSet") -> None:
        """Follow new turns, titles and forgotten conversations."""
        if not changes.areas & {"sessions", "messages"}:
            return
        self.listing.model.invalidate(changes.ids)
        if self.isVisible():
            self.listing.load_soon()
        else:
            self._dirty = True
        if self._session is not None and (not changes.ids or self._session.id in changes.ids):
            self.bridge.start(self._refresh_head(self._session.id))
            self.pager.follow()

    def save_state(self) -> bytes:
        """Return widths, order and the open conversation."""
        opened = self._session.id if self._session else ""
        return pack({"split": self._split.state(), "opened": opened, **self.listing.state})

    def restore_state(self, state: bytes) -> None:
        """Apply what ``save_state`` returned."""
        values = unpack(state)
        self._split.restore(bytes_of(values, "split"))
        self.listing.restore(values)
        if opened := str(values.get("opened") or ""):
            self._opening = opened
            self.listing.choose(opened)

    # --- building ---

    def _arrange(self) -> None:
        reading = QWidget(self)
        column = QVBoxLayout(reading)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        reading.setObjectName("sheet")
        for widget in (self.header, hairline(reading), self.find_bar):
            column.addWidget(widget)
        column.addWidget(self.transcript, 1)
        column.addWidget(self.composer)
        self.composer.hide()
        self._nothing_chosen = EmptyState(
            "message-square",
            self.tr("Choose a conversation"),
            self.tr("What was said in it appears here. Ctrl+F finds words in it."),
            parent=self,
        )
        self._right = QStackedWidget(self)
        self._right.setObjectName("sheet")
        self._summary = SelectionSummary([BulkAction("forget", self.tr("Forget"), "trash-2")], self)
        for page in (self._nothing_chosen, reading, self._summary):
            self._right.addWidget(page)
        self._reading = reading
        self._split = PaneSplitter(parent=self)
        self._split.add(self.listing, 320, least=220)
        self._split.add(self._right, 900, least=320, stretch=1)
        self._empty = EmptyState(
            "messages-square",
            self.tr("No conversations yet"),
            self.tr(
                "Import what you said to ChatGPT, Claude or another program, connect an agent, "
                "or begin one with yourself. Everything stays on this machine."
            ),
            self.tr("Import conversations…"),
            hint=self.tr("Ctrl+N begins a conversation with yourself."),
            parent=self,
        )
        self._whole = QStackedWidget(self)
        self._whole.addWidget(self._split)
        self._whole.addWidget(self._empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._whole)

    def _connect(self) -> None:
        rows = self.listing.list
        rows.chosen.connect(self._on_rows_chosen)
        rows.opened.connect(self._on_rows_opened)
        rows.delete_requested.connect(self._on_rows_delete_requested)
        rows.rename_requested.connect(self._on_rows_rename_requested)
        rows.menu_requested.connect(self._on_rows_menu_requested)
        rows.selection_changed.connect(self._on_rows_selection_changed)
        self._summary.picked.connect(self._forget_chosen)
        self._summary.cleared.connect(self._on_summary_cleared)
        self._choice.timeout.connect(self._on_choice_timeout)
        self.listing.loaded.connect(self._on_listing_loaded)
        self.listing.failed.connect(self.show_error)
        self.pager.failed.connect(self._on_reach_failed)
        self.pager.replaced.connect(self._on_reach_replaced)
        self.header.renamed.connect(self._on_head_renamed)
        self.header.find_requested.connect(self._open_finder)
        self.header.first_requested.connect(self.transcript.go_to_first)
        self.header.last_requested.connect(self.transcript.go_to_last)
        self.header.delete_requested.connect(self._forget_current)
        self.header.date_requested.connect(self._on_head_date_requested)
        self.find_bar.searched.connect(self._on_finder_requested)
        self.find_bar.went.connect(self._on_finder_went)
        self.find_bar.closed.connect(self._on_finder_closed)
        self.composer.sent.connect(self._on_composer_sent)
        self.transcript.match_requested.connect(self._on_transcript_match_requested)
        self.transcript.menu_requested.connect(self._on_transcript_menu_requested)
        self.transcript.wiki_clicked.connect(self.follow_wiki)
        self.transcript.tag_clicked.connect(self.follow_tag)
        self.transcript.link_clicked.connect(self.follow_link)
        self._empty.triggered.connect(self._on_empty_requested)

    # --- opening ---

    def new_session(self) -> None:
        """Begin a conversation with oneself; it exists from its first message on."""
        self._draft = True
        self._session = None
        self._opening = ""
        self._whole.setCurrentWidget(self._split)
        self.listing.list.clear_choice()
        self._show_right()
        self.pager.close()
        self.header.show_draft(self.tr("New conversation"), self.tr("It is kept once you write the first message."))
        self.composer.show()
        self.composer.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _has_session(self) -> bool:
        return self._session is not None

    def _open(self, session: str, seq: int | None = None) -> None:
        """Show ``session``; what is shown stays until the other is there."""
        if self._session is not None and self._session.id == session and self._opening in ("", session):
            if seq is not None:
                self._show_seq(seq)
            return
        if self._session is not None and (top := self.transcript.top_seq()) is not None:
            self._places[self._session.id] = top
        self._draft = False
        self._opening = session
        self.bridge.start(self._open_session(session, seq))

    async def _open_session(self, session: str, seq: int | None) -> None:
        try:
            found = await self.bridge.call("session.get", session=session)
        except KeepsakeError as error:
            if isValid(self) and self._opening == session:
                self._opening = ""
                self.show_error(error)
            return
        if not isValid(self) or self._opening != session:
            return
        self._session = found
        self.header.show_session(found)
        self.composer.setVisible(found.channel == SELF)
        self._show_right()
        if self.find_bar.isVisible():
            self.find_bar.close_bar()
        self.pager.open(session, seq if seq is not None else self._places.get(session))
        self._flash_at = seq
        if not (self._is_read_next and self._words):
            self.transcript.mark("")
        self.registry.refresh()

    async def _refresh_head(self, session: str) -> None:
        try:
            found = await self.bridge.call("session.get", session=session)
        except NotFoundError:
            found = None
        if not isValid(self) or self._session is None or self._session.id != session:
            return
        if found is None:
            self._close()
        else:
            self._session = found
            self.header.show_session(found)

    def _close(self) -> None:
        """Show no conversation: the one shown was forgotten."""
        self._session = None
        self._opening = ""
        self.pager.close()
        self.composer.hide()
        self._show_right()
        self.registry.refresh()

    def _on_reach_failed(self, error: KeepsakeError) -> None:
        if isinstance(error, NotFoundError) and self._session is not None:
            # Forgotten while it was read: whoever did that tells it, with what undoes it.
            self.bridge.start(self._refresh_head(self._session.id))
        else:
            self.show_error(error)

    def _on_reach_replaced(self) -> None:
        self._opening = ""
        if self._flash_at is not None:
            seq, self._flash_at = self._flash_at, None
            self.transcript.show_seq(seq)
            self._read(seq)

    def _show_seq(self, seq: int) -> None:
        if self.transcript.show_seq(seq):
            self._read(seq)
        else:
            self._flash_at = seq
            self.pager.open(self.pager.session, seq)

    def _read(self, seq: int) -> None:
        """Put the keyboard on the turn that a place named, with the words that led there marked."""
        if not self._is_read_next or self._session is None:
            return
        self._is_read_next = False
        self.transcript.setFocus(Qt.FocusReason.OtherFocusReason)
        if self._words:
            if self.find_bar.isVisible():
                self.find_bar.close_bar()
            self._find_asked += 1
            self.transcript.mark(self._words)
            self.transcript.show_seq(seq)
            self.bridge.start(self._find_words(self._session.id, seq, self._find_asked))

    async def _find_words(self, session: str, seq: int, asked: int) -> None:
        """Learn which turns have the marked words, to go from one to the next."""
        found = await asyncio.gather(
            *(self.bridge.call("session.find", session=session, text=word, limit=FIND_LIMIT) for word in self._words)
        )
        if isValid(self) and asked == self._find_asked:
            texts = {message.seq: message.content for message in self.pager.messages}
            turns = {one for seqs in found for one in seqs if one not in texts or has_word(texts[one], self._words)}
            self.find_bar.set_shown(sorted(turns | {seq}), seq)

    def _on_listing_loaded(self) -> None:
        nothing = not self.listing.model.ids and not self.listing.filtered and not self._draft
        self._whole.setCurrentWidget(self._empty if nothing else self._split)
        if nothing:
            return
        if self._session is None and not self._opening and not self._draft:
            self.listing.list.choose_row(0)
        elif self._opening and self._session is None and not self._choice.isActive():
            self._open_restored(self._opening)

    def _open_restored(self, session: str) -> None:
        """Open the conversation that was open last time, or the first when it is gone."""
        self._opening = ""
        if self.listing.model.row_of(session) >= 0:
            self._open(session)
        else:
            self.listing.list.choose_row(0)

    def _on_rows_chosen(self, session: str) -> None:
        del session
        self._choice.start()

    def _on_choice_timeout(self) -> None:
        """Open the row one came to rest on, not each one passed with the arrow key held down."""
        rows = self.listing.list
        if rows.selected_count > 1:
            return
        if rows.selected_count == 1 and (last := rows.selected_ids()[0]) != rows.current_id():
            rows.choose(last, quiet=True)
        session = rows.current_id()
        if session and (self._session is None or self._session.id != session):
            self._open(session)
            self.navigate.emit(Place(self.name, session, title=str(self.listing.list.currentIndex().data() or "")))

    def _show_right(self) -> None:
        """Show the open conversation, or a summary while several are selected."""
        page: QWidget = self._reading if self._draft or self._session is not None else self._nothing_chosen
        if self.listing.list.selected_count > 1:
            page = self._summary
        self._right.setCurrentWidget(page)

    def _on_rows_selection_changed(self, count: int) -> None:
        if count > 1:
            heading = self.tr("{count} conversations selected").format(count=format_number(count))
            self._summary.show_selection(heading, count, self.listing.list.selected_titles(SHOWN))
        elif self._right.currentWidget() is self._summary:
            self._choice.start()
        if count > 1 or self._right.currentWidget() is self._summary:
            self._show_right()
            self.registry.refresh()

    def _on_summary_cleared(self) -> None:
        rows = self.listing.list
        self.listing.choose(self._session.id if self._session is not None else rows.current_id())
        rows.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_rows_opened(self, session: str) -> None:
        self._open(session)
        self.transcript.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_head_date_requested(self, day: QDate) -> None:
        if self._session is not None:
            moment = datetime(day.year(), day.month(), day.day()).astimezone()
            self.bridge.start(self._go_to_date(self._session.id, moment))

    async def _go_to_date(self, session: str, moment: datetime) -> None:
        seq = await self.bridge.call("session.at", session=session, when=moment)
        if not isValid(self) or self._session is None or self._session.id != session:
            return
        if seq is None:
            self.transcript.go_to_last()
        else:
            self._show_seq(seq)

    # --- finding ---

    def _open_finder(self) -> None:
        if self._session is not None:
            self.find_bar.open_bar(self.transcript.selected_text())

    def _on_finder_requested(self, term: str) -> None:
        self._find_asked += 1
        self.transcript.mark(term)
        if term and self._session is not None:
            self.bridge.start(self._find(self._session.id, term, self._find_asked))
        else:
            self.find_bar.set_found([], None)

    async def _find(self, session: str, term: str, asked: int) -> None:
        seqs = await self.bridge.call("session.find", session=session, text=term, limit=FIND_LIMIT)
        if isValid(self) and asked == self._find_asked:
            self.find_bar.set_found(seqs, self.transcript.top_seq())
            if seqs:
                self.find_bar.go_next()

    def _on_transcript_match_requested(self, step: int) -> None:
        if step > 0:
            self.find_bar.go_next()
        else:
            self.find_bar.go_previous()

    def _on_finder_went(self, seq: int) -> None:
        self._show_seq(seq)

    def _on_finder_closed(self) -> None:
        self._find_asked += 1
        self.transcript.mark("")
        self.transcript.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- changing ---

    def _on_head_renamed(self, title: str) -> None:
        if self._session is not None:
            self.bridge.start(self._rename(self._session, title))

    async def _rename(self, session: Session, title: str) -> None:
        try:
            reply = await self.bridge.reply("session.rename", session=session.id, title=title)
        except KeepsakeError as error:
            self.show_error(error)
            self.header.show_session(session)
            return
        if isValid(self):
            self.listing.model.put([reply.value])
            self.show_result(self.tr("Renamed to ‘{title}’"), title, reply, self.tr("rename conversation"))

    def _can_forget(self) -> bool:
        return self._session is not None or self.listing.list.selected_count > 1

    def _forget_chosen(self) -> None:
        rows = self.listing.list
        if rows.selected_count > 1:
            self._on_rows_delete_requested(rows.selected_ids())
        else:
            self._forget_current()

    def _forget_current(self) -> None:
        if self._session is not None:
            self._on_rows_delete_requested([self._session.id])

    def _on_rows_delete_requested(self, ids: list[str]) -> None:
        neighbour = self.listing.list.neighbour(ids)
        self.bridge.start(self._forget(ids, neighbour))

    async def _forget(self, ids: list[str], neighbour: str) -> None:
        history: list[int] = []
        titles: list[str] = []
        try:
            for session in ids:
                reply = await self.bridge.reply("session.forget", session=session)
                history += history_of(reply)
                titles.append(reply.value.label or self.tr("Untitled conversation"))
        except KeepsakeError as error:
            self.show_error(error)
        if not isValid(self) or not titles:
            return
        if neighbour:
            self.listing.list.choose(neighbour)
        one = self.tr("Forgot ‘{title}’").format(title=excerpt(titles[0], 60))
        words = one if len(titles) == 1 else self.tr("Forgot {count} conversations").format(count=len(titles))
        self.show_notice(words, tuple(history))

    def _on_rows_rename_requested(self, session: str) -> None:
        self._open(session)
        self.header.edit_title()

    def _on_composer_sent(self, text: str) -> None:
        self.bridge.start(self._append(text, self._session))

    async def _append(self, text: str, session: Session | None) -> None:
        message = NewMessage("user", text)
        try:
            if session is None:
                title = excerpt(text.partition("\n")[0], 60)
                done = await self.bridge.call("session.append", messages=[message], title=title, channel=SELF)
            else:
                done = await self.bridge.call("session.append", messages=[message], session=session.id)
        except KeepsakeError as error:
            if isValid(self):
                self.composer.retry()
                self.show_error(error)
            return
        if not isValid(self):
            return
        self.composer.clear()
        if session is None:
            self._draft = False
            self.listing.choose(done.session_id)
            self._open(done.session_id)
        elif self.pager.at_end:
            self.transcript.scroll_to_end()
        else:
            self.transcript.go_to_last()

    # --- menus, links, failures ---

    def _on_rows_menu_requested(self, ids: list[str], where: QPoint) -> None:
        link: list[Entry] = []
        changing: list[Entry] = []
        forget = self.tr("Forget {count} conversations").format(count=len(ids))
        if len(ids) == 1:
            link = [(self.tr("Copy link"), partial(self.copy_link, Place(self.name, ids[0])))]
            changing = [(self.tr("Rename"), partial(self._on_rows_rename_requested, ids[0]))]
            forget = self.tr("Forget")
        changing.append((forget, partial(self._on_rows_delete_requested, ids)))
        open_menu(self, where, [link, changing])

    def _on_transcript_menu_requested(self, message: Message, where: QPoint) -> None:
        copying: list[Entry] = []
        if selected := self.transcript.selected_text():
            copying = [(self.tr("Copy selection"), partial(copy_text, selected))]
        quoted = "\n".join(f"> {line}" for line in message.content.split("\n"))
        place = Place(self.name, message.session_id, str(message.seq))
        copying += [
            (self.tr("Copy message"), partial(copy_text, message.content)),
            (self.tr("Copy as quotation"), partial(copy_text, quoted)),
            (self.tr("Copy link to message"), partial(self.copy_link, place)),
        ]
        open_menu(self, where, [copying])

    def _on_empty_requested(self) -> None:
        self.registry.run("file.import")
