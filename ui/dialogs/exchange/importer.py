"""Import dialog: choose files, preview, follow progress, read the report."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.changes import Progress
from app.core.ids import uuid7
from app.errors import CancelledByPersonError, KeepsakeError, WrongPassphraseError
from ui import operations, theme
from ui.dialogs.base_dialog import BaseDialog, note
from ui.dialogs.exchange.cut_off_card import CutOffCard
from ui.dialogs.exchange.import_report import (
    capsule_text,
    format_name,
    part_text,
    preview_text,
    problem_lines,
    report_text,
    secrets_text,
    size_text,
    unknown_key_text,
)
from ui.dialogs.exchange.imported_place import imported_place
from ui.engine_texts import engine_report, error_text
from ui.notice import Notice
from ui.shell.status.status_line import progress_text
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.empty_state import EmptyState
from ui.widgets.fields.passphrase_field import PassphraseField
from ui.widgets.fields.text_field import TextField
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from app.exchange.model import ImportPreview, ImportReport
    from ui.bridge import Bridge


class ImportDialog(BaseDialog):
    """Four pages in turn: choose, preview, progress, report. Hiding it does not stop the import."""

    measure = 760
    notice = Signal(object)
    navigate = Signal(object)
    """Go to what was imported."""
    undo_requested = Signal(object)
    """Undo the import that this notice tells of."""

    def __init__(self, bridge: "Bridge", window: QWidget | None = None) -> None:
        super().__init__(self.tr("Import"), window)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._queue: list[str] = []
        self._path = ""
        self._job = ""
        self._secret = ""
        self._is_locked = False
        self._report: ImportReport | None = None
        self.setAcceptDrops(True)
        self._pages = QStackedWidget(self)
        self.body.addWidget(self._pages)
        self._choose = self._choosing_page()
        self._preview, self._preview_title, self._preview_text = self._text_page()
        self._make_passphrase()
        self._skip = QCheckBox(self._preview)
        self._warning = note("", self._preview, "body warning")
        self._warning.hide()
        self.parts = QListWidget(self._preview)
        self.parts.setAccessibleName(self.tr("Parts to import"))
        self.parts.setWordWrap(True)
        self.parts.hide()
        self._put_below(self._preview, self.parts)
        self._put_below(self._preview, self._warning)
        self._put_below(self._preview, self._skip)
        self._running = self._running_page()
        self._result, self._result_title, self._result_text = self._text_page()
        self._problems = TextField(self.tr("Problems"), self._result, is_read_only=True)
        self._put_below(self._result, self._problems)
        self._copy = self.add_button(text_button(self.tr("Copy problems"), parent=self), left=True)
        self._another = self.add_button(text_button(self.tr("Choose another…"), parent=self), left=True)
        self.undo = self.add_button(text_button(self.tr("Undo"), icon_name="undo-2", parent=self), left=True)
        self._stop = self.add_button(text_button(self.tr("Stop"), parent=self))
        self._hide = self.add_button(text_button(self.tr("Close"), parent=self))
        self._go = self.add_button(text_button(self.tr("Import"), "primary", parent=self))
        self.show_made = self.add_button(text_button(self.tr("Show them"), "primary", parent=self))
        self.show_made.clicked.connect(self._on_show_made_clicked)
        self.undo.clicked.connect(self._on_undo_clicked)
        self._copy.clicked.connect(self._on_copy_clicked)
        self._another.clicked.connect(self.start_over)
        self._stop.clicked.connect(self._on_stop_clicked)
        self._hide.clicked.connect(self.reject)
        self._go.clicked.connect(self._on_go_clicked)
        bridge.progressed.connect(self._on_bridge_progressed)
        self._show_page(self._choose)

    @property
    def is_running(self) -> bool:
        """True while an import runs."""
        return bool(self._job)

    @property
    def is_busy(self) -> bool:
        """True while an import runs or waits, so that closing only hides it."""
        return self.is_running or bool(self._queue)

    def start_over(self) -> None:
        """Show the first page."""
        if not self.is_running:
            self._cut_off.load()
            self._show_page(self._choose)

    def offer(self, paths: list[str]) -> None:
        """Preview the first of ``paths``; the others follow when it is done."""
        self._queue += paths
        self.bring_to_front()
        self._next()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files and folders."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Preview what was dropped."""
        self.offer([url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()])

    def _choosing_page(self) -> QWidget:
        page = QWidget(self._pages)
        empty = EmptyState(
            "download",
            self.tr("Bring your conversations and notes"),
            self.tr(
                "An export of ChatGPT or Claude, chats of a messenger, notes of Obsidian, Notion, Joplin, Evernote or "
                "Apple, or documents such as PDF and Word. Nothing leaves this computer."
            ),
            self.tr("Choose a file…"),
            second=self.tr("Choose a folder…"),
            hint=self.tr("Or drop it on this window."),
            parent=page,
        )
        self._first = empty.button
        empty.triggered.connect(self._on_file_requested)
        empty.second_triggered.connect(self._on_folder_requested)
        self._cut_off = CutOffCard(self._bridge, page)
        self._cut_off.chosen.connect(self._on_cut_off_chosen)
        vbox(self._cut_off, (empty, 1), parent=page, margins=0)
        self._pages.addWidget(page)
        return page

    def _text_page(self) -> tuple[QWidget, PlainLabel, PlainLabel]:
        page = QWidget(self._pages)
        title, text = note("", page, "heading"), note("", page, "body muted")
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        text.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        column = vbox(parent=page, margins=0, spacing=Space.S)
        column.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(title)
        column.addWidget(text)
        self._pages.addWidget(page)
        return page, title, text

    @staticmethod
    def _put_below(page: QWidget, widget: QWidget) -> None:
        layout = page.layout()
        if layout is not None:
            layout.addWidget(widget)

    def _make_passphrase(self) -> None:
        self.passphrase = PassphraseField(self.tr("Passphrase of the file"), self._preview)
        self.passphrase.textChanged.connect(self._offer)
        self.passphrase.returnPressed.connect(self._on_go_clicked)
        self.wrong = note("", self._preview, "body danger")
        self.wrong.setAccessibleName(self.tr("Problem"))
        for widget in (self.passphrase, self.wrong):
            widget.hide()
            self._put_below(self._preview, widget)

    def _running_page(self) -> QWidget:
        page, self._running_title, self._running_text = self._text_page()
        self._bar = QProgressBar(page)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Import progress"))
        self._detail = note("", page)
        layout = page.layout()
        if isinstance(layout, QVBoxLayout):
            layout.insertSpacing(1, Space.S)
            layout.insertWidget(2, self._bar)
            layout.addWidget(self._detail)
        return page

    def _show_page(self, page: QWidget) -> None:
        self._pages.setCurrentWidget(page)
        problems = self._report is not None and self._report.problem_count + self._report.remark_count > 0
        self._go.setVisible(page is self._preview)
        self._stop.setVisible(page is self._running and self.is_running)
        self._another.setVisible(page in (self._preview, self._result))
        self._copy.setVisible(page is self._result and problems)
        is_undoable = page is self._result and self._report is not None and bool(self._report.run_id)
        for button in (self.undo, self.show_made):
            button.setVisible(is_undoable)
        self._problems.setVisible(problems)
        self._go.setText(self.tr("Open") if self._is_locked else self.tr("Import"))
        self._offer()
        self._hide.setVisible(page is not self._choose)
        self._hide.setText(self.tr("Hide") if page is self._running else self.tr("Close"))
        # Never on Stop: a second Enter must not cancel what the first one began.
        begin = self.passphrase if self._is_locked else self._go
        end = self.show_made if is_undoable else self._hide
        (self._first if page is self._choose else begin if page is self._preview else end).setFocus()

    def _offer(self) -> None:
        self._go.setEnabled(not self._is_locked or bool(self.passphrase.text()))

    def _on_cut_off_chosen(self, path: str) -> None:
        self.offer([path])

    def _on_file_requested(self) -> None:
        self._ask(QFileDialog.FileMode.ExistingFile)

    def _on_folder_requested(self) -> None:
        self._ask(QFileDialog.FileMode.Directory)

    def _ask(self, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(self, self.tr("Import"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        dialog.filesSelected.connect(self.offer)
        dialog.open()

    def _next(self) -> None:
        if self._queue and not self.is_running:
            self._path = self._queue.pop(0)
            self._secret = ""
            self.passphrase.forget()
            self._show_looking()
            self._work.start(self._look(self._path), self._show_failure)

    def _show_looking(self) -> None:
        """Say at once that a file or folder is looked at, which may take seconds."""
        self._report = None
        self._running_title.setText(self.tr("Looking at {name}…").format(name=Path(self._path).name))
        self._running_text.clear()
        self._detail.clear()
        self._bar.setRange(0, 0)
        self._show_page(self._running)

    async def _look(self, path: str, secret: str = "") -> None:
        try:
            preview = await self._bridge.call(operations.exchange.preview(path=path, passphrase=secret))
        except WrongPassphraseError as error:
            self._ask_passphrase(error_text(error))
            return
        self._secret = secret
        self._show_preview(path, preview)

    def _show_preview(self, path: str, preview: "ImportPreview") -> None:
        self._is_locked = preview.is_locked
        self._preview_title.setText(Path(path).name)
        size = size_text(preview.bytes)
        detail = engine_report(preview.detail) if preview.capsule is None else capsule_text(preview.capsule)
        # The title is its name.
        detail = "" if detail == Path(path).name else detail
        lines = (f"{format_name(preview.format)} · {size}", detail, str(Path(path).parent), preview_text(preview))
        self._preview_text.setText("\n".join(filter(None, lines)))
        warning = "" if preview.capsule is None else unknown_key_text(preview.capsule)
        self._warning.setText(warning)
        self._warning.setVisible(bool(warning))
        self._list_parts(preview)
        self._skip.setText(secrets_text(preview.secrets))
        self._skip.setVisible(preview.secrets > 0)
        self._skip.setChecked(preview.secrets > 0)
        self.passphrase.setVisible(preview.is_locked)
        self.wrong.hide()
        self._show_page(self._preview)

    def _list_parts(self, preview: "ImportPreview") -> None:
        """List the parts of a folder, each with a tick to leave it out by."""
        self.parts.clear()
        for part in preview.parts:
            item = QListWidgetItem(part_text(part), self.parts)
            item.setData(Qt.ItemDataRole.UserRole, part.name)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
        self.parts.setVisible(bool(preview.parts))

    def _left_out(self) -> list[str]:
        """Return the names of the parts without a tick."""
        items = [self.parts.item(number) for number in range(self.parts.count())]
        unchecked = [item for item in items if item.checkState() is not Qt.CheckState.Checked]
        return [str(item.data(Qt.ItemDataRole.UserRole)) for item in unchecked]

    def _ask_passphrase(self, problem: str) -> None:
        self._is_locked = True
        self.passphrase.forget()
        self.wrong.setText(problem)
        self.wrong.setVisible(bool(problem))
        self._show_page(self._preview)

    def _on_go_clicked(self) -> None:
        if not self._go.isEnabled():
            return
        if self._is_locked:
            self._go.setEnabled(False)
            self._work.start(self._look(self._path, self.passphrase.text()), self._show_failure)
            return
        self._job = f"import-{uuid7()}"
        self._report = None
        self._running_title.setText(self.tr("Importing {name}").format(name=Path(self._path).name))
        self._running_text.setText(self.tr("Starting…"))
        self._detail.clear()
        self._bar.setRange(0, 0)
        self._show_page(self._running)
        self._work.start(self._import(self._path, self._job))

    async def _import(self, path: str, job: str) -> None:
        try:
            left_out = self._left_out()
            secret, self._secret = self._secret, ""
            self.passphrase.forget()
            report = await self._bridge.call(
                operations.exchange.import_(
                    path=path,
                    job=job,
                    skip_secrets=self._skips_secrets(),
                    leave_out=left_out,
                    passphrase=secret,
                )
            )
        except CancelledByPersonError:
            self._end(self.tr("Stopped"), self.tr("What was imported so far stays. Import it again to continue."))
        except KeepsakeError as error:
            self._job = ""
            self._show_failure(error)
        else:
            self._report = report
            self._problems.setPlainText("\n".join(problem_lines(report)))
            self._end(*report_text(report))

    def _skips_secrets(self) -> bool:
        return self._skip.isVisibleTo(self._preview) and self._skip.isChecked()

    def _end(self, title: str, text: str) -> None:
        self._job = ""
        self._result_title.setText(title)
        self._result_text.setText(text)
        theme.set_type(self._result_title, "heading")
        self._show_page(self._result)
        if not self.isVisible():
            run = "" if self._report is None else self._report.run_id
            self.notice.emit(Notice(f"{title}. {text.splitlines()[0]}", act=run))
        self._next()

    def _show_failure(self, error: KeepsakeError) -> None:
        self._report = None
        self._result_title.setText(self.tr("This could not be imported"))
        theme.set_type(self._result_title, "heading danger")
        self._result_text.setText(error_text(error))
        self._show_page(self._result)
        if not self.isVisible():
            self.notice.emit(Notice(error_text(error), kind="error"))

    def _on_bridge_progressed(self, progress: Progress) -> None:
        if progress.job != self._job or progress.state != "running":
            return
        self._running_text.setText(progress_text(progress))
        self._detail.setText(progress.detail)
        self._bar.setRange(0, 1000 if progress.total else 0)
        if progress.total:
            self._bar.setValue(min(1000, round(1000 * progress.done / progress.total)))

    def _on_stop_clicked(self) -> None:
        self._running_text.setText(self.tr("Stopping…"))
        self._bridge.start(self._bridge.call(operations.job.cancel(job=self._job)))

    def _on_undo_clicked(self) -> None:
        if self._report is not None:
            self.undo_requested.emit(Notice(self._result_title.text(), act=self._report.run_id))
            self._report = None
            self._show_page(self._result)

    def _on_show_made_clicked(self) -> None:
        if self._report is not None:
            self._work.start(self._go_to_made(self._report.run_id))

    async def _go_to_made(self, run_id: str) -> None:
        """Open the first conversation that was imported, else the first note."""
        try:
            place = await imported_place(self._bridge, run_id)
        except KeepsakeError as error:
            self.notice.emit(Notice(error_text(error), kind="error"))
            return
        if place is not None:
            self.reject()
            self.navigate.emit(place)

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._problems.toPlainText())
