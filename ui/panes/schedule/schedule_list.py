"""The list of schedules: the person's goals first, then Keepsake's own work."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui import operations
from ui.models.cards import Badge, Card
from ui.panes.loading_list import LoadingList
from ui.panes.schedule.cadence_words import cadence_words
from ui.panes.schedule.run_labels import last_words, next_words, schedule_title, state_badge
from ui.style.design_tokens import Space
from ui.widgets.button import icon_button
from ui.widgets.fields.search_box import SearchBox
from ui.widgets.header_row import HeaderRow

if TYPE_CHECKING:
    from app.schedule.model import Schedule
    from ui.bridge import Bridge

LIMIT = 1000
FILTER_MIN = 120


class ScheduleList(LoadingList):
    """Every schedule that fits the filter."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self.list.setAccessibleName(self.tr("Schedules"))
        self._schedules: dict[str, Schedule] = {}
        self.filter = SearchBox(self.tr("Filter schedules"), self.tr("Filter by words"), parent=self)
        self.filter.searched.connect(self.load)
        self.new = icon_button("plus", self.tr("New schedule"), tint="accent", parent=self)
        head = QVBoxLayout()
        head.setContentsMargins(Space.M, Space.M, Space.S, Space.S)
        head.addWidget(HeaderRow(self.filter, [[self.new]], FILTER_MIN, self))
        self._lay_out(head)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return self.filter, self.new, self.list

    def schedule(self, identity: str) -> "Schedule | None":
        """Return a schedule of the list."""
        return self._schedules.get(identity)

    def titles(self) -> dict[str, str]:
        """Return what the schedules are called, by their ids."""
        return {identity: schedule_title(schedule) for identity, schedule in self._schedules.items()}

    async def _load(self) -> None:
        text = self.filter.text().strip()
        result = await self._bridge.call(operations.schedule.search(text=text, limit=LIMIT))
        ordered = sorted(result.schedules, key=lambda schedule: schedule.is_built_in)
        self._schedules = {schedule.id: schedule for schedule in ordered}
        self.list.set_empty_text(self.tr("No schedule fits this filter.") if text else "")
        self.model.set_rows(self._schedules)

    def _card(self, row: "Schedule") -> Card:
        now = datetime.now(UTC)
        badges = []
        if row.last_run_status in ("failed", "interrupted"):
            badges.append(state_badge(row.last_run_status))
        if not row.is_built_in:
            badges.append(Badge(self.tr("Goal"), "accent"))
        when = next_words(row, now)
        often = cadence_words(row.cadence, "")
        if often and sum(schedule.name == row.name for schedule in self._schedules.values()) > 1:
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
