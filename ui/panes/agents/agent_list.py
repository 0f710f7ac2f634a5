"""The list of agents."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.agents.model import Incognito
from app.errors import KeepsakeError
from ui import operations, theme
from ui.engine_texts import error_text
from ui.models.cards import Card
from ui.models.id_list_model import IdListModel
from ui.panes.agents.agent_labels import agent_badges, seen_words
from ui.style.design_tokens import Space
from ui.widgets.button import icon_button
from ui.widgets.lists.list_view import CardList
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.agents.model import Agent
    from ui.bridge import Bridge


class AgentList(QWidget):
    """Every agent, those with access first."""

    loaded = Signal()
    """The agents arrived."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._request = 0
        self._agents: dict[str, Agent] = {}
        self._connected: set[str] = set()
        self.incognito = Incognito()
        self.model = IdListModel(self._rows, bridge.start, self._card, self)
        self.new = icon_button("plus", self.tr("Add an agent"), tint="accent", parent=self)
        self.connect_new = icon_button("plug", self.tr("Connect a program"), tint="accent", parent=self)
        self.list = CardList(self.tr("Agents"), self)
        self.list.set_source(self.model)
        self.list.retried.connect(self.load)
        heading = PlainLabel(self.tr("Agents"), self)
        theme.set_type(heading, "strong")
        head = QHBoxLayout()
        head.setContentsMargins(Space.L, Space.M, Space.S, Space.S)
        head.addWidget(heading, 1)
        head.addWidget(self.connect_new)
        head.addWidget(self.new)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)

    def agent(self, identity: str) -> "Agent | None":
        """Return an agent of the list."""
        return self._agents.get(identity)

    @property
    def agents(self) -> "list[Agent]":
        """Every agent of the list."""
        return list(self._agents.values())

    def load(self) -> None:
        """Fetch the agents again; the old ones show until they arrive."""
        self._request += 1
        self._work.refresh(self._load(self._request))

    async def _load(self, request: int) -> None:
        try:
            found: list[Agent] = await self._bridge.call(operations.agent.list())
            connected = await self._bridge.call(operations.agent.connected())
            incognito = await self._bridge.call(operations.agent.incognito.get())
        except KeepsakeError as error:
            if request == self._request and not self.list.show_failure(error_text(error)):
                self.failed.emit(error)
            return
        if request != self._request:
            return
        ordered = sorted(found, key=lambda one: (one.revoked_at is not None, one.name.casefold()))
        self._agents = {one.id: one for one in ordered}
        self._connected = {one.id for one in connected}
        self.incognito = incognito
        self.list.clear_failure()
        self.model.set_ids(self._agents)
        self.model.put(ordered)
        self.loaded.emit()

    async def _rows(self, ids: list[str]) -> "Sequence[Agent]":
        return [self._agents[one] for one in ids if one in self._agents]

    def _card(self, row: "Agent") -> Card:
        is_here = row.id in self._connected
        seen = self.tr("Connected now") if is_here else seen_words(row, datetime.now(UTC))
        return Card(
            row.name, seen, badges=agent_badges(row), icon="bot", marked=is_here, faded=row.revoked_at is not None
        )
