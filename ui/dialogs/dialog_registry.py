"""Dialog registry: builds dialogs on request and forgets closed ones."""

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget
from shiboken6 import isValid

from ui.dialogs.about import AboutDialog
from ui.dialogs.base_dialog import BaseDialog
from ui.dialogs.exchange.capsule_sheet import CapsuleSheet
from ui.dialogs.exchange.export_sheet import ExportSheet
from ui.dialogs.exchange.importer import ImportDialog
from ui.dialogs.help import HelpDialog
from ui.dialogs.history_sheet import HistorySheet
from ui.dialogs.models.models import ModelsDialog
from ui.dialogs.settings.appearance_panel import AppearancePanel
from ui.dialogs.settings.backups_panel import BackupsPanel
from ui.dialogs.settings.desktop_panel import DesktopPanel
from ui.dialogs.settings.devices_panel import DevicesPanel
from ui.dialogs.settings.diagnostics_panel import DiagnosticsPanel
from ui.dialogs.settings.encryption_panel import EncryptionPanel
from ui.dialogs.settings.language_model_panel import LanguageModelPanel
from ui.dialogs.settings.search_panel import SearchPanel
from ui.dialogs.settings.settings import SettingsDialog
from ui.dialogs.settings.shortcut_editor import ShortcutEditor
from ui.dialogs.shortcuts import ShortcutsDialog
from ui.dialogs.welcome import WelcomeDialog
from ui.widgets.plain_text import PlainMessageBox

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ui.actions import Actions
    from ui.bridge import Bridge
    from ui.dialogs.settings.panel import SettingsPanel
    from ui.process.error_reporter import ErrorReporter
    from ui.shell.undo.undo_stack import UndoStack

S = TypeVar("S", bound=BaseDialog)


class DialogRegistry(QObject):
    """Opens dialogs; none of them blocks the program."""

    notice = Signal(object)
    link_requested = Signal(str)
    navigate = Signal(object)
    undo_requested = Signal(object)
    """Undo what a notice tells of."""
    models_requested = Signal()
    setting_applied = Signal(object)
    close_decided = Signal(bool)
    sample_requested = Signal()
    restart_requested = Signal()
    """Begin anew, so that files are encrypted or decrypted."""
    lock_requested = Signal()

    def __init__(self, bridge: "Bridge", actions: "Actions", errors: "ErrorReporter", window: QWidget) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._actions = actions
        self._errors = errors
        self._window = window
        self._open: dict[type[BaseDialog], BaseDialog] = {}
        self._page = ""
        self.vault = ""
        self.has_tray = False

    @property
    def importer(self) -> ImportDialog:
        """The import dialog."""
        return self._sheet(ImportDialog, self._make_importer)

    @property
    def settings(self) -> SettingsDialog:
        """The settings dialog."""
        return self._sheet(SettingsDialog, self._make_settings)

    @property
    def models(self) -> ModelsDialog:
        """The search models' dialog."""
        return self._sheet(ModelsDialog, self._make_models)

    def open_import(self) -> None:
        """Open the import dialog at its first page, or at the import under way."""
        self.importer.start_over()
        self.importer.bring_to_front()

    def open_export(self) -> None:
        """Open the sheet that exports everything, or the export under way."""
        self._sheet(ExportSheet, self._make_export_sheet).bring_to_front()

    def open_capsule(self, ids: "Sequence[str]" = ()) -> None:
        """Open the sheet that makes a capsule, with these memories where some are named."""
        sheet = self._sheet(CapsuleSheet, self._make_capsule_sheet)
        sheet.choose(ids)
        sheet.bring_to_front()

    def open_history(self, undo: "UndoStack") -> None:
        """Open what was done in the vault, each entry with its undo."""
        self._sheet(HistorySheet, partial(HistorySheet, self._bridge, undo, self._window)).bring_to_front()

    def open_settings(self, section: str = "") -> None:
        """Open the settings, at a section where one is named."""
        settings = self.settings
        settings.bring_to_front()
        if section:
            settings.open_section(section)

    def open_models(self) -> None:
        """Open the search models."""
        self.models.bring_to_front()

    def open_help(self, page: str = "") -> None:
        """Open the help at ``page``, or where it was left."""
        sheet = self._sheet(HelpDialog, self._make_help)
        if page or self._page:
            sheet.open_page(page or self._page)
        sheet.bring_to_front()

    def open_shortcuts(self) -> None:
        """Open the list of shortcuts."""
        self._sheet(ShortcutsDialog, self._make_shortcuts).bring_to_front()

    def open_about(self) -> None:
        """Open version and debug information."""
        self._sheet(AboutDialog, self._make_about).bring_to_front()

    def open_welcome(self) -> None:
        """Open the steps of the first start."""
        self._sheet(WelcomeDialog, self._make_welcome).bring_to_front()

    def _sheet(self, kind: type[S], make: "Callable[[], S]") -> S:
        """Return the open dialog of a class, or build it."""
        known = self._open.get(kind)
        if isinstance(known, kind) and not known.is_closed:
            return known
        sheet = make()
        self._open[kind] = sheet
        sheet.destroyed.connect(self._on_sheet_destroyed)
        return sheet

    def _make_importer(self) -> ImportDialog:
        dialog = ImportDialog(self._bridge, self._window)
        dialog.notice.connect(self.notice)
        dialog.navigate.connect(self.navigate)
        dialog.undo_requested.connect(self.undo_requested)
        return dialog

    def _make_export_sheet(self) -> ExportSheet:
        sheet = ExportSheet(self._bridge, self._window)
        sheet.notice.connect(self.notice)
        return sheet

    def _make_capsule_sheet(self) -> CapsuleSheet:
        sheet = CapsuleSheet(self._bridge, self._window)
        sheet.notice.connect(self.notice)
        return sheet

    def _make_settings(self) -> SettingsDialog:
        panels: dict[str, Callable[[QWidget], SettingsPanel]] = {
            "appearance": partial(AppearancePanel, self._bridge),
            "desktop": self._make_desktop_panel,
            "llm": partial(LanguageModelPanel, self._bridge),
            "search": self._make_search_panel,
            "encryption": self._make_encryption_panel,
            "devices": partial(DevicesPanel, self._bridge),
            "backups": partial(BackupsPanel, self._bridge),
            "shortcuts": partial(ShortcutEditor, self._bridge, self._actions),
            "diagnostics": partial(DiagnosticsPanel, self._bridge, self._errors),
        }
        dialog = SettingsDialog(self._bridge, self._window, panels)
        dialog.applied.connect(self.setting_applied)
        return dialog

    def _make_encryption_panel(self, parent: QWidget) -> EncryptionPanel:
        panel = EncryptionPanel(self._bridge, parent)
        panel.restart_requested.connect(self.restart_requested)
        panel.lock_requested.connect(self.lock_requested)
        return panel

    def _make_desktop_panel(self, parent: QWidget) -> DesktopPanel:
        return DesktopPanel(self._bridge, self.vault, parent)

    def _make_search_panel(self, parent: QWidget) -> SearchPanel:
        panel = SearchPanel(self._bridge, parent)
        panel.models_requested.connect(self.models_requested)
        return panel

    def _make_models(self) -> ModelsDialog:
        dialog = ModelsDialog(self._bridge, self._window)
        dialog.notice.connect(self.notice)
        return dialog

    def _make_help(self) -> HelpDialog:
        dialog = HelpDialog(self._window)
        dialog.place_requested.connect(self.link_requested)
        dialog.page_shown.connect(self._on_help_page_shown)
        return dialog

    def _make_welcome(self) -> WelcomeDialog:
        dialog = WelcomeDialog(self.vault, has_tray=self.has_tray, window=self._window)
        dialog.import_requested.connect(self.open_import)
        dialog.sample_requested.connect(self.sample_requested)
        dialog.navigate.connect(self.navigate)
        dialog.settings_requested.connect(self.open_settings)
        return dialog

    def _make_shortcuts(self) -> ShortcutsDialog:
        dialog = ShortcutsDialog(self._bridge, self._actions, self._window)
        dialog.applied.connect(self.setting_applied)
        return dialog

    def _make_about(self) -> AboutDialog:
        return AboutDialog(self._bridge, self._errors, self._window)

    def _on_sheet_destroyed(self) -> None:
        self._open = {kind: sheet for kind, sheet in self._open.items() if isValid(sheet)}

    def _on_help_page_shown(self, name: str) -> None:
        self._page = name

    def ask_close(self, *, has_tray: bool) -> None:
        """Ask whether closing the window keeps the program running; Cancel leaves the window open."""
        if has_tray:
            text = self.tr("Should Keepsake keep running in the tray when its window is closed?")
            back = self.tr("Settings can change this.")
        else:
            text = self.tr("Should Keepsake keep running, hidden, when its window is closed?")
            back = self.tr("Start Keepsake again to see the window. Settings can change this.")
        why = self.tr("Your agents can then go on using it, and quick capture stays at hand.")
        box = PlainMessageBox(self.tr("Keep running?"), text, f"{why} {back}", self._window)
        keep = box.addButton(self.tr("Keep running"), QMessageBox.ButtonRole.AcceptRole)
        leave = box.addButton(self.tr("Quit"), QMessageBox.ButtonRole.DestructiveRole)
        box.setEscapeButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.setDefaultButton(keep)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        keep.clicked.connect(self._on_keep_chosen)
        leave.clicked.connect(self._on_quit_chosen)
        box.open()

    def _on_keep_chosen(self) -> None:
        self.close_decided.emit(True)

    def _on_quit_chosen(self) -> None:
        self.close_decided.emit(False)
