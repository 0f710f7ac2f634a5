"""Diagnostics: debug information, integrity check, start-up times and the log."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLineEdit, QProgressBar, QTreeWidgetItem, QWidget

from ui import operations, theme
from ui.dialogs.base_dialog import note
from ui.dialogs.debug_information import debug_lines
from ui.dialogs.settings.panel import SettingsPanel
from ui.dialogs.settings.plain_table import align_numbers, fit_table, make_table
from ui.dialogs.settings.sections import in_plain_words
from ui.engine_texts import engine_report, engine_text
from ui.models.dates import clock_time, format_number
from ui.process import start_times
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import text_button
from ui.widgets.fields.field_icons import FieldIcons
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import PlainLabel, tooltip

if TYPE_CHECKING:
    from app.trace.model import TraceLine
    from app.upkeep.model import CheckReport, Finding, RepairReport, VaultStatus
    from ui.bridge import Bridge
    from ui.process.error_reporter import ErrorReporter

_LINES = 300
_SHOWN = 10
_TYPING_MS = 200


class DiagnosticsPanel(SettingsPanel):
    """Diagnostics without any content of the vault."""

    def __init__(self, bridge: "Bridge", errors: "ErrorReporter | None" = None, parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self._errors = errors
        self._vault = ""
        self.copy = text_button(self.tr("Copy debug information"), icon_name="copy", parent=self)
        self.folder = text_button(self.tr("Open the vault's folder"), icon_name="folder-open", parent=self)
        self.check = text_button(self.tr("Check the vault now"), icon_name="shield-check", parent=self)
        self.repair = text_button(self.tr("Repair"), icon_name="wrench", parent=self)
        self.copy.clicked.connect(self._on_copy_clicked)
        self.folder.clicked.connect(self._on_folder_clicked)
        self.check.clicked.connect(self._on_check_clicked)
        self.repair.clicked.connect(self._on_repair_clicked)
        self.copied = note("", self)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.report = note("", self, "body")
        self.report.setAccessibleName(self.tr("Result of the check"))
        self.starts = make_table(self, self.tr("Start-up times"), (self.tr("Step"), self.tr("Milliseconds")))
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(self.tr("Filter the log"))
        self.filter.setAccessibleName(self.tr("Filter the log"))
        FieldIcons(self.filter, "funnel")
        self.log = make_table(
            self, self.tr("Log"), (self.tr("Facts"), self.tr("What"), self.tr("Milliseconds"), self.tr("Time"))
        )
        self.log.header().moveSection(3, 0)
        self.log.header().moveSection(2, 1)
        self.filter.textChanged.connect(self._on_filter_changed)
        self._lay_out()

    def _lay_out(self) -> None:
        tools = QWidget(self)
        buttons = FlowLayout(tools, Space.S)
        for button in (self.check, self.repair, self.copy, self.folder):
            buttons.addWidget(button)
        head = hbox((self._heading(self.tr("Log"), self), 1), self.filter, spacing=Space.M)
        for widget in (tools, self.copied, self.progress, self.report):
            self.column.addWidget(widget)
        self.column.addWidget(self._heading(self.tr("Start-up times"), self))
        self.column.addWidget(self.starts)
        self.column.addLayout(head)
        self.column.addWidget(self.log)
        for later in (self.copied, self.progress, self.report, self.repair):
            later.hide()

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        return "debug log trace check integrity repair start-up times folder " + self.copy.text().casefold()

    def shown(self) -> None:
        """Load folder, times and log."""
        self.run(self._load())

    async def _load(self) -> None:
        status: VaultStatus = await self.bridge.call(operations.vault.status())
        self._vault = str(getattr(status, "vault", ""))
        self.folder.setEnabled(bool(self._vault))
        opened: list[TraceLine] = await self.bridge.call(operations.vault.trace(limit=1, contains="engine.opened"))
        self._show_starts(opened)
        await self._load_log()

    def _show_starts(self, opened: "list[TraceLine]") -> None:
        titles = {
            "program": self.tr("Program loaded"),
            "window": self.tr("Window on the screen"),
            "vault": self.tr("Vault open"),
            "filled": self.tr("Window filled"),
        }
        rows = [(titles.get(step, step), ms) for step, ms in start_times.times().items()]
        if opened and opened[0].ms is not None:
            rows.append((self.tr("Engine and database, of these"), opened[0].ms))
        self.starts.clear()
        for title, ms in rows:
            QTreeWidgetItem(self.starts, [title, format_number(round(ms))])
        align_numbers(self.starts, 1)
        fit_table(self.starts)

    async def _load_log(self) -> None:
        lines: list[TraceLine] = await self.bridge.call(
            operations.vault.trace(limit=_LINES, contains=self.filter.text())
        )
        self.log.clear()
        for line in lines:
            facts = " · ".join(part for part in (line.error, line.facts) if part)
            ms = "" if line.ms is None else f"{line.ms:,.1f}"
            item = QTreeWidgetItem(self.log, [facts, line.event, ms, clock_time(line.at)])
            item.setToolTip(0, tooltip(facts))
        align_numbers(self.log, 2)
        fit_table(self.log, _SHOWN)

    def _heading(self, text: str, parent: QWidget) -> PlainLabel:
        return PlainLabel(text, parent, style="strong")

    # --- what the person does ---

    def _on_filter_changed(self) -> None:
        self.work.after(_TYPING_MS, self._on_typing_timeout)

    def _on_typing_timeout(self) -> None:
        self.run(self._load_log())

    def _on_copy_clicked(self) -> None:
        self.run(self._copy())

    async def _copy(self) -> None:
        lines = await debug_lines(self.bridge, self._errors)
        lines += [f"start {step}: {ms:.0f} ms" for step, ms in start_times.times().items()]
        QGuiApplication.clipboard().setText("\n".join(lines))
        self.copied.setText(self.tr("Copied. It holds versions, counts and errors, and nothing you wrote."))
        self.copied.show()

    def _on_folder_clicked(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._vault))

    def _on_check_clicked(self) -> None:
        self._begin(self.tr("Reading all of the vault…"))
        self.run(self._check(), self._on_finished)

    async def _check(self) -> None:
        report: CheckReport = await self.bridge.call(operations.vault.check())
        self._show_findings(report.findings)
        self.repair.setVisible(any(finding.is_mended_by_repair for finding in report.findings))

    def _show_findings(self, findings: "tuple[Finding, ...]") -> None:
        lines = [in_plain_words(f"• {engine_text(finding.what)} {engine_text(finding.remedy)}") for finding in findings]
        theme.set_type(self.report, "body warning" if lines else "body")
        self.report.setText("\n".join(lines) or self.tr("The vault is sound. Everything in it was read."))

    def _on_repair_clicked(self) -> None:
        self._begin(self.tr("Repairing…"))
        self.run(self._repair(), self._on_finished)

    async def _repair(self) -> None:
        done: RepairReport = await self.bridge.call(operations.vault.repair())
        self._show_findings(done.left)
        if not done.left:
            self.report.setText("\n".join((*map(engine_report, done.mended), self.tr("The vault is sound."))))
        self.repair.hide()

    def _begin(self, doing: str) -> None:
        theme.set_type(self.report, "body muted")
        self.report.setText(doing)
        self.report.show()
        self.progress.show()
        self.check.setEnabled(False)

    def _on_finished(self) -> None:
        self.progress.hide()
        self.check.setEnabled(True)
