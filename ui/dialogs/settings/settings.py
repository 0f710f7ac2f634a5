"""Settings sheet: built from ``settings.list``, searchable; each change applies at once."""

import asyncio
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.config.model import SettingValue
from app.errors import KeepsakeError
from ui import operations, theme
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
from ui.engine_texts import engine_text, error_text
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.box_layouts import vbox
from ui.widgets.fields.field_icons import FieldIcons
from ui.widgets.page_area import PageArea
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.config.model import ConfigFinding
    from ui.bridge import Bridge
    from ui.dialogs.settings.panel import SettingsPanel

    Panels = Mapping[str, Callable[[QWidget], SettingsPanel]]

SLICE_S = 0.008
"""Time for which fields are built before the event loop gets a turn."""
_LIST_WIDTH = 216
_FIELDS_WIDTH = 340
"""Pixels the settings have beside the list at the least, with text of the system's size."""
_ICON = 16
_WIDEST = (1 << 24) - 1
_ROW = 34
PAUSE_MS = 150
"""Milliseconds after the last key until a search shows its settings."""


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
        self._work = Work(self, bridge)
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
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._show_found)
        self._chosen = 0
        self._found: list[bool] = []
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
        self._list.itemClicked.connect(self._on_list_item_clicked)
        self._menu = QComboBox(self)
        self._menu.setAccessibleName(self.tr("Sections"))
        for section in SECTIONS:
            self._menu.addItem(icon(section.icon), section.shown_title)
        self._menu.hide()
        self._menu.activated.connect(self._list.setCurrentRow)
        self._area = PageArea(self)
        self._area.verticalScrollBar().valueChanged.connect(self._mark_section)
        self._nothing = note(self.tr("No setting has these words."), self, "body muted")
        self._nothing.hide()
        self._lay_out_body()
        theme.current().changed.connect(self._fit_list)
        self._fit_list()

    def _lay_out_body(self) -> None:
        left = vbox(self._search, self._menu, (self._list, 1), spacing=Space.S)
        right = vbox(self._nothing, (self._area, 1))
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.addLayout(left)
        self._columns.addLayout(right, 1)
        self.body.addLayout(self._columns, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show a menu of sections where the list would leave no room."""
        super().resizeEvent(event)
        self._fit_list()

    def _fit_list(self) -> None:
        look = theme.current()
        is_narrow = self.width() < look.scaled(_LIST_WIDTH + _FIELDS_WIDTH)
        self._columns.setDirection(QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight)
        self._columns.setSpacing(Space.M if is_narrow else Space.XL)
        self._menu.setVisible(is_narrow)
        self._list.setVisible(not is_narrow)
        for widget in (self._search, self._list):
            widget.setMinimumWidth(0 if is_narrow else look.scaled(_LIST_WIDTH))
            widget.setMaximumWidth(_WIDEST if is_narrow else look.scaled(_LIST_WIDTH))
        for sections in (self._list, self._menu):
            sections.setIconSize(QSize(look.scaled(_ICON), look.scaled(_ICON)))
        for row in range(self._list.count()):
            self._list.item(row).setSizeHint(QSize(0, look.scaled(_ROW)))

    def regions(self) -> list[QWidget]:
        """Return search, sections and settings."""
        return [self._search, self._menu if self._list.isHidden() else self._list, self._area]

    def bring_to_front(self) -> None:
        """Show the settings as they are now."""
        super().bring_to_front()
        self._search.setFocus()
        self._work.start(self.load())

    def open_section(self, identity: str) -> None:
        """Choose a section by its name."""
        self._search.clear()
        for row, section in enumerate(SECTIONS):
            if section.id == identity:
                self._list.setCurrentRow(row)

    async def load(self) -> None:
        """Fetch all settings and show them."""
        settings: list[SettingValue] = await self._bridge.call(operations.settings.list())
        if self._is_building:
            self._is_outdated = True
            return
        by_name = {setting.name: setting for setting in settings if setting.name not in HIDDEN}
        if set(self._fields) == by_name.keys():
            for setting in by_name.values():
                self._fields[setting.name].set_value(setting)
        else:
            await self._build(by_name)
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
        column = vbox(parent=page, margins=(0, 0, Space.M, Space.L), spacing=Space.L)
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
                began = time.monotonic()
        self.is_built, self._is_building = True, False
        self._show_found()

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

    def _on_field_changed(self, name: str, value: str | float | bool) -> None:
        self._work.start(self._store(name, value))

    async def _store(self, name: str, value: str | float | bool) -> None:
        try:
            stored: SettingValue = await self._bridge.call(operations.settings.set(name=name, value=value))
        except KeepsakeError as error:
            self._fields[name].show_refusal(in_plain_words(error_text(error)))
            return
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
            findings: list[ConfigFinding] = await self._bridge.call(operations.settings.check())
        except KeepsakeError:
            return  # a check that fails takes nothing from the settings
        sentences = {
            finding.name: in_plain_words(f"{engine_text(finding.what)} {engine_text(finding.remedy)}")
            for finding in findings
        }
        for name, field in self._fields.items():
            if name in sentences or field.has_warning:
                field.show_warning(sentences.get(name, ""))

    def _show_sections(self) -> None:
        """Show the chosen section alone."""
        chosen = self._chosen
        self._highlight(chosen)
        for place, section in enumerate(self._sections):
            section.show_all()
            section.setVisible(place == chosen)
        panel = self._sections[chosen].panel if self._sections else None
        if panel is not None:
            panel.shown()
        self._area.verticalScrollBar().setValue(0)

    def _highlight(self, row: int) -> None:
        """Mark a section in the list without choosing it; -1 for none."""
        with QSignalBlocker(self._list):
            self._list.setCurrentRow(row)
        self._menu.setCurrentIndex(row)

    def _mark_section(self) -> None:
        """Mark the section whose settings a search shows at the top."""
        shown = [place for place, is_found in enumerate(self._found) if is_found]
        if not self._search.text().split() or not shown:
            return
        top = self._area.verticalScrollBar().value()
        passed = [place for place in shown if self._sections[place].y() <= top]
        self._highlight(passed[-1] if passed else shown[0])

    def _on_section_chosen(self, row: int) -> None:
        self._chosen = row
        if self._search.text():
            self._search.clear()  # which shows the section
        else:
            self._show_sections()

    def _on_list_item_clicked(self, item: QListWidgetItem) -> None:
        if self._search.text():  # the section that a search marks can be chosen too
            self._on_section_chosen(self._list.row(item))

    def _on_search_changed(self, text: str) -> None:
        if text.split():
            self._pause.start()
        else:
            self._show_found()

    def _show_found(self) -> None:
        """Show the settings that have the words of the search, else the chosen section."""
        self._pause.stop()
        words = self._search.text().casefold().split()
        if not words:
            self._found = []
            self._nothing.hide()
            self._show_sections()
            return
        self._found = [section.show_matching(words) for section in self._sections]
        self._nothing.setVisible(bool(self._sections) and not any(self._found))
        self._area.verticalScrollBar().setValue(0)
        self._highlight(self._found.index(True) if any(self._found) else -1)
