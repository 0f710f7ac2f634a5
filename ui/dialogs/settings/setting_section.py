"""Section of the settings: its tools, its fields, and the advanced ones folded."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ui.dialogs.base_dialog import hairline, note
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from ui.dialogs.settings.panel import SettingsPanel
    from ui.dialogs.settings.sections import SectionSpec
    from ui.dialogs.settings.setting_field import SettingField


class SettingSection(QWidget):
    """Heading, panel and fields; what is seldom changed is behind a button."""

    def __init__(self, spec: "SectionSpec", parent: QWidget) -> None:
        super().__init__(parent)
        self.spec = spec
        self.fields: list[SettingField] = []
        self.panel: SettingsPanel | None = None
        self._advanced_fields: list[SettingField] = []
        heading = PlainLabel(spec.shown_title, self, style="heading")
        self._about = note(spec.shown_about, self, "body muted")
        self._column = vbox(heading, self._about, hairline(self), parent=self, margins=0, spacing=Space.XS)
        self._common = vbox(spacing=0)
        self._column.addLayout(self._common)
        self.more = text_button("", "quiet", parent=self)
        self.more.setCheckable(True)
        self.more.toggled.connect(self._on_more_toggled)
        self.more.hide()
        self._advanced = QWidget(self)
        self._rest = vbox(parent=self._advanced, margins=0, spacing=0)
        self._advanced.hide()
        self._column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(self._advanced)
        self._is_searched = False

    def add_panel(self, panel: "SettingsPanel") -> None:
        """Give the section its tools, above or below its fields."""
        self.panel = panel
        place = self._column.indexOf(self._common) + (0 if panel.is_first else 1)
        self._column.insertWidget(place, panel)

    def add(self, field: "SettingField", *, is_common: bool) -> None:
        """Append a field."""
        self.fields.append(field)
        if is_common:
            self._common.addWidget(field)
        else:
            self._advanced_fields.append(field)
            self._rest.addWidget(field)
            self._name_more()

    def show_all(self) -> None:
        """Show everything, the advanced fields only where they were asked for."""
        self._is_searched = False
        for field in self.fields:
            field.setVisible(True)
        if self.panel is not None:
            self.panel.setVisible(True)
        self.more.setVisible(bool(self._advanced_fields))
        self._advanced.setVisible(self.more.isChecked())
        self._about.setVisible(True)
        self._name_more()

    def show_matching(self, words: list[str]) -> bool:
        """Show only what has all words; return whether there is anything."""
        self._is_searched = True
        title = self.spec.shown_title.casefold()
        shown = [field for field in self.fields if all(word in f"{title} {field.words}" for word in words)]
        for field in self.fields:
            field.setVisible(field in shown)
        has_panel = self.panel is not None and all(word in f"{title} {self.panel.words}" for word in words)
        if self.panel is not None:
            self.panel.setVisible(has_panel)
            if has_panel:
                self.panel.shown()
        self._about.setVisible(False)
        self.more.setVisible(False)
        self._advanced.setVisible(any(field in shown for field in self._advanced_fields))
        self.setVisible(bool(shown) or has_panel)
        return bool(shown) or has_panel

    def _name_more(self) -> None:
        count = len(self._advanced_fields)
        is_open = self.more.isChecked()
        self.more.setText(
            self.tr("Hide advanced settings") if is_open else self.tr("Advanced settings ({n})").format(n=count)
        )
        self.more.setIcon(icon("chevron-down" if is_open else "chevron-right", "link"))

    def _on_more_toggled(self, checked: bool) -> None:
        if not self._is_searched:
            self._advanced.setVisible(checked)
            self._name_more()
