"""Rescue of a vault that could not be opened: does what the start page offers."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject, QProcess, Signal
from PySide6.QtWidgets import QFileDialog

from app.core.process.program_command import program_command
from app.errors import KeepsakeError, WrongPassphraseError
from app.recovery.model import SalvageReport
from app.upkeep.model import BackupCheck, BackupInfo, RestoredVault
from ui.engine_texts import engine_text, error_text
from ui.models.dates import counted, format_number
from ui.shell.start.opening_advice import OpeningRemedy
from ui.shell.start.start_page import StartPage

T = TypeVar("T")
_COUNTED = ("sessions", "messages", "memories")


class VaultRecovery(Protocol):
    """Recovery of a vault that is not open; calls block and run on another thread."""

    def backups(self) -> Sequence[BackupInfo]:
        """Return the backups, newest first."""

    def check(self) -> BackupCheck:
        """Return what a reading of all of the database found."""

    def restore(self, name: str) -> RestoredVault:
        """Replace the database with a backup, or with that of the vault at a path."""

    def salvage(self) -> SalvageReport:
        """Copy what is readable into a new vault beside this one."""

    def unlock(self, passphrase: str) -> None:
        """Keep the key of an encrypted vault for this process."""

    def cancel_encryption(self) -> None:
        """Call off an encryption that has not begun."""

    def confirm_decryption(self, is_wanted: bool) -> None:
        """Answer whether a decryption that was requested elsewhere is to be carried out."""

    def stop(self) -> None:
        """Stop what is under way, from any thread; it ends with ``CancelledByPersonError``."""


class VaultRescue(QObject):
    """Remedies of the start page.

    Args:
        page: Offers them, and shows what came of them.
        vault: The vault's folder.
        recovery: Works on the vault while it is closed.
        run: Runs work on the window's loop.
        parent: The Qt parent.
    """

    reopen_requested = Signal()
    safe_mode_requested = Signal()
    left_for_other = Signal()
    """Another vault is being opened in a process of its own."""

    def __init__(
        self,
        page: StartPage,
        vault: Path,
        recovery: VaultRecovery,
        run: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._page = page
        self._vault = vault
        self._recovery = recovery
        self._run = run
        self._salvaged = ""
        self._task: asyncio.Task[None] | None = None
        page.remedy_requested.connect(self._on_remedy_requested)
        page.restore_requested.connect(self._restore)
        page.unlock_requested.connect(self._on_unlock_requested)
        page.cancel_requested.connect(self._on_cancel_requested)
        page.decryption_answered.connect(self._on_decryption_answered)

    async def stop(self) -> None:
        """Stop the work and wait for its end; the vault is then as it was."""
        self._recovery.stop()
        if self._task is not None:
            await asyncio.wait([self._task])

    def _on_remedy_requested(self, remedy: OpeningRemedy) -> None:
        if remedy is OpeningRemedy.RESTORE:
            self._begin(self.tr("Looking for backups…"), self._recovery.backups, self._page.show_backups)
        elif remedy is OpeningRemedy.CHECK:
            self._begin(
                self.tr("Reading the whole file. Closing the window stops it."), self._recovery.check, self._show_check
            )
        elif remedy is OpeningRemedy.SALVAGE:
            doing = self.tr(
                "Copying what can be read into a new folder. This can take minutes; closing the window stops it."
            )
            self._begin(doing, self._recovery.salvage, self._show_salvage)
        elif remedy is OpeningRemedy.USE_SALVAGED:
            self._restore(self._salvaged)
        elif remedy is OpeningRemedy.SAFE_MODE:
            self.safe_mode_requested.emit()
        elif remedy is OpeningRemedy.OTHER:
            self._choose_other()

    def _on_unlock_requested(self, passphrase: str) -> None:
        words = self.tr("Encrypting your memories…") if self._page.is_encrypting else self.tr("Unlocking…")
        self._page.show_working(words)
        self._task = self._run(self._unlock(passphrase))

    async def _unlock(self, passphrase: str) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._recovery.unlock, passphrase)
        except WrongPassphraseError:
            self._page.show_locked(self.tr("This is not the passphrase. Try again."))
        except KeepsakeError as error:
            self._page.show_error(error)
        else:
            self.reopen_requested.emit()

    def _on_cancel_requested(self) -> None:
        self._page.show_working(self.tr("Calling the encryption off…"))
        self._task = self._run(self._cancel())

    async def _cancel(self) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._recovery.cancel_encryption)
        except KeepsakeError as error:
            self._page.show_locked(error_text(error))
        else:
            self.reopen_requested.emit()

    def _on_decryption_answered(self, is_wanted: bool) -> None:
        self._page.show_working(self.tr("Opening your memories…"))
        self._task = self._run(self._confirm_decryption(is_wanted))

    async def _confirm_decryption(self, is_wanted: bool) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._recovery.confirm_decryption, is_wanted)
        except KeepsakeError as error:
            self._page.show_error(error)
        else:
            self.reopen_requested.emit()

    def _restore(self, name: str) -> None:
        doing = self.tr(
            "Verifying the copy, then restoring it. Closing the window before that is done changes nothing."
        )
        self._begin(doing, partial(self._recovery.restore, name), self._on_restored)

    def _on_restored(self, _restored: RestoredVault) -> None:
        self.reopen_requested.emit()

    def _begin(self, doing: str, work: Callable[[], T], show: Callable[[T], None]) -> None:
        self._page.show_working(doing)
        self._task = self._run(self._work(work, show))

    async def _work(self, work: Callable[[], T], show: Callable[[T], None]) -> None:
        try:
            result = await asyncio.get_running_loop().run_in_executor(None, work)
        except KeepsakeError as error:
            self._page.show_result(error_text(error))
        else:
            show(result)

    def _show_check(self, check: BackupCheck) -> None:
        if not check.ok:
            self._page.show_result(engine_text(check.problem))
            return
        what = self._counts({name: getattr(check, name) for name in _COUNTED})
        self._page.show_result(self.tr("The file is sound: {what}.").format(what=what), OpeningRemedy.RETRY)

    def _show_salvage(self, report: SalvageReport) -> None:
        self._salvaged = report.into
        counts = {table.name: table.kept for table in report.tables if table.name in _COUNTED}
        lost = sum(table.lost or 0 for table in report.tables if table.name in _COUNTED)
        sentence = self.tr("Rescued {what} into {folder}.").format(what=self._counts(counts), folder=report.into)
        if lost:
            sentence += " " + self.tr("{n} could not be read.").format(n=format_number(lost))
        self._page.show_result(sentence, OpeningRemedy.USE_SALVAGED)

    def _counts(self, kept: Mapping[str, int]) -> str:
        """Return how much there is of each of ``_COUNTED``."""
        words = {
            "sessions": (self.tr("1 conversation"), self.tr("{n} conversations")),
            "messages": (self.tr("1 message"), self.tr("{n} messages")),
            "memories": (self.tr("1 note or fact"), self.tr("{n} notes and facts")),
        }
        return ", ".join(counted(kept.get(name, 0), *words[name]) for name in _COUNTED)

    def _choose_other(self) -> None:
        dialog = QFileDialog(self._page, self.tr("Open another vault"), str(self._vault.parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.open_other)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def open_other(self, folder: str) -> None:
        """Open the vault in ``folder`` in a process of its own."""
        program, *arguments = program_command()
        started, _process = QProcess.startDetached(program, [*arguments, "--vault", folder])
        if started:
            self.left_for_other.emit()
        else:
            self._page.show_result(self.tr("Another Keepsake could not be started."))
