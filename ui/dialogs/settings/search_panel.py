"""Search panel: the way to the search models, and keys of remote services."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ui.dialogs.models.key_field import KeyField
from ui.dialogs.settings.panel import SettingsPanel
from ui.widgets.button import text_button
from ui.widgets.fields.form_row import FormRow

if TYPE_CHECKING:
    from app.config.model import SettingValue
    from ui.bridge import Bridge

_MODEL = "embedding.model"


class SearchPanel(SettingsPanel):
    """A button that opens the search models, above the key of a remote service."""

    models_requested = Signal()

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self._row = FormRow(self.tr("Search models"), self)
        self._row.about.setText(
            self.tr("What turns texts into meaning, and how results are ranked. A change shows what it does first.")
        )
        self.models = text_button(self.tr("Search models…"), parent=self)
        self.models.clicked.connect(self.models_requested)
        self._row.side.addWidget(self.models)
        self._row.fit_width(self.models)
        self.keys = KeyField(bridge, self)
        self.column.addWidget(self._row)
        self.column.addWidget(self.keys)

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        return f"{self._row.title.text()} {self._row.about.text()} ranking recipe {self.keys.words}".casefold()

    def follow(self, setting: "SettingValue") -> None:
        """Look up the key again after the model or its service changed."""
        if setting.name.startswith("embedding."):
            self.keys.follow(str(setting.value) if setting.name == _MODEL else "")
