"""About: the version, and what a bug report needs, never the content of the vault."""

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ui.dialogs.base_dialog import BaseDialog, note
from ui.dialogs.debug_information import debug_lines, program_lines, version
from ui.style.icons import pixmap
from ui.widgets.button import text_button
from ui.widgets.fields.text_field import TextField
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.process.error_reporter import ErrorReporter

LOGO = 56


class AboutDialog(BaseDialog):
    """Name, version and debug information that can be copied."""

    measure = 640

    def __init__(
        self, bridge: "Bridge | None", errors: "ErrorReporter | None" = None, window: QWidget | None = None
    ) -> None:
        super().__init__(self.tr("Keepsake"), window)
        self._work = None if bridge is None else Work(self, bridge)
        self._errors = errors
        logo = PlainLabel(self)
        logo.setPixmap(pixmap("keepsake", LOGO, "#000000", self.devicePixelRatioF()))
        self.body.addWidget(logo)
        self.body.addWidget(note(self.tr("Version {version}").format(version=version()), self, "strong"))
        about = self.tr("One person's long-term memory, on their own machine. MIT licence. Icons: Lucide (ISC).")
        self.body.addWidget(note(about, self, "body muted"))
        self._debug = TextField(self.tr("Debug information"), self, is_read_only=True, wraps=False)
        self.body.addWidget(self._debug)
        self.body.addStretch(1)
        copy = self.add_button(text_button(self.tr("Copy debug information"), parent=self))
        copy.clicked.connect(self._on_copy_clicked)

    def bring_to_front(self) -> None:
        """Show what is true now."""
        self._debug.setPlainText("\n".join(program_lines()))
        super().bring_to_front()
        if self._work is not None:
            self._work.start(self._load(self._work.bridge))

    async def _load(self, bridge: "Bridge") -> None:
        lines = await debug_lines(bridge, self._errors)
        self._debug.setPlainText("\n".join(lines))

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._debug.toPlainText())
