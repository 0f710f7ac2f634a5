"""The dialogs of the window, each built when it is first asked for and kept."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from ui.dialogs.about import About
from ui.dialogs.help import Help
from ui.dialogs.importer import Importer
from ui.dialogs.models import Models
from ui.dialogs.settings import Settings
from ui.dialogs.shortcuts import Shortcuts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ui.actions import Actions
    from ui.bridge import Bridge
    from ui.faults import Faults


class Desk(QObject):
    """Opens dialogs; none of them blocks the program."""

    notice = Signal(object)
    link_asked = Signal(str)
    navigate = Signal(object)
    models_asked = Signal()
    setting_applied = Signal(object)
    close_decided = Signal(bool)

    def __init__(self, bridge: "Bridge", actions: "Actions", faults: "Faults", window: QWidget) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._actions = actions
        self._faults = faults
        self._window = window
        self._importer: Importer | None = None
        self._settings: Settings | None = None
        self._help: Help | None = None
        self._shortcuts: Shortcuts | None = None
        self._about: About | None = None
        self._models: Models | None = None

    @property
    def importer(self) -> Importer:
        """The import dialog."""
        if self._importer is None:
            self._importer = Importer(self._bridge, self._window)
            self._importer.notice.connect(self.notice)
        return self._importer

    @property
    def settings(self) -> Settings:
        """The settings dialog."""
        if self._settings is None:
            self._settings = Settings(self._bridge, self._window)
            self._settings.applied.connect(self.setting_applied)
            self._settings.models_asked.connect(self.models_asked)
        return self._settings

    def open_import(self) -> None:
        """Open the import dialog at its first page, or at the import under way."""
        self.importer.start_over()
        self.importer.bring()

    def open_settings(self) -> None:
        """Open the settings."""
        self.settings.bring()

    @property
    def models(self) -> Models:
        """The search models' dialog."""
        if self._models is None:
            self._models = Models(self._bridge, self._window)
            self._models.notice.connect(self.notice)
            self._models.navigate.connect(self.navigate)
        return self._models

    def open_models(self, searches: "Sequence[str]" = ()) -> None:
        """Open the search models, with searches of the person to compare."""
        self.models.bring(searches)

    def open_help(self, page: str = "") -> None:
        """Open the help pages, at the one of that file name or where they were left."""
        if self._help is None:
            self._help = Help(self._window)
            self._help.place_asked.connect(self.link_asked)
        if page:
            self._help.open_page(page)
        self._help.bring()

    def open_shortcuts(self) -> None:
        """Open the list of shortcuts."""
        if self._shortcuts is None:
            self._shortcuts = Shortcuts(self._actions, self._window)
        self._shortcuts.bring()

    def open_about(self) -> None:
        """Open version and debug information."""
        if self._about is None:
            self._about = About(self._bridge, self._faults, self._window)
        self._about.bring()

    def ask_close(self) -> None:
        """Ask once what closing the window should do from now on."""
        box = QMessageBox(self._window)
        box.setWindowTitle(self.tr("Keep running?"))
        box.setText(self.tr("Should Keepsake keep running in the tray when its window is closed?"))
        box.setInformativeText(
            self.tr("Your agents can then go on using it, and quick capture stays at hand. Settings can change this.")
        )
        keep = box.addButton(self.tr("Keep running"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("Quit"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.accepted.connect(self._on_keep_chosen)
        box.rejected.connect(self._on_quit_chosen)
        box.open()

    def _on_keep_chosen(self) -> None:
        self.close_decided.emit(True)

    def _on_quit_chosen(self) -> None:
        self.close_decided.emit(False)
