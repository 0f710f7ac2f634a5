"""The list of agents."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.agents.model import Incognito
from ui import operations
from ui.models.cards import Card
from ui.panes.agents.agent_labels import agent_badges, seen_words
from ui.panes.loading_list import LoadingList
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import icon_button
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.agents.model import Agent
    from ui.bridge import Bridge


class AgentList(LoadingList):
    """Every agent, those with access first."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self.list.setAccessibleName(self.tr("Agents"))
        self.agents: list[Agent] = []
        """Every agent of the list."""
        self._connected: set[str] = set()
        self.incognito = Incognito()
        self.new = icon_button("plus", self.tr("Add an agent"), tint="accent", parent=self)
        self.connect_new = icon_button("plug", self.tr("Connect a program"), tint="accent", parent=self)
        heading = PlainLabel(self.tr("Agents"), self, style="strong")
        head = hbox((heading, 1), self.connect_new, self.new, margins=(Space.L, Space.M, Space.S, Space.S))
        self._lay_out(head)

    def agent(self, identity: str) -> "Agent | None":
        """Return an agent of the list."""
        agent: Agent | None = self.model.value(identity)
        return agent

    async def _load(self) -> None:
        agents = await self._bridge.call(operations.agent.list())
        connected = await self._bridge.call(operations.agent.connected())
        self.incognito = await self._bridge.call(operations.agent.incognito.get())
        self.agents = sorted(agents, key=lambda agent: (agent.revoked_at is not None, agent.name.casefold()))
        self._connected = {agent.id for agent in connected}
        self.model.set_rows({agent.id: agent for agent in self.agents})

    def _card(self, row: "Agent") -> Card:
        is_here = row.id in self._connected
        seen = self.tr("Connected now") if is_here else seen_words(row, datetime.now(UTC))
        return Card(
            row.name, seen, badges=agent_badges(row), icon="bot", marked=is_here, faded=row.revoked_at is not None
        )
