"""Status pane: privacy and safety of the vault at this moment."""

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QLocale, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.changes import Area
from app.errors import KeepsakeError
from ui import operations, theme
from ui.actions import Action
from ui.engine_texts import error_text
from ui.panes.pane import Place
from ui.panes.pane_commands import pane_actions
from ui.panes.reading_pane import ReadingPane, set_tab_chain
from ui.panes.status.status_entries import StatusEntries, StatusEntry
from ui.panes.status.status_row import StatusRow
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.icon_label import IconLabel
from ui.widgets.page_area import PageArea
from ui.widgets.plain_text import PlainLabel
from ui.widgets.reading_column import ReadingColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.changes import ChangeSet
    from app.upkeep.health.model import HealthReport
    from app.upkeep.overview.model import VaultOverview
    from ui.actions import Actions
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall

WIDTH = 760
SETTLE_MS = 400
WORKING_MS = 3_000
RESTING_MS = 60_000
AREAS: frozenset[Area] = frozenset(
    {"agents", "presence", "backups", "checks", "schedules", "settings", "index", "memories", "messages", "sessions"}
)
_JOB = "work-"


class StatusPane(ReadingPane):
    """One calm page of lines, each with a sentence and an action."""

    name: ClassVar[str] = "status"
    title: ClassVar[str] = "Status"
    icon: ClassVar[str] = "shield-check"

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._words = StatusEntries(self)
        self._found: VaultOverview | None = None
        self._health: HealthReport | None = None
        self._busy: set[str] = set()
        self._is_loading = False
        self._is_stale = False
        self.rows: dict[str, StatusRow] = {}
        self._sections: dict[str, QFrame] = {}
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self._load)
        self._page = QWidget(self)
        self._sign = IconLabel("shield-check", size=28, parent=self._page)
        self._title = self._label(self.tr("Status"), "title")
        self._about = self._label(self.tr("Looking…"), "body muted")
        self._column = QVBoxLayout()
        self._arrange()

    # --- what the window calls ---

    def shown(self) -> None:
        """Load what is known."""
        self._load()

    def refresh(self, changes: "ChangeSet") -> None:
        """Load it again after a change, while the page is in front."""
        # Calls of agents change nothing here; their coming and going does.
        if self.isVisible() and AREAS & changes.areas and not (changes.areas == {"presence"} and changes.operation):
            self._timer.start(SETTLE_MS)

    def focus_first(self) -> None:
        """Put the keyboard on the first action."""
        buttons = self._buttons()
        (buttons[0] if buttons else self._scroll).setFocus(Qt.FocusReason.TabFocusReason)

    def regions(self) -> list[QWidget]:
        """Return the page."""
        return [*self._buttons()[:1]] or [self._scroll]

    def commands(self) -> list[Action]:
        """Return the actions of this pane."""
        return pane_actions(self.name, {"status.backup": self._on_backup, "status.check": self._on_check})

    # --- loading ---

    def _load(self) -> None:
        if self._is_loading:
            self._is_stale = True
            return
        self._is_loading = True
        self.work.start(self._fetch())

    async def _fetch(self) -> None:
        try:
            overview: VaultOverview = await self.bridge.call(operations.vault.overview())
        except KeepsakeError as error:
            self._is_loading = False
            self._about.setText(error_text(error))
            return
        self._is_loading = False
        self._found = overview
        self._show()
        if self._is_stale:
            self._is_stale = False
            self._timer.start(SETTLE_MS)
        elif self.isVisible():
            # Spending and the network change without a word.
            self._timer.start(WORKING_MS if overview.pending or overview.names else RESTING_MS)

    def _show(self) -> None:
        if self._found is None:
            return
        entries = self._words.entries(self._found, datetime.now(UTC), self._health)
        keys = {entry.key for entry in entries}
        for key in [key for key in self.rows if key not in keys]:
            row = self.rows.pop(key)
            row.hide()
            row.deleteLater()
        for entry in entries:
            self._row(entry).show_entry(entry, is_busy=entry.key in self._busy)
        for section, card in self._sections.items():
            card.setVisible(any(entry.section == section for entry in entries))
        self._show_summary(entries)
        self._order_tabs(entries)

    def _row(self, entry: StatusEntry) -> StatusRow:
        row = self.rows.get(entry.key)
        if row is None:
            card = self._sections[entry.section]
            row = self.rows[entry.key] = StatusRow(entry.key, card)
            row.triggered.connect(self._on_row_triggered)
            layout = card.layout()
            assert layout is not None  # noqa: S101  (made with one)
            layout.addWidget(row)
        return row

    def _show_summary(self, entries: list[StatusEntry]) -> None:
        count = sum(entry.needs_attention for entry in entries)
        self._sign.show_icon("shield-check" if not count else "triangle-alert", "success" if not count else "warning")
        waits = [entry.not_yet for entry in entries if entry.not_yet]
        if not count and waits:
            what = QLocale().createSeparatedList(waits)
            self._about.setText(self.tr("Nothing needs you now, but {what}.").format(what=what))
        elif not count:
            self._about.setText(self.tr("All is well; nothing needs you."))
        elif count == 1:
            self._about.setText(self.tr("One thing needs a look."))
        else:
            self._about.setText(self.tr("{n} things need a look.").format(n=count))

    def _order_tabs(self, entries: list[StatusEntry]) -> None:
        set_tab_chain(*(self.rows[entry.key].button for entry in entries))

    def _buttons(self) -> list[QWidget]:
        return [row.button for row in self.rows.values() if row.button.isVisibleTo(self) and row.button.isEnabled()]

    # --- what the person does ---

    def _on_row_triggered(self, key: str) -> None:
        if key.startswith(_JOB):
            self._perform(key, operations.schedule.run_now(id=key.removeprefix(_JOB)))
        elif key == "verified":
            if self._found is not None and self._found.last_backup is not None:
                self._perform(key, operations.backup.verify(name=self._found.last_backup.name))
        elif key == "backup":
            self._on_backup()
        elif key == "check":
            self._on_check()
        elif key == "content":
            self._start(key, self._look_through)
        elif key == "agents":
            self.navigate.emit(Place("agents"))
        elif key == "disk":
            if self._found is not None:
                QDesktopServices.openUrl(QUrl.fromLocalFile(self._found.vault))
        else:
            self._trigger("file.models" if key == "index" else "file.settings")

    def _on_backup(self) -> None:
        self._perform("backup", operations.backup.now())

    def _on_check(self) -> None:
        self._perform("check", operations.vault.check())

    def _trigger(self, identity: str) -> None:
        if self.registry.find(identity) is not None:
            self.registry.qaction(identity).trigger()

    async def _look_through(self) -> None:
        self._health = await self.bridge.call(operations.vault.health())

    def _perform(self, key: str, call: "TypedCall[object]") -> None:
        self._start(key, partial(self.bridge.reply, call))

    def _start(self, key: str, work: "Callable[[], Coroutine[object, object, object]]") -> None:
        if key not in self._busy:
            self._busy.add(key)
            self._show()
            self.work.start(work(), self.show_error, partial(self._end, key))

    def _end(self, key: str) -> None:
        self._busy.discard(key)
        self._show()
        self._load()

    # --- layout ---

    def _arrange(self) -> None:
        head = hbox((self._sign, 0, Qt.AlignmentFlag.AlignVCenter), spacing=Space.M)
        words = vbox(self._title, self._about, spacing=2)
        head.addLayout(words, 1)
        self._column.setContentsMargins(Space.XL, Space.XL, Space.XL, Space.XL)
        self._column.setSpacing(Space.M)
        self._column.addLayout(head)
        for section, heading in (
            ("trouble", self.tr("Needs a look")),
            ("privacy", self.tr("Privacy")),
            ("safety", self.tr("Safety")),
            ("work", self.tr("Search")),
            ("room", self.tr("Space and spending")),
            ("jobs", self.tr("What runs by itself")),
        ):
            self._sections[section] = self._card(heading)
            self._column.addWidget(self._sections[section])
        self._column.addStretch(1)
        ReadingColumn(self._column, self._page, WIDTH)
        self._scroll = PageArea(self)
        self._scroll.setObjectName("statusPage")
        self._scroll.setAccessibleName(self.tr("Status"))
        self._scroll.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._scroll.setWidget(self._page)
        vbox(self._scroll, parent=self, margins=0)

    def _card(self, heading: str) -> QFrame:
        card = QFrame(self._page)
        card.setObjectName("card")
        card.hide()
        head = PlainLabel(heading, card, style="small muted")
        vbox(head, parent=card, margins=(Space.L, Space.M, Space.L, Space.M), spacing=Space.S)
        return card

    def _label(self, words: str, kind: str) -> PlainLabel:
        label = PlainLabel(words, self._page, wraps=True)
        theme.set_type(label, kind)
        return label
