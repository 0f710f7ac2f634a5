"""Backup choice: the backups that can be restored, on the start page."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidgetItem, QWidget

from app.upkeep.model import BackupInfo
from ui.dialogs.settings.plain_table import fit_table, make_table
from ui.models.dates import full_date
from ui.shell.status.status_line import amount
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import text_button

ROWS = 4
_NAME = Qt.ItemDataRole.UserRole


class BackupChoice(QWidget):
    """The backups with their dates, newest first, and what to do with the chosen one."""

    restore_requested = Signal(str)
    back_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        columns = (self.tr("Made"), self.tr("Why"), self.tr("Size"))
        self.list = make_table(self, self.tr("Backups"), columns)
        self.list.itemActivated.connect(self._on_restore_clicked)
        self.restore = text_button(self.tr("Restore this backup"), "primary", parent=self)
        self.back = text_button(self.tr("Back"), parent=self)
        self.restore.clicked.connect(self._on_restore_clicked)
        self.back.clicked.connect(self.back_requested)
        row = hbox(Stretch(), self.back, self.restore, spacing=Space.S)
        vbox(self.list, row, parent=self, margins=0, spacing=Space.M)

    @property
    def has_choice(self) -> bool:
        """Return whether one of the backups can be restored."""
        return self.list.currentItem() is not None

    def show_backups(self, backups: Sequence[BackupInfo]) -> None:
        """Show the backups, with the newest that can be restored as the choice."""
        self.list.clear()
        for info in backups:
            texts = [full_date(info.created_at), self._reason(info), amount(info.bytes, "bytes")]
            item = QTreeWidgetItem(self.list, texts)
            item.setData(0, _NAME, info.name)
            item.setDisabled(info.is_damaged_original or not info.schema)
            if self.list.currentItem() is None and not item.isDisabled():
                self.list.setCurrentItem(item)
        self.list.setVisible(bool(backups))
        self.restore.setVisible(self.has_choice)
        fit_table(self.list, ROWS)
        self.show()
        (self.list if self.has_choice else self.back).setFocus()

    def _reason(self, info: BackupInfo) -> str:
        if info.is_damaged_original:
            return self.tr("A damaged database")
        if not info.schema:
            return self.tr("Cannot be read")
        return {
            "daily": self.tr("Every day"),
            "manual": self.tr("You asked for it"),
            "before-migration": self.tr("Before an update"),
            "before-import": self.tr("Before an import"),
            "before-restore": self.tr("Before a restore"),
        }.get(info.reason, self.tr("Unknown"))

    def _on_restore_clicked(self) -> None:
        item = self.list.currentItem()
        if item is not None and not item.isDisabled():
            self.restore_requested.emit(str(item.data(0, _NAME)))
