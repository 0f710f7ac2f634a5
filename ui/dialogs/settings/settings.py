"""Settings dialog: built from ``settings.list``, searchable; each change applies at once."""

import asyncio
import time
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QScrollArea, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.config.model import SettingValue
from app.errors import KeepsakeError
from ui import theme
from ui.dialogs.base_dialog import BaseDialog, hairline, note
from ui.dialogs.models.key_field import KeyField
from ui.dialogs.settings.setting_field import SettingField
from ui.style.design_tokens import Space
from ui.widgets.button import text_button
from ui.widgets.field_icons import FieldIcons
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from ui.bridge import Bridge

SLICE_S = 0.008
"""How long fields are built before the event loop gets a turn."""
_MODEL = "embedding.model"
_ABBREVIATIONS = {"api": "API", "url": "address", "env": "variable", "llm": "LLM", "mb": "MB", "rrf": "RRF"}


class SettingsDialog(BaseDialog):
    """One page of sections; each change is stored when it is made."""

    applied = Signal(object)
    models_requested = Signal()

    def __init__(self, bridge: "Bridge", window: QWidget | None = None) -> None:
        super().__init__(self.tr("Settings"), window)
        self._bridge = bridge
        self._fields: dict[str, SettingField] = {}
        self._keys: KeyField | None = None
        self.is_built = False
        self._is_building = False
        self._is_outdated = False
        self._sections: list[SettingSection] = []
        self._search = QLineEdit(self)
        self._search.setPlaceholderText(self.tr("Search settings"))
        self._search.setAccessibleName(self.tr("Search settings"))
        FieldIcons(self._search, "search")
        self._search.textChanged.connect(self._on_search_changed)
        self._error = note("", self, "body danger")
        self._error.hide()
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._nothing = note(self.tr("No setting has these words."), self, "body muted")
        self._nothing.hide()
        for widget in (self._search, self._error, self._nothing):
            self.body.addWidget(widget)
        self.body.addWidget(self._area, 1)
        # There a change of model or ranking shows what it does before it is made.
        models = self.add_button(text_button(self.tr("Search models…"), parent=self), left=True)
        models.clicked.connect(self.models_requested)

    def bring_to_front(self) -> None:
        """Show the settings as they are now."""
        super().bring_to_front()
        self._search.setFocus()
        self._bridge.start(self.load())

    async def load(self) -> None:
        """Fetch all settings and show them."""
        settings: list[SettingValue] = await self._bridge.call("settings.list")
        if not isValid(self):
            return
        if self._is_building:
            self._is_outdated = True
            return
        if set(self._fields) == {setting.name for setting in settings}:
            for setting in settings:
                self._fields[setting.name].set_value(setting)
        else:
            await self._build(settings)
            if not isValid(self):
                return
            if self._is_outdated:
                self._is_outdated = False
                await self.load()
                return
        if self._keys is not None:
            self._keys.follow(str(next(setting.value for setting in settings if setting.name == _MODEL)))

    async def _build(self, settings: list[SettingValue]) -> None:
        """Build the fields in slices, so that the window never stands still."""
        self.is_built, self._is_building = False, True
        self._fields.clear()
        self._sections.clear()
        page = QWidget(self._area)
        page.setObjectName("sheet")
        sections = QVBoxLayout(page)
        sections.setContentsMargins(0, 0, Space.M, Space.L)
        sections.setSpacing(0)
        sections.addStretch(1)
        self._area.setWidget(page)
        began = time.monotonic()
        for section, group in groupby(settings, key=_section):
            box = SettingSection(_words(section), page)
            self._sections.append(box)
            sections.insertWidget(sections.count() - 1, box)
            for setting in group:
                box.add(self._field(setting, box))
                if time.monotonic() - began > SLICE_S:
                    await asyncio.sleep(0)
                    if not isValid(self):
                        return
                    began = time.monotonic()
            if section == _MODEL.partition(".")[0]:
                self._keys = KeyField(self._bridge, box)
                box.add(self._keys)
        self.is_built, self._is_building = True, False
        self._on_search_changed(self._search.text())

    def _field(self, setting: SettingValue, page: QWidget) -> SettingField:
        field = SettingField(setting, _words(setting.name.partition(".")[2] or setting.name), page)
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
                self._error.setText(error.message)
                self._error.show()
                await self.load()
            return
        if not isValid(self):
            return
        self._error.hide()
        self._fields[name].set_value(stored)
        if self._keys is not None and name.startswith("embedding."):
            self._keys.follow(str(stored.value) if name == _MODEL else "")
        self.applied.emit(stored)

    def _on_search_changed(self, text: str) -> None:
        words = text.casefold().split()
        found = [section.show_matching(words) for section in self._sections]
        self._nothing.setVisible(bool(self._sections) and not any(found))


class SettingSection(QWidget):
    """Section of settings: a heading and its fields."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.fields: list[SettingField | KeyField] = []
        heading = PlainLabel(title, self)
        theme.set_type(heading, "small accent")
        heading.setContentsMargins(0, Space.L, 0, Space.XS)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(heading)
        self._column.addWidget(hairline(self))

    def add(self, field: "SettingField | KeyField") -> None:
        """Append a field."""
        self.fields.append(field)
        self._column.addWidget(field)

    def show_matching(self, words: list[str]) -> bool:
        """Show only fields with all words; return whether there are any."""
        shown = [field for field in self.fields if all(word in field.words for word in words)]
        for field in self.fields:
            field.setVisible(field in shown)
        self.setVisible(bool(shown))
        return bool(shown)


def _section(setting: SettingValue) -> str:
    return setting.name.partition(".")[0]


def _words(name: str) -> str:
    words = name.replace("_", " ").replace(".", " ").capitalize().split()
    return " ".join(_ABBREVIATIONS.get(word.lower(), word) for word in words)
