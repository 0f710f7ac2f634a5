"""The list of the inbox: the report on last night, and the proposals of agents."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QComboBox, QWidget

from ui import operations
from ui.models.cards import Badge, Card
from ui.models.dates import short_date
from ui.panes.inbox.proposal_labels import headline, reason_of, state_words
from ui.panes.labels import kind_label
from ui.panes.loading_list import LoadingList
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox

if TYPE_CHECKING:
    from app.inbox.model import Proposal, ProposalState
    from ui.bridge import Bridge

LIMIT = 500
NIGHT = "night"
"""Id of the row about last night's work."""
STATES: Final["tuple[ProposalState, ...]"] = ("waiting", "accepted", "rejected", "expired")


class ProposalList(LoadingList):
    """Proposals of one state, newest first."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self.list.setAccessibleName(self.tr("Proposals"))
        self._night = ""
        self.is_loaded = False
        self._proposals: dict[str, Proposal] = {}
        self.states = QComboBox(self)
        self.states.setAccessibleName(self.tr("Proposals shown"))
        self.states.addItems([state_words(state) for state in STATES])
        self.states.currentIndexChanged.connect(self.load)
        head = vbox(self.states, margins=(Space.M, Space.M, Space.M, Space.S))
        self._lay_out(head)

    @property
    def state(self) -> "ProposalState":
        """The state of the proposals shown."""
        return STATES[self.states.currentIndex()]

    def proposal(self, identity: str) -> "Proposal | None":
        """Return a proposal of the list."""
        return self._proposals.get(identity)

    def show_night(self, summary: str) -> None:
        """Show, or hide with ``""``, the row about last night's work."""
        self._night = summary
        self._show()

    async def _load(self) -> None:
        proposals = await self._bridge.call(operations.inbox.list(state=self.state, limit=LIMIT))
        self.is_loaded = True
        self._proposals = {str(proposal.id): proposal for proposal in proposals}
        self._show()

    def _show(self) -> None:
        night = {NIGHT: self._night} if self._night and self.state == "waiting" else {}
        # That nothing waits is said beside the list.
        self.list.set_empty_text(self.tr("None") if self.is_loaded and self.state != "waiting" else "")
        self.model.set_rows({**night, **self._proposals})

    def _card(self, proposal: "Proposal | str") -> Card:
        """Return the card of a proposal, or of what the night's work was."""
        if isinstance(proposal, str):
            return Card(self.tr("While you were away"), proposal, icon="moon")
        badges = [Badge(kind_label(proposal.kind), "quiet")]
        if proposal.preview.why == "protected":
            badges.insert(0, Badge(self.tr("Contradiction"), "warn", "triangle-alert"))
        when = short_date(proposal.decided_at or proposal.created_at, datetime.now(UTC))
        return Card(
            headline(proposal),
            reason_of(proposal) or proposal.agent,
            when,
            tuple(badges),
            icon="bot",
            faded=proposal.state != "waiting",
        )
