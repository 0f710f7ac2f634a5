"""History sheet: what was done in the vault, newest first, each entry with its undo."""

from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QWidget

from app.errors import KeepsakeError
from ui import operations
from ui.dialogs.act_row import ActRow
from ui.dialogs.base_dialog import BaseDialog, hairline, note
from ui.engine_texts import error_text
from ui.models.dates import day_heading, day_of
from ui.shell.undo.undo_stack import UNDOABLE, UndoStack
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.history.acts.model import Act, ActPage
    from ui.bridge import Bridge

PAGE = 50
MOST = 500
"""Entries that are kept up to date together; older ones are a matter of the command line."""
RELOAD_MS = 300
WHO: Final[tuple[Literal["all", "me", "agents", "upkeep", "imports"], ...]] = (
    "all",
    "me",
    "agents",
    "upkeep",
    "imports",
)


class HistorySheet(BaseDialog):
    """The history as a list by days.

    Args:
        bridge: The vault.
        undo: Undoes entries and says so.
        window: The window in whose sheets it opens.
    """

    measure = 760

    def __init__(self, bridge: "Bridge", undo: UndoStack, window: QWidget | None = None) -> None:
        super().__init__(self.tr("History"), window)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._undo = undo
        self._rows: dict[str, ActRow] = {}
        self._shown = PAGE
        self.who = QComboBox(self)
        self.who.setAccessibleName(self.tr("Whose changes are shown"))
        self.who.addItems(
            [self.tr("Everything"), self.tr("By me"), self.tr("By agents"), self.tr("By upkeep"), self.tr("Imports")]
        )
        self.who.currentIndexChanged.connect(self._on_who_changed)
        about = note(
            self.tr("What was done here, newest first. Undoing something is an entry, too."), self, "body muted"
        )
        head = hbox((about, 1), self.who, spacing=Space.M)
        self.empty = note("", self, "body muted")
        self.empty.hide()
        self._list = vbox(spacing=0)
        self.more = text_button(self.tr("Show earlier ones"), parent=self)
        self.more.clicked.connect(self._on_more_clicked)
        self.more.hide()
        self.body.addLayout(head)
        self.body.addWidget(self.empty)
        self.body.addLayout(self._list)
        self.body.addWidget(self.more, 0, Qt.AlignmentFlag.AlignHCenter)
        self.body.addStretch(1)
        self._work.on_areas(UNDOABLE, self._load, RELOAD_MS)
        self._load()

    @property
    def rows(self) -> "list[ActRow]":
        """The rows shown, newest first."""
        return list(self._rows.values())

    def _load(self) -> None:
        self._work.latest(self._fetch)

    async def _fetch(self) -> None:
        acts: list[Act] = []
        cursor = ""
        while len(acts) < self._shown:
            try:
                page: ActPage = await self._bridge.call(
                    operations.history.list(
                        who=WHO[self.who.currentIndex()], limit=self._shown - len(acts), cursor=cursor
                    )
                )
            except KeepsakeError as error:
                self._say(error_text(error))
                return
            acts += page.acts
            cursor = page.cursor
            if not cursor:
                break
        firsts = {act.obstacle.first for act in acts if act.obstacle is not None} - {""}
        known = {act.id: act for act in acts if act.id in firsts}
        if missing := sorted(firsts - known.keys()):
            try:
                others = await self._bridge.call(operations.history.find(ids=missing))
            except KeepsakeError:
                others = []  # without them, the entry to undo first is only not named
            known |= {act.id: act for act in others}
        self._show(acts, known, has_more=bool(cursor))

    def _show(self, acts: "Sequence[Act]", firsts: "Mapping[str, Act]", *, has_more: bool) -> None:
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None and not isinstance(widget, ActRow):
                widget.hide()
                widget.deleteLater()
        known, self._rows = self._rows, {}
        today, day = datetime.now().astimezone().date(), None
        for act in acts:
            if (this := day_of(act.at)) != day:
                self._list.addWidget(self._day(day_heading(this, today)))
                day = this
            row = self._act_row(known.pop(act.id, None), act)
            row.show_act(act, None if act.obstacle is None else firsts.get(act.obstacle.first))
            self._list.addWidget(row)
        for row in known.values():
            row.hide()
            row.deleteLater()
        self.more.setVisible(has_more and self._shown < MOST)
        self._say("" if acts else self.tr("Nothing was done yet."))

    def _act_row(self, row: ActRow | None, act: "Act") -> ActRow:
        if row is None:
            row = ActRow(self)
            row.undo_requested.connect(self._undo.undo_act)
            row.both_requested.connect(self._undo.blocked)
        self._rows[act.id] = row
        return row

    def _day(self, words: str) -> QWidget:
        heading = QWidget(self)
        column = vbox(parent=heading, margins=(0, Space.L, 0, Space.XS), spacing=Space.XS)
        label = PlainLabel(words, heading, style="strong")
        column.addWidget(label)
        column.addWidget(hairline(heading))
        return heading

    def _say(self, words: str) -> None:
        self.empty.setText(words)
        self.empty.setVisible(bool(words))

    def _on_who_changed(self, _index: int) -> None:
        self._shown = PAGE
        self._load()

    def _on_more_clicked(self) -> None:
        self._shown = min(self._shown + PAGE, MOST)
        self._load()
