"""Export sheet: everything into a folder, JSON lines or an encrypted file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QDir, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QProgressBar, QWidget

from app.core.ids import uuid7
from app.encryption.model import EncryptionState
from app.errors import CancelledByPersonError, KeepsakeError
from ui import operations, theme
from ui.dialogs.base_dialog import BaseDialog, hairline, note
from ui.dialogs.sheet_rows import PathRow, SheetRow
from ui.engine_texts import error_text
from ui.models.dates import counted
from ui.notice import Notice
from ui.shell.status.status_line import amount, progress_text
from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.fields.passphrase_field import PassphraseField, new_passphrase_problem
from ui.work import Work

if TYPE_CHECKING:
    from app.changes import Progress
    from app.exchange.model import ExportReport
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall

ENCRYPTED: Final = "encrypted"
SUFFIXES: Final = {ENCRYPTED: ".keepsake", "folder": "", "jsonl": ".jsonl"}
_SHOWN_SKIPPED: Final = 5


class ExportSheet(BaseDialog):
    """One form: format, passphrase and place; then the progress, and what was written.

    Hiding it does not stop the export.

    Args:
        bridge: The way to the engine.
        window: The window in whose sheets it opens.
    """

    measure = 760
    notice = Signal(object)

    def __init__(self, bridge: "Bridge", window: QWidget | None = None) -> None:
        super().__init__(self.tr("Export everything"), window)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._job = ""
        self._written = ""
        self._is_vault_encrypted: bool | None = None
        about = self.tr(
            "Writes all conversations, notes, facts and attachments, also what is deleted or archived. Your memories "
            "here stay as they are."
        )
        self.body.addWidget(note(about, self, "body muted"))
        self.body.setSpacing(Space.XS)
        self._make_choice()
        self._make_passphrase()
        self.body.addSpacing(Space.S)
        self.body.addWidget(hairline(self))
        self.body.addSpacing(Space.S)
        self._make_outcome()
        self.body.addStretch(1)
        self._make_buttons()
        bridge.progressed.connect(self._on_bridge_progressed)
        self._on_format_changed()
        self._work.start(self._load(), self._tell)

    @property
    def is_busy(self) -> bool:
        """True while an export runs, so that closing only hides it."""
        return bool(self._job)

    # --- building ---

    def _make_choice(self) -> None:
        self.format = QComboBox(self)
        self.format.setAccessibleName(self.tr("Format"))
        for name, identity in (
            (self.tr("Folder to read"), "folder"),
            (self.tr("Encrypted file"), ENCRYPTED),
            (self.tr("JSON lines"), "jsonl"),
        ):
            self.format.addItem(name, identity)
        self.format.currentIndexChanged.connect(self._on_format_changed)
        self._format_row = SheetRow(self.tr("Format"), self.format, self)
        self.body.addWidget(self._format_row)
        self.warning = note("", self, "body warning")
        self.warning.setAccessibleName(self.tr("Warning"))
        self.body.addWidget(self.warning)
        place = PathRow(
            self.tr("Where to"),
            self.tr("An unchanged earlier export there is replaced, anything else is not."),
            self.tr("Choose where to export to"),
            self,
        )
        self.body.addWidget(place)
        self.path, self.browse = place.path, place.browse
        day = datetime.now(UTC).astimezone().date().isoformat()
        self.path.setText(str(Path(QDir.homePath(), f"Keepsake {day}")))
        self.path.textChanged.connect(self._offer)
        self.browse.clicked.connect(self._on_browse_clicked)
        self.history = QCheckBox(self.tr("Also the history of all changes"), self)
        self.body.addWidget(self.history)

    def _make_passphrase(self) -> None:
        self.new = PassphraseField(self.tr("Passphrase of the file"), self)
        self.again = PassphraseField(self.tr("The same again"), self)
        for field in (self.new, self.again):
            field.textChanged.connect(self._offer)
            field.returnPressed.connect(self._on_go_clicked)
        self._secret = SheetRow(
            self.tr("Passphrase of the file"),
            self.new,
            self,
            self.tr("Write it down where only you find it: nobody can bring a forgotten passphrase back."),
        )
        self.body.addWidget(self._secret)
        self._secret.side.addWidget(self.again)
        self._secret.fit_width(self.again)

    def _make_outcome(self) -> None:
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName(self.tr("Export progress"))
        self.bar.hide()
        self.said = note("", self, "body")
        self.said.setAccessibleName(self.tr("Result"))
        self.body.addWidget(self.bar)
        self.body.addWidget(self.said)

    def _make_buttons(self) -> None:
        self.show_folder = self.add_button(
            text_button(self.tr("Show in folder"), icon_name="folder-open", parent=self), left=True
        )
        self.stop = self.add_button(text_button(self.tr("Stop"), parent=self))
        self.leave = self.add_button(text_button(self.tr("Close"), parent=self))
        self.go = self.add_button(text_button(self.tr("Export"), "primary", parent=self))
        self.show_folder.clicked.connect(self._on_show_folder_clicked)
        self.stop.clicked.connect(self._on_stop_clicked)
        self.leave.clicked.connect(self.reject)
        self.go.clicked.connect(self._on_go_clicked)
        self.show_folder.hide()
        self.stop.hide()

    # --- showing ---

    def _offer(self) -> None:
        """Enable what can be done, and say what is wrong with the passphrase."""
        is_encrypted, is_idle = self._is_encrypted(), not self._job
        problem = new_passphrase_problem(self.new.text(), self.again.text()) if is_encrypted else ""
        self._secret.show_problem(problem if self.new.text() else "")
        has_secret = not is_encrypted or (not problem and self.new.text() == self.again.text())
        is_known = self._is_vault_encrypted is not None
        self.go.setEnabled(is_idle and is_known and has_secret and bool(self.path.text().strip()))
        for control in (self.format, self.path, self.browse, self.history, self.new, self.again):
            control.setEnabled(is_idle)

    def _is_encrypted(self) -> bool:
        return bool(self.format.currentData() == ENCRYPTED)

    def _warn(self) -> None:
        is_exposed = self._is_vault_encrypted is True and not self._is_encrypted()
        self.warning.setText(
            self.tr("Your memories are encrypted, and this export is not: everybody who has it can read all of it.")
            if is_exposed
            else ""
        )
        self.warning.setVisible(is_exposed)
        self.go.setText(self.tr("Export without encryption") if is_exposed else self.tr("Export"))

    def _tell(self, error: KeepsakeError) -> None:
        self._say(error_text(error), "body danger")

    def _say(self, text: str, kind: str = "body") -> None:
        theme.set_type(self.said, kind)
        self.said.setText(text)
        self.bring_into_sight(self.said)

    # --- work ---

    async def _load(self) -> None:
        status = await self._bridge.call(operations.encryption.status())
        self._is_vault_encrypted = status.state is not EncryptionState.NONE
        if self._is_vault_encrypted:
            self.format.setCurrentIndex(self.format.findData(ENCRYPTED))
        self._warn()
        self._offer()

    async def _export(self, call: "TypedCall[ExportReport]") -> None:
        try:
            report = await self._bridge.call(call)
        except CancelledByPersonError:
            self._end(self.tr("Stopped. Nothing was written."))
        except KeepsakeError as error:
            self._end(error_text(error), "body danger")
        else:
            self._end(self._report_text(report), path=report.path)

    def _end(self, text: str, kind: str = "body", path: str = "") -> None:
        self._job = ""
        self._written = path
        self.bar.hide()
        self.stop.hide()
        self.leave.setText(self.tr("Close"))
        self.show_folder.setVisible(bool(path))
        self._say(text, kind)
        self._offer()
        if path:
            self.new.forget()
            self.again.forget()
        if not self.isVisible():
            self.notice.emit(Notice(text.splitlines()[0], kind="error" if kind.endswith("danger") else "info"))
            self.reject()
            return
        (self.show_folder if path else self.leave).setFocus()

    def _report_text(self, report: "ExportReport") -> str:
        counts = (
            counted(report.sessions, self.tr("1 conversation"), self.tr("{n} conversations")),
            counted(report.messages, self.tr("1 message"), self.tr("{n} messages")),
            counted(report.memories, self.tr("1 note or fact"), self.tr("{n} notes and facts")),
        )
        words = self.tr("Wrote {what} ({size}) to {path}.")
        lines = [words.format(what=", ".join(counts), size=amount(report.bytes, "bytes"), path=report.path)]
        if report.skipped:
            names = ", ".join(report.skipped[:_SHOWN_SKIPPED]) + (" …" if len(report.skipped) > _SHOWN_SKIPPED else "")
            left_out = counted(
                len(report.skipped),
                self.tr("1 attachment could not be read and was left out:"),
                self.tr("{n} attachments could not be read and were left out:"),
            )
            lines.append(f"{left_out} {names}")
        return "\n".join(lines)

    # --- events ---

    def _on_format_changed(self) -> None:
        chosen = self.format.currentData()
        self._format_row.explain(
            {
                "folder": self.tr(
                    "A browser reads and searches it by its index.html; other programs read its Markdown."
                ),
                ENCRYPTED: self.tr("One file with everything, attachments too, that only a passphrase opens."),
                "jsonl": self.tr("One file for programs, with a folder of the attachments beside it."),
            }[chosen]
            + " "
            + self.tr("Keepsake can import it.")
        )
        self._secret.setVisible(chosen == ENCRYPTED)
        path = self.path.text()
        known = next((ending for ending in SUFFIXES.values() if ending and path.endswith(ending)), "")
        self.path.setText(path.removesuffix(known) + SUFFIXES[chosen] if path.strip() else path)
        self._warn()
        self._offer()

    def _on_browse_clicked(self) -> None:
        dialog = QFileDialog(self, self.tr("Export everything"), self.path.text())
        if self.format.currentData() == "folder":
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
            dialog.setDirectory(str(Path(self.path.text()).parent))
            dialog.fileSelected.connect(self._on_folder_selected)
        else:
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.setDefaultSuffix(SUFFIXES[self.format.currentData()][1:])
            dialog.fileSelected.connect(self.path.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_folder_selected(self, folder: str) -> None:
        # A folder of its own: one that holds something else is refused.
        self.path.setText(str(Path(folder, Path(self.path.text()).name or "Keepsake")))

    def _on_go_clicked(self) -> None:
        if not self.go.isEnabled():
            return
        self._job = f"export-{uuid7()}"
        is_encrypted = self._is_encrypted()
        call = operations.exchange.export(
            path=self.path.text().strip(),
            format=self.format.currentData(),
            job=self._job,
            history=self.history.isChecked(),
            passphrase=self.new.text() if is_encrypted else "",
            plain_text=bool(self._is_vault_encrypted) and not is_encrypted,
        )
        self.show_folder.hide()
        self.bar.show()
        self.stop.show()
        self.stop.setEnabled(True)
        self.leave.setText(self.tr("Hide"))
        self._say(self.tr("Starting…"))
        self._offer()
        self.leave.setFocus()  # never on Stop: a second Enter must not cancel what the first one began
        self._work.start(self._export(call))

    def _on_bridge_progressed(self, progress: "Progress") -> None:
        if progress.job == self._job and progress.state == "running" and self.stop.isEnabled():
            self.said.setText(progress_text(progress))

    def _on_stop_clicked(self) -> None:
        self.stop.setEnabled(False)
        self._say(self.tr("Stopping…"))
        self._bridge.start(self._bridge.call(operations.job.cancel(job=self._job)))

    def _on_show_folder_clicked(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(self._written).parent)))
