"""Card below the calendar: what was written on this day of earlier years and months."""

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.errors import KeepsakeError
from ui import operations
from ui.models.dates import full_date
from ui.panes.notes.calendar.day_calendar import AREAS
from ui.panes.pane import Place
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.inspector import LineButton
from ui.widgets.plain_text import PlainLabel, tooltip
from ui.work import Work

if TYPE_CHECKING:
    from app.memories.model import Anniversary
    from ui.bridge import Bridge

MOST = 3
YEAR = 12
RELOAD_MS = 800


class OnThisDay(QWidget):
    """Up to three lines that lead to notes and conversations.

    It is hidden where there is none.

    Args:
        bridge: The way to the engine.
        parent: Its parent.
    """

    opened = Signal(object)  # Place

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._found: list[Anniversary] = []
        self._work = Work(self, bridge)
        heading = PlainLabel(self.tr("On this day"), self, style="small muted")
        self._lines = [LineButton("", self) for _ in range(MOST)]
        column = vbox(heading, parent=self, margins=(Space.M, 0, Space.S, Space.S), spacing=0)
        for line in self._lines:
            line.clicked.connect(self._on_line_clicked)
            column.addWidget(line)
        self._work.on_areas(AREAS, self.load, RELOAD_MS)
        self.hide()

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return tuple(self._lines)

    @property
    def words(self) -> list[str]:
        """The lines that are shown."""
        return [self._words(anniversary) for anniversary in self._found]

    def load(self) -> None:
        """Fetch what was written on today's day; the old lines show until it arrives."""
        self._work.latest(self._load)

    async def _load(self) -> None:
        day = date.today()  # noqa: DTZ011  (the person's own calendar)
        try:
            anniversaries: list[Anniversary] = await self._bridge.call(
                operations.memory.on_this_day(day=day, limit=MOST)
            )
        except KeepsakeError:
            return  # the list beside it tells what is wrong
        self.show_found(anniversaries)

    def show_found(self, anniversaries: "list[Anniversary]") -> None:
        """Show what was found."""
        self._found = anniversaries[:MOST]
        for place, line in enumerate(self._lines):
            anniversary = self._found[place] if place < len(self._found) else None
            line.setVisible(anniversary is not None)
            if anniversary is not None:
                line.set_words(self._words(anniversary))
                line.setToolTip(tooltip(f"{anniversary.title}\n{full_date(anniversary.at)}"))
        self.setVisible(bool(self._found))

    def _words(self, anniversary: "Anniversary") -> str:
        title = anniversary.title or self.tr("Untitled")
        years, months = divmod(anniversary.months, YEAR)
        if not months:
            ago = self.tr("A year ago") if years == 1 else self.tr("{n} years ago").format(n=years)
        else:
            ago = (
                self.tr("A month ago")
                if anniversary.months == 1
                else self.tr("{n} months ago").format(n=anniversary.months)
            )
        return self.tr("{ago}: {title}").format(ago=ago, title=title)

    def _on_line_clicked(self) -> None:
        place = next((at for at, line in enumerate(self._lines) if line is self.sender()), -1)
        if 0 <= place < len(self._found):
            anniversary = self._found[place]
            self.opened.emit(
                Place("sessions" if anniversary.kind == "session" else "notes", anniversary.id, title=anniversary.title)
            )
