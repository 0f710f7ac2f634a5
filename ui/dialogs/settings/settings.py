"""Settings sheet: built from ``settings.list``, searchable; each change applies at once."""

import asyncio
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QScrollArea, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.config.model import SettingValue
from app.errors import KeepsakeError
from ui import theme
from ui.dialogs.base_dialog import BaseDialog, note
from ui.dialogs.settings.sections import (
    HIDDEN,
    SECTIONS,
    SectionSpec,
    in_order,
    in_plain_words,
    is_common,
    section_of,
    title_of,
)
from ui.dialogs.settings.setting_field import SettingField
from ui.dialogs.settings.setting_section import SettingSection
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.field_icons import FieldIcons

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.config.model import ConfigFinding
    from ui.bridge import Bridge
    from ui.dialogs.settings.panel import SettingsPanel

    Panels = Mapping[str, Callable[[QWidget], SettingsPanel]]

SLICE_S = 0.008
"""How long fields are built before the event loop gets a turn."""
_LIST_WIDTH = 216
_ICON = 16
_ROW = 34


class SettingsDialog(BaseDialog):
    """A list of sections beside the settings of one; a search looks through all.

    Args:
        bridge: The way to the vault.
        window: The window in whose sheets it opens.
        panels: Makes the tools of sections, by section.
    """

    applied = Signal(object)
    measure = 1040

    def __init__(self, bridge: "Bridge", window: QWidget | None = None, panels: "Panels | None" = None) -> None:
        super().__init__(self.tr("Settings"), window)
        self._bridge = bridge
        self._panels = panels or {}
        self._fields: dict[str, SettingField] = {}
        self.is_built = False
        self._is_building = False
        self._is_outdated = False
        self._sections: list[SettingSection] = []
        self._search = QLineEdit(self)
        self._search.setPlaceholderText(self.tr("Search settings"))
        self._search.setAccessibleName(self.tr("Search settings"))
        FieldIcons(self._search, "search")
        self._search.textChanged.connect(self._on_search_changed)
        self._list = QListWidget(self)
        self._list.setObjectName("helpList")
        self._list.setAccessibleName(self.tr("Sections"))
        self._list.setSpacing(1)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for section in SECTIONS:
            item = QListWidgetItem(icon(section.icon), section.shown_title, self._list)
            item.setData(Qt.ItemDataRole.UserRole, section.id)
        self._list.setCurrentRow(0)
        self._list.currentRowChanged.connect(self._on_section_chosen)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._nothing = note(self.tr("No setting has these words."), self, "body muted")
        self._nothing.hide()
        self._lay_out_body()
        theme.current().changed.connect(self._fit_list)
        self._fit_list()

    def _lay_out_body(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(Space.S)
        left.addWidget(self._search)
        left.addWidget(self._list, 1)
        right = QVBoxLayout()
        right.addWidget(self._nothing)
        right.addWidget(self._area, 1)
        row = QHBoxLayout()
        row.setSpacing(Space.XL)
        row.addLayout(left)
        row.addLayout(right, 1)
        self.body.addLayout(row, 1)

    def _fit_list(self) -> None:
        look = theme.current()
        for widget in (self._search, self._list):
            widget.setFixedWidth(look.scaled(_LIST_WIDTH))
        self._list.setIconSize(QSize(look.scaled(_ICON), look.scaled(_ICON)))
        for row in range(self._list.count()):
            self._list.item(row).setSizeHint(QSize(0, look.scaled(_ROW)))

    def regions(self) -> list[QWidget]:
        """Return search, sections and settings."""
        return [self._search, self._list, self._area]

    def bring_to_front(self) -> None:
        """Show the settings as they are now."""
        super().bring_to_front()
        self._search.setFocus()
        self._bridge.start(self.load())

    def open_section(self, identity: str) -> None:
        """Choose a section by its name."""
        self._search.clear()
        for row, section in enumerate(SECTIONS):
            if section.id == identity:
                self._list.setCurrentRow(row)

    async def load(self) -> None:
        """Fetch all settings and show them."""
        settings: list[SettingValue] = await self._bridge.call("settings.list")
        if not isValid(self):
            return
        if self._is_building:
            self._is_outdated = True
            return
        by_name = {setting.name: setting for setting in settings if setting.name not in HIDDEN}
        if set(self._fields) == by_name.keys():
            for setting in by_name.values():
                self._fields[setting.name].set_value(setting)
        else:
            await self._build(by_name)
            if not isValid(self):
                return
            if self._is_outdated:
                self._is_outdated = False
                await self.load()
                return
        await self._check()

    async def _build(self, settings: dict[str, SettingValue]) -> None:
        """Build the fields in slices, so that the window never stands still."""
        self.is_built, self._is_building = False, True
        self._fields.clear()
        self._sections.clear()
        page = QWidget(self._area)
        page.setObjectName("sheet")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, Space.M, Space.L)
        column.setSpacing(Space.L)
        for spec in SECTIONS:
            section = self._make_section(spec, page)
            section.hide()
            self._sections.append(section)
            column.addWidget(section)
        column.addStretch(1)
        self._area.setWidget(page)
        self._show_sections()
        boxes = {section.spec.id: section for section in self._sections}
        began = time.monotonic()
        for name in in_order(settings):
            box = boxes[section_of(name).id]
            box.add(self._field(settings[name], box), is_common=is_common(name))
            if time.monotonic() - began > SLICE_S:
                await asyncio.sleep(0)
                if not isValid(self):
                    return
                began = time.monotonic()
        self.is_built, self._is_building = True, False
        self._on_search_changed(self._search.text())

    def _make_section(self, spec: SectionSpec, page: QWidget) -> SettingSection:
        section = SettingSection(spec, page)
        if spec.id in self._panels:
            panel = self._panels[spec.id](section)
            panel.stored.connect(self._on_stored)
            section.add_panel(panel)
        return section

    def _field(self, setting: SettingValue, page: QWidget) -> SettingField:
        field = SettingField(setting, title_of(setting.name), page)
        field.changed.connect(self._on_field_changed)
        self._fields[setting.name] = field
        return field

    def _on_field_changed(self, name: str, value: object) -> None:
        self._bridge.start(self._store(name, value))

    async def _store(self, name: str, value: object) -> None:
        try:
            stored: SettingValue = await self._bridge.call("settings.set", name=name, value=value)
        except KeepsakeError as error:
            if isValid(self):
                self._fields[name].show_refusal(in_plain_words(error.message))
            return
        if isValid(self):
            self._on_stored(stored)
            await self._check()

    def _on_stored(self, stored: SettingValue) -> None:
        """Show a stored value, and let everything else follow it."""
        if stored.name in self._fields:
            self._fields[stored.name].set_value(stored)
        for section in self._sections:
            if section.panel is not None:
                section.panel.follow(stored)
        self.applied.emit(stored)

    async def _check(self) -> None:
        """Say beside the fields what does not go together."""
        try:
            findings: list[ConfigFinding] = await self._bridge.call("settings.check")
        except KeepsakeError:
            return  # a check that fails takes nothing from the settings
        if not isValid(self):
            return
        said = {finding.name: in_plain_words(f"{finding.what} {finding.remedy}") for finding in findings}
        for name, field in self._fields.items():
            if name in said or field.has_warning:
                field.show_warning(said.get(name, ""))

    def _show_sections(self) -> None:
        """Show the chosen section alone."""
        chosen = self._list.currentRow()
        for place, section in enumerate(self._sections):
            section.show_all()
            section.setVisible(place == chosen)
        panel = self._sections[chosen].panel if self._sections else None
        if panel is not None:
            panel.shown()
        self._area.verticalScrollBar().setValue(0)

    def _on_section_chosen(self, _row: int) -> None:
        if self._search.text():
            self._search.clear()  # which shows the section
        else:
            self._show_sections()

    def _on_search_changed(self, text: str) -> None:
        words = text.casefold().split()
        if not words:
            self._nothing.hide()
            self._show_sections()
            return
        found = [section.show_matching(words) for section in self._sections]
        self._nothing.setVisible(bool(self._sections) and not any(found))
