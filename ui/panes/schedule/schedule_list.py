"""The list of schedules: the person's goals first, then Keepsake's own work."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.errors import KeepsakeError
from ui import operations
from ui.engine_texts import error_text
from ui.models.cards import Badge, Card
from ui.models.id_list_model import IdListModel
from ui.panes.schedule.cadence_words import cadence_words
from ui.panes.schedule.run_labels import last_words, next_words, schedule_title, state_badge
from ui.style.design_tokens import Space
from ui.widgets.button import icon_button
from ui.widgets.fields.search_box import SearchBox
from ui.widgets.header_row import HeaderRow
from ui.widgets.lists.list_view import CardList
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.schedule.model import Schedule, ScheduleSearch
    from ui.bridge import Bridge

LIMIT = 1000
FILTER_MIN = 120


class ScheduleList(QWidget):
    """Every schedule that fits the filter."""

    loaded = Signal()
    """The schedules arrived."""
    failed = Signal(object)
    """A ``KeepsakeError``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._request = 0
        self._schedules: dict[str, Schedule] = {}
        self.model = IdListModel(self._rows, bridge.start, self._card, self)
        self.filter = SearchBox(self.tr("Filter schedules"), self.tr("Filter by words"), parent=self)
        self.filter.searched.connect(self.load)
        self.new = icon_button("plus", self.tr("New schedule"), tint="accent", parent=self)
        self.list = CardList(self.tr("Schedules"), self)
        self.list.set_source(self.model)
        self.list.retried.connect(self.load)
        head = QVBoxLayout()
        head.setContentsMargins(Space.M, Space.M, Space.S, Space.S)
        head.addWidget(HeaderRow(self.filter, [[self.new]], FILTER_MIN, self))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return self.filter, self.new, self.list

    def schedule(self, identity: str) -> "Schedule | None":
        """Return a schedule of the list."""
        return self._schedules.get(identity)

    def titles(self) -> dict[str, str]:
        """Return what the schedules are called, by their ids."""
        return {identity: schedule_title(one) for identity, one in self._schedules.items()}

    def load(self) -> None:
        """Fetch the schedules again; the old ones show until they arrive."""
        self._request += 1
        self._work.refresh(self._load(self._request))

    async def _load(self, request: int) -> None:
        text = self.filter.text().strip()
        try:
            found: ScheduleSearch = await self._bridge.call(operations.schedule.search(text=text, limit=LIMIT))
        except KeepsakeError as error:
            if request == self._request and not self.list.show_failure(error_text(error)):
                self.failed.emit(error)
            return
        if request != self._request:
            return
        ordered = sorted(found.schedules, key=lambda one: one.is_built_in)
        self._schedules = {one.id: one for one in ordered}
        self.list.set_empty_text(self.tr("No schedule fits this filter.") if text else "")
        self.list.clear_failure()
        self.model.set_ids(self._schedules)
        self.model.put(ordered)
        self.loaded.emit()

    async def _rows(self, ids: list[str]) -> "Sequence[Schedule]":
        return [self._schedules[one] for one in ids if one in self._schedules]

    def _card(self, row: "Schedule") -> Card:
        now = datetime.now(UTC)
        badges = []
        if row.last_run_status in ("failed", "interrupted"):
            badges.append(state_badge(row.last_run_status))
        if not row.is_built_in:
            badges.append(Badge(self.tr("Goal"), "accent"))
        when = next_words(row, now)
        often = cadence_words(row.cadence, "")
        if often and sum(one.name == row.name for one in self._schedules.values()) > 1:
            # Two built-in schedules may run the same job; how often tells them apart.
            when = f"{often}  ·  {when}"
        icon = "pause" if row.status == "paused" else "wrench" if row.is_built_in else "sparkles"
        if row.last_run_status == "succeeded":
            ran = self.tr("ran {time}").format(time=last_words(row, now))
            when = f"{when}  ·  {ran}"
        return Card(
            schedule_title(row),
            when,
            badges=tuple(badges),
            icon=icon,
            faded=row.status != "active",
        )
