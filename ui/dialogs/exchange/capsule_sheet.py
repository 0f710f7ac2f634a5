"""Capsule sheet: choose memories for another person or agent, and sign them into a file."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QDir, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QWidget

from app.core.clock import SystemClock, to_datetime
from app.errors import KeepsakeError
from ui import operations, theme
from ui.dialogs.base_dialog import BaseDialog, hairline, note
from ui.dialogs.sheet_rows import LONGEST_PATH, PathRow, SheetRow
from ui.engine_texts import error_text
from ui.models.dates import counted, format_number, full_date
from ui.notice import Notice
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import text_button
from ui.widgets.fields.form_row import FormRow
from ui.widgets.fields.tag_edit import TagEdit
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.exchange.model import Capsule
    from ui.bridge import Bridge

ENDING: Final = ".capsule"
COUNT_MS: Final = 250
_DAYS: Final = (7, 30, 90, 365)
_USUAL: Final = 30
_SUGGESTED: Final = 20


class CapsuleSheet(BaseDialog):
    """One form: what, for whom, until when and where to.

    Args:
        bridge: The way to the engine.
        window: The window in whose sheets it opens.
    """

    measure = 760
    notice = Signal(object)

    def __init__(self, bridge: "Bridge", window: QWidget | None = None) -> None:
        super().__init__(self.tr("Make a capsule"), window)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._ids: list[str] = []
        about = self.tr(
            "A capsule is a file with notes and facts of your choice for another person or agent. It is signed, so "
            "that they see if somebody changed it, and can be imported until the day you choose. It is not encrypted: "
            "everybody who has the file can read it."
        )
        self.body.addWidget(note(about, self, "body muted"))
        self._make_choice()
        self.body.addWidget(hairline(self))
        self._make_names()
        self.body.addWidget(hairline(self))
        self._make_target()
        self._make_key()
        self.said = note("", self, "body")
        self.said.setAccessibleName(self.tr("Result"))
        self.body.addWidget(self.said)
        self.body.addStretch(1)
        self._row.insertWidget(0, self.number)
        self.make = self.add_button(text_button(self.tr("Make the capsule"), "primary", parent=self))
        self.make.clicked.connect(self._on_make_clicked)
        self._on_days_changed()
        self._offer()
        self._work.start(self._load_key(), self._tell)
        self._count()

    def choose(self, ids: "Sequence[str]") -> None:
        """Put these memories in, and no others."""
        self._ids = list(ids)
        for row in self._filters:
            row.setVisible(not self._ids)
        self._count()

    # --- building ---

    def _make_choice(self) -> None:
        self.number = PlainLabel(self, style="strong")
        self.number.setAccessibleName(self.tr("How many go in"))
        self.body.setSpacing(Space.XS)
        self.store = self._combo(self.tr("Who may see them now"))
        for name, stores in (
            (self.tr("Shared with your agents"), ["shared"]),
            (self.tr("About other people"), ["social"]),
            (self.tr("Private"), ["private"]),
            (self.tr("All"), ["private", "shared", "social"]),
        ):
            self.store.addItem(name, stores)
        self.kind = self._combo(self.tr("Notes or facts"))
        self.kind.addItem(self.tr("Notes and facts"), ["note", "fact"])
        self.kind.addItem(self.tr("Notes alone"), ["note"])
        self.kind.addItem(self.tr("Facts alone"), ["fact"])
        self.tags = TagEdit(self.tr("Tags that they have"), self._work.refresh, self._suggested, self)
        self.words = self._line(self.tr("Words that they contain"))
        self.tags.edited.connect(self._on_choice_changed)
        for combo in (self.store, self.kind):
            combo.currentIndexChanged.connect(self._on_choice_changed)
        self.words.textChanged.connect(self._on_choice_changed)
        self._filters = [
            self._form_row(self.tr("Who may see them now"), "", self.store),
            self._form_row(self.tr("Notes or facts"), "", self.kind),
            self._form_row(self.tr("With all of these tags"), "", self.tags),
            self._form_row(self.tr("With these words"), self.tr("In their title or text."), self.words),
        ]

    def _make_names(self) -> None:
        self.for_name = self._line(self.tr("For"))
        self.from_name = self._line(self.tr("Your name"))
        self._form_row(self.tr("For"), self.tr("The name of the person or agent, for them to see."), self.for_name)
        self._form_row(self.tr("Your name"), self.tr("So that they know whom it is from."), self.from_name)
        self.days = self._combo(self.tr("Can be imported for"))
        for days in _DAYS:
            name = self.tr("1 year") if days == _DAYS[-1] else self.tr("{n} days").format(n=format_number(days))
            self.days.addItem(name, days)
        self.days.setCurrentIndex(_DAYS.index(_USUAL))
        self.days.currentIndexChanged.connect(self._on_days_changed)
        self._until = self._form_row(self.tr("Can be imported for"), "", self.days)

    def _make_target(self) -> None:
        place = PathRow(
            self.tr("File"),
            self.tr("A capsule that is there is replaced."),
            self.tr("Choose where to write the file"),
            self,
        )
        self.body.addWidget(place)
        self.path, self.browse = place.path, place.browse
        self.path.setText(str(Path(QDir.homePath(), f"Keepsake{ENDING}")))
        self.path.textChanged.connect(self._offer)
        self.browse.clicked.connect(self._on_browse_clicked)

    def _make_key(self) -> None:
        self.key = PlainLabel(self)
        self.key.setProperty("mono", True)
        self.key.setAccessibleName(self.tr("Your key in short"))
        self.copy = text_button(self.tr("Copy"), "quiet", icon_name="copy", parent=self)
        self.copy.setAccessibleName(self.tr("Copy your key"))
        self.copy.clicked.connect(self._on_copy_clicked)
        self.copy.setEnabled(False)
        row = FormRow(self.tr("Your key"), self, reserve=0)
        row.about.setText(
            self.tr("Tell it to the receiver in another way, such as by telephone. Then they know that it is yours.")
        )
        side = hbox((self.key, 1), self.copy)
        row.side.addLayout(side)
        self.body.addWidget(row)

    def _form_row(self, title: str, about: str, control: QWidget) -> SheetRow:
        row = SheetRow(title, control, self, about)
        self.body.addWidget(row)
        return row

    def _combo(self, name: str) -> QComboBox:
        combo = QComboBox(self)
        combo.setAccessibleName(name)
        return combo

    def _line(self, name: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setAccessibleName(name)
        line.setMaxLength(LONGEST_PATH)
        return line

    # --- work ---

    async def _suggested(self, prefix: str) -> "list[str]":
        facets = await self._bridge.call(operations.tag.list(prefix=prefix, limit=_SUGGESTED))
        return [facet.name for facet in facets]

    async def _load_key(self) -> None:
        self.key.setText(await self._bridge.call(operations.capsule.key()))
        self.copy.setEnabled(bool(self.key.text()))

    def _choice(self) -> dict[str, Any]:
        return {
            "tags": list(self.tags.tags),
            "text": self.words.text().strip(),
            "kinds": self.kind.currentData(),
            "stores": self.store.currentData(),
        }

    def _count(self) -> None:
        self._work.latest(self._show_number)

    async def _show_number(self) -> None:
        try:
            number: int = len(self._ids) or await self._bridge.call(operations.capsule.count(**self._choice()))
        except KeepsakeError as error:
            self._tell(error)
            return
        text = counted(number, self.tr("1 memory goes in"), self.tr("{n} memories go in"))
        self.number.setText(text if number else self.tr("Nothing goes in"))
        self.make.setProperty("number", number)
        self._offer()

    async def _make(self) -> None:
        what: dict[str, Any] = {"ids": self._ids} if self._ids else self._choice()
        self.make.setEnabled(False)
        try:
            capsule: Capsule = await self._bridge.call(
                operations.capsule.make(
                    path=self.path.text().strip(),
                    days=self.days.currentData(),
                    sender=self.from_name.text().strip(),
                    recipient=self.for_name.text().strip(),
                    **what,
                )
            )
        except KeepsakeError as error:
            self._tell(error)
            self._offer()
            return
        memories = counted(capsule.memories, self.tr("1 memory"), self.tr("{n} memories"))
        words = self.tr("Wrote {name} with {memories}. It can be imported until {day}.")
        text = words.format(name=Path(capsule.path).name, memories=memories, day=full_date(capsule.expires_at))
        self._say(text, "body")
        self._offer()
        if not self.isVisible():
            self.notice.emit(Notice(text))

    def _tell(self, error: KeepsakeError) -> None:
        self._say(error_text(error), "body danger")

    def _say(self, text: str, kind: str) -> None:
        theme.set_type(self.said, kind)
        self.said.setText(text)
        self.bring_into_sight(self.said)

    def _offer(self) -> None:
        self.make.setEnabled(bool(self.make.property("number")) and bool(self.path.text().strip()))

    # --- events ---

    def _on_choice_changed(self) -> None:
        self._work.after(COUNT_MS, self._count)

    def _on_days_changed(self) -> None:
        until = to_datetime(SystemClock().now_ms()) + timedelta(days=self.days.currentData())
        self._until.explain(self.tr("Until {day}.").format(day=full_date(until)))

    def _on_browse_clicked(self) -> None:
        dialog = QFileDialog(self, self.tr("Make a capsule"), self.path.text())
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ENDING[1:])
        dialog.setNameFilter(self.tr("Capsules (*.capsule)"))
        dialog.fileSelected.connect(self.path.setText)
        dialog.open()

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.key.text())

    def _on_make_clicked(self) -> None:
        self._work.start(self._make())
