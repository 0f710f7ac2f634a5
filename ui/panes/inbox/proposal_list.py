"""The list of the inbox: the report on last night, and the proposals of agents."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from app.errors import KeepsakeError
from ui import operations
from ui.engine_texts import error_text
from ui.models.cards import Badge, Card
from ui.models.dates import short_date
from ui.models.id_list_model import IdListModel
from ui.panes.inbox.proposal_labels import headline, reason_of, state_words
from ui.panes.labels import kind_label
from ui.style.design_tokens import Space
from ui.widgets.lists.list_view import CardList
from ui.work import Work

if TYPE_CHECKING:
    from app.inbox.model import Proposal, ProposalState
    from ui.bridge import Bridge

LIMIT = 500
NIGHT = "night"
"""Id of the row about last night's work."""
STATES: Final["tuple[ProposalState, ...]"] = ("waiting", "accepted", "rejected", "expired")


class InboxRow:
    """A row of the inbox with the id that its list needs.

    Args:
        identity: The number of a proposal, or ``NIGHT``.
        value: The proposal, or the summary of the night.
    """

    __slots__ = ("id", "value")

    def __init__(self, identity: str, value: Any) -> None:
        self.id = identity
        self.value = value


class ProposalList(QWidget):
    """Proposals of one state, newest first."""

    loaded = Signal()
    """The rows arrived."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._request = 0
        self._night = ""
        self.is_loaded = False
        self._rows: dict[str, InboxRow] = {}
        self.model = IdListModel(self._fetch, bridge.start, self._card, self)
        self.states = QComboBox(self)
        self.states.setAccessibleName(self.tr("Proposals shown"))
        self.states.addItems([state_words(state) for state in STATES])
        self.states.currentIndexChanged.connect(self._on_state_chosen)
        self.list = CardList(self.tr("Proposals"), self)
        self.list.set_source(self.model)
        self.list.retried.connect(self.load)
        head = QVBoxLayout()
        head.setContentsMargins(Space.M, Space.M, Space.M, Space.S)
        head.addWidget(self.states)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)

    @property
    def state(self) -> "ProposalState":
        """The state of the proposals shown."""
        return STATES[self.states.currentIndex()]

    def proposal(self, identity: str) -> "Proposal | None":
        """Return a proposal of the list."""
        row = self._rows.get(identity)
        return row.value if row is not None and identity != NIGHT else None

    def show_night(self, summary: str) -> None:
        """Show, or hide with ``""``, the row about last night's work."""
        self._night = summary
        self._show([row for identity, row in self._rows.items() if identity != NIGHT])

    def load(self) -> None:
        """Fetch the proposals again; the old ones show until they arrive."""
        self._request += 1
        self._work.refresh(self._load(self._request))

    async def _load(self, request: int) -> None:
        try:
            found: list[Proposal] = await self._bridge.call(operations.inbox.list(state=self.state, limit=LIMIT))
        except KeepsakeError as error:
            if request == self._request and not self.list.show_failure(error_text(error)):
                self.failed.emit(error)
            return
        if request == self._request:
            self.is_loaded = True
            self.list.clear_failure()
            self._show([InboxRow(str(one.id), one) for one in found])
            self.loaded.emit()

    def _show(self, rows: Sequence[InboxRow]) -> None:
        shown = [InboxRow(NIGHT, self._night)] if self._night and self.state == "waiting" else []
        shown += rows
        self._rows = {row.id: row for row in shown}
        # That nothing waits is said beside the list.
        self.list.set_empty_text(self.tr("None") if self.is_loaded and self.state != "waiting" else "")
        self.model.set_ids(self._rows)
        self.model.put(shown)

    async def _fetch(self, ids: list[str]) -> Sequence[InboxRow]:
        return [self._rows[one] for one in ids if one in self._rows]

    def _card(self, row: InboxRow) -> Card:
        if row.id == NIGHT:
            return Card(self.tr("While you were away"), str(row.value), icon="moon")
        proposal: Proposal = row.value
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

    def _on_state_chosen(self) -> None:
        self.load()
