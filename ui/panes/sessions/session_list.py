"""The list of conversations: filter, agent, order, and one row for each."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.core.text import without_markup
from app.errors import KeepsakeError
from app.sessions.model import Session, SessionFilter
from ui.models.cards import Badge, Card
from ui.models.dates import format_number, short_span
from ui.models.id_list_model import IdListModel
from ui.style.tokens import Space
from ui.widgets.lists.list_view import CardList
from ui.widgets.lists.sort_menu import SortMenu
from ui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.core.facets import Facet
    from ui.bridge import Bridge


class SessionList(QWidget):
    """Conversations, as many as there are.

    Args:
        bridge: The door to the engine.
        parent: Its parent.
    """

    loaded = Signal()
    """Another list of ids is shown."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._asked = 0
        self._pending = False
        self._wanted = ""
        self.model = IdListModel(self._rows, bridge.start, self._card, self)
        self.filter = SearchBox(self.tr("Filter conversations"), self.tr("Filter by title or agent"), parent=self)
        self.filter.searched.connect(self.load)
        self._agents = QComboBox(self)
        self._agents.setAccessibleName(self.tr("Agent"))
        self._agents.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._agents.addItem(self.tr("All agents"), "")
        self._agents.activated.connect(self.load)
        self._agents.hide()
        self._sorting = self._make_orders()
        self._sorting.changed.connect(self.load)
        self._sorting.menu.addSeparator()
        self._only_pending = self._sorting.menu.addAction(self.tr("Only those waiting to be consolidated"))
        self._only_pending.setCheckable(True)
        self._only_pending.toggled.connect(self._on_only_pending_toggled)
        self.list = CardList(self.tr("Conversations"), self)
        self.list.set_source(self.model)
        self.filter.stepped_down.connect(self._on_filter_stepped_down)
        self.model.failed.connect(self.failed)
        self._soon = QTimer(self, singleShot=True, interval=200)
        self._soon.timeout.connect(self.load)
        self._arrange()

    @property
    def filtered(self) -> bool:
        """Whether something is left out."""
        return bool(self.filter.text() or self._agents.currentData() or self._pending)

    @property
    def state(self) -> dict[str, Any]:
        """What is worth keeping."""
        return {"order": self._sorting.current}

    def restore(self, state: dict[str, Any]) -> None:
        """Apply what ``state`` gave."""
        self._sorting.restore(state.get("order"))

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """What takes the keyboard, as one reads."""
        return self.filter, self._sorting.button, self._agents, self.list

    def load(self) -> None:
        """Fetch the ids anew; the old list shows until they arrive."""
        self._asked += 1
        chosen = SessionFilter(
            text=self.filter.text().strip(),
            agent=self._agents.currentData() or "",
            pending=True if self._pending else None,
        )
        self._bridge.start(self._load(chosen, self._asked))

    def load_soon(self) -> None:
        """Fetch anew when a burst of changes is over."""
        self._soon.start()

    def choose(self, session: str) -> None:
        """Make ``session`` current, now or when the list with it has arrived."""
        self._wanted = "" if self.list.choose(session, quiet=True) else session

    def clear_filters(self) -> None:
        """Show everything."""
        self.filter.set_text_quietly("")
        self._agents.setCurrentIndex(0)
        self._only_pending.setChecked(False)
        self._pending = False
        self.load()

    def _arrange(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(Space.XS)
        first.addWidget(self.filter, 1)
        first.addWidget(self._sorting.button)
        head = QVBoxLayout()
        head.setContentsMargins(Space.M, Space.M, Space.S, Space.S)
        head.setSpacing(Space.S)
        head.addLayout(first)
        head.addWidget(self._agents)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)

    def _make_orders(self) -> SortMenu:
        orders = (
            ("recent", self.tr("Newest first")),
            ("oldest", self.tr("Oldest first")),
            ("title", self.tr("By title")),
            ("messages", self.tr("Longest first")),
        )
        return SortMenu(self.tr("Order and filters"), orders, self)

    async def _rows(self, ids: list[str]) -> "Sequence[Session]":
        rows: list[Session] = await self._bridge.call("session.rows", ids=ids)
        return rows

    async def _load(self, chosen: SessionFilter, asked: int) -> None:
        try:
            ids = await self._bridge.call("session.ids", filter=chosen, order=self._sorting.current)
            agents = await self._bridge.call("session.agents")
        except KeepsakeError as error:
            if isValid(self) and asked == self._asked:
                self.failed.emit(error)
            return
        if not isValid(self) or asked != self._asked:
            return
        self._show_agents(agents)
        self.list.set_empty_text(self.tr("No conversation fits this filter.") if self.filtered else "")
        self.model.set_ids(ids)
        if self._wanted:
            self.choose(self._wanted)
        self.loaded.emit()

    def _show_agents(self, agents: "Iterable[Facet]") -> None:
        named = [agent for agent in agents if agent.name]
        current = self._agents.currentData()
        known = [self._agents.itemData(row) for row in range(1, self._agents.count())]
        if known != [agent.name for agent in named]:
            self._agents.clear()
            self._agents.addItem(self.tr("All agents"), "")
            for agent in named:
                self._agents.addItem(agent.name, agent.name)
            self._agents.setCurrentIndex(max(0, self._agents.findData(current)))
        for row, agent in enumerate(named, 1):
            self._agents.setItemText(row, f"{agent.name}  ({format_number(agent.count)})")
        self._agents.setVisible(len(named) > 1)

    def _card(self, session: Session) -> Card:
        badges = [Badge(format_number(session.message_count), icon="message-square")]
        if session.agent:
            badges.insert(0, Badge(session.agent, "accent"))
        title = session.label or self.tr("Untitled conversation")
        words = without_markup(session.preview)
        if not session.title:
            # The second line goes on where the first words end.
            begun = session.label.removesuffix("…")
            words = words.removeprefix(begun).strip()
        pending = session.consolidated_at is None
        when = short_span(session.created_at, session.updated_at, datetime.now(UTC))
        spoken = self.tr("{title}, {agent}, {count} messages, {when}").format(
            title=title, agent=session.agent or self.tr("no agent"), count=session.message_count, when=when
        )
        if pending:
            spoken += ", " + self.tr("not yet consolidated")
        return Card(title, words, when, tuple(badges), marked=pending, spoken=spoken)

    def _on_only_pending_toggled(self, on: bool) -> None:
        self._pending = on
        self.load()

    def _on_filter_stepped_down(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
