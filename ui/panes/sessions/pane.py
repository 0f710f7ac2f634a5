"""The Sessions pane: conversations at the left, the chosen one at the right."""

import asyncio
from datetime import datetime
from functools import partial
from itertools import compress, pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QDate, QPoint, QSize, Qt
from PySide6.QtWidgets import QMenu, QWidget

from app.changes import Area
from app.core.text import excerpt
from app.errors import KeepsakeError, NotFoundError
from app.sessions.model import Message, NewMessage, Session
from ui import operations
from ui.actions import Action, Slot
from ui.panes.attachment_opener import AttachmentOpener
from ui.panes.attachment_reader import read_attachment
from ui.panes.list_pane import RELOAD_MS, ListPane
from ui.panes.name_lookup import NameLookup
from ui.panes.pane import Place
from ui.panes.pane_commands import pane_actions
from ui.panes.pane_state import bytes_of, pack, unpack
from ui.panes.reading_pane import TITLE, copy_text, set_tab_chain
from ui.panes.sessions.composer import Composer
from ui.panes.sessions.conversation_tabs import ConversationTabs
from ui.panes.sessions.find_bar import FindBar
from ui.panes.sessions.header import SessionHeader
from ui.panes.sessions.session_actions import SessionActions
from ui.panes.sessions.session_list import SessionList
from ui.panes.sessions.session_search import SessionSearch
from ui.panes.sessions.session_work import SessionFormat
from ui.panes.sessions.transcript.message_pager import MessagePager
from ui.panes.sessions.transcript.transcript import Transcript
from ui.widgets.box_layouts import vbox
from ui.widgets.context_menu import Entry, open_menu
from ui.widgets.empty_state import EmptyState
from ui.widgets.splitter import hairline
from ui.widgets.text.name_links import entity_of
from ui.widgets.text.picture_cache import PictureCache

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.attachments.model import Attachment
    from app.changes import ChangeSet
    from ui.actions import Actions
    from ui.bridge import Bridge

AREAS: frozenset[Area] = frozenset({"sessions", "messages"})
SELF = "self"
LARGEST_PICTURE = QSize(760, 560)
"""Pixels of a picture in a message."""
MOST_NAMES = 8
"""People and things of a message that its menu offers."""


class SessionsPane(ListPane):
    """Browse, read, search, rename, delete and write conversations."""

    name = "sessions"
    title = str(QT_TRANSLATE_NOOP("Panes", "Sessions"))
    icon = "message-square"
    listing: SessionList

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._session: Session | None = None
        self._opening = ""
        self._restored = ""  # the conversation that was open last time, until the list is there
        self._draft = False
        self._places: dict[str, int] = {}
        self.listing = SessionList(bridge, self)
        self.pager = MessagePager(bridge, self)
        self.transcript = Transcript(self.pager, NameLookup(bridge, self), self)
        self.pictures = PictureCache(
            self.work.refresh, self._locate, partial(read_attachment, bridge), self, largest=LARGEST_PICTURE
        )
        self.transcript.set_pictures(self.pictures)
        self._opener = AttachmentOpener(bridge, self)
        self.header = SessionHeader(bridge, self)
        self.find_bar = FindBar(self)
        self.composer = Composer(self)
        self._words: tuple[str, ...] = ()
        self._is_read_next = False
        self._flash_at: int | None = None
        self._actions = SessionActions(self, self.listing)
        self._summary = self._actions.summary
        self._search = SessionSearch(bridge, self.find_bar, self.transcript, self.pager, self)
        self._arrange()
        self._connect()
        self.work.on_areas(AREAS, self.listing.load, RELOAD_MS, self)
        set_tab_chain(*self.listing.tab_chain, *self.header.tab_chain, self.transcript, self.composer.field)

    # --- what the frame calls ---

    def open_place(self, place: Place) -> None:
        """Open a conversation, at a message when the place names one."""
        seq = int(place.extra) if place.extra.isdecimal() else None
        if seq is not None:
            self.tabs.show_messages()
        if place.id:
            self.listing.drop_restored()
            self.listing.choose(place.id)
            self._words = place.words
            self._is_read_next = seq is not None
            self._open_item(place.id, seq)

    def current_place(self) -> Place:
        """Return the open conversation."""
        if self._session is None:
            return Place(self.name)
        return Place(self.name, self._session.id, title=self._session.label)

    def commands(self) -> list[Action]:
        """Return what can be done here."""
        work = self._actions.work
        slots: dict[str, Slot] = {
            "sessions.new": self.new_session,
            "sessions.filter": self.listing.filter.setFocus,
            "sessions.find": self._find,
            "sessions.next": self.find_bar.go_next,
            "sessions.previous": self.find_bar.go_previous,
            "sessions.first": self.transcript.go_to_first,
            "sessions.last": self.transcript.go_to_last,
            "sessions.facts": self._draw_facts,
            "sessions.summarise": partial(self._with_open, work.summarise),
            "sessions.compact": partial(self._with_open, work.compact),
            "sessions.markdown": partial(self._with_open, partial(self._export, "markdown")),
            "sessions.jsonl": partial(self._with_open, partial(self._export, "jsonl")),
            "sessions.rename": self.header.edit_title,
            "sessions.forget": self._delete_selected,
        }
        enabled = dict.fromkeys(slots.keys() - {"sessions.new", "sessions.filter"}, self._has_session)
        return pane_actions(self.name, slots, enabled | {"sessions.forget": self._can_delete})

    def regions(self) -> list[QWidget]:
        """Return list, transcript and composer."""
        if self._empty.isVisible():
            return [self._empty]
        parts: list[QWidget] = [self.listing.list, self.transcript]
        return [*parts, self.composer.field] if self.composer.isVisible() else parts

    def refresh(self, changes: "ChangeSet") -> None:
        """Follow new messages, new titles and deleted conversations."""
        if "memories" in changes.areas:
            # Facts came, changed or went: their number stands in the rows.
            self.listing.model.invalidate([self._open_id()])
            self.tabs.refresh_facts()
        if not changes.areas & AREAS:
            return
        self._reload_list(changes)
        if self._session is not None and (not changes.ids or self._session.id in changes.ids):
            self.work.refresh(self._refresh_head(self._session.id))
            self.pager.follow()
            self.tabs.refresh()

    def save_state(self) -> bytes:
        """Return widths, order and the open conversation."""
        opened = self._session.id if self._session else ""
        return pack({"split": self._splitter.state(), "opened": opened, **self.listing.state})

    def restore_state(self, state: bytes) -> None:
        """Apply what ``save_state`` returned."""
        values = unpack(state)
        self._splitter.restore(bytes_of(values, "split"))
        self.listing.restore(values)
        if opened := str(values.get("opened") or ""):
            self._restored = opened
            self.listing.choose(opened)

    # --- building ---

    def _arrange(self) -> None:
        reading = QWidget(self)
        column = vbox(parent=reading, margins=0, spacing=0)
        reading.setObjectName("sheet")
        messages = QWidget(reading)
        vbox(self.find_bar, (self.transcript, 1), self.composer, parent=messages, margins=0, spacing=0)
        self.tabs = ConversationTabs(messages, self.bridge, self.do, self.show_result, reading)
        for widget in (self.header, hairline(reading)):
            column.addWidget(widget)
        column.addWidget(self.tabs, 1)
        self.composer.hide()
        self._nothing_chosen = EmptyState(
            "message-square",
            self.tr("Choose a conversation"),
            self.tr("What was said in it appears here. Ctrl+F finds words in it."),
            parent=self,
        )
        self._set_sides(320, self._nothing_chosen, reading, self._summary, sizes=(900, 320))
        self._reading = reading
        self._empty = EmptyState(
            "messages-square",
            self.tr("No conversations yet"),
            self.tr(
                "Import what you said to ChatGPT, Claude or another program, connect an agent, "
                "or begin one with yourself. Everything stays on this machine."
            ),
            self.tr("Import conversations…"),
            hint=self.tr("Ctrl+Shift+O begins a conversation with yourself."),
            parent=self,
        )
        self._whole.addWidget(self._empty)

    async def _locate(self, link: str) -> "Attachment":
        attachment: Attachment = await self.bridge.call(operations.attachment.locate(link=link))
        return attachment

    def _connect(self) -> None:
        rows = self.listing.list
        self.transcript.attachment_clicked.connect(self._opener.open)
        self._opener.failed.connect(self.show_error)
        rows.opened.connect(self._on_rows_opened)
        rows.rename_requested.connect(self._on_rows_rename_requested)
        self._actions.rename_requested.connect(self._on_rows_rename_requested)
        self._actions.head_requested.connect(self._on_head_requested)
        self.tabs.facts.counted.connect(self.header.show_drawn)
        self._search.reached.connect(self._show_seq)
        rows.selection_changed.connect(self._on_rows_selection_changed)
        self._summary.cleared.connect(self._on_summary_cleared)
        self.listing.new.clicked.connect(self.new_session)
        self.pager.failed.connect(self._on_pager_failed)
        self.pager.replaced.connect(self._on_pager_replaced)
        self.header.renamed.connect(self._on_header_renamed)
        self.header.title.left.connect(self.focus_first)
        self.header.project_chosen.connect(self._on_header_project_chosen)
        self.header.project.left.connect(self.focus_first)
        self.header.find_requested.connect(self._find)
        self.header.first_requested.connect(self.transcript.go_to_first)
        self.header.last_requested.connect(self.transcript.go_to_last)
        self.header.delete_requested.connect(self._delete_open)
        self.header.date_requested.connect(self._on_header_date_requested)
        self.header.dates.days_requested.connect(self._on_dates_days_requested)
        self.composer.sent.connect(self._on_composer_sent)
        self.transcript.menu_requested.connect(self._on_transcript_menu_requested)
        self.transcript.wiki_clicked.connect(self.follow_wiki)
        self.transcript.tag_clicked.connect(self.follow_tag)
        self.transcript.link_clicked.connect(self.follow_link)
        self._empty.triggered.connect(self._on_empty_requested)
        self._connect_work()

    def _connect_work(self) -> None:
        work, tabs = self._actions.work, self.tabs
        work.changed.connect(self.header.show_work)
        tabs.facts.draw_requested.connect(self._draw_facts)
        tabs.facts.message_requested.connect(self._on_facts_message_requested)
        tabs.facts.name_requested.connect(self._on_facts_name_requested)
        tabs.facts.memory_requested.connect(self._on_facts_memory_requested)
        tabs.summary.roll_requested.connect(partial(self._with_open, work.summarise))
        tabs.summary.compact_requested.connect(partial(self._with_open, work.compact))
        self._menu = QMenu(self.header.more)
        self._menu.aboutToShow.connect(self._on_menu_about_to_show)
        self.header.more.setMenu(self._menu)

    def _with_open(self, run: "Callable[[Session], object]") -> None:
        """Do something with the open conversation."""
        if self._session is not None:
            run(self._session)

    def _draw_facts(self) -> None:
        if self._session is not None:
            self._actions.work.draw_facts([self._session])

    def _export(self, form: SessionFormat, session: Session) -> None:
        self._actions.work.export(session, form)

    def _on_menu_about_to_show(self) -> None:
        self._menu.clear()
        if (session := self._session) is None:
            return
        self._menu.addAction(self.tr("Draw facts from it now"), self._draw_facts)
        for title, run in self._actions.entries(session):
            self._menu.addAction(title, run)
        self._menu.addSeparator()
        self._menu.addAction(self.tr("Rename"), self.header.edit_title)
        self._menu.addAction(self.tr("Copy link"), partial(self.copy_link, Place(self.name, session.id)))

    def _on_facts_message_requested(self, seq: int) -> None:
        self.tabs.show_messages()
        self.transcript.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_seq(seq)
        if self._session is not None:
            self.navigate.emit(Place(self.name, self._session.id, str(seq), title=self._session.label))

    def _on_facts_name_requested(self, entity: str) -> None:
        self.navigate.emit(Place("graph", entity))

    def _on_facts_memory_requested(self, memory: str) -> None:
        self.navigate.emit(Place("notes", memory))

    def _find(self) -> None:
        self.tabs.show_messages()
        self._search.open_bar()

    # --- opening ---

    def new_session(self) -> None:
        """Begin a conversation with oneself; it exists from its first message on."""
        self._draft = True
        self._set_session(None)
        self._opening = self._restored = ""
        self._whole.setCurrentWidget(self._splitter)
        self.listing.list.clear_choice()
        self._show_right()
        self.pager.close()
        self.header.show_draft(self.tr("New conversation"), self.tr("It is kept once you write the first message."))
        self.composer.show()
        self.composer.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _set_session(self, session: Session | None) -> None:
        self._session = session
        self._search.set_session(self._open_id())
        self.tabs.show_session(self._open_id())

    def _has_session(self) -> bool:
        return self._session is not None

    def _open_item(self, identity: str, seq: int | None = None) -> None:
        """Show a conversation; what is shown stays until the other is there."""
        if self._session is not None and self._session.id == identity and self._opening in ("", identity):
            if seq is not None:
                self._show_seq(seq)
            return
        if self._session is not None and (top := self.transcript.top_seq()) is not None:
            self._places[self._session.id] = top
        self._draft = False
        self._opening, self._restored = identity, ""
        self.work.start(self._open_session(identity, seq))

    async def _open_session(self, session: str, seq: int | None) -> None:
        try:
            session_row = await self.bridge.call(operations.session.get(session=session))
        except KeepsakeError as error:
            if self._opening == session:
                self._opening = ""
                if isinstance(error, NotFoundError) and self.listing.model.row_of(session) >= 0:
                    self.listing.load()  # its row is older than its deletion
                else:
                    self.show_error(error)
            return
        if self._opening != session:
            return
        self._set_session(session_row)
        self.header.show_session(session_row, self.listing.facts_of(session_row.id))
        self.composer.setVisible(session_row.channel == SELF)
        self._show_right()
        self._search.close_bar()
        self.pager.open(session, seq if seq is not None else self._places.get(session))
        self._flash_at = seq
        if not (self._is_read_next and self._words):
            self.transcript.mark("")
        self.registry.refresh()

    async def _refresh_head(self, session: str) -> None:
        try:
            session_row = await self.bridge.call(operations.session.get(session=session))
        except NotFoundError:
            session_row = None
        if self._session is None or self._session.id != session:
            return
        if session_row is None:
            self._close()
        else:
            self._set_session(session_row)
            self.header.show_session(session_row, self.listing.facts_of(session_row.id))

    def _close(self) -> None:
        """Show no conversation: the one shown was deleted."""
        if self._opening == self._open_id():
            self._opening = ""
        self._set_session(None)
        self.pager.close()
        self.composer.hide()
        self._show_right()

    def _on_pager_failed(self, error: KeepsakeError) -> None:
        if not isinstance(error, NotFoundError):
            self.show_error(error)
        elif self._session is not None:
            # Deleted while it was read; the notice about that offers to undo it, where it can be undone.
            self.work.refresh(self._refresh_head(self._session.id))

    def _on_pager_replaced(self) -> None:
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
        """Put the keyboard on the message that a search led to, with its words marked."""
        if not self._is_read_next or self._session is None:
            return
        self._is_read_next = False
        self.transcript.setFocus(Qt.FocusReason.OtherFocusReason)
        if self._words:
            self._search.mark_words(self._words, seq)

    def _open_id(self) -> str:
        return self._session.id if self._session is not None else ""

    def _show_open(self) -> None:
        nothing = not self.listing.model.ids and not self.listing.filtered and not self._draft
        self._whole.setCurrentWidget(self._empty if nothing else self._splitter)
        if nothing:
            return
        if self._session is not None or self._opening or self._draft:
            return  # what is being opened may name a message, which the list knows nothing of
        if not self._restored:
            self.listing.list.choose_row(0)
        elif not self._choice.isActive():
            self._open_restored(self._restored)

    def _open_restored(self, session: str) -> None:
        """Open the conversation that was open last time, or the first when it is gone."""
        self._restored = ""
        if self.listing.model.row_of(session) >= 0:
            self._open_item(session)
        else:
            self.listing.list.choose_row(0)

    def _show_selection(self, count: int) -> None:
        self._actions.show_selection(count)

    def _show_right(self) -> None:
        page: QWidget = self._reading if self._draft or self._session is not None else self._nothing_chosen
        if self.listing.list.selected_count > 1:
            page = self._summary
        self._right.setCurrentWidget(page)
        self.registry.refresh()

    def _on_rows_opened(self, session: str) -> None:
        self._open_item(session)
        self.transcript.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_header_date_requested(self, day: QDate) -> None:
        if self._session is not None:
            self.work.start(self._go_to_date(self._session.id, _midnight(day)))

    def _on_dates_days_requested(self, first: QDate, last: QDate) -> None:
        if self._session is not None:
            days = [first.addDays(step) for step in range(first.daysTo(last) + 1)]
            self.work.refresh(self._mark_days(self._session.id, days))

    async def _mark_days(self, session: str, days: list[QDate]) -> None:
        """Mark the days of a session on which a message begins.

        There the next day begins with a later one.
        """
        moments = [_midnight(day) for day in (*days, days[-1].addDays(1))]
        starts = await asyncio.gather(
            *(self.bridge.call(operations.session.at(session=session, when=moment)) for moment in moments)
        )
        begun = (start != after for start, after in pairwise(starts))
        self.header.dates.mark_days(list(compress(days, begun)))

    async def _go_to_date(self, session: str, moment: datetime) -> None:
        seq = await self.bridge.call(operations.session.at(session=session, when=moment))
        if self._session is None or self._session.id != session:
            return
        if seq is None:
            self.transcript.go_to_last()
        else:
            self._show_seq(seq)

    # --- changing ---

    def _on_header_renamed(self, title: str) -> None:
        if self._session is not None:
            self._actions.rename(self._session, title)

    def _on_head_requested(self, session: Session) -> None:
        if self._open_id() == session.id:
            self.header.show_session(session, self.listing.facts_of(session.id))

    def _on_header_project_chosen(self, project: str) -> None:
        if self._session is not None:
            self._actions.set_project(self._session, project)

    def _can_delete(self) -> bool:
        return self._session is not None or self.listing.list.selected_count > 1

    def _delete_selected(self) -> None:
        rows = self.listing.list
        if rows.selected_count > 1:
            self._actions.delete(rows.selected_ids())
        else:
            self._delete_open()

    def _delete_open(self) -> None:
        if self._session is not None:
            self._actions.delete([self._session.id])

    def _on_rows_rename_requested(self, session: str) -> None:
        self._open_item(session)
        self.header.edit_title()

    def _on_composer_sent(self, text: str) -> None:
        self.work.start(self._append(text, self._session))

    async def _append(self, text: str, session: Session | None) -> None:
        message = NewMessage("user", text)
        try:
            if session is None:
                title = excerpt(text.partition("\n")[0], 60)
                done = await self.bridge.call(operations.session.append(messages=[message], title=title, channel=SELF))
            else:
                done = await self.bridge.call(operations.session.append(messages=[message], session=session.id))
        except KeepsakeError as error:
            self.composer.retry()
            self.show_error(error)
            return
        self.composer.clear()
        if session is None:
            self._draft = False
            self.listing.choose(done.session_id)
            self._open_item(done.session_id)
        elif self.pager.at_end:
            self.transcript.scroll_to_end()
        else:
            self.transcript.go_to_last()

    # --- menus, links, failures ---

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
        open_menu(self, where, [self._names_in(message), copying])

    def _names_in(self, message: Message) -> list[Entry]:
        """Return the entries that open pages of the people and things in a message."""
        pages = {link.href: link.words for link in self.transcript.links(message) if entity_of(link.href)}
        words = self.tr("Open the page of ‘{name}’")
        return [
            (words.format(name=excerpt(name, TITLE)), partial(self.follow_link, href))
            for href, name in list(pages.items())[:MOST_NAMES]
        ]

    def _on_empty_requested(self) -> None:
        self.registry.run("file.import")


def _midnight(day: QDate) -> datetime:
    """Return when a day begins in the zone of this machine."""
    return datetime(day.year(), day.month(), day.day()).astimezone()
