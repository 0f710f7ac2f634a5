"""Backups panel: make and verify backups, preview a restore."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QProgressBar, QTreeWidgetItem, QWidget

from app.errors import KeepsakeError
from ui import operations
from ui.dialogs.base_dialog import note
from ui.dialogs.confirm_card import ConfirmCard
from ui.dialogs.settings.panel import SettingsPanel
from ui.dialogs.settings.plain_table import fit_table, make_table
from ui.engine_texts import engine_report
from ui.models.dates import format_number, full_date
from ui.shell.status.status_line import amount
from ui.widgets.button import text_button
from ui.widgets.flow_layout import FlowLayout

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from app.upkeep.model import BackupCheck, BackupInfo, BackupStatus, ContentDifference, RestorePreview
    from ui.bridge import Bridge

_NAME = Qt.ItemDataRole.UserRole


class BackupsPanel(SettingsPanel):
    """List of backups with its actions, and a card for a restore."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self._folder = ""
        self._previewed = ""
        self._results: dict[str, str] = {}
        self.now = text_button(self.tr("Back up now"), "primary", icon_name="hard-drive", parent=self)
        self.verify = text_button(self.tr("Verify"), icon_name="shield-check", parent=self)
        self.restore = text_button(self.tr("Restore…"), icon_name="archive-restore", parent=self)
        self.folder = text_button(self.tr("Open the folder"), icon_name="folder-open", parent=self)
        self.now.clicked.connect(self._on_now_clicked)
        self.verify.clicked.connect(self._on_verify_clicked)
        self.restore.clicked.connect(self._on_restore_clicked)
        self.folder.clicked.connect(self._on_folder_clicked)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.doing = note("", self)
        self.list = make_table(
            self,
            self.tr("Backups"),
            (self.tr("Made"), self.tr("Why"), self.tr("Size"), self.tr("Verified")),
        )
        self.list.currentItemChanged.connect(self._on_current_changed)
        self.empty = note(self.tr("There is no backup yet. The first one takes a few seconds."), self, "body muted")
        self._make_card()
        self._lay_out()
        self._offer()

    def _make_card(self) -> None:
        """Make the card that says what a restore would change, or that one waits."""
        self.card = ConfirmCard(self.tr("Restore at the next start"), self.tr("Cancel"), self)
        self.confirm, self.cancel = self.card.confirm, self.card.cancel
        self.confirm.clicked.connect(self._on_confirm_clicked)
        self.cancel.clicked.connect(self._on_cancel_clicked)

    def _lay_out(self) -> None:
        row = QWidget(self)
        buttons = FlowLayout(row)
        for button in (self.now, self.verify, self.restore, self.folder):
            buttons.addWidget(button)
        for widget in (row, self.progress, self.doing, self.empty, self.list, self.card):
            self.column.addWidget(widget)
        for later in (self.progress, self.doing, self.empty):
            later.hide()

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        return f"{self.tr('Back up now')} {self.tr('Verify')} {self.tr('Restore…')} backup copy".casefold()

    def shown(self) -> None:
        """Load the backups."""
        self.run(self._load())

    # --- showing ---

    async def _load(self) -> None:
        backups: list[BackupInfo] = await self.bridge.call(operations.backup.list())
        status: BackupStatus = await self.bridge.call(operations.backup.status())
        self._folder = status.folder
        chosen = self._chosen()
        self.list.clear()
        for info in backups:
            item = QTreeWidgetItem(self.list, self._row_of(info))
            item.setData(0, _NAME, info.name)
            item.setDisabled(info.is_damaged_original)
            if info.name == chosen or self.list.currentItem() is None:
                self.list.setCurrentItem(item)
        self.list.setVisible(bool(backups))
        self.empty.setVisible(not backups)
        fit_table(self.list)
        if status.restore_waits:
            self._show_waiting()
        elif not self._previewed:
            self.card.hide()
        self.show_error(engine_report(status.failure))
        self._offer()

    def _row_of(self, info: "BackupInfo") -> list[str]:
        why = {
            "daily": self.tr("Every day"),
            "manual": self.tr("You asked for it"),
            "before-migration": self.tr("Before an update"),
            "before-import": self.tr("Before an import"),
            "before-restore": self.tr("Before a restore"),
        }.get(info.reason, self.tr("Unknown"))
        if info.is_damaged_original:
            why = self.tr("A damaged database")
        return [full_date(info.created_at), why, amount(info.bytes, "bytes"), self._results.get(info.name, "")]

    def _offer(self) -> None:
        """Offer what can be done with the chosen backup."""
        item = self.list.currentItem()
        can = item is not None and not item.isDisabled() and self.progress.isHidden()
        self.verify.setEnabled(can)
        self.restore.setEnabled(can)
        self.now.setEnabled(self.progress.isHidden())
        self.folder.setEnabled(bool(self._folder))

    def _show_waiting(self) -> None:
        self._previewed = ""
        self.card.title.setText(self.tr("A backup waits to be restored"))
        self.card.text.setText(self.tr("It takes the vault's place when Keepsake is started again."))
        self.confirm.hide()
        self.cancel.setText(self.tr("Call it off"))
        self.card.show()

    def _show_preview(self, preview: "RestorePreview") -> None:
        self._previewed = preview.backup.name
        lost, regained = self._sentence(preview.lost), self._sentence(preview.regained)
        lines = [
            self.tr("Goes away: {what}").format(what=lost) if lost else self.tr("Nothing goes away."),
            self.tr("Comes back: {what}").format(what=regained) if regained else self.tr("Nothing comes back."),
        ]
        if preview.changed:
            lines.append(self.tr("Goes back to an earlier version: {n}").format(n=format_number(preview.changed)))
        notice = self.tr("What you have now is kept as a backup, so this can be taken back. Settings stay as they are.")
        self.card.title.setText(self.tr("What a restore would change"))
        self.card.text.setText("\n".join((*lines, "", notice)))
        self.cancel.setText(self.tr("Cancel"))
        self.confirm.show()
        self.card.show()
        self.confirm.setFocus()

    def _sentence(self, difference: "ContentDifference") -> str:
        counts = (
            (difference.sessions, self.tr("1 conversation"), self.tr("{n} conversations")),
            (difference.messages, self.tr("1 message"), self.tr("{n} messages")),
            (difference.memories, self.tr("1 memory"), self.tr("{n} memories")),
        )
        listed = ", ".join(single if n == 1 else more.format(n=format_number(n)) for n, single, more in counts if n)
        titles = ", ".join(f"‘{title}’" for title in difference.titles)
        return f"{listed} ({titles})" if titles else listed

    # --- what the person does ---

    def _begin(self, doing: str, work: "Coroutine[object, object, None]") -> None:
        self.doing.setText(doing)
        self.progress.show()
        self.doing.show()
        self._offer()
        self.run(work, self._on_finished)

    def _on_finished(self) -> None:
        self.progress.hide()
        self.doing.setVisible(False)
        self._offer()

    def _on_now_clicked(self) -> None:
        self._begin(self.tr("Making a backup…"), self._make())

    async def _make(self) -> None:
        backup: BackupInfo = await self.bridge.call(operations.backup.now())
        await self._load()
        self._choose(backup.name)

    def _on_verify_clicked(self) -> None:
        self._begin(self.tr("Reading all of it…"), self._verify(self._chosen()))

    async def _verify(self, name: str) -> None:
        check: BackupCheck = await self.bridge.call(operations.backup.verify(name=name))
        self._results[name] = self._said(check)
        await self._load()
        if not check.ok:
            raise KeepsakeError(check.problem)

    def _said(self, check: "BackupCheck") -> str:
        if not check.ok:
            return self.tr("Damaged")
        words = self.tr("Whole: messages {messages}, memories {memories}")
        return words.format(messages=format_number(check.messages), memories=format_number(check.memories))

    def _on_restore_clicked(self) -> None:
        self._begin(self.tr("Comparing it with what you have now…"), self._preview(self._chosen()))

    async def _preview(self, name: str) -> None:
        preview: RestorePreview = await self.bridge.call(operations.backup.preview(name=name))
        self._show_preview(preview)

    def _on_confirm_clicked(self) -> None:
        self._begin(self.tr("Laying it ready…"), self._stage(self._previewed))

    async def _stage(self, name: str) -> None:
        await self.bridge.call(operations.backup.restore(name=name))
        self._previewed = ""
        await self._load()

    def _on_cancel_clicked(self) -> None:
        if self._previewed:
            self._previewed = ""
            self.card.hide()
            self.restore.setFocus()
        else:
            self._begin(self.tr("Calling it off…"), self._call_off())

    async def _call_off(self) -> None:
        await self.bridge.call(operations.backup.cancel_restore())
        await self._load()

    def _on_folder_clicked(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._folder))

    def _on_current_changed(self) -> None:
        if self._previewed and self._previewed != self._chosen():
            self._previewed = ""
            self.card.hide()
        self._offer()

    def _chosen(self) -> str:
        item = self.list.currentItem()
        return str(item.data(0, _NAME)) if item is not None else ""

    def _choose(self, name: str) -> None:
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            if item is not None and item.data(0, _NAME) == name:
                self.list.setCurrentItem(item)
