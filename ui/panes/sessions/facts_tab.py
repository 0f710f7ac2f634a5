"""The facts that were drawn from a conversation, each with the messages that say so."""

from collections import deque
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from app.errors import KeepsakeError
from ui import operations
from ui.engine_texts import error_text
from ui.models.dates import format_number
from ui.panes.name_lookup import NameLookup
from ui.panes.sessions.fact_card import FactCard
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.empty_state import EmptyState
from ui.widgets.page_area import PageArea
from ui.widgets.plain_text import PlainLabel
from ui.widgets.reading_column import ReadingColumn

if TYPE_CHECKING:
    from app.memories.model import SessionMemory
    from ui.bridge import Bridge, TypedReply
    from ui.typed_call import TypedCall

PAGE = 50
AT_ONCE = 1
"""Cards that are made in one turn of the event loop, so that keys and clicks come through."""
WIDTH = 820

Tell = Callable[[str, str, "TypedReply[object]"], None]


class FactsTab(QWidget):
    """Cards of what is remembered of a conversation.

    Args:
        bridge: The way to the engine.
        do: Runs work in the background and reports its failure.
        tell: Tells what was done, with what undoes it.
        parent: Its parent.
    """

    message_requested = Signal(int)
    """Show the message of this number."""
    name_requested = Signal(str)
    """Show the page of the entity of this id."""
    memory_requested = Signal(str)
    """Show the memory of this id."""
    counted = Signal(str, object)
    """Number of shown facts that were drawn from a conversation."""
    draw_requested = Signal()
    """Draw the facts of the conversation now."""

    def __init__(
        self,
        bridge: "Bridge",
        do: Callable[[Coroutine[Any, Any, None]], None],
        tell: Tell,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._do = do
        self._tell = tell
        self._session = ""
        self._limit = PAGE
        self._waiting: deque[tuple[int, SessionMemory]] = deque()
        self.cards: list[FactCard] = []
        self._unnamed: deque[FactCard] = deque()
        self._refocused = -1
        self._names = NameLookup(bridge, self)
        self._names.found.connect(self._on_names_found)
        self._names.renewed.connect(self._on_names_renewed)
        self._builder = QTimer(self, interval=0)
        self._builder.timeout.connect(self._on_builder_timeout)
        self.about = PlainLabel("", self, style="body muted", wraps=True)
        self.more = text_button(self.tr("Show more"), "quiet", parent=self)
        self.more.hide()
        self.more.clicked.connect(self._on_more_clicked)
        self.empty = EmptyState(
            "lightbulb",
            self.tr("No facts were drawn from it yet"),
            self.tr(
                "Keepsake reads conversations when they have come to rest, and keeps what lasts: each fact with the"
                " message that says so."
            ),
            self.tr("Draw facts from it now"),
            parent=self,
        )
        self.empty.triggered.connect(self.draw_requested)
        self.empty.retried.connect(self._on_empty_retried)
        self._arrange()

    def _arrange(self) -> None:
        page = QWidget(self)
        self._column = vbox(margins=0, spacing=Space.S)
        column = QVBoxLayout()
        column.setContentsMargins(Space.XL, Space.L, Space.XL, Space.L)
        column.setSpacing(Space.M)
        column.addWidget(self.about)
        column.addLayout(self._column)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeading)
        column.addStretch(1)
        ReadingColumn(column, page, WIDTH)
        self._area = PageArea(self)
        self._area.setWidget(page)
        # A scroll area fills what it holds with the window's ground.
        self._area.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._area)
        self._stack.addWidget(self.empty)
        vbox(self._stack, parent=self, margins=0)

    def load(self, session: str) -> None:
        """Show the facts of a conversation."""
        if session != self._session:
            self._limit = PAGE
            self.empty.show_loading()
            self._stack.setCurrentWidget(self.empty)
        self._session = session
        self._do(self._load(session))

    async def _load(self, session: str) -> None:
        try:
            memories: list[SessionMemory] = await self._bridge.call(
                operations.session.memories(session=session, limit=self._limit + 1)
            )
        except KeepsakeError as error:
            if session == self._session:
                self._show_failure(error)
            return
        if session != self._session:
            return
        self.counted.emit(session, len(memories))
        self.more.setVisible(len(memories) > self._limit)
        memories = memories[: self._limit]
        self.empty.show_nothing()
        self._stack.setCurrentWidget(self._area if memories else self.empty)
        count = format_number(len(memories)) + ("+" if not self.more.isHidden() else "")
        self.about.setText(
            self.tr("{n} drawn from this conversation. A line below each shows the message that says so.").format(
                n=count
            )
        )
        self._show(memories)

    def _show_failure(self, error: KeepsakeError) -> None:
        """Say what went wrong: in the place of the facts where none are shown."""
        if self._stack.currentWidget() is self._area:
            raise error
        self.empty.show_failed(error_text(error))

    def _on_empty_retried(self) -> None:
        self.empty.show_loading()
        self._do(self._load(self._session))

    def _show(self, memories: "list[SessionMemory]") -> None:
        """Show cards, keeping those whose fact is as it was."""
        fresh = {item.memory.id: item for item in memories}
        focused: QWidget | None = QApplication.focusWidget()
        cards: list[FactCard] = []
        for place, card in enumerate(self.cards):
            if fresh.get(card.found.memory.id) == card.found:
                cards.append(card)
                continue
            if focused is not None and card.isAncestorOf(focused):
                # The card that takes its place takes the keyboard too.
                self._refocused = min(place, len(memories) - 1)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = cards
        known = {card.found.memory.id for card in cards}
        self._waiting = deque((place, item) for place, item in enumerate(memories) if item.memory.id not in known)
        self._names.want(item.memory.id for item in memories)
        self._on_builder_timeout()
        if self._waiting:
            self._builder.start()

    def _on_builder_timeout(self) -> None:
        """Add a few new cards; the rest follows when the event loop comes round again."""
        count = 0
        while self._waiting and count < AT_ONCE:
            count += 1
            place, memory = self._waiting.popleft()
            card = self._make(memory)
            card.show_names(self._names.names(memory.memory.id))
            self._column.insertWidget(place, card)
            self.cards.insert(place, card)
        if 0 <= self._refocused < len(self.cards):
            self.cards[self._refocused].open.setFocus(Qt.FocusReason.OtherFocusReason)
            self._refocused = -1
        while self._unnamed and count < AT_ONCE:
            count += 1
            named = self._unnamed.popleft()
            if named in self.cards:
                named.show_names(self._names.names(named.found.memory.id))
        if not self._waiting and not self._unnamed:
            self._builder.stop()

    def _make(self, item: "SessionMemory") -> FactCard:
        card = FactCard(item, self._area.widget())
        card.quote_opened.connect(self.message_requested)
        card.name_opened.connect(self.name_requested)
        card.opened.connect(self.memory_requested)
        card.confirmed.connect(self._on_card_confirmed)
        card.corrected.connect(self._on_card_corrected)
        card.forgotten.connect(self._on_card_forgotten)
        return card

    async def _change(self, words: str, identity: str, call: "TypedCall[object]") -> None:
        title = next((card.found.memory.content for card in self.cards if card.found.memory.id == identity), "")
        reply = await self._bridge.reply(call)
        self._tell(words, title, reply)
        await self._load(self._session)

    def _on_card_confirmed(self, identity: str) -> None:
        words = self.tr("Confirmed ‘{title}’")
        self._do(self._change(words, identity, operations.fact.confirm(id=identity)))

    def _on_card_corrected(self, identity: str, right: str) -> None:
        words = self.tr("Corrected ‘{title}’")
        self._do(self._change(words, identity, operations.fact.correct(id=identity, content=right)))

    def _on_card_forgotten(self, identity: str) -> None:
        kind = next((card.found.memory.kind for card in self.cards if card.found.memory.id == identity), "fact")
        call = operations.fact.forget(id=identity) if kind == "fact" else operations.note.delete(id=identity)
        self._do(self._change(self.tr("Deleted ‘{title}’"), identity, call))

    def _on_names_found(self, owners: object) -> None:
        if isinstance(owners, set):
            self._unnamed.extend(card for card in self.cards if card.found.memory.id in owners)
            self._builder.start()

    def _on_names_renewed(self) -> None:
        self._names.want(card.found.memory.id for card in self.cards)

    def _on_more_clicked(self) -> None:
        self._limit += PAGE
        self._do(self._load(self._session))
